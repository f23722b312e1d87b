// SPDX-License-Identifier: GPL-2.0-or-later
/* What the site file's reader promises, and that tool and agent agree on their words. */
#include "address/client_id.h"
#include "check.h"
#include "site/private.h"
#include "plan.h"
#include "site/document.h"
#include "site/line.h"
#include "site/names.h"
#include "site/text.h"

static const char head[] =
	"site: s\nservers: {a: {address: 10.0.0.1}}\nimages: {i: {kernel: k, initrd: r}}\n"
	"defaults: {image: i, root: 'nfs:{a}:/x'}\n";

/* A site made of head and tail that has no error. */
static struct site *made(const char *tail, size_t *ret_warnings)
{
	_cleanup_(faults_freep) struct faults *r = faults_new();
	_cleanup_free_ char *text = NULL;
	struct site *s;

	CHECK(asprintf(&text, "%s%s", head, tail) > 0);
	s = site_read(text, strlen(text), "", r);
	site_check(s, r, false);
	faults_sort(r);
	if (faults_total(r, SEVERITY_ERROR))
		faults_print(r, "site", SEVERITY_NOTE, stderr);
	CHECK_INT(faults_total(r, SEVERITY_ERROR), 0);
	*ret_warnings = faults_total(r, SEVERITY_WARNING);
	return s;
}

static struct site *good(const char *tail)
{
	size_t any;

	return made(tail, &any);
}

static void check_warnings(const char *tail, size_t want)
{
	size_t warnings;

	site_free(made(tail, &warnings));
	CHECK_INT(warnings, want);
}

static struct site *infiniband(const char *client_id)
{
	_cleanup_free_ char *tail = NULL;

	CHECK(asprintf(&tail,
		      "networks: {ib: {fabric: infiniband, subnet: 10.0.0.0/24, client-id: %s}}\n"
		      "nodes: {n: {guid: b8cef60300313333, address: 10.0.0.9, uuid: "
		      "01020304-0506-0708-090a-0b0c0d0e0f10}}\n",
		      client_id) > 0);
	return good(tail);
}

TEST(identities_are_those_that_the_agent_sends)
{
	static const enum client_id_form agent[IDENTITY_MAX] = {
		[IDENTITY_FLEXBOOT] = CLIENT_ID_FLEXBOOT,
		[IDENTITY_IPXE] = CLIENT_ID_LEMAC,
		[IDENTITY_HW] = CLIENT_ID_HW,
		[IDENTITY_RFC4361] = CLIENT_ID_RFC4361,
		[IDENTITY_UUID] = CLIENT_ID_UUID,
	};
	_cleanup_(site_freep) struct site *s = infiniband("flexboot");
	const struct site_node *n = &s->nodes[0];
	struct link_hw hw = {.len = 20};

	memcpy(hw.bytes + 12, n->ports[0].guid, 8);
	for (size_t form = 0; form < IDENTITY_MAX; form++) {
		uint8_t bytes[IDENTITY_BYTES];
		struct client_id id;
		size_t len = identity_bytes((enum site_identity)form, n, &n->ports[0], bytes);

		CHECK_INT(client_id_infiniband(&id, agent[form], &hw, n->uuid), 0);
		CHECK_INT(len, id.len);
		CHECK_MEM(bytes, id.bytes, len);
	}
}

/* What line_add_port() adds is what the agent's parser takes for that identity and that port. */
TEST(the_agent_is_told_the_identity_of_the_network)
{
	static const enum plan_clientid_kind kinds[IDENTITY_MAX] = {
		[IDENTITY_FLEXBOOT] = PLAN_CLIENTID_FLEXBOOT,
		[IDENTITY_IPXE] = PLAN_CLIENTID_HEX,
		[IDENTITY_HW] = PLAN_CLIENTID_HW,
		[IDENTITY_RFC4361] = PLAN_CLIENTID_RFC4361,
		[IDENTITY_UUID] = PLAN_CLIENTID_UUID,
	};

	for (size_t form = 0; form < IDENTITY_MAX; form++) {
		_cleanup_(site_freep) struct site *s = infiniband(site_identity_names[form]);
		_cleanup_(plan_freep) struct boot_plan *p = NULL;
		_cleanup_(line_done) struct line l = {0};

		line_add_profile(&l, s, &s->nodes[0], NULL);
		line_add_port(&l, s, &s->nodes[0], &s->nodes[0].ports[0]);
		CHECK_INT(plan_parse(&p, l.text.data, l.text.len, NULL), 0);
		CHECK_INT(p->ib.clientid.kind, kinds[form]);
		CHECK_STR(p->net.hostname, "n");
		CHECK_INT(p->net.bootif.len, 8);
		CHECK_INT(p->net.bootif_type, 0x20);
		CHECK_MEM(p->net.bootif.bytes, s->nodes[0].ports[0].guid, 8);
	}
}

TEST(options_add_up_and_the_later_profile_wins)
{
	_cleanup_(site_freep) struct site *s =
		good("networks: {e: {fabric: ethernet, subnet: 10.0.0.0/24}}\n"
		     "groups: {g: {options: [rd.retry=2, b]}, h: {options: rd.retry=3, root: "
		     "'nfs:{a}:/h'}}\n"
		     "nodes: {n: {mac: 52:54:00:00:00:01, address: 10.0.0.9, groups: [h, g], "
		     "options: 'x=\"a  b\" hostname=other'}}\n");
	_cleanup_(line_done) struct line l = {0};

	line_add_profile(&l, s, &s->nodes[0], NULL);
	line_add_port(&l, s, &s->nodes[0], &s->nodes[0].ports[0]);
	CHECK_STR(l.text.data, "root=nfs:10.0.0.1:/h rd.retry=3 rd.retry=2 b x=\"a  b\" "
			       "hostname=other BOOTIF=01-52-54-00-00-00-01");
	CHECK_INT(line_place(&l, 0).line, 6);
	CHECK_INT(line_place(&l, strlen("root=nfs:10.0.0.1:/h rd.retry=3 rd.retry=2 b x")).line, 7);
	/* the last word is the tool's, and stands where the node does */
	CHECK_INT(line_place(&l, l.text.len - 1).line, 7);
}

/* Options of one profile are given once; those of a later one may replace them. */
TEST(what_a_later_profile_replaces_is_no_mistake)
{
	static const struct {
		const char *group, *node;
		size_t warnings;
	} rows[] = {
		{"rd.retry=2", "rd.retry=3", 0},
		{"rd.retry=2 rd.retry=4", "rd.retry=3", 1},
		{"rd.retry=2", "rd.retry=3 rd.retry=4", 1},
		{"rd.retry=2s", "rd.retry=3", 1}, /* of the group, from the menu */
		{"rd.retry=2", "rd.retry=3s", 1},
		{"ip=eth0:dhcp", "ip=10.0.0.9:::24::eth0:none", 0},
		{"ip=eth0:dhcp ip=eth0:dhcp", "rd.retry=3", 1},
		{"quiet", "root=nfs:10.0.0.1:/y", 0},
		{"root=nfs:10.0.0.1:/y root=nfs:10.0.0.1:/z", "quiet", 1},
	};
	char text[256];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		snprintf(text, sizeof(text),
			"networks: {e: {fabric: ethernet, subnet: 10.0.0.0/24}}\n"
			"groups: {g: {options: '%s'}}\n"
			"nodes: {n: {mac: 52:54:00:00:00:01, address: 10.0.0.9, groups: [g], "
			"options: '%s'}}\n",
			rows[i].group, rows[i].node);
		check_warnings(text, rows[i].warnings);
	}
}

/* dnsmasq and Kea listen on the interfaces that are named, if any is. */
TEST(a_network_without_interface_beside_one_that_has_it)
{
	static const char form[] =
		"networks: {e: {fabric: ethernet, subnet: 10.0.0.0/24%s},\n"
		"  f: {fabric: ethernet, subnet: 10.0.1.0/24, dhcp: [a]%s}}\n"
		"nodes: {n: {mac: 52:54:00:00:00:01, address: 10.0.0.9}}\n";
	static const struct {
		const char *e, *f;
		size_t warnings; /* one more where a server is not inside of the network */
	} rows[] = {
		{"", "", 1},
		{", interface: eth0", ", interface: eth1", 1},
		{", interface: eth0", "", 2},
		{"", ", interface: eth1", 2},
	};
	char text[512];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		snprintf(text, sizeof(text), form, rows[i].e, rows[i].f);
		check_warnings(text, rows[i].warnings);
	}
}

/* The scripts hand iPXE's lease over, unless the site file has an ip= or a word of its own. */
TEST(the_lease_of_ipxe)
{
	static const struct {
		const char *options;
		bool handed;
	} rows[] = {
		{"quiet", true}, {"ipv6.disable=1", true}, {"ip=eth0:dhcp", false}, {"ip", false},
		{"rd.bootif=0", false}, {"rd.net.dhcp.request=", false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_(line_done) struct line l = {0};
		char text[256];
		struct site *s;

		snprintf(text, sizeof(text),
			"networks: {e: {fabric: ethernet, subnet: 10.0.0.0/24}}\n"
			"nodes: {n: {mac: 52:54:00:00:00:01, address: 10.0.0.9, options: '%s'}}\n",
			rows[i].options);
		s = good(text);
		line_add_profile(&l, s, &s->nodes[0], NULL);
		line_add_port(&l, s, &s->nodes[0], &s->nodes[0].ports[0]);
		line_put_request(&l.text, &l, "10.0.0.9");
		CHECK_INT(strstr(l.text.data, " rd.net.dhcp.request=10.0.0.9") != NULL,
			rows[i].handed);
		site_freep(&s);
	}
}

TEST(a_row_of_nodes_counts_up)
{
	_cleanup_(site_freep) struct site *s =
		good("networks: {e: {fabric: ethernet, subnet: 10.0.0.0/16}}\n"
		     "nodes: {'n[09-11]x': {macs: [52:54:00:00:00:01, 525400000002, "
		     "52-54-00-00-00-03], address: 10.0.0.255}}\n");

	CHECK_INT(s->n_nodes, 3);
	CHECK_STR(s->nodes[0].name, "n09x");
	CHECK_STR(s->nodes[2].name, "n11x");
	CHECK_INT(s->nodes[2].ports[0].address.addr, 0x0a000101);
	CHECK_INT(s->nodes[1].ports[0].mac[5], 2);
	CHECK(site_node_find(s, "n10x") == &s->nodes[1]);
	CHECK(!site_node_find(s, "n12x"));
}

TEST(names_find_and_are_near)
{
	static const char *const words[] = {"address", "groups", "guid", "mac"};
	_cleanup_(names_freep) struct names *n = names_new();
	char keys[2000][8];

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		snprintf(keys[i], sizeof(keys[i]), "k%zu", i);
		CHECK_INT(names_add(n, keys[i], i), NAMES_NONE);
	}
	CHECK_INT(names_add(n, "k77", 1), 77);
	CHECK_INT(names_find(n, "k1999"), 1999);
	CHECK_INT(names_find(n, "k2000"), NAMES_NONE);
	CHECK_STR(names_nearest("addrexs", words, 4), "address");
	CHECK_STR(names_nearest("guids", words, 4), "guid");
	CHECK(!names_nearest("xyz", words, 4));
	CHECK(!names_nearest("", words, 4));
}

static const struct value *parse(struct arena *a, struct faults *r, const char *text)
{
	return document_parse(a, text, strlen(text), r);
}

/* Bounds that a hostile file runs into. */
TEST(documents_have_limits)
{
	_cleanup_(faults_freep) struct faults *r = faults_new();
	_cleanup_(arena_freep) struct arena *a = NULL;
	_cleanup_(text_done) struct text t = {0};
	size_t i;

	CHECK_INT(arena_new(&a), 0);
	for (i = 0; i < 2000; i++)
		text_printf(&t, "k%zu: 1\nk%zu: 2\n", i, i);
	CHECK(document_parse(a, t.data, t.len, r));
	CHECK_INT(faults_total(r, SEVERITY_ERROR), 2000);
	CHECK_INT(faults_count(r), FAULTS_MAX);
	faults_sort(r);
	CHECK_INT(faults_at(r, 0)->at.line, 2);
	CHECK(!parse(a, r, "a: {b: {c: {d: {e: {f: {g: {h: {i: {j: {k: {l: {m: 1}}}}}}}}}}}}"));
	CHECK(!parse(a, r, "a: 1\n---\nb: 2\n"));
	CHECK(!parse(a, r, "a: \"x\\0y\"\n"));
	CHECK(!parse(a, r, "[a]: 1\n"));
}
