// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Modules that rd.driver.pre= and rd.driver.post= name, in their order; the network alone, beside a
 * root of dracut's; rd.retry= and rd.timeout= beside each other; interfaces named by ifname=,
 * ip=enx and BOOTIF= (boot/node.h).
 *
 * first: real time-outs of boots
 */
#include "check.h"

#include <limits.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include "boot/node.h"
#include "dhcpserver.h"
#include "netns.h"

static const cJSON *module_row(const struct node *n, const char *name)
{
	const cJSON *m;

	cJSON_ArrayForEach(m, cJSON_GetObjectItem(n->state, "modules"))
		if (streq(text_at(m, "name"), name))
			return m;
	check_fail(__FILE__, __LINE__, "%s", name);
	return NULL;
}

/* When the interface had carrier. */
static double link_end(const struct node *n)
{
	const cJSON *c;

	cJSON_ArrayForEach(c, cJSON_GetObjectItem(n->state, "phases"))
		if (streq(text_at(c, "name"), "link"))
			return number_at(c, "end_s");
	return 0;
}

/* When it left "no carrier", which is where it is held. */
static double address_begin(const struct node *n)
{
	const cJSON *c;

	cJSON_ArrayForEach(c, cJSON_GetObjectItem(n->state, "timeline"))
		if (streq(text_at(c, "room"), "address"))
			return number_at(c, "s");
	return 0;
}

static void in_order(const struct node *n, const char *const *names)
{
	for (size_t i = 1; names[i]; i++)
		CHECK(number_at(module_row(n, names[i]), "begin_s") >=
			number_at(module_row(n, names[i - 1]), "end_s"));
}

/* nfsv3 takes 2.5 s. Each waits for the one before, the root's own for the last of pre; post does
 * not wait for the root's own, and the address waits for the last of post: the interface is up
 * before, so that its link trains meanwhile. */
TEST(named_modules_keep_their_order)
{
	static const char *const pre[] = {"nfsv3", "ib_srp", "sd_mod", "nfsv4", NULL};
	static const char *const post[] = {"sd_mod", "rpcrdma", "nbd", NULL};
	struct node n;

	wire_up();
	node_open(&n, "root=nfs4:192.0.2.1:/export ip=" NODE " rd.driver.pre=nfsv3,ib_srp "
		      "rd.driver.post=rpcrdma,no_such rd.driver.pre=sd_mod rd.driver.post=nbd");
	CHECK_INT(boot(&n), BOOT_DONE);
	in_order(&n, pre);
	in_order(&n, post);
	CHECK(link_end(&n) < number_at(module_row(&n, "sd_mod"), "begin_s"));
	CHECK(address_begin(&n) >= number_at(module_row(&n, "nbd"), "end_s"));
	CHECK_INT(met(&n, "IA-E201"), 1);
	node_close(&n);
}

TEST(a_named_module_that_never_ends_holds_no_boot)
{
	struct node n;

	wire_up();
	node_open(&n, "root=nfs4:192.0.2.1:/export ip=" NODE " rd.driver.post=stuck,nbd");
	CHECK_INT(boot(&n), BOOT_DONE);
	CHECK_INT(met(&n, "IA-E211"), 1);
	CHECK(number_at(module_row(&n, "nbd"), "begin_s") <
		number_at(module_row(&n, "stuck"), "end_s"));
	node_close(&n);
}

/* A card's driver that is blacklisted and named: no alias loads it, it has its turn, and the
 * kernel's own requests do not load it before. */
TEST(a_named_module_that_is_blacklisted_has_its_turn)
{
	static const char *const post[] = {"sd_mod", "ib_srp", "card", "nbd", NULL};
	char list[64];
	struct node n;

	wire_up();
	node_open(&n, "root=nfs4:192.0.2.1:/export ip=" NODE " rd.driver.blacklist=card "
		      "rd.driver.post=sd_mod,ib_srp,card,nbd");
	modtree_file(&n.tree, "/sys/bus/pci/devices/0000:03:00.0/modalias", CARD("card"));
	n.args.standalone = true;
	CHECK_INT(boot(&n), BOOT_DONE);
	in_order(&n, post);
	CHECK(env_read(&n.tree.env, list, sizeof(list), "/run/modprobe.d/initagent.conf") > 0);
	CHECK_STR(list, "blacklist card");
	node_close(&n);
}

/* One worker: what only the mount needs waits for them. */
TEST(named_modules_do_not_queue_behind_the_mounts_own)
{
	bool waited = false;
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	CHECK_INT(sched_setaffinity(0, sizeof(one), &one), 0);
	/* A worker that is kept waiting for its processor gets a second one beside it. */
	for (int i = 0; i < 5 && !waited; i++) {
		struct node n;

		wire_up();
		node_open(&n, "root=nfs4:192.0.2.1:/export ip=" NODE
			" rd.driver.post=sd_mod,nbd,ib_srp");
		CHECK_INT(boot(&n), BOOT_DONE);
		waited = number_at(module_row(&n, "nfsv4"), "begin_s") >=
			number_at(module_row(&n, "ib_srp"), "end_s");
		node_close(&n);
	}
	CHECK(waited);
}

static bool console_has(const struct node *n, const char *words)
{
	char text[8192];
	ssize_t len = pread(n->args.console_fd, text, sizeof(text) - 1, 0);

	CHECK(len > 0);
	text[len] = 0;
	return strstr(text, words);
}

/* The driver of another adapter, "slow", sleeps longer than rd.retry=. */
TEST(the_driver_of_a_slow_adapter_holds_no_boot)
{
	struct node n;

	wire_up();
	node_open(&n, "root=nfs4:192.0.2.1:/export ip=" NODE " rd.driver.post=nbd rd.retry=12");
	n.args.console_fd = memfd_create("console", MFD_CLOEXEC);
	modtree_file(&n.tree, "/sys/bus/pci/devices/0000:03:00.0/modalias", CARD("slow"));
	CHECK_INT(boot(&n), BOOT_DONE);
	CHECK(number_at(module_row(&n, "nbd"), "begin_s") <
		number_at(module_row(&n, "slow"), "end_s"));
	CHECK(console_has(&n, "waiting for kernel module slow to load ("));
	CHECK(console_has(&n, " s of 12 s, IA-E211)"));
	close(n.args.console_fd);
	node_close(&n);
}

/* As the running node's udev calls it: by its place on the bus. Where an option has the name that
 * it has, that stays. */
TEST(an_interface_is_found_by_the_name_that_udev_gives_it)
{
	static const char place[] = "/sys/devices/pci0000:40/0000:40:01.1/0000:41:00.0";
	static const struct {
		const char *options, *name;
	} rows[] = {
		{"ip=192.0.2.2:::24::enp65s0f0np0:none", "enp65s0f0np0"},
		{"bootdev=enp65s0f0np0 ip=" NODE, "veth0"},
		{"ip=" NODE " bootdev=enp65s0f0np0", "veth0"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char link[PATH_MAX], to[PATH_MAX], line[256];
		const cJSON *rail;
		struct node n;

		wire_up();
		snprintf(line, sizeof(line), "root=nfs4:192.0.2.1:/export %s", rows[i].options);
		node_open(&n, line);
		snprintf(to, sizeof(to), "%s/uevent", place);
		modtree_file(&n.tree, to, "");
		modtree_file(&n.tree, "/sys/class/net/veth0/phys_port_name", "p0\n");
		snprintf(to, sizeof(to), "%s%s", n.tree.root, place);
		snprintf(link, sizeof(link), "%s/sys/class/net/veth0/device", n.tree.root);
		CHECK_INT(symlink(to, link), 0);
		CHECK_INT(boot(&n), BOOT_DONE);
		rail = cJSON_GetArrayItem(cJSON_GetObjectItem(n.state, "rails"), 0);
		CHECK_STR(text_at(rail, "netdev"), rows[i].name);
		CHECK_STR(text_at(rail, "address"), "192.0.2.2/24");
		node_close(&n);
	}
}

/* rd.neednet: a boot of the network alone; the root is mounted by somebody else, as /proc is. */
static enum boot_outcome beside(const char *line, const char *code)
{
	enum boot_outcome outcome;
	char online[64];
	struct node n;

	wire_up();
	node_open(&n, line);
	n.args.sysroot = "/proc";
	outcome = boot(&n);
	if (*code)
		CHECK(met(&n, code) > 0);
	if (outcome == BOOT_DONE) {
		const cJSON *rail = cJSON_GetArrayItem(cJSON_GetObjectItem(n.state, "rails"), 0);

		CHECK_STR(text_at(rail, "address"), "192.0.2.2/24");
		CHECK(env_read(&n.tree.env, online, sizeof(online), "/run/initagent/online") > 0);
		CHECK_STR(online, text_at(rail, "netdev"));
		CHECK(!cJSON_IsObject(cJSON_GetObjectItem(n.state, "root")));
		/* for initramfs-tools alone */
		CHECK_INT(env_read(&n.tree.env, online, sizeof(online), "/run/net-veth0.conf"),
			-ENOENT);
	}
	node_close(&n);
	return outcome;
}

TEST(the_network_beside_a_root_that_is_not_ours)
{
	CHECK_INT(beside("root=LABEL=x rd.neednet=1 ip=" NODE, ""), BOOT_DONE);
	/* every interface that is named, as dracut; two ip= mean rd.neednet=1 */
	CHECK_INT(beside("root=/dev/sda1 ip=" NODE " ip=eth9:dhcp rd.retry=5", "IA-E401"),
		BOOT_FAILED);
	CHECK_INT(beside("root=LABEL=x ip=" NODE, ""), BOOT_NOT_OURS);
	CHECK_INT(beside("root=LABEL=x rd.neednet=0 ip=" NODE, ""), BOOT_NOT_OURS);
	CHECK_INT(beside("root=LABEL=x netroot=iscsi:192.0.2.1::::iqn.x rd.neednet=1 ip=" NODE, ""),
		BOOT_NOT_OURS);
	CHECK_INT(beside("root=LABEL=x rd.iscsi.firmware=1 rd.neednet=1 ip=" NODE, ""),
		BOOT_NOT_OURS);
	CHECK_INT(beside("root=iscsi:192.0.2.1::::iqn.x rd.neednet=1 ip=" NODE, ""), BOOT_NOT_OURS);
	CHECK_INT(beside("root=LABEL=x rd.neednet=1 netroot= rd.fcoe=0 rd.iscsi.firmware=0 "
			 "rd.iscsi.initiator=iqn.x iscsi_tcp.debug_iscsi_tcp=1 ip=" NODE, ""),
		BOOT_DONE);
	CHECK_INT(beside("root=ZFS=tank rd.neednet=1 ip=" NODE, ""), BOOT_DONE);
	/* dracut reads the iBFT of its own disks */
	CHECK_INT(beside("root=LABEL=x rd.iscsi.firmware=1 ip=ibft", ""), BOOT_NOT_OURS);
	CHECK_INT(beside("root=LABEL=x rd.neednet=1 ip=ibft", "IA-E108"), BOOT_FAILED);
}

/* A byte for each renewal: by a client that has the address already. */
static int renewed[2];

static int server_of_six_seconds(struct msg *m, const uint8_t *request, size_t len, unsigned type,
	unsigned n)
{
	(void)len;
	(void)n;
	if (!dhcpserver_answer(m, request, type))
		return 0;
	memcpy(m->bytes + MSG_OPTIONS + 3 + 6 + 2, "\0\0\0\6", 4); /* T1 after 3 */
	msg_end(m);
	if (type == 3 && msg_be32(request + MSG_HEADERS + 12) && write(renewed[1], "", 1) != 1)
		_exit(1);
	return 1;
}

/* Twelve seconds are more than any of it takes. */
static bool readable(int fd)
{
	struct pollfd pfd = {.fd = fd, .events = POLLIN};

	return poll(&pfd, 1, 12000) == 1;
}

static bool renewed_twice(void)
{
	char byte;

	for (int i = 0; i < 2; i++)
		if (!readable(renewed[0]) || read(renewed[0], &byte, 1) != 1)
			return false;
	return true;
}

/* The cable is out until that was told. */
static bool cable_out_is_told(const struct node *n, pid_t peer)
{
	char path[PATH_MAX], text[65536], events[4096];
	int fd = inotify_init1(IN_CLOEXEC);
	bool told = false;

	env_path(&n->tree.env, path, sizeof(path), "/run/initagent");
	CHECK(inotify_add_watch(fd, path, IN_MODIFY | IN_CREATE | IN_MOVED_TO) >= 0);
	netns_run_in(peer, "ip link set veth1 down");
	while (!told && readable(fd) && read(fd, events, sizeof(events)) > 0)
		told = env_read(&n->tree.env, text, sizeof(text), "/run/initagent/log") > 0 &&
			strstr(text, "IA-E402");
	netns_run_in(peer, "ip link set veth1 up");
	return told;
}

/* Who unlocks a disk may need the network's files. */
static bool has_net_conf(const struct node *n)
{
	char text[1024];

	return env_read(&n->tree.env, text, sizeof(text), "/run/net-veth0.conf") > 0 &&
		strstr(text, "\nIPV4ADDR='10.0.0.5'\n");
}

/* A user who types a passphrase: after all that, or without, the root is mounted. */
static void mount_late(const struct node *n, pid_t peer, const char *sysroot)
{
	bool good = renewed_twice() && has_net_conf(n);

	good = cable_out_is_told(n, peer) && good;
	_exit(mount("root", sysroot, "tmpfs", 0, NULL) < 0 || !good);
}

TEST(the_network_stays_up_while_the_root_is_waited_for)
{
	char sysroot[PATH_MAX];
	pid_t peer = wire_up(), user;
	const cJSON *rail;
	struct node n;
	int status;

	if (unshare(CLONE_NEWNS) < 0 || mount("", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		check_skip("no right to mount: %s", strerror(errno));
	CHECK_INT(pipe2(renewed, O_CLOEXEC), 0);
	netns_run_in(peer, "ip addr add 10.0.0.1/24 dev veth1");
	dhcpserver_start(peer, "veth1", server_of_six_seconds);
	node_open(&n, "root=/dev/mapper/luks-x rd.neednet=1 ip=veth0:dhcp rd.retry=4 rd.timeout=4");
	modtree_file(&n.tree, "/sysroot/.keep", "");
	snprintf(sysroot, sizeof(sysroot), "%s/sysroot", n.tree.root);
	n.args.sysroot = sysroot;
	n.args.net_conf = true;
	user = fork();
	if (user == 0)
		mount_late(&n, peer, sysroot);
	CHECK_INT(boot(&n), BOOT_DONE);
	CHECK_INT(waitpid(user, &status, 0), user);
	CHECK_INT(status, 0);
	CHECK_STR(met_at(&n, "IA-E402"), "veth0");
	rail = cJSON_GetArrayItem(cJSON_GetObjectItem(n.state, "rails"), 0);
	CHECK_STR(text_at(rail, "address"), "10.0.0.5/24");
	CHECK_INT(umount2(sysroot, MNT_DETACH), 0);
	node_close(&n);
}

/* The stand-alone image mounts the disk itself: not before each interface that is named has its
 * address. */
TEST(all_that_are_named_before_a_disk_of_the_stand_alone_image)
{
	static const char *const others[] = {
		"root=ZFS=tank rd.neednet=1 ip=" NODE, "root=LABEL=x ip=" NODE};
	struct node n;

	wire_up();
	node_open(&n, "root=LABEL=x rd.neednet=1 ip=" NODE " ip=eth9:dhcp rd.retry=5");
	n.args.standalone = true;
	CHECK_INT(boot(&n), BOOT_FAILED);
	CHECK_STR(met_at(&n, "IA-E401"), "network");
	node_close(&n);
	/* A local root that it does not know, and one without rd.neednet= */
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		wire_up();
		node_open(&n, others[i]);
		n.args.standalone = true;
		CHECK_INT(boot(&n), BOOT_FAILED);
		CHECK_INT(met(&n, "IA-E103"), 1);
		CHECK_INT(cJSON_GetArraySize(cJSON_GetObjectItem(n.state, "rails")), 0);
		node_close(&n);
	}
}

/* What the agent makes itself waits for what is below it, and that is what has to be looked for. An
 * interface that is not set up has no carrier whatever its cable does. */
TEST(the_interface_below_a_bond_is_the_one_that_is_missing)
{
	struct node n;

	wire_up();
	netns_run("ip link set veth0 down");
	node_open(&n, "root=nfs4:192.0.2.1:/export bond=bond7:eth7 ip=bond7:dhcp rd.retry=2 "
		"rd.net.timeout.iflink=1");
	CHECK_INT(boot(&n), BOOT_FAILED);
	CHECK(says(&n, "IA-E401", "eth7 of bond7 to appear; there are: veth0 (down)"));
	CHECK_STR(met_at(&n, "IA-E401"), "eth7");
	node_close(&n);
}

/* dracut asks by DHCP on the interface of BOOTIF=, whatever ip= names besides, and waits for it. */
TEST(the_interface_of_bootif_is_one_more)
{
	static const char line[] = "root=LABEL=x rd.neednet=1 ip=" NODE " rd.retry=5 "
				   "BOOTIF=01-52-54-00-00-00-08 bridge=br8:eth8";
	const cJSON *rails;
	struct node n;

	/* A made interface: of others than the plan's, veth among them, none is taken unnamed. */
	wire_up();
	netns_veth("eth8", "eth9", 0);
	netns_run("ip link set eth8 address 52:54:00:00:00:08");
	node_open(&n, line);
	CHECK_INT(boot(&n), BOOT_FAILED);
	rails = cJSON_GetObjectItem(n.state, "rails");
	CHECK_INT(cJSON_GetArraySize(rails), 2);
	node_close(&n);
	wire_up();
	node_open(&n, line);
	CHECK_INT(boot(&n), BOOT_FAILED);
	CHECK_STR(met_at(&n, "IA-E401"), "network");
	node_close(&n);
}

TEST(no_limit_of_the_network_leaves_that_of_the_boot)
{
	expect("root=nfs4:192.0.2.1:/refused ip=" NODE " rd.retry=0 rd.timeout=5", BOOT_FAILED,
		"IA-E704");
	expect("root=nfs4:192.0.2.1:/refused ip=" NODE " rd.retry=5s rd.timeout=0", BOOT_FAILED,
		"IA-E602");
	expect("root=nfs4:192.0.2.1:/export ip=" NODE " rd.retry=-1 rd.timeout=soon", BOOT_DONE,
		"IA-E101");
}

/* The kernel numbers interfaces as their drivers come, which is not the order of the command line:
 * the names of the two have to change places. */
TEST(names_that_the_kernel_gave_to_other_interfaces)
{
	const cJSON *rails, *rail;
	struct node n;

	wire_up();
	netns_veth("net0", "net9", 0);
	netns_run("ip link set veth0 address 52:54:00:00:00:07; "
		  "ip link set net0 address 52:54:00:00:00:08");
	node_open(&n, "root=nfs4:192.0.2.1:/export ifname=net0:52:54:00:00:00:07 "
		"ifname=veth0:52:54:00:00:00:08 ip=192.0.2.2:::24::net0:none ip=veth0:dhcp "
		"rd.retry=20");
	CHECK_INT(boot(&n), BOOT_DONE);
	rails = cJSON_GetObjectItem(n.state, "rails");
	CHECK_INT(cJSON_GetArraySize(rails), 2);
	cJSON_ArrayForEach(rail, rails)
		CHECK_STR(text_at(rail, "netdev"),
			cJSON_IsTrue(cJSON_GetObjectItem(rail, "carries_root")) ? "net0" : "veth0");
	CHECK_INT(met(&n, "IA-E403"), 0);
	node_close(&n);
}

/* Whatever ip= says of them: the names are for the real root's use, too. */
TEST(ifname_names_interfaces_that_no_ip_uses)
{
	unsigned other;
	struct node n;

	wire_up();
	netns_veth("net0", "net9", 0);
	other = if_nametoindex("net0");
	netns_run("ip link set veth0 address 52:54:00:00:00:07; "
		  "ip link set net0 address 52:54:00:00:00:08");
	node_open(&n, "root=nfs4:192.0.2.1:/export ifname=net0:52:54:00:00:00:07 "
		"ifname=boot0:52:54:00:00:00:08 ip=192.0.2.2:::24::net0:none rd.retry=20");
	CHECK_INT(boot(&n), BOOT_DONE);
	CHECK_INT(if_nametoindex("boot0"), other);
	node_close(&n);
}

TEST(an_interface_is_found_and_named_by_enx_and_its_address)
{
	unsigned first;
	struct node n;

	wire_up();
	first = if_nametoindex("veth0");
	netns_run("ip link set veth0 address 52:54:00:00:00:07");
	node_open(&n, "root=nfs4:192.0.2.1:/export rd.retry=5 "
		"ip=192.0.2.2::192.0.2.1:24::enx525400000007:none");
	CHECK_INT(boot(&n), BOOT_DONE);
	CHECK_INT(if_nametoindex("enx525400000007"), first);
	node_close(&n);
}

/* As in dracut, whose BOOTIF= wins over the order of ip=. */
TEST(bootif_leads_before_the_first_ip)
{
	struct node n;

	wire_up();
	netns_veth("net0", "net9", 0);
	netns_run("ip link set net9 up; ip link set net0 address 52:54:00:00:00:08");
	node_open(&n, "root=nfs4:192.0.2.1:/export BOOTIF=01-52-54-00-00-00-08 ip=" NODE
		" ip=198.51.100.2::198.51.100.1:24::net0:none rd.retry=20");
	CHECK_INT(boot(&n), BOOT_DONE);
	netns_run("ip route show default | head -n 1 | grep -qw net0 && "
		  "ip route show default | grep -q 'veth0.*metric 100'");
	node_close(&n);
}

/* It comes last: no route of those before it may have its metric. */
TEST(bootdev_leads_before_the_first_ip)
{
	struct node n;

	wire_up();
	netns_veth("net0", "net9", 0);
	netns_run("ip link set net9 up");
	node_open(&n, "root=nfs4:192.0.2.1:/export bootdev=net0 ip=" NODE
		" ip=198.51.100.2::198.51.100.1:24::net0:none rd.retry=20");
	CHECK_INT(boot(&n), BOOT_DONE);
	netns_run("ip route show default | grep -w net0 && ! ip route | grep 'net0.*metric' && "
		  "ip route show 192.0.2.0/24 | grep 'veth0.*metric 100'");
	node_close(&n);
}

/* Nobody else's name: the interface with that address is not there yet, and another that bears
 * the name is not taken for it. */
TEST(a_name_of_ifname_is_no_other_interfaces)
{
	struct node n;

	wire_up();
	node_open(&n, "root=nfs4:192.0.2.1:/export ifname=veth0:52:54:00:00:00:07 ip=" NODE
		" rd.retry=2");
	CHECK_INT(boot(&n), BOOT_FAILED);
	CHECK(met(&n, "IA-E401") > 0);
	CHECK_INT(cJSON_GetArraySize(cJSON_GetObjectItem(n.state, "rails")), 0);
	node_close(&n);
}
