/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_cmdline: what rows cannot show: several sources, long lines, limits, deadlines, the
 * root-path of DHCP, and that the option table is whole.
 */
#include "check.h"
#include "lint.h"
#include "plan.h"
#include "root_spec.h"

static struct boot_plan *parse(const char *text, struct diag_list *diags)
{
	struct boot_plan *plan = NULL;

	CHECK_INT(plan_parse(&plan, text, strlen(text), diags), 0);
	return plan;
}

static struct diag_list *new_diags(void)
{
	struct diag_list *l = NULL;

	CHECK_INT(diag_list_new(&l), 0);
	return l;
}

static char *dump(const struct boot_plan *plan, bool all)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	CHECK(f);
	CHECK_INT(plan_dump(plan, f, all), 0);
	fclose(f);
	return text;
}

/* --- sources ------------------------------------------------------------------------------- */

TEST(later_source_wins)
{
	const struct plan_source src[] = {
		{.name = "/etc/cmdline.d/10.conf",
			.text = "rd.retry=30\nip=b:dhcp bond=b:x,y\n", .len = 33},
		{.name = NULL, .text = "rd.retry=60 root=dhcp bond=b:y", .len = 30},
	};
	_cleanup_(diag_list_freep) struct diag_list *diags = new_diags();
	_cleanup_(plan_freep) struct boot_plan *plan = NULL;

	CHECK_INT(plan_parse_sources(&plan, src, 2, diags), 0);
	CHECK_INT(plan->retry_s, 60);
	CHECK_INT(plan->net.n_ips, 1);
	CHECK(plan->net.n_links == 1 && plan->net.links[0].n_lower == 1);
	CHECK_INT(plan->n_words, 6);
	CHECK_INT(plan->words[0].source, 0);
	CHECK_INT(plan->words[5].source, 1);
	/* overriding a file's value is what the kernel's line is for: no remark */
	CHECK_INT(diag_list_count(diags), 0);
}

TEST(quote_and_dashes_end_with_their_source)
{
	const struct plan_source src[] = {
		{.name = "a.conf", .text = "rd.driver.pre=\"loop", .len = 19},
		{.name = "b.conf", .text = "-- single", .len = 9},
		{.name = NULL, .text = "rd.retry=60 root=dhcp", .len = 21},
	};
	_cleanup_(diag_list_freep) struct diag_list *diags = new_diags();
	_cleanup_(plan_freep) struct boot_plan *plan = NULL;

	CHECK_INT(plan_parse_sources(&plan, src, 3, diags), 0);
	CHECK_INT(plan->retry_s, 60);
	CHECK_INT(plan->drivers.n_pre, 1);
	CHECK_STR(plan->drivers.pre[0], "loop");
	CHECK_INT(plan->n_init_args, 1);
	CHECK_INT(diag_list_count(diags), 1);
	CHECK_INT(diag_list_at(diags, 0)->source, 0);
}

TEST(nothing_at_all)
{
	_cleanup_(plan_freep) struct boot_plan *plan = NULL;

	CHECK_INT(plan_parse_sources(&plan, NULL, 0, NULL), 0);
	CHECK(plan->fatal);
	CHECK_INT(plan->retry_s, PLAN_RETRY_DEFAULT);
	CHECK_INT(plan->timeout_s, 0);
	CHECK_STR(plan->init, "/sbin/init");
	CHECK(plan->net.peerdns);
	CHECK(plan->failure.shell);
	CHECK_INT(plan->net.timeouts.iflink_s, 60);
}

/* --- limits -------------------------------------------------------------------------------- */

TEST(line_of_4096_bytes)
{
	char text[4096];
	_cleanup_(plan_freep) struct boot_plan *plan = NULL;

	memset(text, 'x', sizeof(text));
	memcpy(text, "root=nfs:192.0.2.1:/srv ", 24);
	memcpy(text + sizeof(text) - 12, " rd.retry=60", 12);
	CHECK_INT(plan_parse(&plan, text, sizeof(text), NULL), 0);
	CHECK_INT(plan->retry_s, 60);
	CHECK_INT(plan->n_words, 3);
	CHECK_INT(strlen(plan->words[1].name), 4096 - 24 - 12);
}

TEST(too_long_a_source_is_cut)
{
	size_t len = PLAN_SOURCE_MAX + 100;
	_cleanup_free_ char *text = malloc(len);
	_cleanup_(diag_list_freep) struct diag_list *diags = new_diags();
	_cleanup_(plan_freep) struct boot_plan *plan = NULL;

	memset(text, ' ', len);
	memcpy(text, "root=dhcp", 9);
	memcpy(text + len - 11, "rd.retry=60", 11);
	CHECK_INT(plan_parse(&plan, text, len, diags), 0);
	CHECK_INT(plan->retry_s, PLAN_RETRY_DEFAULT);
	CHECK_INT(diag_list_worst(diags), DIAG_ERROR);
}

TEST(too_many_words)
{
	char text[2 * PLAN_WORDS_MAX + 40];
	_cleanup_(diag_list_freep) struct diag_list *diags = new_diags();
	_cleanup_(plan_freep) struct boot_plan *plan = NULL;

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = i % 2 ? ' ' : 'a';
	CHECK_INT(plan_parse(&plan, text, sizeof(text), diags), 0);
	CHECK_INT(plan->n_words, PLAN_WORDS_MAX);
	/* a flood of remarks is counted, and the worst of them are kept */
	CHECK_INT(diag_list_count(diags), DIAG_MAX);
	CHECK(diag_list_dropped(diags) > PLAN_WORDS_MAX - DIAG_MAX);
	CHECK_INT(diag_list_worst(diags), DIAG_ERROR);
}

TEST(too_many_entries_of_a_list)
{
	static const struct {
		const char *option;
		size_t max;
	} rows[] = {
		{"nameserver=192.0.2.%zu", PLAN_NAMESERVERS_MAX},
		{"rd.route=198.51.100.%zu/32:192.0.2.1", PLAN_ROUTES_MAX},
		{"rd.root.mirror=https://h%zu/root.img", PLAN_MIRRORS_MAX},
		{"rd.rdma.link=x%zu,rxe,eth0", PLAN_LINKS_MAX},
		{"vlan=eth0.%zu:eth0", PLAN_LINKS_MAX},
		{"rd.net.dhcp.server=192.0.2.%zu", PLAN_DHCP_SERVERS_MAX},
	};

	for (size_t k = 0; k < ARRAY_SIZE(rows); k++) {
		char text[8192] = "root=live:https://h/root.img";
		_cleanup_(diag_list_freep) struct diag_list *diags = new_diags();
		_cleanup_(plan_freep) struct boot_plan *plan = NULL;
		size_t n = strlen(text), errors = 0;

		for (size_t i = 0; i < rows[k].max + 3; i++) {
			text[n++] = ' ';
			n += (size_t)snprintf(text + n, sizeof(text) - n, rows[k].option, i + 1);
		}
		CHECK_INT(plan_parse(&plan, text, n, diags), 0);
		CHECK_INT(plan->net.n_nameservers + plan->net.n_routes + plan->net.n_rdma_links +
				plan->net.n_links + plan->net.n_dhcp_servers +
				plan->root.image.n_mirrors,
			rows[k].max);
		for (size_t i = 0; i < diag_list_count(diags); i++)
			errors += diag_list_at(diags, i)->severity == DIAG_ERROR;
		CHECK_INT(errors, 1); /* said once */
	}
}

/* Each of the others: there are more ways around than a processor goes in a lifetime. */
TEST(bonds_of_each_other)
{
	_cleanup_(diag_list_freep) struct diag_list *diags = new_diags();
	_cleanup_(plan_freep) struct boot_plan *plan = NULL;
	char text[PLAN_SOURCE_MAX] = "root=dhcp";
	size_t n = strlen(text), circles = 0;

	for (size_t i = 0; i < PLAN_LINKS_MAX; i++) {
		n += (size_t)snprintf(text + n, sizeof(text) - n, " bond=b%zu:", i);
		for (size_t k = 0; k < PLAN_LINKS_MAX; k++)
			if (k != i)
				n += (size_t)snprintf(text + n, sizeof(text) - n, "b%zu,", k);
		n--;
	}
	CHECK_INT(plan_parse(&plan, text, n, diags), 0);
	for (size_t i = 0; i < diag_list_count(diags); i++)
		circles += strstr(diag_list_at(diags, i)->text, " is based on itself") != NULL;
	CHECK_INT(circles, PLAN_LINKS_MAX);
}

TEST(no_list_is_too_short_for_a_legal_line)
{
	const struct plan_source file = {.name = "a.conf"};
	char text[PLAN_SOURCE_MAX] = "root=dhcp rd.driver.pre=m0";
	_cleanup_(diag_list_freep) struct diag_list *diags = new_diags();
	_cleanup_(plan_freep) struct boot_plan *plan = NULL;
	struct plan_source src = file;
	size_t n = strlen(text);

	for (size_t i = 1; i < PLAN_LIST_MAX + 3; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, ",m%zx", i);
	src.text = text;
	src.len = n;
	CHECK_INT(plan_parse_sources(&plan, &src, 1, diags), 0);
	CHECK_INT(plan->drivers.n_pre, PLAN_LIST_MAX);
	/* said once */
	CHECK_INT(diag_list_count(diags), 1);
	CHECK_INT(diag_list_worst(diags), DIAG_ERROR);
}

/* The worst severity of the remarks that speak of the line's bytes. */
static int length_remark(size_t n, bool running)
{
	static char text[5000];
	struct plan_source src = {.text = text, .len = n, .running = running};
	_cleanup_(diag_list_freep) struct diag_list *diags = new_diags();
	_cleanup_(plan_freep) struct boot_plan *plan = NULL;
	int worst = -1;

	memset(text, ' ', sizeof(text));
	memcpy(text, "root=dhcp", 9);
	text[n - 1] = 'x';
	CHECK_INT(plan_parse_sources(&plan, &src, 1, diags), 0);
	for (size_t i = 0; i < diag_list_count(diags); i++)
		if (strstr(diag_list_at(diags, i)->text, " bytes"))
			worst = (int)diag_list_at(diags, i)->severity;
	return worst;
}

TEST(length_of_the_line)
{
	CHECK_INT(length_remark(2047, false), -1);
	CHECK_INT(length_remark(2048, false), DIAG_WARN);
	CHECK_INT(length_remark(4095, false), DIAG_WARN);
	CHECK_INT(length_remark(4096, false), DIAG_ERROR);
	CHECK_INT(length_remark(1791, true), -1);
	CHECK_INT(length_remark(1792, true), DIAG_WARN);
	CHECK_INT(length_remark(2046, true), DIAG_WARN);
	CHECK_INT(length_remark(2047, true), DIAG_ERROR);
	CHECK_INT(length_remark(2048, true), -1);
	CHECK_INT(length_remark(4095, true), DIAG_ERROR);
}

TEST(same_name_many_times_stays_small)
{
	char text[8192] = "root=dhcp rd.driver.post=a";
	_cleanup_(plan_freep) struct boot_plan *plan = NULL;
	size_t n;

	for (n = strlen(text); n + 2 < sizeof(text); n += 2)
		memcpy(text + n, ",a", 2);
	CHECK_INT(plan_parse(&plan, text, n, NULL), 0);
	CHECK_INT(plan->drivers.n_post, 1);
	CHECK(strlen(plan->words[1].effect) < 100);
}

/* --- deadlines ------------------------------------------------------------------------------- */

static void check_deadlines(const char *line, uint64_t network, uint64_t whole)
{
	_cleanup_(plan_freep) struct boot_plan *plan = parse(line, NULL);
	uint64_t start = 5 * NSEC_PER_SEC;

	CHECK(plan_network_deadline(plan, start) == network);
	CHECK(plan_deadline(plan, start) == whole);
}

/* docs/options.limits, row by row */
TEST(deadlines)
{
	static const char *const malformed[] = {"soon", "", "-1", "31536001", "1min"};
	char line[64];

	check_deadlines("", 185 * NSEC_PER_SEC, NSEC_NEVER);
	for (size_t i = 0; i < ARRAY_SIZE(malformed); i++) {
		snprintf(line, sizeof(line), "rd.retry=%s", malformed[i]);
		check_deadlines(line, 185 * NSEC_PER_SEC, NSEC_NEVER);
		snprintf(line, sizeof(line), "rd.timeout=%s", malformed[i]);
		check_deadlines(line, 185 * NSEC_PER_SEC, NSEC_NEVER);
	}
	check_deadlines("rd.retry=10s", 15 * NSEC_PER_SEC, NSEC_NEVER);
	check_deadlines("rd.timeout=0", 185 * NSEC_PER_SEC, NSEC_NEVER);
	check_deadlines("rd.timeout=10s", 15 * NSEC_PER_SEC, 15 * NSEC_PER_SEC);
	check_deadlines("rd.retry=10 rd.timeout=60", 15 * NSEC_PER_SEC, 65 * NSEC_PER_SEC);
	check_deadlines("rd.retry=60 rd.timeout=10", 15 * NSEC_PER_SEC, 15 * NSEC_PER_SEC);
	check_deadlines("rd.retry=10", 15 * NSEC_PER_SEC, NSEC_NEVER);
	check_deadlines("rd.retry=0", NSEC_NEVER, NSEC_NEVER);
	check_deadlines("rd.timeout=100", 105 * NSEC_PER_SEC, 105 * NSEC_PER_SEC);
	check_deadlines("rd.retry=0 rd.timeout=7", 12 * NSEC_PER_SEC, 12 * NSEC_PER_SEC);
	check_deadlines("rd.retry=31536000", 31536005 * NSEC_PER_SEC, NSEC_NEVER);
}

/* --- DHCP's root-path ------------------------------------------------------------------------ */

struct spec_case {
	const char *line, *text;
	int result;
	const char *server, *path, *options;
	unsigned int versions;
	enum plan_nfs_proto proto;
};

static void check_spec(const struct spec_case *c)
{
	_cleanup_(plan_freep) struct boot_plan *plan = parse(c->line, NULL);
	_cleanup_(root_spec_freep) struct root_spec *spec = NULL;

	CHECK_INT(root_spec_parse(&spec, plan, c->text, strlen(c->text), NULL), c->result);
	if (c->result < 0)
		return;
	CHECK_INT(spec->kind, PLAN_ROOT_NFS);
	CHECK_STR(spec->nfs.n_servers ? spec->nfs.servers[0].name : NULL, c->server);
	CHECK_STR(spec->nfs.path, c->path);
	CHECK_STR(spec->nfs.options, c->options);
	CHECK_INT(spec->nfs.versions, c->versions);
	CHECK_INT(spec->nfs.proto, c->proto);
}

TEST(root_path)
{
	static const unsigned int any = PLAN_NFS_V4ANY | PLAN_NFS_V3;
	const struct spec_case cases[] = {
		{"root=dhcp", "192.0.2.1:/srv", 0, "192.0.2.1", "/srv", "", any, 0},
		{"root=dhcp", "server:/srv", 0, "server", "/srv", "", any, 0},
		{"root=dhcp", "/srv", 0, NULL, "/srv", "", any, 0},
		{"root=dhcp", "192.0.2.1,192.0.2.1:/srv", 0, "192.0.2.1", "/srv", "", any, 0},
		{"root=dhcp", "nfs4:192.0.2.1:/srv,rdma,rsize=8192", 0, "192.0.2.1", "/srv",
			"rsize=8192", PLAN_NFS_V4ANY, PLAN_NFS_PROTO_RDMA},
		{"root=dhcp", "nfs:192.0.2.1:/srv:vers=3", 0, "192.0.2.1", "/srv", "", PLAN_NFS_V3,
			0},
		/* the forms of dracut's own tests */
		{"root=dhcp", "/srv,wsize=4096", 0, NULL, "/srv", "wsize=4096", any, 0},
		{"root=dhcp", "192.0.2.1:/srv,wsize=4096", 0, "192.0.2.1", "/srv", "wsize=4096",
			any, 0},
		{"root=dhcp", "nfs:192.0.2.1:/srv:wsize=4096", 0, "192.0.2.1", "/srv",
			"wsize=4096", any, 0},
		{"root=dhcp", "nfs:192.0.2.1:/srv,wsize=4096", 0, "192.0.2.1", "/srv",
			"wsize=4096", any, 0},
		{"root=dhcp", "nfs4:192.0.2.1:/srv:wsize=4096", 0, "192.0.2.1", "/srv",
			"wsize=4096", PLAN_NFS_V4ANY, 0},
		{"root=/dev/nfs", "/srv", 0, NULL, "/srv", "", any, 0},
		{"root=/dev/nfs", "192.0.2.1:/srv", 0, "192.0.2.1", "/srv", "", any, 0},
		/* what the command line says counts */
		{"root=nfs4::proto=rdma,rsize=4096", "192.0.2.1:/srv:tcp,rsize=8192", 0,
			"192.0.2.1", "/srv", "rsize=8192,rsize=4096", PLAN_NFS_V4ANY,
			PLAN_NFS_PROTO_RDMA},
		{"root=nfs:192.0.2.9:/mine", "192.0.2.1:/srv", 0, "192.0.2.9", "/mine", "", any, 0},
		{"root=nfs::vers=4.1", "192.0.2.1:/srv:vers=3", 0, "192.0.2.1", "/srv", "",
			PLAN_NFS_V41, 0},
		{"root=nfs", "192.0.2.1:/srv:vers=3", 0, "192.0.2.1", "/srv", "", PLAN_NFS_V3, 0},
		{"root=nfs4", "192.0.2.1:/srv:vers=3", 0, "192.0.2.1", "/srv", "", PLAN_NFS_V4ANY,
			0},
		{"root=nfs4", "192.0.2.1:/srv:vers=4.0", 0, "192.0.2.1", "/srv", "", PLAN_NFS_V40,
			0},
		{"root=dhcp", "", -EINVAL, NULL, NULL, NULL, 0, 0},
		{"root=dhcp", "iscsi:192.0.2.1::::x", -EPROTONOSUPPORT, NULL, NULL, NULL, 0, 0},
		{"root=dhcp", "http:///x", -EINVAL, NULL, NULL, NULL, 0, 0},
		{"root=dhcp", "ftp://192.0.2.1/x", -EPROTONOSUPPORT, NULL, NULL, NULL, 0, 0},
		{"root=nfs", "http://192.0.2.1/x", -EINVAL, NULL, NULL, NULL, 0, 0},
		{"root=dhcp rd.root.digest=no", "http://192.0.2.1/x", -EINVAL, NULL, NULL, NULL, 0,
			0},
		{"root=dhcp", "192.0.2.1:/srv\n/etc", -EINVAL, NULL, NULL, NULL, 0, 0},
		{"root=dhcp", "$(reboot):/srv", -EINVAL, NULL, NULL, NULL, 0, 0},
		{"root=dhcp", "nfs:192.0.2.1", -EINVAL, NULL, NULL, NULL, 0, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check_spec(&cases[i]);
}

/* What proves the image and how it is used stays the command line's. */
TEST(root_path_of_an_image)
{
	_cleanup_(plan_freep) struct boot_plan *plan =
		parse("root=dhcp rd.overlay=none rd.root.digest="
		      "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
			NULL);
	_cleanup_(root_spec_freep) struct root_spec *spec = NULL;
	const char *text = "live:https://192.0.2.1/root.manifest";

	CHECK_INT(root_spec_parse(&spec, plan, text, strlen(text), NULL), 0);
	CHECK_INT(spec->kind, PLAN_ROOT_LIVE);
	CHECK_STR(spec->image.url, "https://192.0.2.1/root.manifest");
	CHECK(spec->image.manifest && spec->image.has_digest && spec->image.overlay.off);
	CHECK_MEM(spec->image.digest, "\xba\x78", 2);
	CHECK_INT(spec->image.minmem_mib, 64);
}

TEST(root_path_of_a_block_device)
{
	static const struct {
		const char *line, *text;
		bool taken;
	} rows[] = {
		{"root=dhcp", "nbd:192.0.2.1:root:ext4:rw,noatime:part=2", true},
		{"root=dhcp", "nvmf:tcp:192.0.2.1:nqn.x", true},
		{"root=dhcp", "nbd:192.0.2.1", false},
		{"root=nfs", "nbd:192.0.2.1:root", false},
		/* nothing proves it, and a proof is asked for */
		{"root=dhcp rd.root.key=/key.pub", "nbd:192.0.2.1:root", false},
		{"root=dhcp rd.root.key=none", "nbd:192.0.2.1:root", false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_(plan_freep) struct boot_plan *plan = parse(rows[i].line, NULL);
		_cleanup_(root_spec_freep) struct root_spec *spec = NULL;
		int r = root_spec_parse(&spec, plan, rows[i].text, strlen(rows[i].text), NULL);

		CHECK_INT(r, rows[i].taken ? 0 : -EINVAL);
		CHECK(!spec || spec->kind == PLAN_ROOT_REMOTE);
	}
}

/* A DHCP server that names an NFS export must not be a way around the proof. */
TEST(root_path_of_nfs_where_a_proof_is_asked_for)
{
	static const struct {
		const char *line;
		bool taken;
	} rows[] = {
		{"root=dhcp", true},
		{"root=dhcp rd.root.key=/key.pub", false},
		{"root=dhcp rd.root.key=none", false},
		{"root=dhcp "
		 "rd.root.digest=sha256:"
		 "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
			false},
		{"root=nfs", true},
		{"root=nfs rd.root.key=/key.pub", false},
		{"root=nfs rd.root.key=none", false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_(plan_freep) struct boot_plan *plan = parse(rows[i].line, NULL);
		_cleanup_(root_spec_freep) struct root_spec *spec = NULL;
		const char *text = "192.0.2.1:/export/root";

		CHECK_INT(root_spec_parse(&spec, plan, text, strlen(text), NULL),
			rows[i].taken ? 0 : -EINVAL);
	}
}

/* Mount options and the node's name are the command line's. */
TEST(root_path_of_a_block_device_takes_over_what_the_line_says)
{
	_cleanup_(plan_freep) struct boot_plan *plan =
		parse("root=dhcp rootflags=noatime rd.nvmf.hostnqn=nqn.me", NULL);
	_cleanup_(root_spec_freep) struct root_spec *spec = NULL;
	const char *text = "nvmf:rdma:[2001:db8::1]:4421:nqn.x,nsid=3";

	CHECK_INT(root_spec_parse(&spec, plan, text, strlen(text), NULL), 0);
	CHECK_STR(spec->block.flags, "noatime");
	CHECK_STR(spec->block.hostnqn, "nqn.me");
	CHECK_STR(spec->block.name, "nqn.x");
	CHECK_INT(spec->block.unit, 3);
	CHECK_STR(spec->block.portals[0].server, "2001:db8::1");
	CHECK_INT(spec->block.portals[0].port, 4421);
	CHECK(spec->block.portals[0].rdma);
}

static bool spec_rw(const char *line, const char *text)
{
	_cleanup_(plan_freep) struct boot_plan *plan = parse(line, NULL);
	_cleanup_(root_spec_freep) struct root_spec *spec = NULL;

	CHECK_INT(root_spec_parse(&spec, plan, text, strlen(text), NULL), 0);
	return spec->rw;
}

TEST(root_path_read_write)
{
	CHECK(!spec_rw("root=dhcp", "s:/x"));
	CHECK(spec_rw("root=dhcp", "s:/x:rw"));
	CHECK(!spec_rw("root=dhcp ro", "s:/x:rw"));
	CHECK(spec_rw("root=dhcp rw", "s:/x:ro"));
	CHECK(!spec_rw("root=dhcp rootflags=rw", "s:/x"));
	CHECK(spec_rw("root=dhcp rootflags=rw", "nbd:192.0.2.1:x"));
	CHECK(!spec_rw("root=dhcp rootflags=rw", "nbd:192.0.2.1:x:ext4:ro"));
}

/* --- remarks --------------------------------------------------------------------------------- */

TEST(position_points_at_the_part)
{
	static const char line[] = "root=nfs:192.0.2.1:/p ip=192.0.2.5::gw:24:n:eth0:none";
	_cleanup_(diag_list_freep) struct diag_list *diags = new_diags();
	_cleanup_(plan_freep) struct boot_plan *plan = parse(line, diags);
	const struct diag *d = diag_list_at(diags, 0);

	CHECK(d && plan->net.n_ips == 1);
	CHECK_INT(d->pos, strstr(line, "gw:") - line);
	CHECK_INT(d->len, 2);
	CHECK_STR(d->option, "ip");
}

TEST(remarks_are_optional)
{
	_cleanup_(plan_freep) struct boot_plan *plan = parse("rd.retry=abc rd.foo ip=bad:", NULL);

	CHECK_INT(plan->retry_s, PLAN_RETRY_DEFAULT);
}

TEST(lint_exit_status)
{
	_cleanup_fclose_ FILE *null = fopen("/dev/null", "we");

	CHECK_INT(cmdline_lint("root=dhcp", 9, null, 0), LINT_CLEAN);
	CHECK_INT(cmdline_lint("root=dhcp foo", 13, null, LINT_REMARKS), LINT_CLEAN);
	CHECK_INT(cmdline_lint("root=dhcp rd.foo", 16, null, LINT_PLAN), LINT_WARNINGS);
	CHECK_INT(cmdline_lint("root=dhcp ip=x", 14, null, 0), LINT_ERRORS);
	CHECK_INT(cmdline_lint("", 0, null, 0), LINT_CLEAN);
	CHECK_INT(cmdline_lint("root=", 5, null, 0), LINT_ERRORS);
}

TEST(lint_says_when_it_cannot_write)
{
	_cleanup_fclose_ FILE *full = fopen("/dev/full", "we");

	CHECK_INT(cmdline_lint("root=dhcp", 9, full, 0), -EIO);
}

/* --- dump and table -------------------------------------------------------------------------- */

TEST(dump_of_everything_holds_the_defaults)
{
	_cleanup_(plan_freep) struct boot_plan *plan = parse("", NULL);
	_cleanup_free_ char *all = dump(plan, true), *part = dump(plan, false);

	CHECK(strstr(all, "retry_s=180\n"));
	CHECK(strstr(all, "init=/sbin/init\n"));
	CHECK(strstr(all, "failure=shell,none\n"));
	CHECK_STR(part, "fatal=yes\n");
}

TEST(table_is_whole)
{
	for (size_t i = 0; i < OPTION_N; i++) {
		const struct option_row *r = option_row((enum option_id)i);

		CHECK_INT(r->id, i);
		CHECK(r->name[0] && r->doc[0] && r->parse);
		CHECK(r->doc[strlen(r->doc) - 1] == '.');
		CHECK(!(r->flags & OPTION_VALUE) || r->grammar[0]);
		CHECK(r->flags & OPTION_PREFIX || option_find(r->name, strlen(r->name), NULL) == r);
		for (size_t k = 0; k < i; k++)
			CHECK(!streq(r->name, option_row((enum option_id)k)->name));
	}
}

TEST(found_by_name_prefix_and_old_name)
{
	const struct option_alias *alias;

	CHECK(option_find("rd.retry", 8, &alias) == option_row(OPTION_RD_RETRY) && !alias);
	CHECK(option_find("rd_retry", 8, &alias) == option_row(OPTION_RD_RETRY) && alias);
	CHECK(option_find("rd.ib.client_id", 15, &alias) == option_row(OPTION_RD_IB_CLIENT_ID) &&
		!alias);
	CHECK(option_find("rd.ib.clientid", 14, &alias) == option_row(OPTION_RD_IB_CLIENT_ID));
	CHECK_INT(alias->origin, ALIAS_OURS);
	CHECK(option_find("rd.live.overlay", 15, &alias) == option_row(OPTION_RD_OVERLAY) && alias);
	CHECK(option_find("rd.net.dhcp.client_id", 21, NULL) ==
		option_row(OPTION_RD_NET_DHCP_CLIENT_ID));
	CHECK(option_find("rd.ib.port", 10, NULL) == option_row(OPTION_RD_IB_PORT));
	CHECK(option_find("rd.root.key", 11, NULL) == option_row(OPTION_RD_ROOT_KEY));
	CHECK(option_find("rd.live.odd", 11, NULL) == option_row(OPTION_RD_LIVE));
	CHECK(option_find("rd.ib.", 6, NULL) == NULL);
	CHECK(option_find("RD.RETRY", 8, NULL) == NULL);
	CHECK(option_find("", 0, NULL) == NULL);
}

static size_t lines_of(enum options_format format, const char *needle)
{
	_cleanup_free_ char *text = NULL;
	size_t len, n = 0;
	FILE *f = open_memstream(&text, &len);
	const char *at;

	CHECK(f);
	CHECK_INT(options_print(f, format), 0);
	fclose(f);
	CHECK(strstr(text, needle));
	for (at = text; *at; at++)
		n += *at == '\n';
	return n;
}

TEST(table_is_printed)
{
	CHECK_INT(lines_of(OPTIONS_MARKDOWN, "| `rd.retry=SECONDS` | 180 |"), OPTION_N + 2);
	CHECK_INT(lines_of(OPTIONS_COMPLETION, "\nrd.retry=\n"), OPTION_N);
	CHECK_INT(lines_of(OPTIONS_MAN, "*rd.driver.pre=NAME[,NAME...]*\n\t"), 3 * OPTION_N);
}
