// SPDX-License-Identifier: GPL-2.0-or-later
/* What becomes of single values of a provisioner's list; whole lists are in tests/site.bats. */
#include "check.h"
#include "must.h"
#include "site/import.h"
#include "site/stanza.h"

/* The site file of a list, NULL if there is an error; the caller's to free. */
static char *import(const char *provisioner, const char *list, struct faults *r)
{
	struct text out = {0};

	CHECK(import_run(provisioner, list, strlen(list), r, &out));
	CHECK_INT(!out.len, faults_total(r, SEVERITY_ERROR) > 0);
	return out.data;
}

static const struct value *key_of(const struct value *map, const char *key)
{
	const struct value *v = map->items;

	while (v && !streq(v->key, key))
		v = v->next;
	CHECK(v);
	return v;
}

TEST(hardware_addresses_are_read_in_every_length)
{
	static const struct {
		const char *type, *hwaddr, *want;
	} rows[] = {
		{"", "52:54:00:AB:cd:01", "  n: {mac: 52:54:00:ab:cd:01, options"},
		{"ethernet", "52-54-00-ab-cd-01", "  n: {mac: 52:54:00:ab:cd:01, options"},
		{"Infiniband", "B8:CE:F6:03:00:31:33:12", "  n: {guid: 0xb8cef60300313312, "},
		{"", "0xb8cef60300313312", "  n: {guid: 0xb8cef60300313312, "},
		{"infiniband",
			"80:00:02:08:fe:80:00:00:00:00:00:00:b8:ce:f6:03:00:31:33:12",
			"  n: {guid: 0xb8cef60300313312, "},
		/* the octets between are not in it: not guessed */
		{"infiniband", "b8:ce:f6:31:33:12",
			"'ibstat -p' prints it there; six of its octets are b8:ce:f6:31:33:12\n"
			"  n: {guid: <GUID>, options: [wwid=b8:ce:f6:31:33:12]}"},
		{"", "52:54:00:ab:cd", "  n: {mac: <MAC>}"},
		{"infiniband", "b8:ce:f6:03:00:31:33:12:00", "  n: {guid: <GUID>}"},
		{"", "", "  n: {mac: <MAC>}"},
		{"vlan", "52:54:00:ab:cd:01", "  n: {mac: <MAC>}"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_(faults_freep) struct faults *r = faults_new();
		_cleanup_free_ char *list = NULL, *out = NULL;

		CHECK(asprintf(&list, "n: {network devices: {a: {type: '%s', hwaddr: '%s'}}}",
			      rows[i].type, rows[i].hwaddr) > 0);
		out = import("warewulf", list, r);
		if (!strstr(out, rows[i].want))
			fprintf(stderr, "%s %s: %s\n", rows[i].type, rows[i].hwaddr, out);
		CHECK(strstr(out, rows[i].want));
	}
}

/* What JSON holds comes out of the site file as the same text, whatever YAML thinks of it. */
TEST(values_survive_the_way_through_yaml)
{
	static const struct {
		const char *json, *want;
	} rows[] = {
		{"a: b", "a: b"}, {"a #b", "a #b"}, {"#", "#"}, {"", ""}, {"-", "-"},
		{"- a", "- a"},
		{"a:", "a:"}, {":a", ":a"}, {"a\\\"b'c", "a\"b'c"}, {"a\\\\b", "a\\b"},
		{"a\\nnodes: {}", "a\nnodes: {}"}, {"a\\r\\tb", "a\r\tb"}, {" a ", " a "},
		{"\\u003ca\\u0026\\u003e", "<a&>"}, {"[a, b]", "[a, b]"}, {"{a}", "{a}"},
		{"*a", "*a"}, {"&a", "&a"}, {"!a", "!a"}, {"%a", "%a"}, {"@a", "@a"}, {"`a", "`a"},
		{"|", "|"}, {">", ">"}, {"?", "?"}, {"a,b", "a,b"}, {"...", "..."}, {"~", "~"},
		{"a\\u007fb", "a\x7f" "b"}, {"null", "null"}, {"1e3", "1e3"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_(faults_freep) struct faults *r = faults_new();
		_cleanup_(arena_freep) struct arena *a = must_arena();
		_cleanup_free_ char *list = NULL, *out = NULL;
		const struct value *site, *option;

		CHECK(asprintf(&list, "{\"n\": {\"kernel\": {\"args\": [\"%s\"]}}}",
			      rows[i].json) > 0);
		out = import("warewulf", list, r);
		site = document_parse(a, out, strlen(out), r);
		CHECK(site);
		/* after the server and init=, which all nodes have */
		option = key_of(key_of(site, "defaults"), "options")->items->next->next;
		CHECK_STR(option->text, rows[i].want);
		CHECK(!option->next);
	}
}

/* A text of the list in a comment does not end it. */
TEST(comments_are_lines)
{
	_cleanup_(faults_freep) struct faults *r = faults_new();
	_cleanup_free_ char *out = import("warewulf",
		"n: {kernel: {version: \"1\\nnodes: {}\\r\\u2028x\"}}", r);

	CHECK(strstr(out, "    kernel: <KERNEL>  # \"1\\x0anodes: {}\\x0d\\xe2\\x80\\xa8x\"\n"));
}

TEST(options_that_all_nodes_begin_with_go_to_the_defaults)
{
	_cleanup_(faults_freep) struct faults *r = faults_new();
	_cleanup_free_ char *out = import("warewulf",
		"a: {kernel: {args: [x, y, z]}}\nb: {kernel: {args: [x, y, w, z]}}\n", r);

	CHECK(strstr(out, ", init=/warewulf/run-init, x, y]\n"));
	CHECK(strstr(out, "  a: {mac: <MAC>, options: [z]}\n"));
	CHECK(strstr(out, "  b: {mac: <MAC>, options: [w, z]}\n"));
}

TEST(networks_are_made_of_addresses)
{
	_cleanup_(faults_freep) struct faults *r = faults_new();
	_cleanup_free_ char *out = import("warewulf",
		"a: {network devices: {e: {hwaddr: 525400000001, ipaddr: 10.0.0.1, netmask: "
		"255.255.255.0, gateway: 10.0.0.254}}}\n"
		"b: {network devices: {e: {hwaddr: 525400000002, ipaddr: 10.0.0.2, mtu: 9000}}}\n"
		"c: {network devices: {e: {hwaddr: 525400000003, ipaddr: 10.9.0.3, netmask: "
		"255.0.255.0}}}\n"
		"d: {network devices: {i: {hwaddr: b8cef60300313312, ipaddr: 10.8.0.4}}}\n"
		"e: {network devices: {e: {hwaddr: 525400000005, ipaddr: 10.0.0.5, netmask: "
		"255.255.255.0, gateway: 10.0.0.253}, x: {hwaddr: 525400000006, ipaddr: "
		"'fd00::6'}}}\n", r);

	CHECK(strstr(out, "networks:\n"
		"  ethernet1:\n    fabric: ethernet  # or roce\n    subnet: 10.0.0.0/24\n"
		"    router: 10.0.0.254\n    mtu: 9000\n"
		"  ethernet2:\n    fabric: ethernet  # or roce\n"
		"    subnet: <SUBNET>  # such as 10.20.0.0/22\n"
		"  infiniband3:\n    fabric: infiniband\n"
		"    subnet: <SUBNET>  # such as 10.20.0.0/22\n\n"));
	/* which check refuses */
	CHECK(strstr(out, ", address: fd00::6}"));
	faults_sort(r);
	CHECK_INT(faults_count(r), 1);
	CHECK_STR(faults_at(r, 0)->text, "gateway 10.0.0.253 is left out");
}

TEST(without_addresses_there_is_a_network_to_fill_in)
{
	_cleanup_(faults_freep) struct faults *r = faults_new();
	_cleanup_free_ char *out = import("xcat", "n:\n objtype=node\n", r);

	CHECK(strstr(out, "networks:\n  network: {fabric: ethernet, subnet: <SUBNET>}\n\n"));
	CHECK(strstr(out, "\n  n: {mac: <MAC>, address: <ADDRESS>, options: [NODE=n]}\n"));
}

TEST(stanzas_are_a_map_of_maps)
{
	static const char list[] = "# c\n\n\ta b :\r\n x = y = z \n fd59::/64:\n e=\n";
	_cleanup_(faults_freep) struct faults *r = faults_new();
	_cleanup_(arena_freep) struct arena *a = must_arena();
	const struct value *root = stanza_parse(a, list, strlen(list), r);

	CHECK_STR(key_of(key_of(root, "a b"), "x")->text, "y = z");
	CHECK_INT(key_of(key_of(root, "a b"), "x")->at.line, 4);
	CHECK_STR(key_of(key_of(root, "fd59::/64"), "e")->text, "");
	CHECK(!stanza_parse(a, "a=b\n", 4, r));
	CHECK(!stanza_parse(a, "a:\n=b\n", 6, r));
	CHECK(!stanza_parse(a, "a:\n b\n", 6, r));
	CHECK(!stanza_parse(a, ":\n", 2, r));
	CHECK(!stanza_parse(a, "a:\nb=\0c\n", 8, r));
	CHECK(!stanza_parse(a, "a:\nb=c\nx\0e\n", 11, r));
	CHECK_INT(faults_total(r, SEVERITY_ERROR), 6);
}

TEST(a_value_of_several_lines)
{
	static const char list[] =
		"n:\n  note=first\nsecond line\n\n  third\n  ip=192.0.2.1\nm:\nx\n";
	_cleanup_(faults_freep) struct faults *r = faults_new();
	_cleanup_(arena_freep) struct arena *a = must_arena();
	const struct value *root = stanza_parse(a, list, strlen(list) - 2, r);

	CHECK_STR(key_of(key_of(root, "n"), "note")->text, "first");
	CHECK_STR(key_of(key_of(root, "n"), "ip")->text, "192.0.2.1");
	CHECK_INT(faults_total(r, SEVERITY_WARNING), 2);
	CHECK_INT(faults_at(r, 1)->at.line, 5);
	CHECK_INT(faults_total(r, SEVERITY_ERROR), 0);
	/* another object's first line continues nothing */
	CHECK(!stanza_parse(a, list, strlen(list), r));
}

TEST(null_is_absent_and_args_may_be_one_text)
{
	_cleanup_(faults_freep) struct faults *r = faults_new();
	_cleanup_free_ char *out = import("warewulf",
		"{\"a\": {\"image name\": null, \"profiles\": null, \"kernel\": {\"version\": "
		"null, \"args\": \"quiet  x=1\"}, \"network devices\": {\"e\": {\"hwaddr\": "
		"\"525400000001\", \"mtu\": null}, \"f\": null}, \"tags\": null}, "
		"\"b\": null}", r);

	CHECK(out);
	CHECK(strstr(out, "  a: {mac: 52:54:00:00:00:01, options: [quiet, x=1, "
		"wwid=525400000001]}\n  b: {mac: <MAC>}\n"));
	CHECK(strstr(out, "images:\n  default:\n    kernel: <KERNEL>\n"));
	CHECK_INT(faults_count(r), 0);
}

/* What a text in quotes says is that text. */
TEST(null_in_quotes_is_a_text)
{
	_cleanup_(faults_freep) struct faults *r = faults_new();
	_cleanup_free_ char *out = import("warewulf", "{\"a\": {\"image name\": \"null\"}}", r);

	CHECK(strstr(out, "images:\n  \"null\":") || strstr(out, "images:\n  null:"));
}

TEST(xcat_nodes_that_are_not_diskless_are_left_out)
{
	_cleanup_(faults_freep) struct faults *r = faults_new();
	_cleanup_free_ char *out = import("xcat",
		"d:\n objtype=node\n provmethod=rh-install\n mac=52:54:00:00:00:01\n"
		"s:\n objtype=node\n provmethod=rh-statelite\n"
		"i:\n objtype=node\n provmethod=install\n"
		"n:\n objtype=node\n provmethod=rh-netboot\n mac=52:54:00:00:00:02\n"
		"rh-install:\n objtype=osimage\n provmethod=install\n"
		"rh-statelite:\n objtype=osimage\n provmethod=statelite\n"
		"rh-netboot:\n objtype=osimage\n provmethod=netboot\n", r);

	CHECK(strstr(out, "\n  n: {mac: 52:54:00:00:00:02, "));
	CHECK(!strstr(out, "  d: {") && !strstr(out, "  s: {") && !strstr(out, "  i: {"));
	faults_sort(r);
	CHECK_INT(faults_count(r), 5);
	CHECK_STR(faults_at(r, 0)->text, "node d is left out");
}

/* R:: is for the boot loader of an installed system (xnba.pm), a site file's addresses are IPv4. */
TEST(xcat_arguments_and_addresses_that_are_not_taken)
{
	_cleanup_(faults_freep) struct faults *r = faults_new();
	_cleanup_free_ char *out = import("xcat",
		"n:\n objtype=node\n provmethod=a\n ip=fd00::3\n mac=52:54:00:00:00:01\n"
		" addkcmdline=R::a=b c=d R::e=f g=h\n"
		"a:\n objtype=osimage\n provmethod=netboot\n rootimgdir=/i\n"
		" addkcmdline=R::quiet\n", r);

	CHECK(strstr(out, "\n  n: {mac: 52:54:00:00:00:01, address: <ADDRESS>, "));
	CHECK(strstr(out, "c=d") && strstr(out, "g=h") && !strstr(out, "R::"));
	faults_sort(r);
	CHECK_INT(faults_count(r), 4);
	CHECK_STR(faults_at(r, 0)->text, "addkcmdline R::a=b is left out");
	CHECK_STR(faults_at(r, 2)->text, "ip fd00::3 is left out");
}

/* xCAT::NetworkUtils, ishostinsubnet(): a prefix in net= counts before mask=, which may be one. */
TEST(xcat_networks_in_cidr_notation)
{
	static const char *const rows[] = {
		"net=10.1.4.0\n mask=255.255.252.0", "net=10.1.4.0\n mask=/22",
		"net=10.1.4.0/22", "net=10.1.4.0/22\n mask=/22",
		"net=10.1.4.0/22\n mask=255.255.255.0",
	};
	static const char *const none[] = {"mask=/22", "net=10.1.4.0\n mask=/", "net=10.1.4.0/0",
		"net=10.1.4.0\n mask=22", "net=10.1.4.0\n mask=/33", "net=fd00::/64\n mask=/64"};

	for (size_t i = 0; i < ARRAY_SIZE(rows) + ARRAY_SIZE(none); i++) {
		bool good = i < ARRAY_SIZE(rows);
		const char *keys = good ? rows[i] : none[i - ARRAY_SIZE(rows)];
		_cleanup_(faults_freep) struct faults *r = faults_new();
		_cleanup_free_ char *list = NULL, *out = NULL;

		CHECK(asprintf(&list, "w:\n objtype=network\n %s\nn:\n objtype=node\n "
			"ip=10.1.5.1\n groups=a, b,,\n", keys) > 0);
		out = import("xcat", list, r);
		if (good != !!strstr(out, "    subnet: 10.1.4.0/22\n"))
			fprintf(stderr, "%s: %s\n", keys, out);
		CHECK_INT(good, !!strstr(out, "    subnet: 10.1.4.0/22\n"));
		CHECK(strstr(out, ", groups: [a, b], "));
		CHECK_INT(faults_count(r), !good);
	}
}

/* hosts.pm, donics(): the other names of a node are of its interfaces, -NIC where none is said. */
TEST(xcat_interfaces)
{
	static const struct {
		const char *keys, *want;
	} rows[] = {
		{"", "{mac: 52:54:00:00:00:02, address: <ADDRESS>}"},
		{"nicips.ib0=10.2.0.1", "{mac: 52:54:00:00:00:02, address: 10.2.0.1}"},
		{"nictypes.ib0=Infiniband\n nicips.ib0=10.2.0.1|10.3.0.1",
			"{guid: <GUID>, address: 10.2.0.1}"},
		{"nicips.ib0=fd00::1|10.3.0.1", "{mac: 52:54:00:00:00:02, address: <ADDRESS>}"},
		{"nicips.ib0=\n nicips.x=10.2.0.1\n nichostnamesuffixes.x=-ib0|-y",
			"{mac: 52:54:00:00:00:02, address: 10.2.0.1}"},
		{"nicips.ib0=10.2.0.1\n nichostnameprefixes.ib0=ib-",
			"{mac: 52:54:00:00:00:02, address: <ADDRESS>}"},
		{"nicips.ib0=10.2.0.1\n nichostnamesuffixes.ib0=-x",
			"{mac: 52:54:00:00:00:02, address: <ADDRESS>}"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_(faults_freep) struct faults *r = faults_new();
		_cleanup_free_ char *list = NULL, *out = NULL;

		CHECK(asprintf(&list, "n:\n objtype=node\n ip=10.1.0.1\n mac=52:54:00:00:00:01|"
			"52:54:00:00:00:02!n-ib0\n%s%s\n", *rows[i].keys ? " " : "",
			rows[i].keys) > 0);
		out = import("xcat", list, r);
		if (!strstr(out, rows[i].want))
			fprintf(stderr, "%s: %s\n", rows[i].keys, out);
		CHECK(strstr(out, rows[i].want));
		CHECK(strstr(out, "{mac: 52:54:00:00:00:01, address: 10.1.0.1}"));
	}
}

/* A master of its own takes the place of the site's, which each other node then has by itself. */
TEST(xcat_ports_and_masters)
{
	_cleanup_(faults_freep) struct faults *r = faults_new();
	_cleanup_free_ char *out = import("xcat",
		"n:\n objtype=node\n provmethod=a\n"
		"m:\n objtype=node\n provmethod=a\n xcatmaster=10.1.0.2\n"
		"f:\n objtype=node\n provmethod=a\n xcatmaster=10.1.0.2\n nfsserver=10.1.0.3\n"
		"clustersite:\n objtype=site\n master=10.1.0.1\n httpport=8080\n"
		" xcatdport=4001\n xcatiport=4002\n"
		"a:\n objtype=osimage\n provmethod=netboot\n rootimgdir=/i\n", r);

	CHECK(strstr(out, "  root: \"live:http://{xcat}:8080/i/<ROOTIMG>\"\n"
		"  options: [XCATHTTPPORT=8080]\n"));
	CHECK(strstr(out, "  n: {mac: <MAC>, address: <ADDRESS>, options: [\"XCAT={xcat}:4001\", "
		"\"rd.report=xcat://{xcat}:4002\", NODE=n]}\n"));
	CHECK(strstr(out, "  m: {mac: <MAC>, address: <ADDRESS>, root: "
		"live:http://10.1.0.2:8080/i/<ROOTIMG>, options: [XCAT=10.1.0.2:4001, "
		"rd.report=xcat://10.1.0.2:4002, NODE=m]}\n"));
	CHECK(strstr(out, "root: live:http://10.1.0.3:8080/i/<ROOTIMG>, options: "
		"[XCAT=10.1.0.2:4001, "));
	CHECK_INT(faults_count(r), 0);
}

/* In the order of anaconda.pm; the keyword means the master of the node. */
TEST(xcat_image_servers)
{
	static const struct {
		const char *keys, *want;
	} rows[] = {
		{"", "http://{xcat}/"},
		{"xcatmaster=10.1.0.2", "http://10.1.0.2/"},
		{"xcatmaster=10.1.0.2\n tftpserver=10.1.0.3", "http://10.1.0.3/"},
		{"tftpserver=10.1.0.3\n nfsserver=10.1.0.4", "http://10.1.0.4/"},
		{"nfsserver=<xcatmaster>", "http://{xcat}/"},
		{"nfsserver=<xcatmaster>\n tftpserver=10.1.0.3", "http://10.1.0.3/"},
		{"nfsserver=<xcatmaster>\n tftpserver=<xcatmaster>\n xcatmaster=10.1.0.2",
			"http://10.1.0.2/"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_(faults_freep) struct faults *r = faults_new();
		_cleanup_free_ char *list = NULL, *out = NULL;

		CHECK(asprintf(&list, "n:\n objtype=node\n %s\n", rows[i].keys) > 0);
		out = import("xcat", list, r);
		if (!strstr(out, rows[i].want))
			fprintf(stderr, "%s: %s\n", rows[i].keys, out);
		CHECK(strstr(out, rows[i].want) && !strstr(out, "xcatmaster"));
		CHECK_INT(faults_count(r), 0);
	}
}

TEST(xcat_sites_without_node_status)
{
	static const char *const off[] = {"n", "N", "0"};

	for (size_t i = 0; i < ARRAY_SIZE(off); i++) {
		_cleanup_(faults_freep) struct faults *r = faults_new();
		_cleanup_free_ char *list = NULL, *out = NULL;

		CHECK(asprintf(&list, "n:\n objtype=node\nclustersite:\n objtype=site\n "
			"nodestatus=%s\n", off[i]) > 0);
		out = import("xcat", list, r);
		CHECK(strstr(out, "options: [XCATHTTPPORT=80, nonodestatus, "
			"\"XCAT={xcat}:3001\"]\n"));
		CHECK_INT(faults_count(r), 0);
	}
}
