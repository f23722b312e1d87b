// SPDX-License-Identifier: GPL-2.0-or-later
/* The saved lease: what goes out comes back, and nothing else comes in. */
#include "check.h"

#include <sys/stat.h>

#include "address/lease_file.h"

static const struct link_hw mac = {.len = 6, .bytes = {2, 0, 0, 0, 0, 5}};

static struct inet_addr addr(const char *text)
{
	struct inet_addr a;

	CHECK_INT(value_inet(text, strlen(text), &a), 0);
	return a;
}

static struct address_result full(void)
{
	struct address_result r = {
		.ifindex = 7,
		.ifname = "eth0",
		.method = ADDRESS_DHCP4,
		.addr = addr("10.0.0.5"),
		.prefix = 24,
		.broadcast = addr("10.0.0.255"),
		.gateway = addr("10.0.0.1"),
		.mtu = 1400,
		.n_dns = 2,
		.n_ntp = 1,
		.n_routes = 2,
		.hostname = "node5",
		.domain = "example",
		.search = "lab.example example",
		.root_path = "10.0.0.1:/export/root,vers=4.2",
		.boot_file = "http://x/y",
		.tftp_server = "t",
		.next_server = addr("10.0.0.3"),
		.server_id = addr("10.0.0.1"),
		.client_id = {1, 2, 0, 0, 0, 0, 5},
		.client_id_len = 7,
		.lease_s = 3600,
		.obtained = 1,
		.renew = 1800000000000,
		.rebind = 3150000000000,
		.expires = NSEC_NEVER,
	};

	r.dns[0] = addr("10.0.0.1");
	r.dns[1] = addr("2001:db8::53");
	r.ntp[0] = addr("10.0.0.9");
	r.routes[0] = (struct address_route){addr("172.16.0.0"), 12, addr("10.0.0.2")};
	r.routes[1] = (struct address_route){addr("192.0.2.0"), 24, {0}};
	return r;
}

static const struct netdev dev = {
	.ifindex = 7, .name = "eth0", .hwtype = 1, .hw = {6, {2, 0, 0, 0, 0, 5}}};

TEST(out_and_in_again)
{
	struct address_result in = full(), out;
	char text[LEASE_FILE_MAX];
	struct link_hw hw;
	int len = lease_text_write(&in, &mac, text);

	CHECK(len > 0);
	CHECK_INT(lease_text_parse(text, (size_t)len, &out, &hw), 0);
	CHECK_MEM(&hw, &mac, sizeof(mac.len) + mac.len);
	out.ifindex = 7;
	strscpy(out.ifname, "eth0", sizeof(out.ifname));
	CHECK_MEM(&out, &in, sizeof(in));
}

/* A lease of DHCPv6 goes into a file of its own: neither is taken for the other. */
TEST(leases_of_both_families)
{
	char dir[] = "/tmp/ia-lease-XXXXXX";
	struct env env = {.prefix = check_dir(dir)};
	struct address_result four = full(), six, out;
	char path[64], other[64];

	snprintf(path, sizeof(path), "%s/run", dir);
	CHECK_INT(mkdir(path, 0755), 0);
	six = (struct address_result){.ifindex = 7,
		.ifname = "eth0",
		.method = ADDRESS_DHCP6,
		.addr = addr("2001:db8::77"),
		.prefix = 128,
		.gateway = addr("fe80::1"),
		.n_dns = 1,
		.dns[0] = addr("2001:db8::53"),
		.search = "lab.example",
		.boot_file = "http://[2001:db8::1]/x",
		.client_id = {0, 3, 0, 1, 2, 0, 0, 0, 0, 5},
		.client_id_len = 10,
		.server_duid = {0, 2, 9, 9},
		.server_duid_len = 4,
		.lease_s = 3600,
		.obtained = 1,
		.renew = 2,
		.rebind = 3,
		.expires = 4};
	CHECK_INT(lease_file_load(&env, AF_INET, &dev, &out), -ENOENT);
	CHECK_INT(lease_file_save(&env, &six, &mac), 0);
	CHECK_INT(lease_file_load(&env, AF_INET, &dev, &out), -ENOENT);
	CHECK_INT(lease_file_save(&env, &four, &mac), 0);
	CHECK_INT(lease_file_load(&env, AF_INET6, &dev, &out), 0);
	CHECK_MEM(&out, &six, sizeof(six));
	CHECK_INT(lease_file_load(&env, AF_INET, &dev, &out), 0);
	CHECK_MEM(&out, &four, sizeof(four));
	lease_file_remove(&env, AF_INET6, 7);
	CHECK_INT(lease_file_load(&env, AF_INET6, &dev, &out), -ENOENT);
	/* one under the other's name is refused */
	snprintf(path, sizeof(path), "%s/run/initagent/lease.7", dir);
	snprintf(other, sizeof(other), "%s/run/initagent/lease6.7", dir);
	CHECK_INT(rename(path, other), 0);
	CHECK_INT(lease_file_load(&env, AF_INET6, &dev, &out), -EINVAL);
	six.server_duid_len = 0; /* no server to renew it with */
	CHECK_INT(lease_file_save(&env, &six, &mac), 0);
	CHECK_INT(lease_file_load(&env, AF_INET6, &dev, &out), -EINVAL);
}

TEST(the_fullest_fits)
{
	struct address_result r = full(), out;
	char text[LEASE_FILE_MAX];
	struct link_hw hw = {.len = LINK_HW_MAX}, back;
	int len;

	r.n_routes = ADDRESS_ROUTES_MAX;
	for (size_t i = 0; i < r.n_routes; i++)
		r.routes[i] = (struct address_route){addr("2001:db8:1111:2222:3333:4444:5555:0"),
			112, addr("2001:db8:1111:2222:3333:4444:5555:6666")};
	r.n_dns = r.n_ntp = ADDRESS_LIST_MAX;
	for (size_t i = 0; i < ADDRESS_LIST_MAX; i++)
		r.dns[i] = r.ntp[i] = addr("2001:db8:1111:2222:3333:4444:5555:6666");
	memset(r.root_path, 'p', sizeof(r.root_path) - 1);
	memset(r.boot_file, 'p', sizeof(r.boot_file) - 1);
	memset(r.tftp_server, 'p', sizeof(r.tftp_server) - 1);
	for (size_t i = 0; i < sizeof(r.search) - 1; i++)
		r.search[i] = i % 32 == 31 ? ' ' : 'd';
	r.search[sizeof(r.search) - 2] = 'd';
	r.client_id_len = ADDRESS_CLIENT_ID_MAX;
	len = lease_text_write(&r, &hw, text);
	CHECK(len > 0 && len < LEASE_FILE_MAX);
	CHECK_INT(lease_text_parse(text, (size_t)len, &out, &back), 0);
	CHECK_STR(out.search, r.search);
}

#define HEAD "initagent-lease=1\n"
#define LESS "hardware=020000000005\naddress=10.0.0.5\nserver=10.0.0.1\nclient-id=01\n"
#define CORE "hardware=020000000005\naddress=10.0.0.5\nprefix=24\nserver=10.0.0.1\nclient-id=01\n"

TEST(bad_files)
{
	static const char *const rows[] = {
		"", "\n", HEAD, CORE, "initagent-lease=2\n" CORE, "initagent-lease=10\n" CORE,
		HEAD CORE "unknown=1\n", HEAD CORE "dns\n", HEAD CORE "dns=\n",
		HEAD CORE "dns=1.2.3\n",
		HEAD CORE "dns=1.2.3.4 \n", HEAD LESS "prefix=256\n", HEAD LESS "prefix=33\n",
		HEAD LESS "prefix=-1\n", HEAD LESS "prefix= 1\n", HEAD LESS "prefix=\n",
		HEAD CORE "mtu=4294967296\n",
		HEAD CORE "lease=99999999999999999999\n",
		HEAD CORE "expires=18446744073709551616\n",
		HEAD CORE "hostname=$(reboot)\n", HEAD CORE "hostname=a b\n",
		HEAD CORE "hostname=\n",
		HEAD CORE "domain=a;b\n", HEAD CORE "root-path=`x`\n", HEAD CORE "client-id=0\n",
		HEAD "hardware=02\naddress=10.0.0.5\nserver=10.0.0.1\nclient-id=0g\n",
		HEAD "hardware=02\naddress=10.0.0.5\nserver=10.0.0.1\nclient-id=0A\n",
		HEAD "hardware=\naddress=10.0.0.5\nserver=10.0.0.1\nclient-id=01\n",
		HEAD "hardware=000000000000000000000000000000000000000000000000000000000000000000\n"
		"address=10.0.0.5\n"
		     "server=10.0.0.1\nclient-id=01\n",
		HEAD CORE "route=10.0.0.0\n", HEAD CORE "route=10.0.0.0/33\n",
		HEAD CORE "route=10.0.0.0/8 x\n",
		HEAD CORE "route=10.0.0.0/8 \n", HEAD CORE "\n", HEAD CORE "=\n",
		HEAD CORE "renew=5\nrebind=4\nexpires=9\n",
		HEAD CORE "obtained=9\nrenew=1\nrebind=2\nexpires=3\n",
		HEAD "hardware=02\naddress=::1\nprefix=24\nserver=10.0.0.1\nclient-id=01\n",
		HEAD LESS, HEAD LESS "prefix=0\n", /* what no host can have, as in a reply */
		HEAD "hardware=02\naddress=10.0.0.0\nprefix=24\nserver=10.0.0.1\nclient-id=01\n",
		HEAD "hardware=02\naddress=10.0.0.255\nprefix=24\nserver=10.0.0.1\nclient-id=01\n",
		HEAD "hardware=02\naddress=127.0.0.5\nprefix=24\nserver=10.0.0.1\nclient-id=01\n",
		HEAD "hardware=02\naddress=10.0.0.5\nprefix=24\nserver=255.255.255.255\n"
		"client-id=01\n",
		HEAD "hardware=02\naddress=10.0.0.5\nprefix=24\nserver=10.0.0.5\nclient-id=01\n",
		HEAD CORE "gateway=10.0.0.5\n", HEAD CORE "gateway=10.0.0.255\n",
		HEAD CORE "gateway=::1\n",
		HEAD CORE "route=10.0.0.0/24 10.0.0.9\n",
		HEAD CORE "prefix=24\n", HEAD CORE "hardware=02\n",
		HEAD CORE "domain=a\ndomain=a\n",
		HEAD CORE "dns=1.1.1.1\ndns=1.1.1.1\ndns=1.1.1.1\ndns=1.1.1.1\ndns=1.1.1.1\n",
	};
	struct address_result r;
	struct link_hw hw;

	CHECK_INT(lease_text_parse(HEAD CORE, strlen(HEAD CORE), &r, &hw), 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (lease_text_parse(rows[i], strlen(rows[i]), &r, &hw) != -EINVAL)
			check_fail(__FILE__, __LINE__, "taken: %s", rows[i]);
}

TEST(too_many_routes)
{
	static const char route[] = "route=10.0.0.0/8\n";
	char text[2048];
	struct address_result r;
	struct link_hw hw;
	size_t len = (size_t)snprintf(text, sizeof(text), "%s", HEAD CORE);

	for (int i = 0; i < ADDRESS_ROUTES_MAX; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s", route);
	CHECK_INT(lease_text_parse(text, len, &r, &hw), 0);
	len += (size_t)snprintf(text + len, sizeof(text) - len, "%s", route);
	CHECK_INT(lease_text_parse(text, len, &r, &hw), -EINVAL);
}

TEST(files_below_a_prefix)
{
	char dir[] = "/tmp/ia-lease-XXXXXX", path[64];
	struct env env = {.prefix = dir};
	struct address_result in = full(), out;
	struct netdev other = dev;
	struct stat st;

	check_dir(dir);
	snprintf(path, sizeof(path), "%s/run", dir);
	CHECK_INT(mkdir(path, 0755), 0);
	CHECK_INT(lease_file_load(&env, AF_INET, &dev, &out), -ENOENT);
	CHECK_INT(lease_file_save(&env, &in, &mac), 0);
	CHECK_INT(lease_file_load(&env, AF_INET, &dev, &out), 0);
	CHECK_MEM(&out, &in, sizeof(in));
	snprintf(path, sizeof(path), "%s/run/initagent/lease.7", dir);
	CHECK_INT(stat(path, &st), 0);
	CHECK_INT(st.st_mode & 0777, 0600);
	other.hw.bytes[5] = 6; /* another card under the same index */
	CHECK_INT(lease_file_load(&env, AF_INET, &other, &out), -EINVAL);
	lease_file_remove(&env, AF_INET, 7);
	CHECK_INT(lease_file_load(&env, AF_INET, &dev, &out), -ENOENT);
	snprintf(path, sizeof(path), "rm -r %s", dir);
	CHECK_INT(system(path), 0);
}
