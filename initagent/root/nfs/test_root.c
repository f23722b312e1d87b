// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The root room against a scripted mount: which versions and transports are tried, in which order,
 * and what each failure is called. The script is chosen by the server's name, because the
 * attempts run in children.
 */
#include "check.h"

#include <poll.h>

#include "root/image/layers.h"
#include "root/nfs/root.h"
#include "root/nfs/verdict.h"

/* Paths that are not there, or in version 4's pseudo root alone (fsid=0), or not for everybody
 * there. */
static int path_answer(const struct nfs_attempt *a)
{
	static const struct {
		const char *server;
		int v4, v3;
	} rows[] =
		{{"noexport", -ENOENT, -ENOENT}, {"fsid0", -ENOENT, 0}, {"closed", -EPERM, 0},
		{"old", -ENOENT, -ECONNREFUSED}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (streq(a->server, rows[i].server))
			return a->version == NFS_VERSION_3 ? rows[i].v3 : rows[i].v4;
	return 0;
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
	if (streq(a->server, "crash"))
		abort();
	if (streq(a->server, "hang"))
		pause();
	return path_answer(a);
}

static int fake_check(const char *root, const char *wanted, char *ret, size_t size)
{
	(void)root;
	strscpy(ret, wanted ? wanted : "/sbin/init", size);
	return wanted && streq(wanted, "/none") ? -ENOENT : 0;
}

static bool fake_answers(const struct nfs_attempt *a)
{
	return streq(a->server, "onlytcp");
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

static const struct root_ops ops = {
	.mount = fake_mount, .check = fake_check, .answers = fake_answers, .overlay = fake_overlay};
static const struct env no_env = {.prefix = ""};

/* With the first so many of the versions that nfs: stands for. */
static struct root *make_of(const char *server, bool fallback, size_t n_versions)
{
	struct root_config cfg = {
		.target = "/nonexistent",
		.server = server,
		.address = "192.0.2.1",
		.path = "/export",
		.options = "hard",
		.versions = {NFS_VERSION_42, NFS_VERSION_41, NFS_VERSION_40, NFS_VERSION_3},
		.n_versions = n_versions,
		.proto = NFS_PROTO_RDMA,
		.fallback_tcp = fallback,
		.ops = &ops,
	};
	struct root *r = NULL;

	CHECK_INT(root_new(&r, &no_env, &cfg), 0);
	return r;
}

static struct root *make(const char *server, bool fallback)
{
	return make_of(server, fallback, 3);
}

/* Runs on until an event, round after round; a fake clock jumps to each deadline once nothing is
 * left to read. */
static enum root_event run(struct root *r, uint64_t *now)
{
	for (int i = 0; i < 100; i++) {
		enum root_event e = root_pop_event(r);
		struct pollfd pfd = {.fd = root_fd(r), .events = POLLIN};

		if (e == ROOT_EVENT_AGAIN)
			CHECK_INT(root_start(r, *now), 0);
		else if (e != ROOT_EVENT_NONE)
			return e;
		pfd.fd = root_fd(r);
		if (pfd.fd < 0 || poll(&pfd, 1, 500) == 0)
			*now = root_deadline(r);
		root_dispatch(r, *now);
	}
	check_fail(__FILE__, __LINE__, "no event after 100 steps");
}

TEST(first_attempt_wins)
{
	uint64_t now = NSEC_PER_SEC;
	_cleanup_(root_freep) struct root *r = make("good", false);

	CHECK_INT(root_start(r, now), 0);
	CHECK_INT(run(r, &now), ROOT_EVENT_MOUNTED);
	CHECK_INT(root_result(r)->version, NFS_VERSION_42);
	CHECK_INT(root_result(r)->proto, NFS_PROTO_RDMA);
	CHECK_INT(root_result(r)->port, 20049);
	CHECK_INT(root_result(r)->attempts, 1);
	CHECK_STR(root_result(r)->init, "/sbin/init");
}

TEST(versions_walk_down)
{
	uint64_t now = 0;
	_cleanup_(root_freep) struct root *r = make("only40", false);

	CHECK_INT(root_start(r, now), 0);
	CHECK_INT(run(r, &now), ROOT_EVENT_MOUNTED);
	CHECK_INT(root_result(r)->version, NFS_VERSION_40);
	CHECK_INT(root_result(r)->attempts, 3);
	CHECK_INT(root_result(r)->fell_back, 0);
}

/* Exports below fsid=0 have another path in version 4: version 3 is asked at once, in the same
 * round. */
TEST(a_path_that_only_version_3_knows)
{
	static const char *const servers[] = {"fsid0", "closed"};

	for (size_t i = 0; i < ARRAY_SIZE(servers); i++) {
		uint64_t now = 0;
		_cleanup_(root_freep) struct root *r = make_of(servers[i], false, 4);

		CHECK_INT(root_start(r, now), 0);
		CHECK_INT(run(r, &now), ROOT_EVENT_MOUNTED);
		CHECK_INT(root_result(r)->version, NFS_VERSION_3);
		CHECK_INT(root_result(r)->attempts, 2);
	}
}

/* What version 4 said stands when version 3 fails, too; the next round begins with version 4
 * again. */
TEST(a_path_that_no_version_knows)
{
	uint64_t now = 0;
	_cleanup_(root_freep) struct root *r = make_of("old", false, 4);
	const char *text;

	CHECK_INT(root_start(r, now), 0);
	for (unsigned round = 1; round <= 2; round++) {
		CHECK_INT(run(r, &now), ROOT_EVENT_FAILED);
		CHECK_INT(root_failure(r, &text), CAUSE_ROOT_NO_EXPORT);
		CHECK(strstr(text, "no such path") && strstr(text, "4.2"));
		CHECK_INT(root_result(r)->attempts, 2 * round);
	}
}

/* Where version 3 is not allowed, it is not asked. */
TEST(a_path_that_version_4_does_not_know)
{
	uint64_t now = 0;
	_cleanup_(root_freep) struct root *r = make("fsid0", false);
	const char *text;

	CHECK_INT(root_start(r, now), 0);
	CHECK_INT(run(r, &now), ROOT_EVENT_FAILED);
	CHECK_INT(root_failure(r, &text), CAUSE_ROOT_NO_EXPORT);
	CHECK_INT(root_result(r)->attempts, 1);
}

TEST(refused_rdma_falls_back_after_three_rounds)
{
	uint64_t now = 0;
	const char *text;
	_cleanup_(root_freep) struct root *r = make("onlytcp", true);

	CHECK_INT(root_start(r, now), 0);
	CHECK_INT(run(r, &now), ROOT_EVENT_FAILED);
	CHECK_INT(root_failure(r, &text), CAUSE_ROOT_NO_RDMA);
	CHECK(strstr(text, "rdma/4.2 port 20049"));
	CHECK_INT(run(r, &now), ROOT_EVENT_FAILED);
	CHECK_INT(run(r, &now), ROOT_EVENT_MOUNTED);
	CHECK_INT(root_result(r)->proto, NFS_PROTO_TCP);
	CHECK_INT(root_result(r)->port, 2049);
	CHECK_INT(root_result(r)->fell_back, 1);
}

TEST(a_server_that_is_down_is_not_called_one_without_rdma)
{
	uint64_t now = 0;
	const char *text;
	_cleanup_(root_freep) struct root *r = make("down", false);

	CHECK_INT(root_start(r, now), 0);
	CHECK_INT(run(r, &now), ROOT_EVENT_FAILED);
	CHECK_INT(root_failure(r, &text), CAUSE_ROOT_REFUSED);
}

TEST(impossible_rdma_falls_back_at_once)
{
	uint64_t now = 0;
	_cleanup_(root_freep) struct root *r = make("nordma", true);

	CHECK_INT(root_start(r, now), 0);
	CHECK_INT(run(r, &now), ROOT_EVENT_MOUNTED);
	CHECK_INT(root_result(r)->attempts, 2);
}

TEST(no_fallback_unless_allowed)
{
	uint64_t now = 0;
	const char *text;
	_cleanup_(root_freep) struct root *r = make("nordma", false);

	CHECK_INT(root_start(r, now), 0);
	for (int i = 0; i < 5; i++) {
		CHECK_INT(run(r, &now), ROOT_EVENT_FAILED);
		CHECK_INT(root_failure(r, &text), CAUSE_ROOT_NO_RDMA);
	}
}

TEST(bad_options_are_fatal)
{
	uint64_t now = 0;
	const char *text;
	_cleanup_(root_freep) struct root *r = make("badopt", true);

	CHECK_INT(root_start(r, now), 0);
	CHECK_INT(run(r, &now), ROOT_EVENT_FATAL);
	CHECK_INT(root_failure(r, &text), CAUSE_ROOT_MOUNT_FAILED);
	CHECK_INT(root_deadline(r) == NSEC_NEVER, 1);
}

TEST(back_off_doubles_with_jitter)
{
	uint64_t now = 0, want = NSEC_PER_SEC / 4;
	_cleanup_(root_freep) struct root *r = make("noexport", true);

	CHECK_INT(root_start(r, now), 0);
	for (int i = 0; i < 8; i++) {
		uint64_t wait;

		CHECK_INT(run(r, &now), ROOT_EVENT_FAILED);
		wait = root_deadline(r) - now;
		CHECK(wait >= want && wait <= want + want / 4);
		want = min_u64(want * 2, 4 * NSEC_PER_SEC);
	}
}

TEST(a_dead_child_is_a_failed_round)
{
	uint64_t now = 0;
	const char *text;
	_cleanup_(root_freep) struct root *r = make("crash", false);

	CHECK_INT(root_start(r, now), 0);
	CHECK_INT(run(r, &now), ROOT_EVENT_FAILED);
	CHECK_INT(root_failure(r, &text), CAUSE_ROOT_MOUNT_FAILED);
	CHECK(strstr(text, "the mount process crashed (aborted)"));
}

TEST(a_hanging_mount_is_killed_at_its_limit)
{
	uint64_t now = 0;
	const char *text;
	_cleanup_(root_freep) struct root *r = make("hang", false);

	CHECK_INT(root_start(r, now), 0);
	CHECK_INT(run(r, &now), ROOT_EVENT_FAILED);
	CHECK_INT(now, 16 * (long long)NSEC_PER_SEC);
	CHECK_INT(root_failure(r, &text), CAUSE_ROOT_UNREACHABLE);
}

TEST(root_without_init)
{
	uint64_t now = 0;
	const char *text;
	_cleanup_(root_freep) struct root *r = NULL;
	struct root_config cfg = {
		.target = "/nonexistent", .server = "good", .address = "192.0.2.1", .path = "/e",
		.versions = {NFS_VERSION_3}, .n_versions = 1, .init = "/none", .ops = &ops,
	};

	CHECK_INT(root_new(&r, &no_env, &cfg), 0);
	CHECK_INT(root_start(r, now), 0);
	CHECK_INT(run(r, &now), ROOT_EVENT_FAILED);
	CHECK_INT(root_failure(r, &text), CAUSE_ROOT_NO_INIT);
	CHECK(strstr(text, "/none"));
}

TEST(verdicts_differ_by_transport)
{
	CHECK_INT(mount_verdict(NFS_PROTO_RDMA, ENODEV)->remedy, REMEDY_TRANSPORT);
	CHECK_INT(mount_verdict(NFS_PROTO_TCP, ENODEV)->remedy, REMEDY_NONE);
	CHECK_INT(mount_verdict(NFS_PROTO_TCP, EACCES)->cause, CAUSE_ROOT_NO_EXPORT);
	CHECK_INT(mount_verdict(NFS_PROTO_TCP, 12345)->remedy, REMEDY_RETRY);
}

TEST(overlong_strings_are_refused)
{
	static char path[2000];
	struct root *r = NULL;
	struct root_config cfg = {
		.target = "/t", .server = "s", .address = "192.0.2.1", .path = path,
		.versions = {NFS_VERSION_42}, .n_versions = 1, .ops = &ops,
	};

	memset(path, 'x', sizeof(path) - 1);
	CHECK_INT(root_new(&r, &no_env, &cfg), -EINVAL);
	cfg.path = "/p";
	cfg.n_versions = 0;
	CHECK_INT(root_new(&r, &no_env, &cfg), -EINVAL);
}

static struct root *make_layered(const struct env *env, const struct plan_overlay *o)
{
	struct root_config cfg = {
		.target = "/nonexistent", .server = "good", .address = "192.0.2.1", .path =
			"/export", .options = "",
		.versions = {NFS_VERSION_42, NFS_VERSION_41}, .n_versions = 2, .proto =
		NFS_PROTO_TCP, .overlay = o, .ops = &ops,
	};
	struct root *r = NULL;

	CHECK_INT(root_new(&r, env, &cfg), 0);
	return r;
}

TEST(a_writable_layer_over_the_export)
{
	char dir[] = "/tmp/initagent-root-XXXXXX";
	struct env env = {.prefix = dir};
	struct plan_overlay o = {.asked = true};
	_cleanup_(root_freep) struct root *r = make_layered(&env, &o);
	uint64_t now = 0;

	check_dir(dir);
	CHECK_INT(root_start(r, now), 0);
	CHECK_INT(run(r, &now), ROOT_EVENT_MOUNTED);
	CHECK(root_result(r)->overlay);
	CHECK_INT(root_result(r)->attempts, 1);
}

/* Another version of NFS would not help: one attempt a round, under its own cause. */
TEST(a_layer_that_cannot_be_made)
{
	char dir[] = "/tmp/initagent-root-XXXXXX";
	struct env env = {.prefix = dir};
	struct plan_overlay o = {.asked = true, .size = 1};
	_cleanup_(root_freep) struct root *r = make_layered(&env, &o);
	const char *text;
	uint64_t now = 0;

	check_dir(dir);
	CHECK_INT(root_start(r, now), 0);
	CHECK_INT(run(r, &now), ROOT_EVENT_FAILED);
	CHECK_INT(root_failure(r, &text), CAUSE_IMAGE_OVERLAY);
	CHECK(strstr(text, "No space left"));
	CHECK_INT(root_result(r)->attempts, 1);
	o.size = 0;
	CHECK_INT(run(r, &now), ROOT_EVENT_MOUNTED);
}
