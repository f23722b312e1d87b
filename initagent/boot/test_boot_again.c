// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a boot takes over from the one before on the same machine, and what a shell in between
 * costs.
 *
 * first: real time-outs of boots
 */
#include "check.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include "boot/node.h"
#include "dhcpserver.h"
#include "state/running.h"
#include "netns.h"
#include "shell.h"

static int shell_ms; /* how long the user stays in the shell */
static int shells;
static int status_in_shell, second_in_shell;
static struct node *node;

int __wrap_shell_run(const char *why);

int __wrap_shell_run(const char *why)
{
	struct running second;
	char text[64];

	(void)why;
	shells++;
	status_in_shell =
		env_read(&node->tree.env, text, sizeof(text), "/run/initagent/state.json");
	second_in_shell = running_begin(&node->tree.env, now_ns(), &second);
	poll(NULL, 0, shell_ms);
	return 0;
}

static int with_path(struct msg *m, const uint8_t *request, size_t len, unsigned type, unsigned n)
{
	(void)len, (void)n;
	if (!dhcpserver_answer(m, request, type))
		return 0;
	msg_text(m, 17, "10.0.0.1:/export");
	msg_end(m);
	return 1;
}

/* 10.0.0.6 in place of 10.0.0.5. */
static int with_path_elsewhere(struct msg *m, const uint8_t *request, size_t len, unsigned type,
	unsigned n)
{
	(void)len, (void)n;
	if (!dhcpserver_answer(m, request, type))
		return 0;
	m->bytes[MSG_HEADERS + 19] = 6;
	msg_text(m, 17, "10.0.0.1:/export");
	msg_end(m);
	return 1;
}

static void stop(pid_t server)
{
	CHECK_INT(kill(server, SIGKILL), 0);
	CHECK_INT(waitpid(server, NULL, 0), server);
}

static pid_t segment(void)
{
	pid_t peer = wire_up();

	netns_run_in(peer, "ip addr add 10.0.0.1/24 dev veth1");
	return peer;
}

TEST(the_lease_of_a_failed_boot_is_not_adopted)
{
	pid_t peer = segment(), server = dhcpserver_start(peer, "veth1", dhcpserver_plain);
	struct node n;

	node_open(&n, "root=dhcp ip=veth0:dhcp rd.retry=6");
	CHECK_INT(boot(&n), BOOT_FAILED);
	CHECK_INT(met(&n, "IA-E611") > 0, 1);
	stop(server);
	modtree_file(&n.tree, "/proc/cmdline", "root=dhcp ip=veth0:dhcp rd.retry=20");
	dhcpserver_start(peer, "veth1", with_path_elsewhere);
	cJSON_Delete(n.state);
	CHECK_INT(boot(&n), BOOT_DONE);
	CHECK_STR(text_at(cJSON_GetArrayItem(cJSON_GetObjectItem(n.state, "rails"), 0), "address"),
		"10.0.0.6/24");
	/* nor does its address stay beside the new one */
	netns_run("! ip addr show veth0 | grep -F 10.0.0.5");
	node_close(&n);
}

/* What is mounted is still the network's: started again after success, nothing is taken off. */
TEST(the_lease_of_a_boot_that_succeeded_stays)
{
	pid_t peer = segment(), server = dhcpserver_start(peer, "veth1", with_path);
	struct node n;

	node_open(&n, "root=dhcp ip=veth0:dhcp rd.retry=20");
	CHECK_INT(boot(&n), BOOT_DONE);
	stop(server);
	cJSON_Delete(n.state);
	CHECK_INT(boot(&n), BOOT_DONE);
	CHECK(cJSON_IsTrue(cJSON_GetObjectItem(cJSON_GetArrayItem(cJSON_GetObjectItem(n.state,
		"rails"), 0), "adopted")));
	node_close(&n);
}

TEST(the_budgets_begin_when_the_break_points_shell_ends)
{
	struct node n;

	wire_up();
	node = &n;
	node_open(&n,
		"root=nfs4:192.0.2.1:/export ip=" NODE " rd.break=initqueue rd.retry=5 "
		"rd.timeout=6");
	n.args.standalone = true;
	shell_ms = 6500;
	CHECK_INT(boot(&n), BOOT_DONE);
	CHECK_INT(shells, 1);
	CHECK(status_in_shell > 0);
	CHECK_INT(second_in_shell, -EBUSY);
	node_close(&n);
}

static const char *root_path;

static int other_path(struct msg *m, const uint8_t *request, size_t len, unsigned type, unsigned n)
{
	(void)len, (void)n;
	if (!dhcpserver_answer(m, request, type))
		return 0;
	msg_text(m, 17, root_path);
	msg_end(m);
	return 1;
}

/* A root-path that is refused, with the cause's text. */
static void refused(const char *path, const char *text)
{
	pid_t peer = segment();
	const cJSON *c;
	struct node n;
	bool told = false;

	root_path = path;
	dhcpserver_start(peer, "veth1", other_path);
	node_open(&n, "root=dhcp ip=veth0:dhcp rd.retry=6");
	CHECK_INT(boot(&n), BOOT_FAILED);
	cJSON_ArrayForEach(c, cJSON_GetObjectItem(n.state, "causes"))
		told |= streq(text_at(c, "code"), "IA-E611") && strstr(text_at(c, "text"), text);
	CHECK(told);
	node_close(&n);
}

/* root=dhcp is the agent's: dracut no longer looks at the root-path, and the cause says so. */
TEST(a_root_path_of_a_kind_that_is_dracuts)
{
	refused("iscsi:10.0.0.1::::iqn.2009-06.dracut:target0",
		", which dracut takes from root= or netroot=");
}

/* A slip of the pen in a URL is no NFS server, whose name DNS would be asked for. */
TEST(a_root_path_with_an_unknown_scheme)
{
	refused("htp://10.0.0.1/root.img", "\"htp://10.0.0.1/root.img\"");
}

static int capital_file(struct msg *m, const uint8_t *request, size_t len, unsigned type,
	unsigned n)
{
	(void)len, (void)n;
	if (!dhcpserver_answer(m, request, type))
		return 0;
	msg_text(m, 67, "HTTP://10.0.0.1/root.img");
	msg_end(m);
	return 1;
}

/* A boot file that is a URL names the root, its scheme in whatever letters (RFC 3986 3.1). */
TEST(a_boot_file_with_a_scheme_in_capital_letters)
{
	struct node n;

	dhcpserver_start(segment(), "veth1", capital_file);
	node_open(&n, "root=dhcp ip=veth0:dhcp rd.retry=4");
	CHECK_INT(boot(&n), BOOT_FAILED);
	CHECK_INT(met(&n, "IA-E611"), 0);
	node_close(&n);
}

static int nbd_path(struct msg *m, const uint8_t *request, size_t len, unsigned type, unsigned n)
{
	(void)len, (void)n;
	if (!dhcpserver_answer(m, request, type))
		return 0;
	msg_text(m, 17, "nbd:10.0.0.1:disk:ext4:noatime:part=2");
	msg_end(m);
	return 1;
}

/* Each attempt reads the path again: what the last one needed must not go with it. */
TEST(a_block_root_by_dhcp_is_tried_again)
{
	pid_t peer = segment();

	struct node n;

	node_open(&n, "root=dhcp ip=veth0:dhcp rd.retry=10");
	dhcpserver_start(peer, "veth1", nbd_path);
	CHECK_INT(boot(&n), BOOT_FAILED);
	CHECK_INT(met(&n, "IA-E671") > 0, 1);
	node_close(&n);
}
