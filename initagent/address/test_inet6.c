// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The pure parts around IPv6: router options, client identifiers, the kernel's verdict on an
 * address.
 */
#include "check.h"

#include <arpa/inet.h>
#include <linux/if_addr.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if_arp.h>
#include <sys/stat.h>

#include "address/duid.h"
#include "address/inet6.h"
#include "address/nd_option.h"
#include "address/router_list.h"
#include "modtree.h"

/* --- options of a router ------------------------------------------------------------------- */

static const uint8_t router[16] = {0xfe, 0x80, [15] = 1};

static struct nd_options options(const void *bytes, size_t len)
{
	uint8_t message[512];
	struct nduseroptmsg head = {
		.nduseropt_family = AF_INET6, .nduseropt_opts_len = (uint16_t)len};
	struct nlattr attr = {.nla_len = sizeof(attr) + 16, .nla_type = NDUSEROPT_SRCADDR};
	struct nd_options o;

	memcpy(message, &head, sizeof(head));
	memcpy(message + sizeof(head), bytes, len);
	memcpy(message + sizeof(head) + len, &attr, sizeof(attr));
	memcpy(message + sizeof(head) + len + sizeof(attr), router, 16);
	nd_options_parse(&o, message, sizeof(head) + len + sizeof(attr) + 16);
	CHECK(nd_options_sane(&o));
	return o;
}

TEST(dns_servers_of_a_router)
{
	static const uint8_t two[] = {25, 5, 0, 0, 0, 0, 2, 88,
		0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x53,
		0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x54};
	struct nd_options o = options(two, sizeof(two));

	CHECK(!*o.search && !o.malformed);
	CHECK_INT(o.lifetime_s, 600);
	CHECK_MEM(o.router, router, 16);
	CHECK_INT(o.n_dns, 2);
	CHECK_INT(o.dns[1].s6_addr[15], 0x54);
	for (size_t len = 1; len < sizeof(two); len++) {
		o = options(two, len);
		CHECK(o.malformed);
		CHECK_INT(o.n_dns, 0);
	}
}

TEST(domains_of_a_router)
{
	static const uint8_t list[] = "\x1f\x04\0\0\0\0\x02\x58\x03lab\x07"
				      "example\0\x04"
				      "boot\0\0\0\0\0";
	static const uint8_t hostile[] = "\x1f\x03\0\0\0\0\x02\x58\x07$(halt)\0\x03lab\0\0";
	struct nd_options o = options(list, 32);

	CHECK(!o.malformed && !o.n_dns);
	CHECK_STR(o.search, "lab.example boot");
	o = options(hostile, 24);
	CHECK_STR(o.search, "lab");
}

TEST(wrecked_options)
{
	static const struct {
		const char *bytes;
		size_t len;
	} rows[] = {
		{"\x19\0\0\0\0\0\0\1", 8},		      /* length zero would never end */
		{"\x19\1\0\0\0\0\0\1", 8},		      /* no address */
		{"\x19\2\0\0\0\0\0\1" "12345678", 16},	      /* half an address */
		{"\x19\4\0\0\0\0\0\1\x20" "12345678901234567890123", 32}, /* one and a half */
		{"\x19\5\0\0\0\0\0\1", 8},		      /* longer than what is there */
		{"\x1f\2\0\0\0\0\0\1\x3f" "1234567", 16},     /* a label longer than the option */
		{"\x1f\2\0\0\0\0\0\1\3lab\xc0\0\0\0", 16},     /* a pointer to where it stands */
		{"\x19", 1},
	};
	struct nd_options o;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		o = options(rows[i].bytes, rows[i].len);
		CHECK(o.malformed);
		CHECK_INT(o.n_dns, 0);
	}
	nd_options_parse(&o, "short", 5);
	CHECK(o.malformed && nd_options_sane(&o));
	o = options("\x25\2abcdef\0\0\0\0\0\0\0\0", 16); /* an option we do not know */
	CHECK(!o.malformed && !o.n_dns && !*o.search);
}

/* --- what several routers say ---------------------------------------------------------------- */

static void expect_domains(const struct router_list *l, const char *want)
{
	char got[ADDRESS_SEARCH_MAX + 1];

	router_list_domains(l, got);
	CHECK_STR(got, want);
}

TEST(entries_of_routers)
{
	static const uint8_t other[16] = {0xfe, 0x80, [15] = 2};
	struct router_list l = {0};

	CHECK(router_list_deadline(&l) == NSEC_NEVER);
	router_list_put(&l, router, "a", 1, 10, 0);
	router_list_put(&l, router, "b", 1, UINT32_MAX, 0);
	router_list_put(&l, other, "b", 1, 5, 0);
	router_list_put(&l, other, "c", 1, 0, 0); /* not there */
	expect_domains(&l, "a b");
	CHECK_INT(router_list_deadline(&l), 5 * NSEC_PER_SEC);
	router_list_put(&l, other, "a", 1, 0, 0); /* another's */
	router_list_put(&l, router, "b", 1, 0, 0);
	expect_domains(&l, "a b");
	CHECK(!router_list_expire(&l, 5 * NSEC_PER_SEC - 1));
	CHECK(router_list_expire(&l, 5 * NSEC_PER_SEC));
	expect_domains(&l, "a");
	router_list_put(&l, router, "a", 1, 10, 9 * NSEC_PER_SEC); /* prolonged */
	CHECK(!router_list_expire(&l, 18 * NSEC_PER_SEC));
	router_list_put(&l, router, "a", 1, 0, 18 * NSEC_PER_SEC);
	expect_domains(&l, "");
}

TEST(entries_of_routers_are_bounded)
{
	struct inet_addr servers[ADDRESS_LIST_MAX];
	struct router_list l = {0};
	char name[ADDRESS_DOMAIN_MAX + 1], got[ADDRESS_SEARCH_MAX + 1];
	uint8_t addr[16] = {0x20};

	for (addr[15] = 0; addr[15] < 100; addr[15]++)
		router_list_put(&l, router, addr, 16, 600, 0);
	CHECK_INT(l.n, ROUTER_ENTRIES_EACH);
	for (uint8_t from[16] = {0xfe, 0x80, 1}; from[15] < 100; from[15]++)
		router_list_put(&l, from, addr, 16, 600, 0);
	CHECK_INT(l.n, ROUTER_ENTRIES_MAX);
	CHECK_INT(router_list_servers(&l, servers), ADDRESS_LIST_MAX);
	CHECK_INT(servers[3].bytes[15], 3); /* the first ones */
	l.n = 0;
	memset(name, 'x', sizeof(name));
	for (int n = 0; n < 100; n++) {
		name[0] = (char)('a' + n % 26);
		router_list_put(&l, router, name, ADDRESS_DOMAIN_MAX, 600, 0);
	}
	CHECK_INT(l.n, ROUTER_ENTRIES_EACH);
	router_list_put(&l, router, name, sizeof(name), 600, 0); /* too long */
	router_list_domains(&l, got);
	CHECK_INT(strlen(got), 2 * ADDRESS_DOMAIN_MAX + 1);
}

/* --- client identifiers -------------------------------------------------------------------- */

/* A tree whose machine has this UUID; NULL: none. */
static struct env machine(char *dir, const char *uuid)
{
	struct env env = {.prefix = check_dir(dir)};
	char path[256];
	FILE *f;

	for (const char *const *p = (const char *const[]){"sys", "sys/class", "sys/class/dmi",
		     "sys/class/dmi/id", NULL};
		*p; p++) {
		snprintf(path, sizeof(path), "%s/%s", dir, *p);
		CHECK_INT(mkdir(path, 0755), 0);
	}
	if (!uuid)
		return env;
	snprintf(path, sizeof(path), "%s/sys/class/dmi/id/product_uuid", dir);
	f = fopen(path, "we");
	CHECK(f && fprintf(f, "%s\n", uuid) > 0);
	fclose(f);
	return env;
}

static const struct netdev ethernet = {.hwtype = 1, .hw = {.len = 6, .bytes = {2, 0, 0, 0, 0, 5}}};
static const struct netdev ipoib = {.hwtype = 32,
	.hw = {.len = 20,
		.bytes = {0x80, 0, 2, 8, 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0x50, 0x54, 0, 0xff, 0xfe,
			0x99, 0, 0x64}}};

TEST(duid_of_the_machine)
{
	char dir[] = "/tmp/ia-duid-XXXXXX";
	struct env env = machine(dir, "00112233-4455-6677-8899-AABBccddeeff");
	struct duid d;

	CHECK_INT(duid_make(&d, &env, &ethernet), 0);
	CHECK_INT(d.len, 18);
	CHECK_MEM(d.bytes, "\0\4\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff",
		18);
}

TEST(duid_of_the_interface)
{
	static const char *const none[] = {NULL, "00000000-0000-0000-0000-000000000000",
		"FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF", "03000200-0400-0500-0006-000700080009",
		"Not Settable", "00112233-4455-6677-8899-AABBccddee", ""};

	for (size_t i = 0; i < ARRAY_SIZE(none); i++) {
		char dir[] = "/tmp/ia-duid-XXXXXX";
		struct env env = machine(dir, none[i]);
		struct duid d;

		CHECK_INT(duid_make(&d, &env, &ethernet), 0);
		CHECK_INT(d.len, 10);
		CHECK_MEM(d.bytes, "\0\3\0\1\2\0\0\0\0\5", 10);
		/* of the 20 bytes only the port GUID, which no ifup changes */
		CHECK_INT(duid_make(&d, &env, &ipoib), 0);
		CHECK_INT(d.len, 12);
		CHECK_MEM(d.bytes, "\0\3\0\x20\x50\x54\0\xff\xfe\x99\0\x64", 12);
	}
}

TEST(duid_of_nothing)
{
	char dir[] = "/tmp/ia-duid-XXXXXX";
	struct env env = machine(dir, NULL);
	const struct netdev tunnel = {.hwtype = 776, .ifindex = 4};
	struct duid d;

	CHECK_INT(duid_make(&d, &env, &tunnel), -EINVAL);
	CHECK_INT(duid_iaid(&tunnel), 4);
	CHECK_INT(duid_iaid(&ethernet), 5);
	CHECK_INT(duid_iaid(&ipoib), 0xfe990064);
}

/* --- switches ------------------------------------------------------------------------------ */

/* How often a duplicate is looked for, while the agent has the interface and afterwards. */
static void check_solicitations(uint16_t hwtype, const char *during)
{
	const struct netdev dev = {.name = "ib0", .hwtype = hwtype};
	const struct inet6_wish wish = {.optimistic = true};
	struct inet6_saved saved;
	struct modtree t;
	char got[16];

	modtree_bare(&t);
	modtree_file(&t, "/proc/sys/net/ipv6/conf/ib0/dad_transmits", "1\n");
	inet6_prepare(&t.env, &dev, &wish, &saved);
	CHECK(env_read(&t.env, got, sizeof(got), "/proc/sys/net/ipv6/conf/ib0/dad_transmits") > 0);
	CHECK_STR(got, during);
	inet6_restore(&t.env, "ib0", &saved);
	CHECK(env_read(&t.env, got, sizeof(got), "/proc/sys/net/ipv6/conf/ib0/dad_transmits") > 0);
	CHECK_STR(got, "1");
}

TEST(ipoib_may_drop_the_first_solicitation)
{
	check_solicitations(ARPHRD_INFINIBAND, "3");
	check_solicitations(ARPHRD_ETHER, "1");
}

/* --- verdicts ------------------------------------------------------------------------------ */

TEST(verdict_of_the_kernel)
{
	static const struct {
		uint32_t flags;
		enum inet6_verdict want;
	} rows[] = {
		{0, INET6_USABLE},
		{IFA_F_PERMANENT, INET6_USABLE},
		{IFA_F_TENTATIVE, INET6_TENTATIVE},
		{IFA_F_TENTATIVE | IFA_F_PERMANENT, INET6_TENTATIVE},
		{IFA_F_TENTATIVE | IFA_F_OPTIMISTIC, INET6_USABLE},
		{IFA_F_TENTATIVE | IFA_F_DADFAILED, INET6_DUPLICATE},
		{IFA_F_TENTATIVE | IFA_F_OPTIMISTIC | IFA_F_DADFAILED, INET6_DUPLICATE},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct link_address a = {.flags = rows[i].flags};

		CHECK_INT(inet6_verdict(&a), rows[i].want);
	}
}
