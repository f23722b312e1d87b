/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nbft, firmware: what tables say as options, what the command line keeps, what is refused. */
#include "firmware.h"

#include "boottable.h"
#include "check.h"

#define HOST "nqn.2014-08.org.nvmexpress:uuid:12345678-aaaa-bbbb-cccc-123456789012"
#define NQN  "nqn.2024-01.org.example:root"
#define MAC  "52:54:00:99:00:64"
#define UUID "df669a88bd6f4dd68a505f97eb55c835"

static uint8_t bytes[BOOTTABLE_MAX];

/* The least that boots: one interface, one namespace. */
static const struct boottable plain = {
	.hostnqn = HOST,
	.ifaces = {{.mac = MAC, .addr = "10.99.0.100", .prefix = 24}},
	.namespaces = {{.addr = "10.99.0.1", .port = "4421", .nqn = NQN, .nsid = 1, .iface = 1}},
};

#define PLAIN_IFACE "ifname=nbft0:" MAC " ip=10.99.0.100:::24::nbft0:none "
#define PLAIN_HOST  "rd.nvmf.hostnqn=" HOST " "

/* What tables say beside a command line; "" and *ret_root false where there is no root. */
static const char *options(const struct boottable *tables, size_t n, const char *cmdline)
{
	static char text[4096];
	struct firmware f = {.name = "nbft"};
	struct boot_plan *line;
	const char *why = NULL;
	FILE *out = fmemopen(text, sizeof(text), "w");

	for (size_t i = 0; i < n; i++) {
		size_t len = boottable_nbft(bytes, &tables[i]);

		if (nbft_parse(&f, bytes, len, &why) < 0)
			check_fail(__FILE__, __LINE__, "refused: %s", why);
	}
	CHECK_INT(plan_parse(&line, cmdline, strlen(cmdline), NULL), 0);
	firmware_options(out, &f, line);
	fclose(out);
	plan_free(line);
	return text;
}

/* Why bytes[] are refused; NULL: they are not. */
static const char *refused(size_t len)
{
	struct firmware f = {.name = "nbft"}, before = f;
	const char *why = NULL;

	if (nbft_parse(&f, bytes, len, &why) < 0)
		CHECK_MEM(&f, &before, sizeof(f));
	return why;
}

TEST(address_and_namespace)
{
	CHECK_STR(options(&plain, 1, "root=nvmf"),
		PLAIN_IFACE "root=nvmf:tcp:10.99.0.1:4421:" NQN ",nsid=1 " PLAIN_HOST);
	CHECK_STR(options(&plain, 1, ""),
		PLAIN_IFACE "root=nvmf:tcp:10.99.0.1:4421:" NQN ",nsid=1 " PLAIN_HOST);
}

TEST(all_of_an_interface)
{
	struct boottable t = plain;

	t.ifaces[0].vlan = 7;
	t.ifaces[0].gateway = "10.99.0.254";
	t.ifaces[0].dns = "10.99.0.2";
	t.ifaces[0].dns2 = "fd00::2";
	t.ifaces[0].hostname = "node7.example";
	t.ifaces[1] = (struct boottable_iface){.mac = "52:54:00:99:00:65", .dhcp = "10.98.0.1"};
	t.ifaces[2] = (struct boottable_iface){.mac = MAC, .addr = "fd00::64", .prefix = 64,
		.gateway = "10.0.0.1"};
	t.ifaces[3] = (struct boottable_iface){.mac = "52:54:00:99:00:66", .dhcp = "::"};
	t.namespaces[0].addr = NULL;
	CHECK_STR(options(&t, 1, ""),
		"ifname=nbft0:" MAC " vlan=nbft0.7:nbft0 "
		"ip=10.99.0.100::10.99.0.254:24:node7.example:nbft0.7:none:10.99.0.2:[fd00::2] "
		"ifname=nbft1:52:54:00:99:00:65 ip=nbft1:dhcp "
		"ip=[fd00::64]:::64::nbft0:none "
		"ifname=nbft3:52:54:00:99:00:66 ip=nbft3:dhcp6 ");
}

/* What the firmware leased is asked for again, if a host can have it. */
TEST(a_lease_of_the_firmware)
{
	static const char *const rows[][2] = {
		{"10.98.0.65", "ip=nbft0:dhcp rd.net.dhcp.request=nbft0:10.98.0.65 "},
		{"255.255.255.255", "ip=nbft0:dhcp "},
		{"fd00::65", "ip=nbft0:dhcp6 "},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct boottable t = plain;
		char text[128];

		t.ifaces[0] = (struct boottable_iface){.mac = MAC, .addr = rows[i][0],
			.prefix = 24, .dhcp = "10.98.0.1"};
		t.namespaces[0].addr = NULL;
		snprintf(text, sizeof(text), "ifname=nbft0:" MAC " %s", rows[i][1]);
		CHECK_STR(options(&t, 1, ""), text);
	}
}

/* One for each subsystem, as some firmware has it: one lease is enough. */
TEST(an_interface_that_is_there_twice)
{
	struct boottable t = plain;

	t.ifaces[0] = t.ifaces[1] = (struct boottable_iface){.mac = MAC, .dhcp = "10.98.0.1"};
	t.ifaces[2] = (struct boottable_iface){.mac = MAC, .dhcp = "10.98.0.1", .vlan = 7};
	t.ifaces[3] = (struct boottable_iface){.mac = MAC, .dhcp = "fd00::1"};
	t.namespaces[0].addr = NULL;
	CHECK_STR(options(&t, 1, ""), "ifname=nbft0:" MAC " ip=nbft0:dhcp "
		"vlan=nbft0.7:nbft0 ip=nbft0.7:dhcp ip=nbft0:dhcp6 ");
}

TEST(an_interface_that_is_not_valid_or_has_no_address)
{
	struct boottable t = plain;

	t.ifaces[0].invalid = 1;
	t.ifaces[1] = (struct boottable_iface){.mac = "52:54:00:99:00:65", .hostname = "no name"};
	t.namespaces[0].addr = NULL;
	CHECK_STR(options(&t, 1, ""), "ifname=nbft0:52:54:00:99:00:65 ");
}

TEST(several_ways_to_one_namespace)
{
	struct boottable t = plain;

	t.namespaces[0].uuid = t.namespaces[1].uuid = UUID;
	t.namespaces[1] = t.namespaces[0];
	t.namespaces[1].addr = "fd00::1";
	t.namespaces[2] = t.namespaces[0];
	t.namespaces[2].nsid = 2;
	CHECK_STR(options(&t, 1, "root=nvmf"),
		PLAIN_IFACE "root=nvmf:tcp:10.99.0.1:4421,[fd00::1]:4421:" NQN
		",uuid=df669a88-bd6f-4dd6-8a50-5f97eb55c835 " PLAIN_HOST);
}

TEST(the_namespace_that_the_firmware_reached)
{
	struct boottable t = plain;

	t.namespaces[1] = t.namespaces[2] = t.namespaces[0];
	t.namespaces[0].flags = 2 << 7;
	t.namespaces[1].flags = 2;
	t.namespaces[2].addr = "10.99.0.3";
	t.namespaces[2].nsid = 3;
	CHECK_STR(options(&t, 1, "root=nvmf"),
		PLAIN_IFACE "root=nvmf:tcp:10.99.0.3:4421:" NQN ",nsid=3 " PLAIN_HOST);
}

TEST(digests_link_local_and_discovery_alone)
{
	struct boottable t = plain;

	t.namespaces[0].digests = 6;
	t.namespaces[0].addr = "fe80::1";
	CHECK_STR(options(&t, 1, "root=nvmf"),
		PLAIN_IFACE "root=nvmf:tcp:[fe80::1%nbft0]:4421:" NQN
		",nsid=1,hdr_digest,data_digest " PLAIN_HOST);
	t = plain;
	t.namespaces[0].nqn = "nqn.2014-08.org.nvmexpress.discovery";
	t.namespaces[0].nsid = 0;
	CHECK_STR(options(&t, 1, "root=nvmf:nbft,part=2"),
		PLAIN_IFACE "root=nvmf:tcp:10.99.0.1:4421,part=2 " PLAIN_HOST);
}

TEST(two_tables)
{
	struct boottable t[2] = {plain, plain};

	t[1].hostnqn = "nqn.2024-01.org.example:host";
	t[1].hostid = "00112233445566778899aabbccddeeff";
	t[1].primary = 2;
	t[1].ifaces[0].mac = "52:54:00:99:00:65";
	t[1].ifaces[0].dhcp = "10.99.0.1";
	t[1].namespaces[0].addr = "fe80::1";
	CHECK_STR(options(t, 2, "root=nvmf"),
		PLAIN_IFACE "ifname=nbft1:52:54:00:99:00:65 ip=nbft1:dhcp "
		"rd.net.dhcp.request=nbft1:10.99.0.100 "
		"root=nvmf:tcp:10.99.0.1:4421,[fe80::1%nbft1]:4421:" NQN ",nsid=1 "
		"rd.nvmf.hostnqn=nqn.2024-01.org.example:host "
		"rd.nvmf.hostid=00112233-4455-6677-8899-aabbccddeeff ");
	t[1].primary = 1;
	CHECK(strstr(options(t, 2, "root=nvmf"), HOST));
}

TEST(the_command_line_wins)
{
	static const struct {
		const char *line, *want;
	} rows[] = {
		{"ip=dhcp", "ifname=nbft0:" MAC " "},
		{"ip=nbft0:dhcp", "ifname=nbft0:" MAC " "},
		{"ip=52-54-00-99-00-64:dhcp", "ifname=nbft0:" MAC " "},
		{"ip=eth1:dhcp", PLAIN_IFACE},
		{"ip=ibft", PLAIN_IFACE},
		{"ifname=boot:" MAC, "ip=10.99.0.100:::24::boot:none "},
	};
	struct boottable t = plain;
	const char *got;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t n = strlen(rows[i].want);

		got = options(&t, 1, rows[i].line);
		if (strncmp(got, rows[i].want, n) != 0 || strncmp(got + n, "root=", 5) != 0)
			check_fail(__FILE__, __LINE__, "%s: %s", rows[i].line, got);
	}
	CHECK(!strstr(options(&t, 1, "rd.nvmf.hostnqn=nqn.me-and-only-me"), "host"));
	t.namespaces[0].uuid = UUID;
	CHECK(strstr(options(&t, 1, "root=nvmf:nbft,nsid=4"), NQN ",nsid=4 "));
	t.ifaces[0].vlan = 7;
	got = options(&t, 1, "ifname=boot:" MAC " vlan=boot.7:boot");
	CHECK(strstr(got, "ip=10.99.0.100:::24::boot.7:") && !strstr(got, "vlan="));
	CHECK(strstr(options(&t, 1, "ifname=fifteen-letters:" MAC), "vlan=vlan7:fifteen-letters "));
}

TEST(who_wants_a_table)
{
	static const struct {
		const char *line;
		bool nbft, ibft;
	} rows[] = {
		{"", true, false},
		{"root=nvmf", true, false},
		{"root=nvmf:nbft,part=1 rd.nonvmf", true, false},
		{"root=nvmf rd.nvmf.nonbft=0", true, false},
		{"rd.nonvmf", false, false},
		{"rd.nonvmf=0", true, false},
		{"root=nvmf rd.nvmf.nonbft", false, false},
		{"root=nvmf:tcp:10.0.0.1:" NQN " ip=ibft", false, true},
		{"root=nfs:10.0.0.1:/a ip=eth0:dhcp ip=ibft", false, true},
		{"root=UUID=1-2", false, false},
		{"root=nvmf:nbft,bad", false, false},
		{"nfsroot=10.0.0.1:/a", false, false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct boot_plan *line;

		CHECK_INT(plan_parse(&line, rows[i].line, strlen(rows[i].line), NULL), 0);
		if (firmware_wants_nbft(line) != rows[i].nbft ||
			firmware_wants_ibft(line) != rows[i].ibft)
			check_fail(__FILE__, __LINE__, "%s", rows[i].line);
		plan_free(line);
	}
}

/* What the parser makes of both: the same as if all had been on the line. */
TEST(the_plan_of_both)
{
	const char *line = "root=nvmf:nbft,part=2 ip=ibft rw";
	const char *more = options(&plain, 1, line);
	const struct plan_source src[] = {
		{.text = line, .len = strlen(line), .running = true},
		{.name = "firmware", .text = more, .len = strlen(more), .firmware = true},
	};
	_cleanup_(diag_list_freep) struct diag_list *diags = NULL;
	struct boot_plan *plan;

	CHECK_INT(diag_list_new(&diags), 0);
	CHECK_INT(plan_parse_sources(&plan, src, 2, diags), 0);
	CHECK_INT(diag_list_count(diags), 0);
	CHECK_INT(plan->root.kind, PLAN_ROOT_REMOTE);
	CHECK(!plan->root.block.nbft && plan->root.rw);
	CHECK_STR(plan->root.block.name, NQN);
	CHECK_INT(plan->root.block.portals[0].port, 4421);
	CHECK_INT(plan->root.block.unit, 1);
	CHECK_INT(plan->root.block.part, 2);
	CHECK_STR(plan->root.block.hostnqn, HOST);
	CHECK_INT(plan->net.n_ips, 1);
	CHECK_STR(plan->net.ips[0].ifname, "nbft0");
	CHECK_INT(plan->net.ips[0].methods, PLAN_IP_STATIC);
	CHECK_STR(plan->net.ifnames[0].name, "nbft0");
	plan_free(plan);
}

/* --- what is refused ------------------------------------------------------------------------ */

static struct boottable broken;
static size_t len;

static const char *why_of(void)
{
	len = boottable_nbft(bytes, &broken);
	return refused(len);
}

TEST(values_that_cannot_be)
{
	static const char *const no_hosts[] = {"0.0.0.0", "224.0.0.1", "127.0.0.1", "ff02::1"};

	broken = plain;
	broken.ifaces[0].mac = "00:00:00:00:00:00";
	CHECK_STR(why_of(), "an interface has no valid hardware address");
	broken.ifaces[0].mac = "01:00:5e:00:00:01";
	CHECK_STR(why_of(), "an interface has no valid hardware address");
	broken = plain;
	broken.ifaces[0].vlan = 4095;
	CHECK_STR(why_of(), "not a VLAN's number");
	broken = plain;
	broken.ifaces[0].prefix = 33;
	CHECK_STR(why_of(), "not the length of a prefix");
	broken.ifaces[0].prefix = 0;
	CHECK_STR(why_of(), "not the length of a prefix");
	broken = plain;
	broken.hostnqn = "nqn.a root=nfs:10.0.0.9:/evil";
	CHECK_STR(why_of(), "no valid name of this host");
	broken = plain;
	broken.namespaces[0].nqn = "nqn.2024-01.org.example:x rd.break";
	CHECK_STR(why_of(), "a namespace is not in a subsystem with a valid NQN");
	broken.namespaces[0].nqn = NULL;
	CHECK_STR(why_of(), "a namespace is not in a subsystem with a valid NQN");
	broken = plain;
	broken.namespaces[0].nsid = UINT32_MAX;
	CHECK_STR(why_of(), "a namespace has the number that means all of them");
	broken = plain;
	broken.namespaces[0].port = "442O";
	CHECK_STR(why_of(), "a namespace has no valid port");
	broken.namespaces[0].port = "4420";
	for (size_t i = 0; i < ARRAY_SIZE(no_hosts); i++) {
		broken.namespaces[0].addr = no_hosts[i];
		CHECK_STR(why_of(), "a namespace has no address that a host can have");
	}
	broken = plain;
	broken.ifaces[0].addr = "224.0.0.1";
	CHECK_STR(why_of(), "an interface has an address that no host can have");
}

/* Writes into a good table and makes its checksum right: the structure itself is wrong. */
static const char *patched(size_t at, uint8_t value)
{
	len = boottable_nbft(bytes, &plain);
	bytes[at] = value;
	boottable_seal(bytes, len);
	return refused(len);
}

TEST(structures_that_are_broken)
{
	len = boottable_nbft(bytes, &plain);
	CHECK(!refused(len));
	bytes[200] ^= 1;
	CHECK_STR(refused(len), "its checksum is wrong");
	CHECK_STR(patched(0, 'I'), "not an NBFT");
	CHECK_STR(patched(8, 2), "of an unknown revision");
	CHECK_STR(patched(6, 1), "its length is not that of the table");
	CHECK_STR(patched(38, 1), "its heap is not in the table");
	CHECK_STR(patched(42, 1), "its heap is not in the table");
	CHECK_STR(patched(64, 2), "no control descriptor");
	CHECK_STR(patched(128, 3), "no valid name of this host");
	CHECK_STR(patched(129, 0), "no valid name of this host");
	CHECK_STR(patched(74, 1), "no valid name of this host");
	CHECK_STR(patched(82, 1), "a list is not in the table");
	CHECK_STR(patched(87, 255), "a list is not in the table");
	CHECK_STR(patched(84, 21), "a list is not in the table");
	CHECK_STR(patched(160, 4), "no interface where one is listed");
	CHECK_STR(patched(178, 1), "an interface is not described");
	CHECK_STR(patched(180, 20), "an interface is not whole");
	CHECK_STR(patched(192, 3), "no namespace where one is listed");
	CHECK_STR(patched(204, 1), "a namespace has no address that a host can have");
	CHECK_STR(patched(206, 15), "a namespace has no address that a host can have");
	/* a text that goes on behind its end */
	CHECK_STR(patched((size_t)((uint8_t *)memmem(bytes, len, NQN, strlen(NQN)) - bytes) + 8, 0),
		"a namespace is not in a subsystem with a valid NQN");
	/* nothing to say is no mistake */
	CHECK(!patched(70, 0));
	CHECK(!patched(162, 0));
}

TEST(a_table_that_ends_anywhere)
{
	uint8_t *exact;

	len = boottable_nbft(bytes, &plain);
	/* the zero behind the last text is no part of it */
	for (size_t n = 0; n < len - 1; n++) {
		const char *why = NULL;
		struct firmware f = {.name = "nbft"};

		exact = malloc(n + !n); /* for the sanitizer */
		memcpy(exact, bytes, n);
		if (n >= 8)
			memcpy(exact + 4, &(uint32_t){(uint32_t)n}, 4);
		if (n >= 10)
			boottable_seal(exact, n);
		CHECK_INT(nbft_parse(&f, exact, n, &why), -EINVAL);
		CHECK(why);
		free(exact);
	}
}
