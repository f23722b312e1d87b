// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * NFS servers that do not answer, or not to everything: what an attempt at a root waited for when
 * its limit was over. What a server does is chosen by its name and the path of init.
 */
#include "check.h"

#include <poll.h>
#include <sys/mman.h>

#include "files.h"
#include "nfsroot.h"
#include "root/nfs/verdict.h"

#define PATIENCE_MS 60000
#define V4 (PLAN_NFS_V42 | PLAN_NFS_V41 | PLAN_NFS_V40)

static int fake_mount(const struct nfs_attempt *a, const char *target, char *text)
{
	(void)target;
	text[0] = 0;
	if (streq(a->server, "filtered"))
		pause();
	return streq(a->server, "fsid0") && a->version != NFS_VERSION_3 ? -ENOENT : 0;
}

/* A server in its grace period lets no file be opened; large replies that are lost are those to a
 * READ. */
static int fake_check(const char *root, const char *wanted, char *ret, size_t size,
	void (*reading)(void))
{
	(void)root;
	strscpy(ret, wanted ? wanted : "/sbin/init", size);
	if (streq(ret, "/grace"))
		pause();
	reading();
	if (streq(ret, "/lost"))
		pause();
	return 0;
}

static bool fake_answers(const struct nfs_attempt *a)
{
	return streq(a->server, "filtered");
}

static int fake_overlay(const struct env *env, const struct plan_overlay *o, const char *target,
	struct layers_result *ret)
{
	(void)env;
	(void)o;
	(void)target;
	(void)ret;
	return 0;
}

static bool fake_writable(const char *root)
{
	(void)root;
	return !streq(nfsroot.server.path, "/ro");
}

static const struct root_ops ops = {.mount = fake_mount, .check = fake_check,
	.answers = fake_answers, .overlay = fake_overlay, .writable = fake_writable};

static void prepare(const char *name, bool fallback, unsigned versions)
{
	nfsroot_prepare(&ops, name, fallback, versions);
}

static void receive(struct source *s, uint64_t now)
{
	struct pollfd pfd = {.fd = source_worker_fd(s), .events = POLLIN};

	CHECK_INT(poll(&pfd, 1, PATIENCE_MS), 1);
	root_dispatch(s, now);
}

/* The steps that its process tells, then the limit: of what lasts for a second is said what it
 * is. */
static void run_silent(struct source *s, unsigned steps, uint64_t *now, const char *said)
{
	char text[REPORT_TEXT_MAX];

	while (steps--)
		receive(s, *now);
	*now += NSEC_PER_SEC;
	root_dispatch(s, *now);
	CHECK_INT(source_pop_event(s), SOURCE_STEP);
	CHECK_INT(root_describe(s, text, sizeof(text)), CAUSE_ROOT_UNREAD);
	CHECK(strstr(text, said));
	*now += 15 * NSEC_PER_SEC;
	CHECK_INT(source_worker_deadline(s), *now);
	root_dispatch(s, *now);
}

static void assert_unread(struct source *s, const char *words)
{
	CHECK_INT(source_pop_event(s), SOURCE_FAILED);
	CHECK_INT(s->cause, CAUSE_ROOT_UNREAD);
	CHECK(strstr(s->text, words));
}

/* The export is mounted and the server answers: it is not said to be away, and no other transport
 * is sooner out of its grace period. */
TEST(a_server_in_its_grace_period)
{
	uint64_t now = 0;
	_cleanup_(nfsroot_endp) struct source *r = NULL;

	prepare("good", true, V4);
	nfsroot.config.init = "/grace";
	nfsroot.config.rounds = 3;
	r = nfsroot_begin(0);
	run_silent(r, 1, &now, "NFS 4.2: mounted, waiting until its init can be opened");
	assert_unread(r, "over rdma port 20049, NFS 4.2: its init cannot be opened yet");
	CHECK(strstr(r->text, "grace period"));
	CHECK_INT(r->attempts, 1);
}

/* Version 3 has none. */
TEST(a_server_that_falls_silent_after_the_mount)
{
	uint64_t now = 0;
	_cleanup_(nfsroot_endp) struct source *r = NULL;

	prepare("good", false, PLAN_NFS_V3);
	nfsroot.config.init = "/grace";
	r = nfsroot_begin(0);
	run_silent(r, 1, &now, "NFS 3: mounted, waiting until its init can be opened");
	assert_unread(r, "NFS 3: no answer after the mount");
	CHECK(!strstr(r->text, "grace"));
}

/* Small packets get through, large ones do not; another transport may have another limit. */
TEST(an_init_that_cannot_be_read_to_its_end)
{
	uint64_t now = 0;
	_cleanup_(nfsroot_endp) struct source *r = NULL;

	prepare("good", true, V4);
	nfsroot.config.init = "/lost";
	nfsroot.config.rounds = 2;
	r = nfsroot_begin(0);
	run_silent(r, 2, &now, "over rdma port 20049, NFS 4.2: mounted, reading its init");
	CHECK_INT(r->attempts, 2);
	CHECK_INT(source_pop_event(r), SOURCE_NONE);
	run_silent(r, 2, &now, "over tcp port 2049, NFS 4.2: mounted, reading its init");
	assert_unread(r, "its init cannot be read to its end");
	CHECK(strstr(r->text, "MTU"));
}

/* The kernel mounts over the connection whose reads are lost, and gets no answer: what was known of
 * it stays the reason. Another server has its own. */
TEST(the_attempt_after_one_whose_reads_were_lost)
{
	for (int other = 0; other < 2; other++) {
		uint64_t now = 0;
		_cleanup_(nfsroot_endp) struct source *r = NULL, *next = NULL;

		prepare("good", false, V4);
		nfsroot.server.addr =
			(struct inet_addr){.family = AF_INET, .bytes = {192, 0, 2, 1}};
		nfsroot.config.init = "/lost";
		r = nfsroot_begin(0);
		run_silent(r, 2, &now, "NFS 4.2: mounted, reading its init");
		CHECK_INT(source_pop_event(r), SOURCE_FAILED);
		nfsroot.config.unread = r->unread;
		nfsroot.server.addr.bytes[3] += (uint8_t)other;
		strscpy(nfsroot.server.name, "filtered", sizeof(nfsroot.server.name));
		next = nfsroot_begin(now);
		now += 16 * NSEC_PER_SEC;
		root_dispatch(next, now);
		if (other)
			receive(next, now);
		CHECK_INT(source_pop_event(next), SOURCE_FAILED);
		CHECK_INT(next->cause, other ? CAUSE_ROOT_NO_RDMA : CAUSE_ROOT_UNREAD);
		CHECK_INT(strstr(next->text, "MTU") != NULL, !other);
	}
}

/* A server that needs longer for each node than it is given serves none of them. */
TEST(attempts_become_longer)
{
	static const struct {
		unsigned rounds, ways, seconds;
	} rows[] = {{0, 1, 16}, {3, 1, 16}, {4, 1, 32}, {7, 2, 16}, {8, 2, 32}, {8, 1, 64},
		{1000, 1, 64}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_(nfsroot_endp) struct source *r = NULL;
		uint64_t limit = rows[i].seconds * NSEC_PER_SEC;

		prepare("good", false, V4);
		nfsroot.config.init = "/grace";
		nfsroot.config.rounds = rows[i].rounds;
		nfsroot.config.ways = rows[i].ways;
		r = nfsroot_begin(0);
		CHECK_INT(source_worker_deadline(r), limit);
		receive(r, 5);
		root_dispatch(r, 5 + NSEC_PER_SEC); /* says what it waits for */
		CHECK_INT(source_worker_deadline(r), 5 + limit);
	}
}

/* Version 3 knows the path: what version 4 said of it is no reason any more. */
TEST(a_path_of_version_3_whose_init_cannot_be_read)
{
	uint64_t now = 0;
	_cleanup_(nfsroot_endp) struct source *r = NULL;

	prepare("fsid0", false, V4 | PLAN_NFS_V3);
	nfsroot.config.init = "/lost";
	r = nfsroot_begin(0);
	receive(r, now);
	run_silent(r, 2, &now, "NFS 3: mounted, reading its init");
	assert_unread(r, "NFS 3: its init cannot be read");
}

/* It answers on TCP, so that the wait was for RDMA alone. */
TEST(filtered_rdma_falls_back_at_once)
{
	uint64_t now = 16 * NSEC_PER_SEC;
	_cleanup_(nfsroot_endp) struct source *r = NULL;
	char text[REPORT_TEXT_MAX];

	prepare("filtered", true, PLAN_NFS_V42);
	r = nfsroot_begin(0);
	root_dispatch(r, now);
	receive(r, now);
	CHECK_INT(source_pop_event(r), SOURCE_NONE);
	root_describe(r, text, sizeof(text));
	CHECK(strstr(text, "over tcp port 2049, NFS 4.2"));
}

/* What the kernel says of its connections, as net/sunrpc/sysfs.c writes it: an RDMA connection that
 * was made to this server is not called impossible. */
TEST(a_server_that_answers_nothing_over_an_rdma_connection)
{
	static const struct {
		const char *state, *address;
		bool connected;
	} rows[] = {
		{"state=LOCKED  CONNECTING  BOUND\n", "10.0.0.1\n", false},
		{"state= CONNECTED   BOUND\n", "10.0.0.1\n", true},
		{"state= CONNECTED   BOUND\n", "10.0.0.2\n", false},
		{"state= CONNECTED   BOUND\n", "fe80::1%3\n", false},
	};
	char dir[] = "/tmp/initagent-rpc-XXXXXX";
	struct env env = {.prefix = dir};

	check_dir(dir);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		static const char transport[] =
			"/sys/kernel/sunrpc/xprt-switches/switch-0/xprt-1-rdma";
		uint64_t now = 16 * NSEC_PER_SEC;
		_cleanup_(nfsroot_endp) struct source *r = NULL;
		char path[128];

		snprintf(path, sizeof(path), "%s/xprt_state", transport);
		files_text(dir, path, rows[i].state);
		snprintf(path, sizeof(path), "%s/dstaddr", transport);
		files_text(dir, path, rows[i].address);
		prepare("filtered", false, PLAN_NFS_V42);
		nfsroot.config.env = &env;
		nfsroot.server.addr =
			(struct inet_addr){.family = AF_INET, .bytes = {10, 0, 0, 1}};
		r = nfsroot_begin(0);
		root_dispatch(r, now);
		if (source_pop_event(r) == SOURCE_NONE)
			receive(r, now);
		CHECK_INT(r->cause,
			rows[i].connected ? CAUSE_ROOT_UNREACHABLE : CAUSE_ROOT_NO_RDMA);
		CHECK_INT(strstr(r->text, "is mountd running") != NULL, rows[i].connected);
		CHECK_INT(strstr(r->text, "4791") != NULL, !rows[i].connected);
	}
}

/* No answer to the mount, but its TCP port is open: it is not said to be away. */
TEST(a_server_that_accepts_connections_and_no_mount)
{
	static const struct {
		unsigned versions;
		enum plan_nfs_proto proto;
		enum cause cause;
		const char *words;
	} rows[] = {
		{PLAN_NFS_V42, PLAN_NFS_PROTO_RDMA, CAUSE_ROOT_NO_RDMA, "UDP port 4791"},
		{PLAN_NFS_V42, PLAN_NFS_PROTO_TCP, CAUSE_ROOT_UNREACHABLE, "mountd"},
		{PLAN_NFS_V3, PLAN_NFS_PROTO_RDMA, CAUSE_ROOT_UNREACHABLE, "RDMA, rpcbind"},
		{PLAN_NFS_V3, PLAN_NFS_PROTO_TCP, CAUSE_ROOT_UNREACHABLE, "rpcbind (port 111)"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t now = 16 * NSEC_PER_SEC;
		_cleanup_(nfsroot_endp) struct source *r = NULL;
		char text[REPORT_TEXT_MAX];

		prepare("filtered", false, rows[i].versions);
		nfsroot.plan.proto = rows[i].proto;
		r = nfsroot_begin(0);
		root_dispatch(r, now);
		CHECK_INT(root_describe(r, text, sizeof(text)), CAUSE_ROOT_UNREACHABLE);
		receive(r, now);
		CHECK_INT(source_pop_event(r), SOURCE_FAILED);
		CHECK_INT(r->cause, rows[i].cause);
		CHECK(strstr(r->text, rows[i].words));
		CHECK_INT(r->attempts, 1);
	}
}

/* The mount takes rw of any export; who asked for it hears of it before the real root's services
 * do. */
TEST(a_root_that_rw_is_asked_for_and_cannot_be_written_to)
{
	static const struct plan_overlay layer = {.asked = true};
	static const struct {
		const char *path;
		bool readonly;
		const struct plan_overlay *overlay;
		bool said;
	} rows[] = {{"/export", false, NULL, false}, {"/ro", false, NULL, true},
		{"/ro", true, NULL, false}, {"/ro", false, &layer, false}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_(nfsroot_endp) struct source *r = NULL;
		_cleanup_(report_freep) struct report *report = NULL;
		_cleanup_close_ int console = memfd_create("console", MFD_CLOEXEC);
		const struct report_config quiet = {.console_fd = console, .kmsg_fd = -1};
		char dir[] = "/tmp/initagent-rw-XXXXXX", text[512] = "";
		struct env env = {.prefix = dir};

		CHECK_INT(report_new(&report, &quiet), 0);
		env.report = report;
		check_dir(dir);
		prepare("good", false, V4);
		strscpy(nfsroot.server.path, rows[i].path, sizeof(nfsroot.server.path));
		nfsroot.config.env = &env;
		nfsroot.config.readonly = rows[i].readonly;
		nfsroot.config.overlay = rows[i].overlay;
		r = nfsroot_begin(0);
		for (int steps = 0; steps < 3; steps++)
			receive(r, 0);
		CHECK_INT(source_pop_event(r), SOURCE_MOUNTED);
		CHECK(pread(console, text, sizeof(text) - 1, 0) >= 0);
		CHECK_INT(strstr(text, "/ro is mounted rw, but cannot be written") != NULL,
			rows[i].said);
	}
}

/* Version 3 asks rpcbind and mountd before nfsd: one who sees that nfsd is up looks for those. */
TEST(version_3_names_its_helpers)
{
	static const int errors[] = {ECONNREFUSED, ETIMEDOUT, EOPNOTSUPP};

	for (size_t i = 0; i < 2 * ARRAY_SIZE(errors); i++) {
		enum nfs_proto proto = i % 2 ? NFS_PROTO_RDMA : NFS_PROTO_TCP;
		const struct verdict *four = mount_verdict(proto, NFS_VERSION_40, errors[i / 2]);
		const struct verdict *three = mount_verdict(proto, NFS_VERSION_3, errors[i / 2]);

		CHECK(strstr(three->words, "rpcbind"));
		CHECK(!strstr(four->words, "rpcbind"));
		CHECK_INT(three->cause, four->cause);
		CHECK_INT(three->remedy, four->remedy);
	}
}

TEST(verdicts_differ_by_transport)
{
	CHECK_INT(mount_verdict(NFS_PROTO_RDMA, 0, ENODEV)->remedy, REMEDY_TRANSPORT);
	CHECK_INT(mount_verdict(NFS_PROTO_TCP, 0, ENODEV)->remedy, REMEDY_NONE);
	CHECK_INT(mount_verdict(NFS_PROTO_TCP, 0, ENODEV)->cause, CAUSE_MODULE_MISSING);
	CHECK_INT(mount_verdict(NFS_PROTO_TCP, 0, EACCES)->cause, CAUSE_ROOT_NO_EXPORT);
	CHECK_INT(mount_verdict(NFS_PROTO_TCP, 0, 12345)->remedy, REMEDY_RETRY);
	CHECK(strstr(mount_verdict(NFS_PROTO_RDMA, 0, ENETUNREACH)->words, "path record"));
	CHECK(!strstr(mount_verdict(NFS_PROTO_TCP, 0, ENETUNREACH)->words, "path record"));
}

TEST(overlong_strings_and_no_version_are_refused)
{
	static char options[2000];
	struct source *r = NULL;

	memset(options, 'x', sizeof(options) - 1);
	prepare("s", false, PLAN_NFS_V42);
	nfsroot.plan.options = options;
	CHECK_INT(root_begin(&r, &nfsroot.config, 0), -EINVAL);
	prepare("s", false, 0);
	CHECK_INT(root_begin(&r, &nfsroot.config, 0), -EINVAL);
}

/* Where the path is referred to a server by its name, no program tells the kernel the address: for
 * a minute that is a key of its own. Without such a one the path may be version 3's. */
TEST(a_path_referred_to_a_server_by_its_name)
{
	static const char *const keys[] = {
		"3e7f77e3 I------     2 perm 1f0b0000     0     0 keyring   .machine: empty\n"
		"185f1224 I--Q-N-     1  44s 3b010000     0     0 dns_resol fs1.example\n",
		"185f1224 I--Q---     1  44s 3b010000     0     0 dns_resol fs1.example: 9\n",
	};

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		char dir[] = "/tmp/initagent-root-XXXXXX";
		struct env env = {.prefix = check_dir(dir)};
		_cleanup_(nfsroot_endp) struct source *r = NULL;
		enum source_event e = SOURCE_NONE;

		files_text(dir, "/proc/keys", keys[i]);
		prepare("fsid0", false, V4 | PLAN_NFS_V3);
		nfsroot.config.env = &env;
		r = nfsroot_begin(0);
		while (e == SOURCE_NONE || e == SOURCE_STEP) {
			receive(r, 0);
			e = source_pop_event(r);
		}
		CHECK_INT(e, i == 0 ? SOURCE_FAILED : SOURCE_MOUNTED);
		CHECK_INT(r->attempts, 1 + i);
		if (i)
			continue;
		CHECK_INT(r->cause, CAUSE_ROOT_NO_EXPORT);
		CHECK(strstr(r->text, "referred to a server by its name"));
		CHECK(strstr(r->text, ": fs1.example"));
	}
}
