// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The root's server and whose turn it is: names with several addresses and names that move, rails
 * that lead nowhere, roots that DHCP does not name. The plan runner as a whole, see boot/node.h.
 *
 * first: real time-outs of boots
 */
#include "check.h"

#include <arpa/inet.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "boot/node.h"
#include "dhcpserver.h"
#include "dnsserver.h"
#include "netns.h"

#define DNS " nameserver=192.0.2.1 "

/* The server is 192.0.2.1; what 192.0.2.9 has there answers ARP and refuses all else. */
static pid_t wire_up_two(void)
{
	pid_t peer = wire_up();

	netns_run_in(peer, "ip addr add 192.0.2.9/24 dev veth1");
	return peer;
}

/* Both addresses, the dead one first. */
static void dns_two(struct dnsserver_reply *m, const struct dnsserver_query *q)
{
	dnsserver_begin(m, q, DNSSERVER_PLAIN);
	dnsserver_address(m, q, q->name, "192.0.2.9");
	dnsserver_address(m, q, q->name, "192.0.2.1");
}

/* The old address to the first who ask, for both kinds, then the new one. */
static void dns_moving(struct dnsserver_reply *m, const struct dnsserver_query *q)
{
	dnsserver_begin(m, q, DNSSERVER_PLAIN);
	dnsserver_address(m, q, q->name, q->n <= 2 ? "192.0.2.9" : "192.0.2.1");
}

/* An address nobody has beside the server's. */
static void dns_silent_first(struct dnsserver_reply *m, const struct dnsserver_query *q)
{
	dnsserver_begin(m, q, DNSSERVER_PLAIN);
	dnsserver_address(m, q, q->name, "192.0.2.77");
	dnsserver_address(m, q, q->name, "192.0.2.1");
}

/* Of the other family is the one that is of use. */
static void dns_families(struct dnsserver_reply *m, const struct dnsserver_query *q)
{
	dnsserver_begin(m, q, DNSSERVER_PLAIN);
	dnsserver_address(m, q, q->name, "192.0.2.9");
	dnsserver_address(m, q, q->name, "2001:db8::1");
}

/* A boot whose root's server is known by name: the address that is mounted from in the end. */
static void expect_address(const char *line, dnsserver_fn fn, const char *address)
{
	pid_t peer = wire_up_two();
	struct node n;

	netns_run_in(peer, "ip addr add 2001:db8::1/64 dev veth1 nodad");
	dnsserver_start(peer, "192.0.2.1", fn);
	node_open(&n, line);
	CHECK_INT(boot(&n), BOOT_DONE);
	CHECK_STR(text_at(cJSON_GetObjectItem(n.state, "root"), "address"), address);
	node_close(&n);
}

TEST(the_second_address_of_a_name_has_its_turn)
{
	expect_address("root=nfs4:filer.lab:/only-1 ip=" NODE DNS "rd.retry=20", dns_two,
		"192.0.2.1");
}

TEST(a_name_that_moves_is_followed)
{
	expect_address("root=nfs4:filer.lab:/only-1 ip=" NODE DNS "rd.retry=20", dns_moving,
		"192.0.2.1");
}

TEST(a_silent_address_is_not_the_names_last)
{
	expect_address("root=nfs4:filer.lab:/export ip=" NODE DNS "rd.retry=20", dns_silent_first,
		"192.0.2.1");
}

TEST(the_other_address_family_has_its_turn)
{
	expect_address("root=nfs4:filer.lab:/only-1 ip=" NODE " "
		"ip=[2001:db8::2]:::64::veth0:none" DNS "rd.retry=20",
		dns_families, "2001:db8::1");
}

TEST(all_addresses_in_the_hosts_file_have_their_turn)
{
	struct node n;

	wire_up_two();
	node_open(&n, "root=nfs4:filer:/only-1 ip=" NODE " rd.retry=20");
	modtree_file(&n.tree, "/etc/hosts", "192.0.2.9 filer\n192.0.2.1 filer\n");
	CHECK_INT(boot(&n), BOOT_DONE);
	CHECK_STR(text_at(cJSON_GetObjectItem(n.state, "root"), "address"), "192.0.2.1");
	node_close(&n);
}

/* Whose turn it was: "192.0.2.9 probing, 192.0.2.9 near, ". */
static const char *turns(const struct node *n)
{
	static char text[1024];
	const cJSON *c;
	size_t at = 0;

	cJSON_ArrayForEach(c, cJSON_GetObjectItem(n->state, "timeline"))
		if (streq(text_at(c, "room"), "target") && at < sizeof(text))
			at += (size_t)snprintf(text + at, sizeof(text) - at, "%s %s, ",
				text_at(c, "rail"), text_at(c, "to"));
	return text;
}

/* The first is not there, the second refuses. Each failure is in the state under its server; each
 * has one turn, and no pause is made between them. */
TEST(the_next_nfs_server_has_its_turn)
{
	struct node n;

	wire_up_two();
	node_open(&n, "root=nfs4:192.0.2.77,192.0.2.9,192.0.2.1:/only-1 ip=" NODE " rd.retry=20");
	CHECK_INT(boot(&n), BOOT_DONE);
	CHECK_STR(turns(&n), "192.0.2.77 probing, 192.0.2.77 unknown, "
		"192.0.2.9 probing, 192.0.2.9 near, 192.0.2.9 mounting, 192.0.2.9 unknown, "
		"192.0.2.1 probing, 192.0.2.1 near, 192.0.2.1 mounting, ");
	CHECK_STR(text_at(cJSON_GetObjectItem(n.state, "root"), "server"), "192.0.2.1");
	CHECK_INT(number_at(cJSON_GetObjectItem(n.state, "root"), "attempts"), 2);
	CHECK_STR(met_at(&n, "IA-E601"), "192.0.2.77");
	CHECK_STR(met_at(&n, "IA-E602"), "192.0.2.9");
	node_close(&n);
}

/* The end names them all. */
TEST(after_the_last_nfs_server_comes_the_first)
{
	char text[65536];
	struct node n;

	wire_up_two();
	node_open(&n, "root=nfs4:192.0.2.9,192.0.2.77:/refused ip=" NODE " rd.retry=12");
	CHECK_INT(boot(&n), BOOT_FAILED);
	CHECK(met(&n, "IA-E602") > 1);
	CHECK(env_read(&n.tree.env, text, sizeof(text), "/run/initagent/log") > 0);
	CHECK(strstr(text, "giving up after 12 s; causes seen: "
			   "IA-E602 192.0.2.9, IA-E601 192.0.2.77\n") != NULL);
	node_close(&n);
}

/* What is asked is said by its address, too: which of them refuses is not told by the name. */
TEST(what_refuses_is_named_with_its_address)
{
	char text[65536];
	struct node n;

	dnsserver_start(wire_up_two(), "192.0.2.1", dns_two);
	node_open(&n, "root=nfs4:filer.lab:/refused ip=" NODE DNS "rd.retry=6");
	CHECK_INT(boot(&n), BOOT_FAILED);
	CHECK(env_read(&n.tree.env, text, sizeof(text), "/run/initagent/log") > 0);
	CHECK(strstr(text, "filer.lab:/refused (192.0.2.9) over tcp"));
	CHECK(strstr(text, "filer.lab:/refused (192.0.2.1) over tcp"));
	node_close(&n);
}

TEST(what_is_silent_is_named_with_its_address)
{
	struct node n;

	dnsserver_start(wire_up_two(), "192.0.2.1", dns_silent_first);
	node_open(&n, "root=nfs4:filer.lab:/export ip=" NODE DNS "rd.retry=20");
	CHECK_INT(boot(&n), BOOT_DONE);
	CHECK(says(&n, "IA-E601", "no ARP reply from it on veth0 (asked at 192.0.2.77)"));
	node_close(&n);
}

/* --- rails --------------------------------------------------------------------------------- */

#define FAR "198.51.100.9"
#define TWO_RAILS "ip=192.0.2.2:::24::veth0:none ip=192.0.3.2:::24::veth2:none " \
	"rd.route=" FAR "/32:192.0.2.1:veth0 rd.route=" FAR "/32:192.0.3.1:veth2 "

/* FAR is in both peers' namespaces, behind routes over veth0, which goes first, and veth2. */
static void wire_up_rails(pid_t *first, pid_t *second)
{
	*first = wire_up();
	*second = netns_peer();
	netns_veth("veth2", "veth3", *second);
	netns_run_in(*second,
		"ip addr add 192.0.3.1/24 dev veth3; ip link set veth3 up; ip link set lo up");
	netns_run_in(*second, "ip addr add " FAR "/32 dev lo");
	netns_run_in(*first, "ip link set lo up; ip addr add " FAR "/32 dev lo");
}

/* A server in the namespace of pid, at an address of it, that sends the text to all who connect,
 * then does what cut says, and waits (cut) or closes. */
static void serve(pid_t pid, const char *address, uint16_t port, const char *text,
	const char *cut)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(port)};
	int fd, ready[2], peer;
	char request[4096];

	CHECK_INT(pipe2(ready, O_CLOEXEC), 0);
	if (fork() > 0) {
		CHECK_INT(read((close(ready[1]), ready[0]), request, 1), 1);
		close(ready[0]);
		return;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	netns_join(pid);
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (inet_pton(AF_INET, address, &at.sin_addr) != 1 ||
		bind(fd, (struct sockaddr *)&at, sizeof(at)) < 0 || listen(fd, 8) < 0 ||
		write(ready[1], "", 1) != 1)
		_exit(1);
	while ((peer = accept4(fd, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
		if (*text &&
			(recv(peer, request, sizeof(request), 0) < 0 ||
			send(peer, text, strlen(text), MSG_NOSIGNAL) < 0))
			_exit(1);
		if (cut && (system(cut) != 0 || pause()))
			_exit(1);
		close(peer);
	}
	_exit(1);
}

/* The one server that answers is reached over the second rail alone, by a gateway; the other's is
 * silent on both. Were rail and server to change together, they would never meet. */
TEST(each_server_is_asked_over_each_rail)
{
	pid_t second;
	struct node n;

	wire_up();
	second = netns_peer();
	netns_veth("veth2", "veth3", second);
	netns_run_in(second, "ip addr add 10.0.2.1/24 dev veth3; ip link set veth3 up");
	node_open(&n, "root=nfs4:192.0.2.1,192.0.2.9:/only-1 ip=10.0.1.2:::24::veth0:none "
		"ip=10.0.2.2:::24::veth2:none "
		"rd.route=192.0.2.1/32:10.0.1.1:veth0 rd.route=192.0.2.9/32:10.0.1.1:veth0 "
		"rd.route=192.0.2.1/32:10.0.2.1:veth2 rd.route=192.0.2.9/32:10.0.2.9:veth2 "
		"rd.retry=25");
	CHECK_INT(boot(&n), BOOT_DONE);
	CHECK_STR(text_at(cJSON_GetObjectItem(n.state, "root"), "server"), "192.0.2.1");
	node_close(&n);
}

#define NOT_FOUND "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"

#define GONE "HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n"
#define BUSY "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n"

/* What the first address answers, for good or for now, is not the name's last word. */
static void expect_both(const char *first, const char *second)
{
	pid_t peer = wire_up_two();
	struct node n;

	dnsserver_start(peer, "192.0.2.1", dns_two);
	serve(peer, "192.0.2.9", 8099, first, NULL);
	serve(peer, "192.0.2.1", 8099, second, NULL);
	node_open(&n, "root=live:http://img.lab:8099/root.img ip=" NODE DNS "rd.retry=6");
	CHECK_INT(boot(&n), BOOT_FAILED);
	CHECK(met(&n, "IA-E622") > 0);
	CHECK(met(&n, "IA-E623") > 0);
	node_close(&n);
}

TEST(the_second_address_of_a_web_server_has_its_turn)
{
	expect_both(GONE, BUSY);
}

TEST(an_address_that_is_busy_is_not_the_names_last)
{
	expect_both(BUSY, NOT_FOUND);
}

/* A look-up ends with the first family's answer, unless its addresses have failed. */
TEST(the_other_address_family_of_a_web_server_has_its_turn)
{
	char text[65536];
	struct node n;

	dnsserver_start(wire_up_two(), "192.0.2.1", dns_families);
	node_open(&n, "root=live:http://img.lab:8099/root.img ip=" NODE
		" ip=[2001:db8::2]:::64::veth0:none" DNS "rd.retry=8");
	CHECK_INT(boot(&n), BOOT_FAILED);
	CHECK(env_read(&n.tree.env, text, sizeof(text), "/run/initagent/log") > 0);
	CHECK(strstr(text, "img.lab has the address 192.0.2."));
	CHECK(strstr(text, "img.lab has the address 2001:db8::1"));
	node_close(&n);
}

TEST(nor_is_one_family_all_of_an_extensions_server)
{
	char text[65536];
	struct node n;

	dnsserver_start(wire_up_two(), "192.0.2.1", dns_families);
	node_open(&n, "root=nfs4:192.0.2.1:/export ip=" NODE " ip=[2001:db8::2]:::64::veth0:none"
		DNS "rd.retry=30 rd.systemd.pull=raw,sysext,verify=no::http://img.lab:8099/a.raw");
	CHECK_INT(boot(&n), BOOT_DONE);
	CHECK(env_read(&n.tree.env, text, sizeof(text), "/run/initagent/log") > 0);
	/* libcurl's words: "A port N", "A:N" in newer ones */
	CHECK(strstr(text, "connect to 192.0.2.9"));
	CHECK(strstr(text, "connect to 2001:db8::1") || strstr(text, "connect to [2001:db8::1]"));
	node_close(&n);
}

/* Only over the second rail is there a server that has a status to give. */
TEST(an_image_is_asked_for_over_the_other_rail)
{
	pid_t first, second;
	struct node n;

	wire_up_rails(&first, &second);
	serve(second, FAR, 8099, NOT_FOUND, NULL);
	node_open(&n, "root=live:http://" FAR ":8099/root.img " TWO_RAILS "rd.retry=12");
	CHECK_INT(boot(&n), BOOT_FAILED);
	CHECK(met(&n, "IA-E621") > 0);
	CHECK(met(&n, "IA-E622") > 0);
	node_close(&n);
}

/* Its module takes longer than a server that starts is waited for: the first refusal is soon. */
TEST(a_slow_module_takes_no_rail_its_priority)
{
	pid_t first, second;
	char text[65536];
	struct node n;

	hanging = mmap(
		NULL, sizeof(*hanging), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(hanging != MAP_FAILED);
	wire_up_rails(&first, &second);
	node_open(&n, "root=nfs:" FAR ":/starting:vers=3 " TWO_RAILS "rd.retry=20");
	CHECK_INT(boot(&n), BOOT_DONE);
	CHECK_INT(met(&n, "IA-E602"), 1);
	CHECK(env_read(&n.tree.env, text, sizeof(text), "/run/initagent/log") > 0);
	CHECK(!strstr(text, "lower priority now"));
	node_close(&n);
}

/* A disk that is not there is no fault of the network's. */
TEST(a_cache_that_is_not_there_blames_no_rail)
{
	pid_t first, second;
	char text[65536];
	struct node n;

	wire_up_rails(&first, &second);
	serve(first, FAR, 8099, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx", NULL);
	node_open(&n, "root=live:http://" FAR ":8099/root.img " TWO_RAILS "rd.retry=40 "
		"rd.root.cache=LABEL=nothing rd.root.digest=sha256:0123456789abcdef0123456789abcdef"
		"0123456789abcdef0123456789abcdef");
	CHECK_INT(boot(&n), BOOT_FAILED);
	CHECK(met(&n, "IA-E640") > 0);
	CHECK(met(&n, "IA-E630") > 0);
	CHECK(env_read(&n.tree.env, text, sizeof(text), "/run/initagent/log") > 0);
	CHECK(!strstr(text, "lower priority now"));
	node_close(&n);
}

TEST(a_block_device_is_asked_for_over_the_other_rail)
{
	pid_t first, second;
	char text[65536];
	struct node n;

	wire_up_rails(&first, &second);
	serve(second, FAR, 10809, "", NULL);
	node_open(&n, "root=nbd:" FAR ":10809:root " TWO_RAILS "rd.retry=12");
	CHECK_INT(boot(&n), BOOT_FAILED);
	CHECK(env_read(&n.tree.env, text, sizeof(text), "/run/initagent/log") > 0);
	CHECK(strstr(text, "port 10809: Connection refused"));
	CHECK(strstr(text, "the server closed the connection"));
	node_close(&n);
}

/* Long before such a transfer would count as stalled. */
TEST(a_rail_that_dies_in_a_transfer_is_left)
{
	pid_t first, second;
	struct node n;

	wire_up_rails(&first, &second);
	serve(first, FAR, 8099, "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nhsqs",
		"ip link set veth1 down");
	serve(second, FAR, 8099, NOT_FOUND, NULL);
	node_open(&n, "root=live:http://" FAR ":8099/root.img " TWO_RAILS "rd.retry=10");
	CHECK_INT(boot(&n), BOOT_FAILED);
	CHECK(met(&n, "IA-E622") > 0);
	node_close(&n);
}

/* What the server was last asked for is not what ends the boot: the cable is. */
TEST(a_cable_that_is_out_is_named_and_not_the_server)
{
	char text[65536];
	struct node n;

	wire_up();
	node_open(&n, "root=nfs4:192.0.2.1:/cut ip=" NODE " rd.retry=4");
	CHECK_INT(boot(&n), BOOT_FAILED);
	CHECK_STR(met_at(&n, "IA-E402"), "veth0");
	CHECK_INT(met(&n, "IA-E601"), 0);
	CHECK(env_read(&n.tree.env, text, sizeof(text), "/run/initagent/log") > 0);
	CHECK(strstr(text, "veth0: carrier lost (") != NULL);
	CHECK(strstr(text, "giving up after 4 s: IA-E402 veth0: ") != NULL);
	node_close(&n);
}

/* Nor is what it had said before. */
TEST(a_cable_that_is_out_at_last_is_named)
{
	char text[65536];
	struct node n;

	hanging = mmap(NULL, sizeof(*hanging), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		-1, 0);
	wire_up();
	node_open(&n, "root=nfs4:192.0.2.1:/refused-then-cut ip=" NODE " rd.retry=4");
	CHECK_INT(boot(&n), BOOT_FAILED);
	CHECK(met(&n, "IA-E602") > 0);
	CHECK(env_read(&n.tree.env, text, sizeof(text), "/run/initagent/log") > 0);
	CHECK(strstr(text, "giving up after 4 s: IA-E402 veth0: ") != NULL);
	node_close(&n);
}

/* --- roots that DHCP names ----------------------------------------------------------------- */

/* veth0 has an address that names no root; a lease on veth2, which comes later, does. */
TEST(the_root_is_named_by_whichever_lease_does)
{
	pid_t first, second;
	struct node n;

	wire_up_rails(&first, &second);
	netns_run_in(second, "ip addr add 10.0.0.1/24 dev veth3");
	dhcpserver_start(second, "veth3", dhcpserver_rich);
	node_open(&n, "root=dhcp ip=" NODE " ip=veth2:dhcp rd.retry=20");
	CHECK_INT(boot(&n), BOOT_DONE);
	CHECK_STR(text_at(cJSON_GetObjectItem(n.state, "root"), "address"), "10.0.0.1");
	node_close(&n);
}

TEST(no_lease_names_the_root)
{
	expect("root=dhcp ip=" NODE " rd.retry=5", BOOT_FAILED, "IA-E611");
}

/* It is near at once, and the boot must not look again and again. */
TEST(a_server_that_is_reached_over_no_rail)
{
	struct node n;

	wire_up();
	node_open(&n, "root=nfs4:127.0.0.1:/export ip=" NODE " rd.retry=5");
	CHECK_INT(boot(&n), BOOT_FAILED);
	CHECK(met(&n, "IA-E510") > 0);
	node_close(&n);
}

/* Two segments have a host of that address: the zone names the one that is meant. */
TEST(a_link_local_server_is_asked_for_on_its_zones_interface)
{
	static const char *const zones[] = {"fe80::77%veth0", "fe80::77%late0"};

	for (size_t i = 0; i < ARRAY_SIZE(zones); i++) {
		struct node n;
		pid_t peer = wire_up();
		char line[256];

		netns_veth("late0", "late1", peer);
		netns_run_in(peer, "ip link set late1 up; for i in veth1 late1; do "
			"ip addr add fe80::77/64 dev $i nodad; done");
		snprintf(line, sizeof(line), "root=nfs4:[%s]:/export rd.retry=20 "
			"ip=[2001:db8:1::2]:::64::veth0:none ip=[2001:db8:2::2]:::64::late0:none",
			zones[i]);
		node_open(&n, line);
		CHECK_INT(boot(&n), BOOT_DONE);
		CHECK_STR(text_at(cJSON_GetObjectItem(n.state, "root"), "address"), zones[i]);
		CHECK_INT(met(&n, "IA-E601"), 0);
		node_close(&n);
	}
}
