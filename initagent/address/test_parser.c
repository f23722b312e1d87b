// SPDX-License-Identifier: GPL-2.0-or-later
/* The parser process: what it may, what it does, what happens when it dies. */
#include "check.h"
#include "dhcpmsg.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "address/parse.h"
#include "base/worker.h"

static const struct env env = {.prefix = ""};

static struct parser *make(void)
{
	struct parser *g = NULL;

	CHECK_INT(parser_new(&g, &env, &parse_job, -1, 0), 0);
	return g;
}

static struct parse_request *request(uint32_t tag)
{
	struct parse_request *r = calloc(1, sizeof(*r));
	struct msg m;

	CHECK(r);
	msg_offer(&m, DHCP_OFFER, 77, 0x0a000005, 0x0a000001);
	r->kind = PARSE_DHCP4;
	r->tag = tag;
	r->verify = 1;
	r->len = (uint32_t)m.len;
	memcpy(r->packet, m.bytes, m.len);
	return r;
}

/* The time, for what a pop finds. */
static uint64_t at;

static int pop(struct parser *g, struct parse_reply *a)
{
	struct pollfd p = {.fd = parser_fd(g), .events = POLLIN};

	poll(&p, 1, 5000);
	return parser_pop(g, a, at);
}

TEST(packets_go_and_come_back)
{
	_cleanup_(parser_freep) struct parser *g = make();
	struct parse_reply a;

	for (uint32_t tag = 1; tag < 20; tag++) {
		_cleanup_free_ struct parse_request *r = request(tag);

		CHECK_INT(parser_submit(g, r), 0);
	}
	for (uint32_t tag = 1; tag < 20; tag++) {
		CHECK_INT(pop(g, &a), 1);
		CHECK_INT(a.tag, tag);
		CHECK_INT(a.kind, PARSE_DHCP4);
		CHECK_INT(a.dhcp.xid, 77);
		CHECK_INT(a.dhcp.prefix, 24);
	}
	CHECK_INT(parser_pop(g, &a, at), 0);
}

/* A field of /proc/PID/status. */
static void status_of(pid_t pid, const char *field, char *value, size_t size)
{
	char path[64], line[256];
	_cleanup_fclose_ FILE *f = NULL;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	f = fopen(path, "re");
	CHECK(f);
	while (fgets(line, sizeof(line), f))
		if (!strncmp(line, field, strlen(field)) && line[strlen(field)] == ':') {
			strscpy(value, line + strlen(field) + 2, size);
			value[strcspn(value, "\n")] = 0;
			return;
		}
	check_fail(__FILE__, __LINE__, "no %s in %s", field, path);
}

TEST(it_has_no_rights)
{
	_cleanup_(parser_freep) struct parser *g = make();
	_cleanup_free_ struct parse_request *r = request(1);
	struct parse_reply a;
	char value[128], path[64];

	CHECK_INT(parser_submit(g, r), 0);
	CHECK_INT(pop(g, &a), 1); /* it is past its lock-down */
	status_of(parser_pid(g), "Seccomp", value, sizeof(value));
	CHECK_STR(value, "2");
	status_of(parser_pid(g), "NoNewPrivs", value, sizeof(value));
	CHECK_STR(value, "1");
	status_of(parser_pid(g), "CapEff", value, sizeof(value));
	CHECK_STR(value, "0000000000000000");
	status_of(parser_pid(g), "CapPrm", value, sizeof(value));
	CHECK_STR(value, "0000000000000000");
	if (geteuid() == 0) {
		status_of(parser_pid(g), "Uid", value, sizeof(value));
		CHECK_STR(value, "65534\t65534\t65534\t65534");
		status_of(parser_pid(g), "Groups", value, sizeof(value));
		CHECK_STR(value + strspn(value, " "), "");
		/*
		 * One descriptor of use: the socket. Seen by root only, since it is not dumpable.
		 */
		for (int fd = 0; fd < 64; fd++) {
			ssize_t n;

			snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)parser_pid(g), fd);
			n = readlink(path, value, sizeof(value) - 1);
			value[n < 0 ? 0 : n] = 0;
			if (fd == WORKER_SOCKET)
				CHECK(!strncmp(value, "socket:", 7));
			else
				CHECK_STR(value, fd < WORKER_SOCKET ? "/dev/null" : "");
		}
	}
}

/* What a process in its place gets for trying something else. */
static int after_lock_down(void (*act)(void))
{
	const struct sandbox sandbox = {.role = SANDBOX_PARSE, .cpu_s = 60};
	int status;
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid == 0) {
		if (sandbox_enter(&sandbox) < 0)
			syscall(SYS_exit_group, 99);
		act();
		syscall(SYS_exit_group, 0);
	}
	CHECK_INT(waitpid(pid, &status, 0), pid);
	return status;
}

static void act_nothing(void)
{
}

static void act_open(void)
{
	syscall(SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY);
}

static void act_socket(void)
{
	syscall(SYS_socket, AF_INET, SOCK_DGRAM, 0);
}

static void act_exec(void)
{
	syscall(SYS_execve, "/bin/true", NULL, NULL);
}

static void act_fork(void)
{
	syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

static void act_kill(void)
{
	syscall(SYS_kill, 1, 0);
}

static void act_mmap(void)
{
	syscall(SYS_mmap, NULL, 4096, 7, 0x22, -1, 0);
}

static void act_mprotect(void)
{
	syscall(SYS_mprotect, (uintptr_t)act_mmap & ~4095UL, 4096, 7);
}

static void act_ptrace(void)
{
	syscall(SYS_ptrace, 0, 1, 0, 0);
}

TEST(every_other_call_is_deadly)
{
	static void (*const acts[])(void) = {act_open, act_socket, act_exec, act_fork, act_kill,
		act_mmap, act_mprotect, act_ptrace};

	CHECK_INT(after_lock_down(act_nothing), 0);
	for (size_t i = 0; i < ARRAY_SIZE(acts); i++) {
		int status = after_lock_down(acts[i]);

		if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGSYS)
			check_fail(__FILE__, __LINE__, "act %zu: status %x", i, status);
	}
}

TEST(it_is_replaced_with_growing_waits)
{
	_cleanup_(parser_freep) struct parser *g = make();
	_cleanup_free_ struct parse_request *r = request(5);
	static const unsigned waits[] = {0, 1, 2, 4, 8};
	uint64_t now = NSEC_PER_SEC;
	struct parse_reply a;

	for (size_t i = 0; i < ARRAY_SIZE(waits); i++) {
		pid_t before = parser_pid(g);

		CHECK_INT(kill(before, SIGKILL), 0);
		at = now;
		CHECK_INT(pop(g, &a), -EPIPE);
		CHECK_INT(parser_pop(g, &a, now), 0);
		CHECK(!parser_lost(g));
		if (waits[i]) {
			CHECK_INT(parser_fd(g), -1);
			CHECK_INT(parser_deadline(g), (long long)(now + waits[i] * NSEC_PER_SEC));
			CHECK_INT(parser_submit(g, r), -EPIPE);
			now = parser_deadline(g);
			parser_tick(g, now);
		}
		CHECK(parser_fd(g) >= 0 && parser_pid(g) != before);
		CHECK(parser_deadline(g) == NSEC_NEVER);
		CHECK_INT(parser_submit(g, r), 0);
		CHECK_INT(pop(g, &a), 1);
		CHECK_INT(a.tag, 5);
	}
	CHECK_INT(kill(parser_pid(g), SIGKILL), 0);
	at = now;
	CHECK_INT(pop(g, &a), -EPIPE);
	CHECK(parser_lost(g));
	CHECK_INT(parser_fd(g), -1);
	CHECK_INT(parser_submit(g, r), -EPIPE);
	CHECK_INT(parser_pop(g, &a, at), 0);
}

/* A kernel without seccomp: the next process could not drop its rights either. */
TEST(one_that_cannot_drop_its_rights_is_not_made_again)
{
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_seccomp, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog filter = {ARRAY_SIZE(rules), rules};
	_cleanup_(parser_freep) struct parser *g = NULL;
	struct parse_reply a;

	CHECK_INT(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	CHECK_INT(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter), 0);
	g = make();
	at = NSEC_PER_SEC;
	CHECK_INT(pop(g, &a), -EPIPE);
	CHECK(parser_lost(g));
}

TEST(a_flood_is_dropped_not_queued_for_ever)
{
	_cleanup_(parser_freep) struct parser *g = make();
	_cleanup_free_ struct parse_request *r = request(1);
	struct parse_reply a;
	int e = 0, sent = 0;

	CHECK_INT(kill(parser_pid(g), SIGSTOP), 0);
	while (sent < 10000 && (e = parser_submit(g, r)) == 0)
		sent++;
	CHECK_INT(e, -EAGAIN);
	CHECK(sent > 8);
	CHECK_INT(kill(parser_pid(g), SIGCONT), 0);
	while (sent-- > 0)
		CHECK_INT(pop(g, &a), 1);
}

TEST(no_child_is_left)
{
	_cleanup_(parser_freep) struct parser *g = make();
	pid_t pid = parser_pid(g);

	parser_freep(&g);
	g = NULL;
	CHECK_INT(kill(pid, 0), -1);
	CHECK_INT(errno, ESRCH);
}

TEST(length_beyond_the_packet_field)
{
	static struct parse_request r = {.kind = PARSE_DHCP4, .len = UINT32_MAX};
	struct parse_reply a;

	parse_packet(&r, &a);
	CHECK(a.dhcp.wire_defect != WIRE_GOOD);
}
