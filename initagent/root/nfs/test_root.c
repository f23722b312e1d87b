// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The root room against a scripted mount: which versions and transports are tried, in which order,
 * and what each failure is called. The script is chosen by the server's name, because the
 * attempts run in children.
 */
#include "check.h"

#include <poll.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "base/worker.h"
#include "root/image/layers.h"
#include "files.h"
#include "nfsroot.h"
#include "root/nfs/verdict.h"

/* Paths that are not there, or in version 4's pseudo root alone (fsid=0), or not for everybody
 * there; an nfsd on another port. */
static int path_answer(const struct nfs_attempt *a)
{
	static const struct {
		const char *server;
		int v4, v3;
	} rows[] = {{"noexport", -ENOENT, -ENOENT}, {"fsid0", -ENOENT, 0}, {"closed", -EPERM, 0},
		{"old", -ENOENT, -ECONNREFUSED}, {"elsewhere", -ECONNREFUSED, 0},
		{"comes-up", -ECONNREFUSED, 0}, {"closed-elsewhere", -ECONNREFUSED, -EACCES}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (streq(a->server, rows[i].server))
			return a->version == NFS_VERSION_3 ? rows[i].v3 : rows[i].v4;
	return 0;
}

/* What is said of a version that is not there, without a word of the kernel's. */
static int version_answer(const struct nfs_attempt *a, char *text)
{
	bool invalid = streq(a->server, "no42");

	if (!invalid && !streq(a->server, "notsupp"))
		return path_answer(a);
	*text = 0;
	return a->version == NFS_VERSION_41 ? 0 : invalid ? -EINVAL : -524;
}

static int fake_mount(const struct nfs_attempt *a, const char *target, char *text)
{
	bool rdma = a->proto == NFS_PROTO_RDMA;

	(void)target;
	snprintf(text, NFS_TEXT_MAX, "%s/%s port %u", nfs_proto_name(a->proto),
		nfs_version_name(a->version), a->port);
	if (streq(a->server, "only40"))
		return a->version == NFS_VERSION_40 ? 0 : -EPROTONOSUPPORT;
	if (streq(a->server, "onlytcp"))
		return rdma ? -ECONNREFUSED : 0;
	if (streq(a->server, "down"))
		return -ECONNREFUSED;
	if (streq(a->server, "nordma"))
		return rdma ? -EPROTO : 0;
	if (streq(a->server, "badopt"))
		return -EINVAL;
	if (streq(a->server, "dummy"))
		return rdma ? -EINVAL : 0;
	if (streq(a->server, "crash"))
		abort();
	if (streq(a->server, "hang") || streq(a->path, "/hang"))
		pause();
	return version_answer(a, text);
}

static int fake_check(const char *root, const char *wanted, char *ret, size_t size,
	void (*reading)(void))
{
	(void)root;
	reading();
	strscpy(ret, wanted ? wanted : "/sbin/init", size);
	return wanted && streq(wanted, "/none") ? -ENOENT : 0;
}

static bool fake_answers(const struct nfs_attempt *a)
{
	return streq(a->server, "onlytcp") || streq(a->server, "comes-up");
}

/* The layer goes over what was mounted below, and there is room for it unless the size says
 * otherwise. */
static int fake_overlay(const struct env *env, const struct plan_overlay *o, const char *target,
	struct layers_result *ret)
{
	char base[256];

	CHECK_STR(target, "/nonexistent");
	CHECK(env_path(env, base, sizeof(base), LAYERS_BASE) >= 0);
	CHECK_INT(access(base, F_OK), 0);
	if (o->size != 1)
		return 0;
	ret->cause = CAUSE_IMAGE_OVERLAY;
	strscpy(ret->text, "overlay: No space left on device", sizeof(ret->text));
	return -ENOSPC;
}

static bool fake_writable(const char *root)
{
	(void)root;
	return true;
}

static const struct root_ops ops = {.mount = fake_mount, .check = fake_check,
	.answers = fake_answers, .overlay = fake_overlay, .writable = fake_writable};
#define V4 (PLAN_NFS_V42 | PLAN_NFS_V41 | PLAN_NFS_V40)

/* What the process that mounted goes on with: it answers with its own number. */
static int say_pid(const void *arg)
{
	int32_t pid = getpid(), asked;

	(void)arg;
	return !worker_next(&asked, sizeof(asked)) || worker_reply(&pid, sizeof(pid)) < 0;
}

static const struct worker_task reader = {
	.run = say_pid, .request_size = sizeof(int32_t), .reply_size = sizeof(int32_t)};

static void prepare(const char *name, bool fallback, unsigned versions)
{
	nfsroot_prepare(&ops, name, fallback, versions);
}

static struct source *make(const char *name, bool fallback)
{
	prepare(name, fallback, V4);
	return nfsroot_begin(0);
}

static struct source *make_of(const char *name)
{
	prepare(name, false, V4 | PLAN_NFS_V3);
	return nfsroot_begin(0);
}

/* In ms: after so long nothing more comes of a process. Only one that hangs says nothing. */
static int silence = 60000;

/* Runs on until an event, round after round as the target lets them follow; a fake clock jumps to
 * each deadline once nothing is left to read. */
static enum source_event run(struct source **s, uint64_t *now)
{
	for (int i = 0; i < 100; i++) {
		enum source_event e = source_pop_event(*s);
		struct pollfd pfd = {.events = POLLIN};

		if (e == SOURCE_AGAIN) {
			nfsroot.config.rounds = (*s)->rounds;
			nfsroot.config.attempts = (*s)->attempts;
			root_end(*s);
			*s = nfsroot_begin(*now);
		} else if (e != SOURCE_NONE) {
			return e;
		}
		pfd.fd = source_worker_fd(*s);
		if (pfd.fd < 0 || poll(&pfd, 1, silence) == 0)
			*now = source_worker_deadline(*s);
		root_dispatch(*s, *now);
	}
	check_fail(__FILE__, __LINE__, "no event after 100 steps");
}

static const struct root_result *result(const struct source *s)
{
	return s->record;
}

TEST(first_attempt_wins)
{
	uint64_t now = NSEC_PER_SEC;
	_cleanup_(nfsroot_endp) struct source *r = make("good", false);

	CHECK_INT(run(&r, &now), SOURCE_MOUNTED);
	CHECK_INT(result(r)->version, NFS_VERSION_42);
	CHECK_INT(result(r)->proto, NFS_PROTO_RDMA);
	CHECK_INT(result(r)->port, 20049);
	CHECK_INT(r->attempts, 1);
	CHECK_STR(result(r)->init, "/sbin/init");
}

TEST(the_process_that_mounted_goes_on)
{
	uint64_t now = NSEC_PER_SEC;
	_cleanup_(nfsroot_endp) struct source *s = NULL;
	int32_t pid = 0;

	prepare("good", false, V4);
	nfsroot.config.reader = &reader;
	s = nfsroot_begin(now);
	CHECK_INT(run(&s, &now), SOURCE_MOUNTED);
	CHECK(s->reader && !s->worker);
	/* It is no part of the mount any more, which has its limit. */
	CHECK(source_worker_deadline(s) == NSEC_NEVER && worker_deadline(s->reader) == NSEC_NEVER);
	CHECK_INT(worker_receive(s->reader, &pid, now + 3600 * NSEC_PER_SEC), 0);
	CHECK_INT(worker_send(s->reader, &pid), 0);
	CHECK_INT(worker_wait(s->reader, &pid), 1);
	CHECK_INT(pid, worker_pid(s->reader));
}

TEST(versions_walk_down)
{
	uint64_t now = 0;
	_cleanup_(nfsroot_endp) struct source *r = make("only40", false);

	CHECK_INT(run(&r, &now), SOURCE_MOUNTED);
	CHECK_INT(result(r)->version, NFS_VERSION_40);
	CHECK_INT(r->attempts, 3);
	CHECK_INT(result(r)->fell_back, 0);
}

/* A kernel without 4.2 calls it invalid and says no more; NFS4ERR_INVAL and NFS4ERR_NOTSUPP (the
 * kernel's ENOTSUPP) of a server look alike. As with mount.nfs, the next version is tried. */
TEST(a_version_that_is_called_invalid)
{
	static const char *const servers[] = {"no42", "notsupp"};

	for (size_t i = 0; i < ARRAY_SIZE(servers); i++) {
		uint64_t now = 0;
		_cleanup_(nfsroot_endp) struct source *r = make_of(servers[i]);

		CHECK_INT(run(&r, &now), SOURCE_MOUNTED);
		CHECK_INT(result(r)->version, NFS_VERSION_41);
		CHECK_INT(r->attempts, 2);
	}
}

/* No version is left: that ends the boot, as invalid options do. */
TEST(invalid_in_all_versions)
{
	uint64_t now = 0;
	_cleanup_(nfsroot_endp) struct source *r = NULL;

	prepare("no42", false, PLAN_NFS_V42 | PLAN_NFS_V3);
	r = nfsroot_begin(0);
	CHECK_INT(run(&r, &now), SOURCE_FATAL);
	CHECK_INT(r->cause, CAUSE_ROOT_MOUNT_FAILED);
	CHECK_INT(r->attempts, 2);
}

/* Exports below fsid=0 have another path in version 4: version 3 is asked at once, in the same
 * round. */
TEST(a_path_that_only_version_3_knows)
{
	static const char *const servers[] = {"fsid0", "closed"};

	for (size_t i = 0; i < ARRAY_SIZE(servers); i++) {
		uint64_t now = 0;
		_cleanup_(nfsroot_endp) struct source *r = make_of(servers[i]);

		CHECK_INT(run(&r, &now), SOURCE_MOUNTED);
		CHECK_INT(result(r)->version, NFS_VERSION_3);
		CHECK_INT(r->attempts, 2);
	}
}

/* What version 4 said stands when version 3 fails, too; the next round begins with version 4
 * again. */
TEST(a_path_that_no_version_knows)
{
	uint64_t now = 0;
	_cleanup_(nfsroot_endp) struct source *r = make_of("old");

	for (unsigned round = 1; round <= 2; round++) {
		CHECK_INT(run(&r, &now), SOURCE_FAILED);
		CHECK_INT(r->cause, CAUSE_ROOT_NO_EXPORT);
		CHECK(strstr(r->text, "no such path") && strstr(r->text, "4.2"));
		CHECK_INT(r->attempts, 2 * round);
	}
}

/* Where version 3 is not allowed, it is not asked. */
TEST(a_path_that_version_4_does_not_know)
{
	uint64_t now = 0;
	_cleanup_(nfsroot_endp) struct source *r = make("fsid0", false);

	CHECK_INT(run(&r, &now), SOURCE_FAILED);
	CHECK_INT(r->cause, CAUSE_ROOT_NO_EXPORT);
	CHECK_INT(r->attempts, 1);
}

/* Only version 3 asks rpcbind for the port of nfsd: in round 4, as one that is about to start
 * refuses as well, and has version 4 then. A port of the command line is version 3's, too. */
TEST(nfsd_on_another_port)
{
	static const struct {
		const char *server;
		uint16_t port;
		int event, cause;
		unsigned attempts;
	} rows[] = {
		{"elsewhere", 0, SOURCE_MOUNTED, CAUSE_ROOT_REFUSED, 5},
		{"elsewhere", 2050, SOURCE_FAILED, CAUSE_ROOT_REFUSED, 4},
		{"comes-up", 0, SOURCE_FAILED, CAUSE_ROOT_REFUSED, 5},
		{"closed-elsewhere", 0, SOURCE_FAILED, CAUSE_ROOT_NO_EXPORT, 5},
		{"down", 0, SOURCE_FAILED, CAUSE_ROOT_REFUSED, 5},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_(nfsroot_endp) struct source *r = NULL;
		uint64_t now = 0;

		prepare(rows[i].server, false, V4 | PLAN_NFS_V3);
		nfsroot.plan.proto = PLAN_NFS_PROTO_TCP;
		nfsroot.plan.port = rows[i].port;
		r = nfsroot_begin(0);
		for (unsigned round = 1; round <= 3; round++) {
			CHECK_INT(run(&r, &now), SOURCE_FAILED);
			CHECK(strstr(r->text, rows[i].port ? "2050, NFS 4.2: nothing listens"
				: "over tcp port 2049, NFS 4.2: nothing listens"));
		}
		CHECK_INT(run(&r, &now), rows[i].event);
		CHECK_INT(r->cause, rows[i].cause);
		CHECK_INT(r->attempts, rows[i].attempts);
		CHECK(rows[i].event == SOURCE_FAILED || result(r)->version == NFS_VERSION_3);
	}
}

/* One who mistyped it finds the usual one in the server's list. */
TEST(a_port_of_the_command_line_is_named)
{
	uint64_t now = 0;
	struct source *r;

	prepare("onlytcp", false, V4);
	nfsroot.plan.port = 20050;
	r = nfsroot_begin(0);
	CHECK_INT(run(&r, &now), SOURCE_FAILED);
	CHECK(strstr(r->text, "over rdma port 20050, NFS 4.2: its nfsd answers on TCP, but"));
	root_end(r);
}

TEST(refused_rdma_falls_back_after_three_rounds)
{
	uint64_t now = 0;
	_cleanup_(nfsroot_endp) struct source *r = make("onlytcp", true);

	CHECK_INT(run(&r, &now), SOURCE_FAILED);
	CHECK_INT(r->cause, CAUSE_ROOT_NO_RDMA);
	CHECK(strstr(r->text, "rdma/4.2 port 20049"));
	CHECK_INT(run(&r, &now), SOURCE_FAILED);
	CHECK_INT(run(&r, &now), SOURCE_MOUNTED);
	CHECK_INT(result(r)->proto, NFS_PROTO_TCP);
	CHECK_INT(result(r)->port, 2049);
	CHECK_INT(result(r)->fell_back, 1);
}

TEST(a_server_that_is_down_is_not_called_one_without_rdma)
{
	uint64_t now = 0;
	_cleanup_(nfsroot_endp) struct source *r = make("down", false);

	CHECK_INT(run(&r, &now), SOURCE_FAILED);
	CHECK_INT(r->cause, CAUSE_ROOT_REFUSED);
}

TEST(impossible_rdma_falls_back_at_once)
{
	uint64_t now = 0;
	_cleanup_(nfsroot_endp) struct source *r = make("nordma", true);

	CHECK_INT(run(&r, &now), SOURCE_MOUNTED);
	CHECK_INT(r->attempts, 2);
}

TEST(no_fallback_unless_allowed)
{
	uint64_t now = 0;
	_cleanup_(nfsroot_endp) struct source *r = make("nordma", false);

	for (int i = 0; i < 5; i++) {
		CHECK_INT(run(&r, &now), SOURCE_FAILED);
		CHECK_INT(r->cause, CAUSE_ROOT_NO_RDMA);
	}
}

TEST(bad_options_are_fatal)
{
	uint64_t now = 0;
	_cleanup_(nfsroot_endp) struct source *r = make("badopt", true);

	CHECK_INT(run(&r, &now), SOURCE_FATAL);
	CHECK_INT(r->cause, CAUSE_ROOT_MOUNT_FAILED);
	CHECK_INT(source_worker_deadline(r) == NSEC_NEVER, 1);
}

/* rpcrdma is loaded and does nothing: MLNX_OFED has such a one for those without mlnx-nfsrdma. */
TEST(a_kernel_that_has_no_rdma_transport)
{
	for (int i = 0; i < 3; i++) {
		char dir[] = "/tmp/initagent-root-XXXXXX";
		struct env env = {.prefix = check_dir(dir)};
		_cleanup_(nfsroot_endp) struct source *r = NULL;
		uint64_t now = 0;

		files_text(dir, "/proc/sys/sunrpc/transports",
			i < 2 ? "tcp 1048576\ntcp-bc 1048576\n" : "tcp 1048576\nrdma 1048576\n");
		prepare("dummy", i == 0, V4);
		nfsroot.config.env = &env;
		r = nfsroot_begin(0);
		CHECK_INT(run(&r, &now), i == 0 ? SOURCE_MOUNTED : i == 1 ? SOURCE_FAILED
									  : SOURCE_FATAL);
		if (i == 1)
			CHECK_INT(r->cause, CAUSE_ROOT_NO_RDMA);
	}
}

TEST(back_off_doubles_with_jitter)
{
	uint64_t now = 0, want = NSEC_PER_SEC / 4;
	_cleanup_(nfsroot_endp) struct source *r = make("noexport", true);

	for (int i = 0; i < 8; i++) {
		uint64_t wait;

		CHECK_INT(run(&r, &now), SOURCE_FAILED);
		wait = source_worker_deadline(r) - now;
		CHECK(wait >= want && wait <= want + want / 4);
		want = min_u64(want * 2, 4 * NSEC_PER_SEC);
	}
}

TEST(a_dead_child_is_a_failed_round)
{
	uint64_t now = 0;
	_cleanup_(nfsroot_endp) struct source *r = make("crash", false);

	CHECK_INT(run(&r, &now), SOURCE_FAILED);
	CHECK_INT(r->cause, CAUSE_ROOT_MOUNT_FAILED);
	CHECK(strstr(r->text, "the mount process crashed (aborted)"));
}

TEST(a_hanging_mount_is_killed_at_its_limit)
{
	uint64_t now = 0;
	_cleanup_(nfsroot_endp) struct source *r = make("hang", false);

	silence = 100;
	CHECK_INT(run(&r, &now), SOURCE_FAILED);
	CHECK(now >= 16 * NSEC_PER_SEC && now < 20 * NSEC_PER_SEC);
	CHECK_INT(r->cause, CAUSE_ROOT_UNREACHABLE);
	CHECK(strstr(r->text, "no answer in time"));
}

TEST(root_without_init)
{
	uint64_t now = 0;
	_cleanup_(nfsroot_endp) struct source *r = NULL;

	prepare("2001:db8::1", false, PLAN_NFS_V3);
	nfsroot.config.init = "/none";
	r = nfsroot_begin(now);
	CHECK_INT(run(&r, &now), SOURCE_FAILED);
	CHECK_INT(r->cause, CAUSE_ROOT_NO_INIT);
	CHECK_STR(r->text, "[2001:db8::1]:/export: /none");
}

/* The folder of the case, for what lies below the layer. */
static struct source *make_layered(struct env *env, const struct plan_overlay *o)
{
	static char dir[] = "/tmp/initagent-root-XXXXXX";

	env->prefix = check_dir(dir);
	prepare("good", false, PLAN_NFS_V42 | PLAN_NFS_V41);
	nfsroot.plan.proto = PLAN_NFS_PROTO_TCP;
	nfsroot.config.env = env;
	nfsroot.config.overlay = o;
	return nfsroot_begin(0);
}

TEST(a_writable_layer_over_the_export)
{
	struct env env = {0};
	struct plan_overlay o = {.asked = true};
	_cleanup_(nfsroot_endp) struct source *r = make_layered(&env, &o);
	uint64_t now = 0;

	CHECK_INT(run(&r, &now), SOURCE_MOUNTED);
	CHECK(result(r)->overlay);
	CHECK_INT(r->attempts, 1);
}

/* Another version of NFS would not help: one attempt a round, under its own cause. */
TEST(a_layer_that_cannot_be_made)
{
	struct env env = {0};
	struct plan_overlay o = {.asked = true, .size = 1};
	_cleanup_(nfsroot_endp) struct source *r = make_layered(&env, &o);
	uint64_t now = 0;

	CHECK_INT(run(&r, &now), SOURCE_FAILED);
	CHECK_INT(r->cause, CAUSE_IMAGE_OVERLAY);
	CHECK(strstr(r->text, "No space left"));
	CHECK_INT(r->attempts, 1);
	o.size = 0;
	CHECK_INT(run(&r, &now), SOURCE_MOUNTED);
}

/* xCAT's files are not there at all, and no root without them is. */
TEST(a_statelite_node_without_its_files_is_not_booted)
{
	static const struct plan_statelite statelite = {.node = "n1"};
	static const struct boot_plan lines = {.root.statelite = &statelite};
	_cleanup_(nfsroot_endp) struct source *s = NULL;
	char dir[] = "/tmp/initagent-lite-XXXXXX";
	const struct env env = {.prefix = dir};
	uint64_t now = NSEC_PER_SEC;

	check_dir(dir);
	prepare("good", false, V4);
	nfsroot.config.env = &env;
	nfsroot.config.plan = &lines;
	s = nfsroot_begin(now);
	CHECK_INT(run(&s, &now), SOURCE_FAILED);
	CHECK_INT(s->cause, CAUSE_ROOT_STATELITE);
	CHECK_STR(s->text, "the image has no /.statelite or no /etc/init.d/statelite");
}

/* The export is mounted: it is not the root's server that is waited for. */
TEST(what_a_statelite_node_waits_for_beyond_its_export)
{
	static const struct plan_statelite statelite = {.node = "n1", .server = "mn",
		.path = "/hang", .addr.family = AF_INET};
	static const struct boot_plan lines = {.root.statelite = &statelite};
	static const char *const parts[] = {"/run", "/run/rootfsbase",
		"/run/rootfsbase/.statelite", "/run/rootfsbase/etc",
		"/run/rootfsbase/etc/init.d", "/run/rootfsbase/etc/init.d/statelite"};
	_cleanup_(nfsroot_endp) struct source *s = NULL;
	char dir[] = "/tmp/initagent-lite-XXXXXX", text[REPORT_TEXT_MAX], path[128];
	const struct env env = {.prefix = dir};
	uint64_t now = 0;

	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		check_skip("mounting takes root");
	check_dir(dir);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		snprintf(path, sizeof(path), "%s%s", dir, parts[i]);
		CHECK_INT(mkdir(path, 0755), 0);
	}
	prepare("good", false, V4);
	nfsroot.config.env = &env;
	nfsroot.config.plan = &lines;
	s = nfsroot_begin(now);
	CHECK_INT(source_worker_deadline(s), 16 * (long long)NSEC_PER_SEC);
	CHECK_INT(root_describe(s, text, sizeof(text)), CAUSE_ROOT_UNREACHABLE);
	CHECK_INT(run(&s, &now), SOURCE_STEP);
	CHECK_INT(root_describe(s, text, sizeof(text)), CAUSE_ROOT_STATELITE);
	CHECK_STR(text, "waiting for the mount of mn:/hang (STATEMNT=)");
	silence = 100;
	CHECK_INT(run(&s, &now), SOURCE_FAILED);
	CHECK_INT(s->cause, CAUSE_ROOT_STATELITE);
	CHECK_STR(s->text, "the mount of mn:/hang (STATEMNT=): no end of it; killed");
}

/* STATEMNT= names another server than the root's: it is looked up before the mount. */
TEST(the_server_of_a_statelite_nodes_files_is_looked_up)
{
	static const struct plan_statelite statelite = {
		.node = "n1", .server = "mgt", .path = "/nodedata"};
	static const struct boot_plan lines = {.root.statelite = &statelite};
	const struct inet_addr addr = {.family = AF_INET};
	_cleanup_(nfsroot_endp) struct source *s = NULL;
	char text[REPORT_TEXT_MAX];

	prepare("good", false, V4);
	nfsroot.config.plan = &lines;
	CHECK_INT(root_begin(&s, &nfsroot.config, 0), 0);
	CHECK_INT(source_pop_event(s), SOURCE_LOOKUP);
	CHECK_STR(root_lookup(s), "mgt");
	CHECK_INT(root_describe(s, text, sizeof(text)), CAUSE_ROOT_RESOLVE);
	CHECK(strstr(text, "mgt"));
	CHECK(!s->worker);
	root_resolved(s, &addr, "", 0);
	CHECK(s->worker);
	CHECK(!root_lookup(s));
	nfsroot_endp(&s);
	CHECK_INT(root_begin(&s, &nfsroot.config, 0), 0);
	root_resolved(s, NULL, "no such name", 0);
	CHECK_INT(s->cause, CAUSE_ROOT_RESOLVE);
	CHECK_STR(s->text, "mgt: no such name");
	CHECK(!s->worker && s->deadline != NSEC_NEVER);
	/* the root's own server needs none */
	nfsroot_endp(&s);
	strscpy(nfsroot.server.name, "mgt", sizeof(nfsroot.server.name));
	s = nfsroot_begin(0);
	CHECK(s->worker && !root_lookup(s));
}
