// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Causes that only a whole boot meets and no other case is about: each is brought about where it
 * arises, and ends up in state.json or on the console with its code.
 */
#include "check.h"

#include <arpa/inet.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "boot/node.h"
#include "state/running.h"

#define RXE "/sys/class/infiniband/rxe0"

/* A stand-alone image has nobody to leave the root to. */
TEST(a_root_of_a_kind_that_only_others_mount)
{
	struct node n;

	wire_up();
	node_open(&n, "root=UUID=0b7e1c70-9d2c-4f0a-8a43-2d3c1f0f7a11 ip=" NODE);
	n.args.standalone = true;
	CHECK_INT(boot(&n), BOOT_FAILED);
	CHECK(met(&n, "IA-E103") > 0);
	node_close(&n);
}

/* What is wrong with root= is the cause, not that there is none; a password in it is not shown. */
TEST(a_root_that_is_malformed_is_not_a_missing_one)
{
	static const struct {
		const char *words, *code, *where, *text;
	} lines[] = {
		{"root=http://user:secret@192.0.2.1/x", "IA-E101", "root",
			"a password here could be read by every program of the node; left out; "
			"let the server identify nodes by their address"},
		{"root=/dev/nfs nfsroot=relative", "IA-E101", "nfsroot",
			"names no path: it must begin with '/', after SERVER and ':'; write "
			"root=nfs:SERVER:/PATH or root=nfs4:SERVER:/PATH:OPTIONS"},
		{"quiet", "IA-E102", "root", ""},
	};

	wire_up();
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		const cJSON *causes, *only;
		char text[1 << 14], gives_up[64];
		struct node n;

		snprintf(text, sizeof(text), "%s ip=" NODE, lines[i].words);
		node_open(&n, text);
		n.args.standalone = true;
		CHECK_INT(boot(&n), BOOT_FAILED);
		causes = cJSON_GetObjectItem(n.state, "causes");
		CHECK_INT(cJSON_GetArraySize(causes), 1);
		only = cJSON_GetArrayItem(causes, 0);
		CHECK_STR(text_at(only, "code"), lines[i].code);
		CHECK_STR(text_at(only, "where"), lines[i].where);
		CHECK_STR(text_at(only, "text"), lines[i].text);
		CHECK(env_read(&n.tree.env, text, sizeof(text), "/run/initagent/log") > 0);
		snprintf(gives_up, sizeof(gives_up), "giving up after 0 s: %s %s: ",
			lines[i].code, lines[i].where);
		CHECK(strstr(text, gives_up));
		CHECK(!strstr(text, "secret"));
		node_close(&n);
	}
}

/* The server is gone between the mount and the look at the root's network configuration. */
TEST(a_root_that_falls_silent_when_it_is_read)
{
	struct node n;
	const cJSON *last, *causes;

	wire_up();
	node_open(&n, "root=nfs4:192.0.2.1:/silent ip=" NODE " rd.timeout=4");
	CHECK_INT(boot(&n), BOOT_FAILED);
	causes = cJSON_GetObjectItem(n.state, "causes");
	last = cJSON_GetArrayItem(causes, cJSON_GetArraySize(causes) - 1);
	CHECK_STR(text_at(last, "code"), "IA-E609");
	CHECK_STR(text_at(last, "text"), "reading its network configuration");
	/* At the end of the whole time, neither before it nor at that of a mount, 16 s. */
	CHECK(number_at(n.state, "now_s") - number_at(n.state, "start_s") >= 4);
	CHECK(number_at(n.state, "now_s") - number_at(n.state, "start_s") < 14);
	node_close(&n);
}

static void make_port(struct node *n)
{
	static const struct {
		const char *name, *text;
	} files[] = {
		{"node_type", "1: CA"},
		{"node_guid", "5054:00ff:fe12:3456"},
		{"parent", "veth0"},
		{"ports/1/state", "4: ACTIVE"},
		{"ports/1/phys_state", "5: LinkUp"},
		{"ports/1/link_layer", "Ethernet"},
		{"ports/1/rate", "2.5 Gb/sec (1X SDR)"},
		{"ports/1/lid", "0x0"},
		{"ports/1/sm_lid", "0x0"},
		{"ports/1/sm_sl", "0"},
		{"ports/1/lid_mask_count", "0"},
		{"ports/1/cap_mask", "0x00890000"},
		{"ports/1/gids/0", "fe80:0000:0000:0000:5054:00ff:fe12:3456"},
		{"ports/1/gid_attrs/types/0", "RoCE v2"},
		{"ports/1/gid_attrs/ndevs/0", "veth0"},
	};
	char path[128];

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), "%s/%s", RXE, files[i].name);
		modtree_file(&n->tree, path, files[i].text);
	}
}

/* The kernel adds the GID of an address some time after the address. */
TEST(a_roce_port_without_the_gid_of_its_address)
{
	struct node n;

	wire_up();
	node_open(&n, "root=nfs4:192.0.2.1:/export:proto=rdma ip=" NODE " rd.retry=4");
	make_port(&n);
	CHECK_INT(boot(&n), BOOT_FAILED);
	CHECK(met(&n, "IA-E303") > 0);
	node_close(&n);
}

/* A byte every 20 ms as long as somebody takes it. */
static void drip(int fd)
{
	while (write(fd, "x", 1) == 1)
		usleep(20000);
}

/* A server in the peer's namespace that answers each connection with this text, and then with a
 * drip or the end. Its pid. */
static pid_t server_that_says(pid_t peer, uint16_t port, const char *text, bool drips)
{
	struct sockaddr_in sa = {.sin_family = AF_INET, .sin_port = htons(port)};
	int fd, c, ready[2];
	char ns[64], byte;
	pid_t pid;

	CHECK_INT(pipe(ready), 0);
	pid = fork();
	CHECK(pid >= 0);
	if (pid > 0) {
		CHECK_INT(read(ready[0], &byte, 1), 1);
		return pid;
	}
	snprintf(ns, sizeof(ns), "/proc/%d/ns/net", (int)peer);
	CHECK_INT(setns(open(ns, O_RDONLY | O_CLOEXEC), CLONE_NEWNET), 0);
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	CHECK(fd >= 0 && bind(fd, (struct sockaddr *)&sa, sizeof(sa)) == 0 && listen(fd, 16) == 0);
	signal(SIGPIPE, SIG_IGN);
	CHECK_INT(write(ready[1], "", 1), 1);
	while ((c = accept(fd, NULL, NULL)) >= 0) {
		(void)!write(c, text, strlen(text));
		if (drips)
			drip(c);
		close(c);
	}
	_exit(0);
}

TEST(a_block_server_that_speaks_something_else)
{
	struct node n;
	pid_t pid;

	pid = server_that_says(wire_up(), 10809,
		"220 a mail server is ready, which is no NBD server at all, however long it "
		"talks\r\n",
		false);
	node_open(&n, "root=nbd:192.0.2.1:10809:root ip=" NODE " rd.retry=4");
	CHECK_INT(boot(&n), BOOT_FAILED);
	CHECK(met(&n, "IA-E675") > 0);
	node_close(&n);
	kill(pid, SIGKILL);
}

/* 50 bytes a second are no network that works: rd.retry ends it, as if nothing came, hours before
 * the image is there. */
TEST(an_image_that_drips)
{
	uint64_t began = now_ns();
	struct node n;
	pid_t pid;

	pid = server_that_says(
		wire_up(), 8099, "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n", true);
	node_open(&n, "root=live:http://192.0.2.1:8099/root.img ip=" NODE " rd.retry=4");
	modtree_file(&n.tree, "/proc/meminfo", "MemTotal: 900000 kB\nMemAvailable: 800000 kB\n");
	CHECK_INT(boot(&n), BOOT_FAILED);
	CHECK(met(&n, "IA-E703") > 0);
	CHECK(now_ns() - began < 80 * NSEC_PER_SEC);
	node_close(&n);
	kill(pid, SIGKILL);
}

/* What a boot says on a console, which is a file of its own. */
static int run_with_console(struct node *n, char *said, size_t size)
{
	char path[512];
	int console, outcome;

	snprintf(path, sizeof(path), "%s/console", n->tree.root);
	console = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	CHECK(console >= 0);
	n->args.console_fd = console;
	outcome = boot_main(&n->args);
	CHECK(env_read(&n->tree.env, said, size, "/console") > 0);
	close(console);
	return outcome;
}

TEST(a_module_that_takes_long_is_what_is_waited_for)
{
	char said[65536];
	struct node n;

	wire_up();
	node_open(&n, "root=nfs:192.0.2.1:/export:vers=3 ip=" NODE);
	CHECK_INT(run_with_console(&n, said, sizeof(said)), BOOT_DONE);
	CHECK(strstr(said, "IA-E211"));
	CHECK(!strstr(said, "IA-E204"));
	node_close(&n);
}

/* state.json cannot be replaced: the boot is as good as it was, and says so. */
TEST(a_state_file_that_cannot_be_written)
{
	char said[65536];
	struct node n;

	wire_up();
	node_open(&n, "root=nfs4:192.0.2.1:/export ip=" NODE);
	modtree_file(&n.tree, "/run/initagent/state.json/in-the-way", "x");
	CHECK_INT(run_with_console(&n, said, sizeof(said)), BOOT_DONE);
	CHECK(strstr(said, "IA-E701"));
	node_close(&n);
}

/* The last line of a BMC's screen: the cause and its place, not that a time is over. */
TEST(the_last_line_names_what_was_waited_for)
{
	char said[65536], *last;
	struct node n;

	wire_up();
	node_open(&n, "root=nfs4:192.0.2.1:/export:proto=rdma ip=" NODE " rd.retry=5");
	make_port(&n);
	CHECK_INT(run_with_console(&n, said, sizeof(said)), BOOT_FAILED);
	last = strstr(said, "giving up after 5 s: IA-E303 veth0: ");
	CHECK(last && strstr(said, "IA-E703") && strstr(said, "IA-E703") < last);
	node_close(&n);
}

TEST(a_second_agent_says_that_one_runs)
{
	struct running first;
	char said[65536];
	struct node n;

	wire_up();
	node_open(&n, "root=nfs4:192.0.2.1:/export ip=" NODE);
	CHECK_INT(running_begin(&n.tree.env, now_ns(), &first), 0);
	CHECK_INT(run_with_console(&n, said, sizeof(said)), BOOT_FAILED);
	CHECK(strstr(said, "IA-E104"));
	running_end(&n.tree.env, &first, "done");
	node_close(&n);
}
