// SPDX-License-Identifier: GPL-2.0-or-later
/* node: see node.h. */
#include "boot/node.h"

#include "check.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "modules/modules.h"
#include "netns.h"
#include "root/nfs/root.h"
#include "states.h"

static const struct modtree_module modules[] = {
	{.name = "nfs"},
	{.name = "nfsv4", .needs = {"nfs_symbol"}},
	{.name = "nfsv3", .needs = {"nfs_symbol"}},
	{.name = "rpcrdma"},
	{.name = "site_driver"},
	{.name = "stuck"},
	{.name = "nbd"},
	{.name = "ib_srp"},
	{.name = "sd_mod"},
	{.name = "bonding"},
	{.name = "slow", .alias = {"pci:*-slow"}},
	{.name = "card", .alias = {"pci:*-card"}},
};

static int insert_ok(void *data, const char *path, const char *options)
{
	(void)data;
	(void)options;
	/* a driver that takes its time */
	if (strstr(path, "nfsv3"))
		usleep(2500000);
	/* and one that takes more of it than others wait for */
	if (strstr(path, "stuck") || strstr(path, "slow"))
		sleep(22);
	return strstr(path, "site_driver") ? -ENODEV : 0;
}

/* A uevent socket on which nothing ever comes. */
static int no_uevents(void *data)
{
	int pair[2];

	(void)data;
	return socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0
		       ? -errno
		       : pair[0];
}

static const struct modules_ops module_ops = {.insert = insert_ok, .open_uevent = no_uevents};

volatile int *hanging;
/* The namespace at the other end of veth0. */
static pid_t far_end;

/*
 * From here on no look of this process into the root comes back, and nothing but its end ends it:
 * as of a hard mount whose server is gone. A listener would have to allow openat(2), and there is
 * none but the process itself.
 */
static void lose_server(void)
{
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog filter = {ARRAY_SIZE(rules), rules};

	CHECK_INT(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	CHECK(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
		      &filter) >= 0);
}

static int mount_by_path(const struct nfs_attempt *a, const char *target, char *text)
{
	(void)target;
	text[0] = 0;
	if (streq(a->path, "/refused"))
		return -ECONNREFUSED;
	if (streq(a->path, "/starting") && !(*hanging)++)
		return -ECONNREFUSED;
	if (streq(a->path, "/nothing"))
		return -ENOENT;
	/* An export of one address alone, the other one's server is down. */
	if (streq(a->path, "/only-1") && !streq(a->address, "192.0.2.1") &&
		!streq(a->address, "2001:db8::1"))
		return -ECONNREFUSED;
	if (streq(a->path, "/options"))
		return -EINVAL;
	if (streq(a->path, "/silent"))
		lose_server();
	if (streq(a->path, "/refused-then-cut") && !(*hanging)++)
		return -ECONNREFUSED;
	/* The kernel announces a carrier that is lost when it shows it. */
	if (streq(a->path, "/cut") || streq(a->path, "/refused-then-cut")) {
		netns_run_in(far_end, "ip link set veth1 down");
		netns_run("until ip link show veth0 | grep -q NO-CARRIER; do :; done");
		return -ETIMEDOUT;
	}
	if (streq(a->path, "/hang")) {
		*hanging = 1;
		pause();
	}
	return 0;
}

static int check_ok(const char *root, const char *wanted, char *ret, size_t size,
	void (*reading)(void))
{
	(void)root;
	(void)reading;
	strscpy(ret, wanted ? wanted : "/sbin/init", size);
	return 0;
}

static bool no_answer(const struct nfs_attempt *a)
{
	(void)a;
	return false;
}

static bool is_writable(const char *root)
{
	(void)root;
	return true;
}

static const struct root_ops root_ops = {.mount = mount_by_path, .check = check_ok,
	.answers = no_answer, .writable = is_writable};

void node_open(struct node *n, const char *line)
{
	*n = (struct node){0};
	modtree_make(&n->tree, modules, ARRAY_SIZE(modules));
	modtree_file(&n->tree, "/proc/cmdline", line);
	modtree_file(&n->tree, "/proc/self/mountinfo", "1 1 0:2 / / rw - rootfs rootfs rw\n");
	modtree_file(&n->tree, "/proc/sys/kernel/modprobe", "/sbin/modprobe\n");
	modtree_file(&n->tree, "/run/.keep", "");
	modtree_file(&n->tree, "/etc/.keep", "");
	modtree_file(&n->tree, "/sys/.keep", "");
	n->args = (struct boot_args){
		.prefix = n->tree.root,
		.sysroot = "/sysroot",
		.console_fd = getenv("NODE_CONSOLE") ? 2 : -1,
		.ret_init = n->init,
		.words_fd = -1,
		.seams = {MODTREE_KVER, &module_ops, &root_ops},
	};
}

pid_t wire_up(void)
{
	pid_t peer;

	netns_enter();
	/* What a boot mounts is no other program's to see. */
	if (unshare(CLONE_NEWNS) < 0 || mount("", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		check_skip("no right to mount: %s", strerror(errno));
	peer = netns_peer();
	far_end = peer;
	netns_veth("veth0", "veth1", peer);
	netns_run_in(peer, "ip addr add 192.0.2.1/24 dev veth1; ip link set veth1 up");
	return peer;
}

double number_at(const cJSON *o, const char *key)
{
	const cJSON *n = cJSON_GetObjectItem(o, key);

	CHECK(cJSON_IsNumber(n));
	return n->valuedouble;
}

/*
 * No state of a boot may spin, whatever the case is about: a deadline that has passed and stays
 * wakes the loop thousands of times a second, an fd that stays readable costs all the processor. A
 * second of CPU is for a slow machine and the sanitizers.
 */
static void check_rest(const cJSON *state)
{
	const cJSON *agent = cJSON_GetObjectItem(state, "agent");

	CHECK(number_at(agent, "timer_wakes") <= 50);
	CHECK(number_at(agent, "cpu_s") <=
		1 + (number_at(state, "now_s") - number_at(state, "start_s")) / 5);
}

static void read_state(struct node *n)
{
	char *text = malloc(1 << 20);

	CHECK(env_read(&n->tree.env, text, 1 << 20, "/run/initagent/state.json") > 0);
	states_keep(text);
	n->state = cJSON_Parse(text);
	CHECK(n->state != NULL);
	free(text);
	check_rest(n->state);
}

int boot(struct node *n)
{
	int outcome = boot_main(&n->args);

	if (outcome != BOOT_NOT_OURS)
		read_state(n);
	return outcome;
}

void node_close(struct node *n)
{
	cJSON_Delete(n->state);
}

const char *text_at(const cJSON *o, const char *key)
{
	const char *s = cJSON_GetStringValue(cJSON_GetObjectItem(o, key));

	return s ? s : "";
}

int met(const struct node *n, const char *code)
{
	const cJSON *c;
	int count = 0;

	cJSON_ArrayForEach(c, cJSON_GetObjectItem(n->state, "causes"))
		if (streq(text_at(c, "code"), code))
			count += cJSON_GetObjectItem(c, "count")->valueint;
	return count;
}

bool says(const struct node *n, const char *code, const char *words)
{
	bool said = false;
	const cJSON *c;

	cJSON_ArrayForEach(c, cJSON_GetObjectItem(n->state, "causes"))
		said |= streq(text_at(c, "code"), code) && strstr(text_at(c, "text"), words);
	return said;
}

const char *met_at(const struct node *n, const char *code)
{
	const cJSON *c;

	cJSON_ArrayForEach(c, cJSON_GetObjectItem(n->state, "causes"))
		if (streq(text_at(c, "code"), code))
			return text_at(c, "where");
	return "";
}

void expect(const char *line, int outcome, const char *code)
{
	struct node n;

	wire_up();
	node_open(&n, line);
	CHECK_INT(boot(&n), outcome);
	CHECK_STR(text_at(n.state, "outcome"), outcome == BOOT_DONE ? "done" : "failed");
	if (*code)
		CHECK(met(&n, code) > 0);
	else
		CHECK_INT(cJSON_GetArraySize(cJSON_GetObjectItem(n.state, "causes")), 0);
	node_close(&n);
}
