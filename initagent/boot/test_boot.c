// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The plan runner from the command line to the outcome (boot/node.h). What a boot leaves behind
 * (state.json, outcome) is the verdict.
 *
 * first: real time-outs of boots
 */
#include "check.h"

#include <arpa/inet.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "boot/node.h"
#include "state/running.h"
#include "netns.h"
#include "root/source/source.h"

TEST(static_address_to_mounted_root)
{
	const cJSON *rail;
	char online[64];
	struct node n;

	wire_up();
	node_open(&n, "root=nfs4:192.0.2.1:/export ip=" NODE);
	CHECK_INT(boot(&n), BOOT_DONE);
	CHECK(env_read(&n.tree.env, online, sizeof(online), "/run/initagent/online") > 0);
	CHECK_STR(online, "veth0");
	CHECK_STR(n.init, "/sbin/init");
	CHECK_STR(text_at(cJSON_GetObjectItem(n.state, "root"), "proto"), "tcp");
	rail = cJSON_GetArrayItem(cJSON_GetObjectItem(n.state, "rails"), 0);
	CHECK_STR(text_at(rail, "netdev"), "veth0");
	CHECK_STR(text_at(rail, "address"), "192.0.2.2/24");
	CHECK(cJSON_IsTrue(cJSON_GetObjectItem(rail, "carries_root")));
	CHECK_INT(running_look(&n.tree.env), RUNNING_DONE);
	node_close(&n);
}

/* An adapter's virtual functions come first; only the last interface has a cable. */
TEST(the_last_of_many_interfaces_is_tried)
{
	char line[2048] = "root=nfs4:192.0.2.1:/export rd.retry=20 rd.handover=networkmanager";
	char text[512];
	size_t at = strlen(line);
	struct node n;
	pid_t other;

	netns_enter();
	other = netns_peer();
	for (int i = 0; i < 40; i++) {
		char name[16], peer[16];

		snprintf(name, sizeof(name), "vf%d", i);
		snprintf(peer, sizeof(peer), "pf%d", i);
		netns_veth(name, peer, other);
		at += (size_t)snprintf(line + at, sizeof(line) - at, " ip=%s:dhcp", name);
	}
	netns_veth("veth0", "veth1", other);
	netns_run_in(other, "ip addr add 192.0.2.1/24 dev veth1; ip link set veth1 up");
	snprintf(line + at, sizeof(line) - at, " ip=" NODE);
	node_open(&n, line);
	CHECK_INT(boot(&n), BOOT_DONE);
	CHECK_INT(cJSON_GetArraySize(cJSON_GetObjectItem(n.state, "rails")), 41);
	/* the others are the real root's to go on with */
	CHECK(env_read(&n.tree.env, text, sizeof(text),
		"/run/NetworkManager/system-connections/initagent-vf39.nmconnection") > 0);
	CHECK(strstr(text, "autoconnect-priority=-100\n"));
	node_close(&n);
}

TEST(malformed_options_do_not_stop_a_boot)
{
	expect("root=nfs4:192.0.2.1:/export ip=" NODE " rd.retry=abc nameserver=999", BOOT_DONE,
		"IA-E101");
}

/* What dracut's module leaves in an image for one machine alone. */
TEST(an_image_of_another_machine_is_named)
{
	static const char *const made[] = {
		"3f1c5a52-0a0b-4d7e-9c11-5b1d3c8e0001", "3F1C5A52-0A0B-4D7E-9C11-5B1D3C8E0002"};
	struct node n;

	for (size_t i = 0; i < ARRAY_SIZE(made); i++) {
		wire_up();
		node_open(&n, "root=nfs4:192.0.2.1:/export ip=" NODE);
		modtree_file(&n.tree, "/etc/initagent/hostonly", "n1 (Maker Model)\n");
		modtree_file(&n.tree, "/etc/initagent/machine", made[i]);
		modtree_file(&n.tree, "/sys/class/dmi/id/product_uuid",
			"3f1c5a52-0a0b-4d7e-9c11-5b1d3c8e0002\n");
		CHECK_INT(boot(&n), BOOT_DONE);
		CHECK_INT(met(&n, "IA-E109"), i ? 0 : 1);
		node_close(&n);
	}
}

TEST(a_driver_that_fails_does_not_stop_a_boot)
{
	expect("root=nfs4:192.0.2.1:/export ip=" NODE " rd.driver.post=site_driver", BOOT_DONE,
		"IA-E204");
}

TEST(a_module_that_is_not_there_is_named)
{
	expect("root=nfs4:192.0.2.1:/export ip=" NODE " rd.driver.pre=no_such", BOOT_DONE,
		"IA-E201");
}

TEST(a_vital_module_ends_the_boot)
{
	expect("root=nfs4:192.0.2.1:/export ip=" NODE " rd.driver.blacklist=nfsv4", BOOT_FAILED,
		"IA-E206");
}

TEST(server_that_is_not_there)
{
	expect("root=nfs4:192.0.2.77:/export ip=" NODE " rd.retry=5", BOOT_FAILED, "IA-E601");
}

TEST(an_image_server_that_refuses)
{
	expect("root=live:http://192.0.2.1:8099/root.img ip=" NODE " rd.retry=4", BOOT_FAILED,
		"IA-E621");
}

TEST(an_image_server_that_is_not_there)
{
	expect("root=live:http://192.0.2.77:8099/root.img ip=" NODE " rd.retry=6", BOOT_FAILED,
		"IA-E621");
}

TEST(a_block_server_that_refuses)
{
	expect("root=nbd:192.0.2.1:10809:root ip=" NODE " rd.retry=4", BOOT_FAILED, "IA-E671");
}

TEST(a_block_root_without_address_and_its_port)
{
	expect("root=srp:id_ext=0002c90300a1b2c3,ioc_guid=0002c90300a1b2c4,"
		"dgid=fe800000000000000002c90300a1b2c5,"
		"pkey=ffff,"
	       "service_id=0002c90300a1b2c3 ip=" NODE " rd.retry=4", BOOT_FAILED, "IA-E301");
}

TEST(no_route_to_the_server)
{
	expect("root=nfs4:198.51.100.9:/export ip=192.0.2.2:::24::veth0:none rd.retry=6",
		BOOT_FAILED,
		"IA-E510");
}

TEST(interface_that_never_appears)
{
	struct node n;

	wire_up();
	node_open(&n, "root=nfs4:192.0.2.1:/export ip=192.0.2.2:::24::eth7:none rd.retry=1");
	CHECK_INT(boot(&n), BOOT_FAILED);
	CHECK(says(&n, "IA-E401", "eth7 to appear; there are: veth0 ("));
	node_close(&n);
}

TEST(an_address_of_another_family_than_the_servers)
{
	expect("root=nfs4:[2001:db8::9],[2001:db8::8]:/export ip=" NODE " rd.retry=2", BOOT_FAILED,
		"IA-E106");
	if (source_of(PLAN_ROOT_LIVE))
		expect("root=http://[2001:db8::9]/root.img ip=" NODE " rd.retry=2", BOOT_FAILED,
			"IA-E106");
	expect("root=nfs4:192.0.2.1:/export ip=[2001:db8::2]:::64::veth0:none rd.retry=2",
		BOOT_FAILED, "IA-E106");
	/* The end of the whole time, not of the network's. */
	expect("root=nfs4:[2001:db8::9]:/export ip=" NODE " rd.retry=0 rd.timeout=2", BOOT_FAILED,
		"IA-E106");
	expect("root=nfs4:[2001:db8::9]:/export ip=" NODE " rd.retry=9 rd.timeout=2", BOOT_FAILED,
		"IA-E106");
}

TEST(no_route_to_the_web_server)
{
	struct node n;

	if (!source_of(PLAN_ROOT_LIVE))
		check_skip("no HTTP in this build");
	wire_up();
	node_open(&n,
		"root=live:http://198.51.100.9:8099/root.img ip=192.0.2.2:::24::veth0:none "
		"rd.retry=6");
	CHECK_INT(boot(&n), BOOT_FAILED);
	CHECK(says(&n, "IA-E510", "veth0 has 192.0.2.2/24 and no gateway"));
	CHECK_INT(met(&n, "IA-E621"), 0);
	node_close(&n);
}

TEST(a_gateway_that_does_not_answer_is_named)
{
	struct node n;

	wire_up();
	node_open(&n,
		"root=nfs4:198.51.100.9:/export ip=192.0.2.2::192.0.2.254:24::veth0:none "
		"rd.retry=9");
	CHECK_INT(boot(&n), BOOT_FAILED);
	CHECK(says(&n, "IA-E601", "gateway 192.0.2.254 of its route over veth0"));
	node_close(&n);
}

TEST(server_that_refuses)
{
	expect("root=nfs4:192.0.2.1:/refused ip=" NODE " rd.retry=5", BOOT_FAILED, "IA-E602");
}

TEST(path_that_is_not_exported)
{
	expect("root=nfs4:192.0.2.1:/nothing ip=" NODE " rd.retry=5", BOOT_FAILED, "IA-E603");
}

TEST(a_failed_boot_hands_nothing_over)
{
	static const char *const none[] = {"/run/systemd", "/run/NetworkManager", "/run/network",
		"/run/initramfs", "/run/udev", "/run/initagent/resolv.conf",
		"/run/initagent/hostname"};
	char path[256];
	struct node n;

	wire_up();
	node_open(&n,
		"root=nfs4:192.0.2.1:/options:frob rd.handover=all hostname=n1 "
		"ifname=n0:52:54:00:00:00:77 "
		      "nameserver=192.0.2.53 ip=" NODE);
	CHECK_INT(boot(&n), BOOT_FAILED);
	CHECK(!cJSON_HasObjectItem(n.state, "handover"));
	for (size_t i = 0; i < ARRAY_SIZE(none); i++) {
		CHECK(env_path(&n.tree.env, path, sizeof(path), "%s", none[i]) > 0);
		CHECK(access(path, F_OK) < 0);
	}
	node_close(&n);
}

TEST(options_the_kernel_refuses_end_at_once)
{
	uint64_t begin = now_ns();

	expect("root=nfs4:192.0.2.1:/options:frob ip=" NODE " rd.retry=100", BOOT_FAILED,
		"IA-E606");
	CHECK(now_ns() - begin < 80 * NSEC_PER_SEC);
}

TEST(rd_timeout_is_the_end_of_all)
{
	expect("root=nfs4:192.0.2.1:/refused ip=" NODE " rd.retry=60 rd.timeout=1", BOOT_FAILED,
		"IA-E704");
}

TEST(rdma_without_a_port_is_waited_for)
{
	expect("root=nfs4:192.0.2.1:/export:proto=rdma ip=" NODE " rd.retry=5", BOOT_FAILED,
		"IA-E301");
}

TEST(rdma_that_cannot_be_falls_back_where_allowed)
{
	struct node n;

	wire_up();
	node_open(&n, "root=nfs4:192.0.2.1:/export:proto=rdma ip=" NODE
		      " rd.rdma.link=r0,rxe,veth0 rd.nfs.fallback=tcp rd.retry=20");
	CHECK_INT(boot(&n), BOOT_DONE);
	CHECK_STR(text_at(cJSON_GetObjectItem(n.state, "root"), "proto"), "tcp");
	node_close(&n);
}

/* No kernel has such a link: said, not left undone. */
TEST(a_soft_link_of_an_unknown_type_is_tried_and_has_a_cause)
{
	expect("root=nfs4:192.0.2.1:/export ip=" NODE " rd.rdma.link=x0,other,veth0 rd.retry=20",
		BOOT_DONE, "IA-E304");
}

TEST(an_interface_that_only_team_would_make_ends_the_boot_at_once)
{
	uint64_t begin = now_ns();

	expect("root=nfs4:192.0.2.1:/export team=team0:veth0 ip=team0:dhcp rd.retry=100",
		BOOT_FAILED, "IA-E105");
	CHECK(now_ns() - begin < 80 * NSEC_PER_SEC);
}

TEST(beside_an_interface_that_is_there_it_is_only_said)
{
	expect("root=nfs4:192.0.2.1:/export team=team0:veth1 ip=team0:dhcp ip=" NODE, BOOT_DONE,
		"IA-E105");
}

/* The module tree has no such driver, the kernel of the test has this one. */
TEST(a_bridge_is_made_and_carries_the_root_and_its_port_is_no_rail)
{
	struct node n;
	const cJSON *rails;

	wire_up();
	node_open(&n, "root=nfs4:192.0.2.1:/export bridge=br0:veth0,late0 ifname=br0x:00:00:00:00:"
		"00:01 ip=192.0.2.2::192.0.2.1:255.255.255.0::br0:none:1400 ip=late1:dhcp "
		"bootdev=br0 rd.retry=20");
	CHECK_INT(boot(&n), BOOT_DONE);
	rails = cJSON_GetObjectItem(n.state, "rails");
	CHECK_INT(cJSON_GetArraySize(rails), 1);
	CHECK_STR(text_at(cJSON_GetArrayItem(rails, 0), "netdev"), "br0");
	CHECK_INT(met(&n, "IA-E404"), 0);
	node_close(&n);
}

TEST(a_vlan_that_the_kernel_refuses_has_a_cause)
{
	expect("root=nfs4:192.0.2.1:/export vlan=veth0.5:veth0 ip=veth0.5:dhcp ip=" NODE, BOOT_DONE,
		"IA-E404");
}

TEST(server_by_name_from_hosts)
{
	struct node n;

	wire_up();
	node_open(&n, "root=nfs4:filer:/export ip=" NODE " rd.retry=10");
	modtree_file(&n.tree, "/etc/hosts", "192.0.2.1 filer\n");
	CHECK_INT(boot(&n), BOOT_DONE);
	CHECK_STR(text_at(cJSON_GetObjectItem(n.state, "root"), "address"), "192.0.2.1");
	node_close(&n);
}

/* A syslog server of this namespace's own. */
static int syslog_server(void)
{
	struct sockaddr_in sa = {.sin_family = AF_INET, .sin_port = htons(5514)};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	CHECK(fd >= 0 && bind(fd, (struct sockaddr *)&sa, sizeof(sa)) == 0);
	CHECK_INT(system("ip link set lo up"), 0);
	return fd;
}

/* The next message, "" if there is none. */
static const char *heard(int fd, char buf[static 2048])
{
	ssize_t n = recv(fd, buf, 2047, 0);

	buf[n > 0 ? n : 0] = 0;
	return buf;
}

/* Dead collectors of each kind beside a living one: the root is mounted as if they were not
 * there. */
TEST(a_boot_is_told_to_those_who_listen)
{
	char buf[2048];
	struct node n;
	int fd;

	wire_up();
	fd = syslog_server();
	node_open(&n, "root=nfs4:192.0.2.1:/export hostname=n17 rd.driver.post=site_driver ip=" NODE
		      " rd.report=syslog://192.0.2.2:5514 rd.report=syslog+tcp://192.0.2.77 "
		      "rd.report=http://nobody.example/"
		      " rd.report=syslog+tcp://192.0.2.1");
	CHECK_INT(boot(&n), BOOT_DONE);
	/* Where a machine is slow a wait is told before. */
	do
		CHECK(strstr(heard(fd, buf), " n17 initagent "));
	while (!strstr(buf, " cause [initagent@32473 code=\"IA-E204\" where=\"site_driver\""));
	heard(fd, buf);
	while (!strstr(buf, " done [initagent@32473 uptime="))
		CHECK(*heard(fd, buf));
	CHECK(strstr(buf, "] the root is mounted after "));
	CHECK(!*heard(fd, buf));
	CHECK(met(&n, "IA-E710") > 0);
	close(fd);
	node_close(&n);
}

/* Each wait is told once, however long it lasts, and the failure with its cause. */
TEST(a_failed_boot_is_told_with_its_cause)
{
	unsigned waits = 0;
	char buf[2048];
	struct node n;
	int fd;

	wire_up();
	fd = syslog_server();
	node_open(&n,
		"root=nfs4:192.0.2.77:/export ip=" NODE " rd.retry=8 "
		"rd.report=syslog://192.0.2.2:5514");
	CHECK_INT(boot(&n), BOOT_FAILED);
	for (heard(fd, buf); *buf && !strstr(buf, " failed ["); heard(fd, buf))
		waits += strstr(buf, " wait [") != NULL;
	CHECK_INT(waits, 1);
	CHECK(strstr(buf, "<26>1 "));
	CHECK(strstr(buf, "code=\"IA-E601\" where=\"192.0.2.77\""));
	CHECK(strstr(buf, "] giving up after "));
	close(fd);
	node_close(&n);
}

/* No DNS server is known, so the look-up of the server's name ends with its limit: then it is the
 * collector's turn. */
TEST(a_name_that_cannot_be_looked_up_keeps_no_other_waiting)
{
	char buf[2048];
	struct node n;
	int fd;

	wire_up();
	fd = syslog_server();
	node_open(&n,
		"root=nfs4:filer:/export ip=" NODE " rd.retry=12 "
		"rd.report=syslog://collector:5514");
	modtree_file(&n.tree, "/etc/hosts", "192.0.2.2 collector\n");
	CHECK_INT(boot(&n), BOOT_FAILED);
	CHECK(met(&n, "IA-E608") > 0);
	CHECK(strstr(heard(fd, buf), " initagent "));
	close(fd);
	node_close(&n);
}

/* The same machine twice: its firmware remembers. */
TEST(the_boot_after_a_failed_one_knows)
{
	char text[65536];
	struct node n;
	int fd;

	wire_up();
	fd = syslog_server();
	node_open(&n, "root=nfs4:192.0.2.1:/options:frob ip=" NODE " rd.report=efi");
	modtree_file(&n.tree, "/sys/firmware/efi/efivars/.keep", "");
	CHECK_INT(boot(&n), BOOT_FAILED);
	cJSON_Delete(n.state);
	CHECK_INT(system("ip addr flush dev veth0"), 0);
	modtree_file(&n.tree, "/proc/cmdline",
		"root=nfs4:192.0.2.1:/export ip=" NODE " rd.report=efi "
		"rd.report=syslog://192.0.2.2:5514");
	CHECK_INT(boot(&n), BOOT_DONE);
	CHECK(env_read(&n.tree.env, text, sizeof(text), "/run/initagent/last-failure") > 0);
	CHECK(strstr(text, "code=IA-E606\n"));
	CHECK(env_read(&n.tree.env, text, sizeof(text), "/run/initagent/log") > 0);
	CHECK(strstr(text, "] the last boot failed: IA-E606 "));
	CHECK(strstr(heard(fd, text), " before [initagent@32473 code=\"IA-E606\""));
	close(fd);
	node_close(&n);
}

/* The record cannot be written: the cause of the failure stays the one that counts. */
TEST(a_failure_that_cannot_be_kept_is_told_beside_it)
{
	struct node n;

	wire_up();
	node_open(&n, "root=nfs4:192.0.2.1:/options:frob ip=" NODE " rd.report=efi");
	CHECK_INT(boot(&n), BOOT_FAILED);
	CHECK(met(&n, "IA-E711") > 0);
	CHECK_STR(met_at(&n, "IA-E711"), "rd.report");
	CHECK(met(&n, "IA-E606") > 0);
	node_close(&n);
}

TEST(no_root_and_other_roots_are_left_alone)
{
	struct node n;

	wire_up();
	node_open(&n, "root=UUID=12-34 ip=dhcp");
	CHECK_INT(boot(&n), BOOT_NOT_OURS);
	node_close(&n);
}

TEST(a_second_agent_keeps_out)
{
	struct running first;
	struct node n;

	wire_up();
	node_open(&n, "root=nfs4:192.0.2.1:/export ip=" NODE);
	CHECK_INT(running_begin(&n.tree.env, now_ns(), &first), 0);
	CHECK_INT(boot_main(&n.args), BOOT_FAILED);
	running_end(&n.tree.env, &first, "done");
	node_close(&n);
}

/* Killed while the mount hangs; the next one adopts the address and finishes. */
TEST(a_killed_agent_is_followed_by_one_that_finishes)
{
	struct node n;
	pid_t pid;

	wire_up();
	hanging = mmap(
		NULL, sizeof(*hanging), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(hanging != MAP_FAILED);
	node_open(&n, "root=nfs4:192.0.2.1:/hang ip=" NODE);
	pid = fork();
	if (pid == 0)
		_exit(boot_main(&n.args));
	while (!*hanging)
		poll(NULL, 0, 1);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	CHECK_INT(running_wait(&n.tree.env, now_ns() + 5 * NSEC_PER_SEC), RUNNING_KILLED);
	modtree_file(&n.tree, "/proc/cmdline", "root=nfs4:192.0.2.1:/export ip=" NODE);
	CHECK_INT(boot(&n), BOOT_DONE);
	CHECK_INT(cJSON_GetObjectItem(cJSON_GetObjectItem(n.state, "agent"), "restarts")->valueint,
		1);
	node_close(&n);
}

TEST(a_root_mounted_before_the_kill_is_adopted)
{
	char path[128], text[1024];
	const cJSON *rail;
	struct node n;

	wire_up();
	/* what the killed one left */
	netns_run("ip addr add 192.0.2.2/24 dev veth0; ip link set veth0 up");
	node_open(&n, "root=nfs4:192.0.2.1:/export rd.handover=networkd ip=" NODE);
	modtree_file(&n.tree, "/proc/self/mountinfo",
		"31 1 0:28 / / rw - nfs4 192.0.2.1:/export rw,vers=4.1,proto=tcp,addr=192.0.2.1\n");
	n.args.sysroot = "/";
	CHECK_INT(boot(&n), BOOT_DONE);
	CHECK_STR(text_at(cJSON_GetObjectItem(n.state, "root"), "version"), "4.1");
	/* Its rail is found again, too, and handed over. */
	rail = cJSON_GetArrayItem(cJSON_GetObjectItem(n.state, "rails"), 0);
	CHECK(cJSON_IsTrue(cJSON_GetObjectItem(rail, "carries_root")));
	snprintf(path, sizeof(path), "/run/systemd/network/05-initagent-%s.network",
		cJSON_GetStringValue(cJSON_GetObjectItem(rail, "netdev")));
	CHECK(env_read(&n.tree.env, text, sizeof(text), "%s", path) > 0);
	CHECK(strstr(text, "KeepConfiguration=yes") != NULL);
	CHECK(env_read(&n.tree.env, text, sizeof(text), "/run/initagent/online") > 0);
	CHECK_STR(text, cJSON_GetStringValue(cJSON_GetObjectItem(rail, "netdev")));
	node_close(&n);
}

#define ANY "192.0.2.2::192.0.2.1:255.255.255.0:::none"

TEST(only_the_ports_that_are_named_become_rails)
{
	expect("root=nfs4:192.0.2.1:/export rd.ib.port=mlx5_0/1 ip=" ANY " rd.retry=2",
		BOOT_FAILED, "IA-E301");
}

TEST(a_guid_that_nobody_has_is_waited_for)
{
	expect("root=nfs4:192.0.2.1:/export rd.ib.guid=0x0002c903000e0b72 ip=" ANY " rd.retry=2",
		BOOT_FAILED,
		"IA-E301");
}

/* How often the agent's loop wakes in a boot that waits for carrier until rd.retry is over. */
static double wakes_while_waiting(const char *retry)
{
	struct node n;
	char line[256];
	double wakes;

	snprintf(line, sizeof(line), "root=nfs4:192.0.2.1:/export ip=" NODE " rd.retry=%s", retry);
	node_open(&n, line);
	CHECK_INT(boot(&n), BOOT_FAILED);
	wakes = number_at(cJSON_GetObjectItem(n.state, "agent"), "wakes");
	node_close(&n);
	return wakes;
}

TEST(an_idle_wait_wakes_for_the_status_line_only)
{
	double shorter, longer;

	netns_enter();
	netns_veth("veth0", "veth1", netns_peer());
	shorter = wakes_while_waiting("2");
	/* Ten seconds more: two status lines. A clock of 0.2 s would make 50, in each boot; of a
	 * start's events fewer come at once on a busy machine, up to 17. */
	for (int i = 0; i < 3; i++)
		if ((longer = wakes_while_waiting("12")) - shorter <= 30)
			return;
	check_fail(__FILE__, __LINE__, "%g wakes in 12 s, %g in 2 s", longer, shorter);
}
