// SPDX-License-Identifier: GPL-2.0-or-later
/* Files of klibc's ipconfig: exact content, quotes, and what has none. */
#include "check.h"

#include "profileroom.h"

/* klibc: the files of one rail, before anything is known of a real root. */
static int klibc(const struct profile_rail *rail)
{
	const struct profile_set set = {.env = &proom_env, .now = 200 * NSEC_PER_SEC};

	proom_begin();
	return klibc_write(&set, rail);
}

TEST(dhcp)
{
	struct address_result r;
	struct profile_rail rail = proom_leased(proom_ethernet("eth0", 2), &r);

	r.broadcast = proom_ip("10.0.0.255");
	r.next_server = proom_ip("10.0.0.9");
	strscpy(r.search, "cluster.example example.org", sizeof(r.search));
	strscpy(r.root_path, "10.0.0.9:/export/root,vers=4.2", sizeof(r.root_path));
	strscpy(r.boot_file, "pxelinux.0", sizeof(r.boot_file));
	CHECK_INT(klibc(&rail), 0);
	proom_expect("klibc-dhcp");
}

/* Neither gateway nor name server; the broadcast address is the subnet's. */
TEST(static_address)
{
	struct address_result r = {.method = ADDRESS_STATIC, .addr = proom_ip("10.1.2.3"),
		.prefix = 20};
	struct profile_rail rail = {.dev = proom_ipoib("ib0", 0xffff), .four = &r};

	CHECK_INT(klibc(&rail), 0);
	proom_expect("klibc-static");
}

TEST(routes_beside_the_gateway)
{
	struct address_result r;
	struct profile_rail rail = proom_leased(proom_ethernet("eth0", 2), &r);

	r.routes[r.n_routes++] =
		(struct address_route){proom_ip("10.8.0.0"), 16, proom_ip("10.0.0.8")};
	r.routes[r.n_routes++] = (struct address_route){.dst = proom_ip("10.9.0.0"), .prefix = 16};
	CHECK_INT(klibc(&rail), 0);
	proom_expect("klibc-routes");
}

/* Both families in files of their own, with the name servers of each. */
TEST(ipv6_beside_ipv4)
{
	struct address_result r, six = {.method = ADDRESS_DHCP6, .addr = proom_ip("2001:db8::5"),
		.prefix = 64, .gateway = proom_ip("fe80::1"), .hostname = "n1",
		.search = "cluster.example"};
	struct profile_rail rail = proom_leased(proom_ethernet("eth0", 2), &r);

	r.dns[r.n_dns++] = six.dns[six.n_dns++] = proom_ip("2001:db8::53");
	rail.six = &six;
	CHECK_INT(klibc(&rail), 0);
	proom_expect("klibc-ipv6");
}

/* "none" for cloud-init, as for an IPv4 address that is given; no word that it does not know. */
TEST(ipv6_alone)
{
	static const struct {
		enum address_method method;
		const char *line; /* NULL: no file */
	} rows[] = {
		{ADDRESS_STATIC, "IPV6PROTO='none'\n"},
		{ADDRESS_AUTO6, "IPV6PROTO='dhcp6'\n"},
		{ADDRESS_LINK6, NULL},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_free_ char *text = NULL;
		struct address_result six = {.method = rows[i].method,
			.addr = proom_ip("2001:db8::5"), .prefix = 64};
		struct profile_rail rail = {.dev = proom_ethernet("eth0", 2), .six = &six};

		CHECK_INT(klibc(&rail), 0);
		CHECK(!proom_has("/run/net-eth0.conf"));
		CHECK_INT(proom_has("/run/net6-eth0.conf"), rows[i].line != NULL);
		text = proom_text();
		CHECK(!rows[i].line || strstr(text, rows[i].line));
	}
}

/* A URL may have all of these; tests/initramfs-tools.bats sources the file that is expected. */
TEST(quotes)
{
	struct address_result r;
	struct profile_rail rail = proom_leased(proom_ethernet("eth0", 2), &r);

	strscpy(r.root_path, "http://h/';touch$IFS-pwned;'", sizeof(r.root_path));
	strscpy(r.boot_file, "http://h/$(touch$IFS-pwned);'!touch!pwned;'&*?$HOME(a)'",
		sizeof(r.boot_file));
	CHECK_INT(klibc(&rail), 0);
	proom_expect("klibc-quotes");
}

/* The rooms check these already (inet_text.h); one that slips through ends in no file. */
TEST(hostile_text_makes_no_line)
{
	static const char *const bad[] = {"x\nIPV4ADDR=reboot", "x'; reboot; '", "$(reboot)",
		"`reboot`", "x reboot\tz", "x\r\nreboot", "reboot\\", "\x01reboot"};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		_cleanup_free_ char *text = NULL;
		struct address_result r;
		struct profile_rail rail = proom_leased(proom_ethernet("eth0", 2), &r);

		rail.six = &r;
		strscpy(r.hostname, bad[i], sizeof(r.hostname));
		strscpy(r.domain, bad[i], sizeof(r.domain));
		strscpy(r.search, bad[i], sizeof(r.search));
		strscpy(r.boot_file, bad[i], sizeof(r.boot_file));
		strscpy(r.root_path, bad[i], sizeof(r.root_path));
		CHECK_INT(klibc(&rail), 0);
		text = proom_text();
		CHECK(strstr(text, "\nHOSTNAME=''\n"));
		CHECK(!strstr(text, "reboot"));
	}
}

TEST(hostile_names_make_no_file)
{
	static const char *const bad[] = {"..", "a\nb", "a'b", "a;b", ""};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		_cleanup_free_ char *text = NULL;
		struct address_result r;
		struct profile_rail rail = proom_leased(proom_ethernet(bad[i], 2), &r);

		CHECK_INT(klibc(&rail), -EINVAL);
		text = proom_text();
		CHECK_STR(text, "");
	}
}
