// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The small parts under the plan runner: env, loop, notify, the needs of a plan, the command line
 * sources.
 */
#include "check.h"

#include <limits.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "report/report.h"
#include "root/block/block.h"
#include "boot/boot.h"
#include "state/cmdline.h"
#include "base/file.h"
#include "base/io.h"
#include "loop.h"
#include "boot/drivers.h"
#include "report/notify.h"
#include "report/record.h"
#include "root/walk.h"
#include "root/web/web.h"

static struct env make_env(char *dir)
{
	check_dir(dir);
	return (struct env){.prefix = dir};
}

static void put(const struct env *env, const char *dir, const char *name, const char *text)
{
	CHECK_INT(file_write(env, dir, name, text, strlen(text), 0644), 0);
}

TEST(env_reads_small_files)
{
	char dir[] = "/tmp/initagent-core-XXXXXX", buf[16], small[4];
	struct env env = make_env(dir);

	put(&env, "/sys", "state", "4: ACTIVE\n\n");
	CHECK_INT(env_read(&env, buf, sizeof(buf), "/sys/%s", "state"), 9);
	CHECK_STR(buf, "4: ACTIVE");
	CHECK_INT(env_read(&env, small, sizeof(small), "/sys/state"), 3);
	CHECK_STR(small, "4: ");
	CHECK_INT(env_read(&env, buf, sizeof(buf), "/sys/none"), -ENOENT);
	CHECK_INT(env_number(&env, "/sys/%s", "state"), 4);
	CHECK_INT(env_number(&env, "/sys/none"), 0);
	CHECK(env_exists(&env, "/sys/%s", "state") && !env_exists(&env, "/sys/none"));
	CHECK_INT(env_path(&env, small, sizeof(small), "/sys"), -ENAMETOOLONG);
}

TEST(loop_tells_tags_and_keeps_deadlines)
{
	_cleanup_(loop_freep) struct loop *l = NULL;
	_cleanup_close_ int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	uint64_t before = now_ns(), one = 1;
	int tags[4];

	CHECK_INT(loop_new(&l), 0);
	CHECK_INT(loop_add(l, fd, 7), 0);
	CHECK_INT(loop_wait(l, before + 20 * NSEC_PER_MSEC, tags, 4), 0);
	CHECK(now_ns() >= before + 20 * NSEC_PER_MSEC);
	CHECK_INT(write(fd, &one, sizeof(one)), sizeof(one));
	CHECK_INT(loop_wait(l, NSEC_NEVER, tags, 4), 1);
	CHECK_INT(tags[0], 7);
	/* A deadline that has passed returns at once, also the same one twice. */
	CHECK_INT(read(fd, &one, sizeof(one)), sizeof(one));
	CHECK_INT(loop_wait(l, before, tags, 4), 0);
	CHECK_INT(loop_wait(l, before, tags, 4), 0);
}

/* The name is this process's own: all test programs share those of the machine. */
TEST(notify_reaches_an_abstract_socket)
{
	struct sockaddr_un sa = {.sun_family = AF_UNIX};
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	char name[64], got[64] = "";

	snprintf(name, sizeof(name), "@initagent-test-notify-%d", (int)getpid());
	unsetenv("NOTIFY_SOCKET");
	CHECK_INT(notify_send("READY=1"), 0);
	setenv("NOTIFY_SOCKET", "relative", 1);
	CHECK_INT(notify_send("READY=1"), 0);
	memcpy(sa.sun_path + 1, name + 1, strlen(name) - 1);
	CHECK_INT(bind(fd, (struct sockaddr *)&sa,
			  (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name))),
		0);
	setenv("NOTIFY_SOCKET", name, 1);
	CHECK_INT(notify_send("READY=1"), 1);
	CHECK_INT(read(fd, got, sizeof(got) - 1), 7);
	CHECK_STR(got, "READY=1");
}

static struct boot_plan *plan_of(const char *line)
{
	struct boot_plan *plan = NULL;

	CHECK_INT(plan_parse(&plan, line, strlen(line), NULL), 0);
	return plan;
}

/* The needs as one line: "name" or "name!" when vital. */
static void check_needs(const char *line, const char *want)
{
	_cleanup_(plan_freep) struct boot_plan *plan = plan_of(line);
	struct need needs[NEEDS_MAX];
	size_t n = needs_of_plan(plan, needs), at = 0;
	char got[256] = "";

	for (size_t i = 0; i < n; i++)
		at += (size_t)snprintf(got + at, sizeof(got) - at, "%s%s%s", i ? " " : "",
			needs[i].module, needs[i].vital ? "!" : "");
	CHECK_STR(got, want);
}

TEST(needs_follow_the_plan)
{
	check_needs("root=nfs4:10.0.0.1:/r", "nfsv4!");
	check_needs("root=nfs:10.0.0.1:/r:vers=3", "nfsv3!");
	check_needs("root=nfs:10.0.0.1:/r:vers=4.2,proto=rdma", "nfsv4! rpcrdma!");
	check_needs(
		"root=nfs:10.0.0.1:/r:vers=4.2,proto=rdma rd.nfs.fallback=tcp", "nfsv4! rpcrdma");
	check_needs("root=nfs4:10.0.0.1:/r rd.rdma.link=r0,rxe,eth0 rd.rdma.link=r1,rxe,eth1",
		"nfsv4! rdma_rxe");
	check_needs("root=nfs4:10.0.0.1:/r rd.rdma.link=s0,siw,eth0", "nfsv4! siw");
	/* A type that only an alias names takes no place of those that the root needs. */
	check_needs("root=nfs4:10.0.0.1:/r rd.rdma.link=x0,other,eth0 rd.rdma.link=x1,another,eth1",
		"nfsv4!");
	check_needs("root=nfs4:[2001:db8::1]:/r", "nfsv4! ipv6");
	check_needs("root=nfs4:10.0.0.1:/r ip=dhcp,auto6", "nfsv4! ipv6");
	check_needs("root=nfs4:files:/r ip=[2001:db8::5]::::n:eth0:none", "nfsv4! ipv6");
	check_needs("root=/dev/sda1", "");
	check_needs("root=dhcp", "nfsv4");
}

TEST(only_network_roots_are_claimed)
{
	const struct {
		const char *line;
		bool ours;
	} rows[] = {
		{"root=nfs:10.0.0.1:/r", true},
		{"root=dhcp", true},
		{"root=/dev/nfs nfsroot=/r", true},
		{"root=UUID=0-1", false},
		{"root=LABEL=root rd.neednet=1", false},
		{"quiet", false},
		{"root=live:http://10.0.0.1/x.img", source_of(PLAN_ROOT_LIVE) != NULL},
		{"root=nbd:10.0.0.1:10809", source_of(PLAN_ROOT_REMOTE) != NULL},
		{"root=iscsi:10.0.0.1::::iqn.x", false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_(plan_freep) struct boot_plan *plan = plan_of(rows[i].line);

		CHECK_INT(boot_claims(plan), rows[i].ours);
	}
}

TEST(sources_are_joined_in_dracuts_order)
{
	char dir[] = "/tmp/initagent-core-XXXXXX";
	struct env env = make_env(dir);
	struct cmdline c;

	put(&env, "/etc", "cmdline", "rd.retry=20 rd.timeout=7");
	put(&env, "/etc/cmdline.d", "20-b.conf", "rd.retry=11 root=nfs4:10.0.0.2:/b");
	put(&env, "/etc/cmdline.d", "10-a.conf", "rd.retry=10 root=nfs4:10.0.0.1:/a");
	put(&env, "/etc/cmdline.d", "ignored.txt", "rd.retry=99");
	put(&env, "/proc", "cmdline", "rd.retry=30 quiet\n");
	CHECK_INT(cmdline_load(&env, &c), 0);
	CHECK_INT(c.plan->retry_s, 30);
	CHECK_INT(c.plan->timeout_s, 7);
	CHECK_STR(c.plan->root.nfs.path, "/b");
	CHECK_STR(c.proc, "rd.retry=30 quiet");
	cmdline_done(&c);
}

/* As dracut's remove_hostonly_files(); what was typed at rd.cmdline=ask stays. */
TEST(settings_of_the_image_are_left_out_on_request)
{
	char dir[] = "/tmp/initagent-core-XXXXXX";
	struct env env = make_env(dir);
	struct cmdline c;

	put(&env, "/etc", "cmdline", "rd.timeout=7");
	put(&env, "/etc/cmdline.d", "00initagent.conf", "ip=10.0.0.300 root=nfs4:10.0.0.2:/b");
	put(&env, "/etc/cmdline.d", "99-cmdline-ask.conf", "rd.retry=11");
	put(&env, "/proc", "cmdline", "root=nfs4:10.0.0.1:/a rd.hostonly=0\n");
	CHECK_INT(cmdline_load(&env, &c), 0);
	CHECK_INT(c.plan->timeout_s, 0);
	CHECK_INT(c.plan->retry_s, 11);
	CHECK_STR(c.plan->root.nfs.path, "/a");
	CHECK_INT(diag_list_count(c.diags), 0);
	cmdline_done(&c);
	put(&env, "/proc", "cmdline", "rd.hostonly\n");
	CHECK_INT(cmdline_load(&env, &c), 0);
	CHECK_STR(c.plan->root.nfs.path, "/b");
	cmdline_done(&c);
}

TEST(no_kernel_command_line_is_an_error)
{
	char dir[] = "/tmp/initagent-core-XXXXXX";
	struct env env = make_env(dir);
	struct cmdline c;

	CHECK_INT(cmdline_load(&env, &c), -ENOENT);
}

TEST(malformed_options_become_causes)
{
	struct report_config cfg = {.console_fd = -1, .kmsg_fd = -1};
	char dir[] = "/tmp/initagent-core-XXXXXX";
	struct env env = make_env(dir);
	struct report_view v;
	struct cmdline c;

	put(&env, "/proc", "cmdline", "root=nfs4:10.0.0.1:/a ip=10.0.0.300::::::");
	CHECK_INT(report_new(&env.report, &cfg), 0);
	CHECK_INT(cmdline_load(&env, &c), 0);
	cmdline_report(&c, &env, 0);
	report_view(env.report, &v);
	CHECK_INT(v.n_causes, 1);
	CHECK_INT(v.causes[0].cause, CAUSE_CMDLINE_MALFORMED);
	CHECK_STR(v.causes[0].where, "ip");
	cmdline_done(&c);
	report_free(env.report);
}

static struct inet_addr v4(uint8_t last)
{
	struct inet_addr a = {.family = AF_INET};

	a.bytes[3] = last;
	return a;
}

/*
 * Whatever the order of the answers and whatever joins them: all have their turn, the others of a
 * name untouched.
 */
TEST(a_walk_takes_the_address_whose_turn_was_longest_ago)
{
	const struct inet_addr two[] = {v4(1), v4(2)}, turned[] = {v4(2), v4(1)},
			       more[] = {v4(2), v4(1), v4(3)};
	struct walk w = {0};

	CHECK_INT(walk_next(&w, "a", two, 2)->bytes[3], 1);
	CHECK_INT(walk_next(&w, "b", two, 2)->bytes[3], 1);
	CHECK_INT(walk_next(&w, "a", turned, 2)->bytes[3], 2);
	CHECK_INT(walk_next(&w, "a", turned, 2)->bytes[3], 1);
	CHECK_INT(walk_next(&w, "a", more, 3)->bytes[3], 3);
	CHECK_INT(walk_next(&w, "a", more, 3)->bytes[3], 2);
	CHECK_INT(walk_next(&w, "a", &two[0], 1)->bytes[3], 1);
	for (unsigned i = 0; i < 3 * WALK_MAX; i++) {
		const struct inet_addr one = v4((uint8_t)i);

		CHECK_INT(walk_next(&w, "c", &one, 1)->bytes[3], (uint8_t)i);
	}
	CHECK_INT(w.n, WALK_MAX);
}

/* A pipe has no size to ask for: 200,000 bytes come in pieces, and one more is too many. */
TEST(a_descriptor_is_read_to_its_end_or_its_limit)
{
	enum { SIZE = 200000 };
	_cleanup_free_ char *sent = malloc(SIZE);
	_cleanup_free_ void *got = NULL;
	size_t size = 0;

	CHECK(sent);
	for (size_t i = 0; i < SIZE; i++)
		sent[i] = (char)(i * 7);
	for (size_t limit = SIZE; limit + 1 >= SIZE; limit--) {
		int fds[2];
		pid_t child;

		CHECK_INT(pipe(fds), 0);
		child = fork();
		if (child == 0) {
			close(fds[0]);
			_exit(io_write_all(fds[1], sent, SIZE) == 0 ? 0 : 1);
		}
		close(fds[1]);
		CHECK_INT(io_read_all(fds[0], limit, &got, &size), limit == SIZE ? 0 : -EFBIG);
		close(fds[0]);
		waitpid(child, NULL, 0);
	}
	CHECK_INT(size, SIZE);
	CHECK_MEM(got, sent, SIZE);
	CHECK_INT(((char *)got)[SIZE], 0);
}

TEST(a_tree_is_removed_and_no_link_followed)
{
	char dir[] = "/tmp/iotestXXXXXX", path[PATH_MAX], kept[PATH_MAX];

	check_dir(dir);
	snprintf(kept, sizeof(kept), "%s/kept", dir);
	snprintf(path, sizeof(path), "%s/tree", dir);
	CHECK_INT(mkdir(kept, 0755), 0);
	snprintf(kept, sizeof(kept), "%s/kept/folder", dir);
	CHECK_INT(mkdir(kept, 0755), 0);
	CHECK_INT(mkdir(path, 0755), 0);
	snprintf(path, sizeof(path), "%s/tree/below", dir);
	CHECK_INT(mkdir(path, 0755), 0);
	snprintf(path, sizeof(path), "%s/tree/below/link", dir);
	CHECK_INT(symlink("../../kept", path), 0);
	snprintf(path, sizeof(path), "%s/tree", dir);
	io_remove_tree(path);
	CHECK(access(path, F_OK) < 0);
	CHECK_INT(access(kept, F_OK), 0);
}
