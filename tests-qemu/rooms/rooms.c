// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rooms: PID 1 of a VM that puts the modules and fabric rooms to work on a real kernel, without the
 * rest of the agent. Prints TAP on the console and "figure NAME VALUE" comments for the bench. The
 * kernel command line chooses: workers=N, only=PART (default: all parts).
 */
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <rdma/rdma_netlink.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/env.h"
#include "base/netlink.h"
#include "fabric/fabric.h"
#include "fabric/rdma_link.h"
#include "images.h"
#include "modules/modprobe.h"
#include "modules/modules.h"

#define PATIENCE (60 * NSEC_PER_SEC)

static const struct env env = {.prefix = ""};
static unsigned count, failed, rounds;

static bool ok(bool good, const char *fmt, ...) _printf_(2, 3);

static bool ok(bool good, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	printf("%sok %u - %s\n", good ? "" : "not ", ++count, text);
	fflush(stdout);
	failed += !good;
	return good;
}

static void figure(const char *name, double value)
{
	printf("# figure %s %.3f\n", name, value);
}

/* "processes" of /proc/stat: every process and kernel thread created since boot. */
static unsigned forks(void)
{
	static char stat[64 * 1024];
	const char *p;

	if (env_read(&env, stat, sizeof(stat), "/proc/stat") < 0)
		return 0;
	p = strstr(stat, "\nprocesses ");
	return p ? (unsigned)strtoul(p + 11, NULL, 10) : 0;
}

static double own_cpu(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

/* The word after "key=" on the command line, or fallback. */
static const char *option(const char *key, const char *fallback)
{
	static char line[2048], value[64];
	char *p;

	if (env_read(&env, line, sizeof(line), "/proc/cmdline") < 0)
		return fallback;
	p = strstr(line, key);
	if (!p)
		return fallback;
	p += strlen(key);
	p[strcspn(p, " \n")] = 0;
	(void)strscpy(value, p, sizeof(value));
	return value;
}

static void settle(struct modules *m)
{
	const uint64_t end = now_ns() + PATIENCE;
	struct pollfd pfd = {.fd = modules_fd(m), .events = POLLIN};

	while (now_ns() < end) {
		uint64_t now = now_ns(), when;

		modules_dispatch(m, now);
		modules_start(m, now);
		rounds++;
		if (modules_settled(m))
			return;
		when = min_u64(modules_deadline(m), end);
		if (when > now)
			poll(&pfd, 1, (int)((when - now) / NSEC_PER_MSEC) + 1);
	}
	ok(false, "modules settled in time");
}

static struct modules *open_room(const struct modules_config *cfg)
{
	struct modules *m = NULL;
	int r = modules_new(&m, &env, cfg);

	if (!ok(r == 0, "the room opens"))
		printf("# %s\n", strerror(-r));
	return m;
}

static void show_ledger(const struct modules *m, uint64_t zero)
{
	size_t n;
	const struct module_entry *e = modules_ledger(m, &n);

	for (size_t i = 0; i < n; i++)
		printf("# %-18s %-8s %7.1f ms + %6.1f ms %s %s\n", e[i].name,
			module_state_name(e[i].state),
			e[i].begin ? (double)(e[i].begin - zero) / 1e6 : 0,
			(double)(e[i].end - e[i].begin) / 1e6, cause_info(e[i].cause)->id,
			e[i].text);
}

static void is_loaded(const struct modules *m, const char *name)
{
	const struct module_entry *e = modules_find(m, name);

	ok(e && (e->state == MODULE_LOADED || e->state == MODULE_PRESENT), "%s is loaded (%s)",
		name, e ? e->text : "never asked for");
}

/* What a NFSoRDMA boot over Soft-RoCE needs, cold plug included. */
static struct modules *load_all(void)
{
	static const char *const wanted[] = {"rdma_rxe", "rpcrdma", "nfsv4", "ib_umad", "overlay"};
	const struct modules_config cfg = {
		.workers = (unsigned)strtoul(option("workers=", "0"), NULL, 10)};
	const double cpu = own_cpu();
	const unsigned before = forks();
	uint64_t begin = now_ns(), net = 0;
	struct modules *m = open_room(&cfg);
	struct module_event ev;

	if (!m)
		return NULL;
	figure("cpu_open_ms", (own_cpu() - cpu) * 1e3);
	ok(modules_coldplug(m, now_ns()) == 0, "cold plug listens");
	figure("cpu_coldplug_ms", (own_cpu() - cpu) * 1e3);
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		modules_request(m, wanted[i], now_ns());
	figure("cpu_resolve_ms", (own_cpu() - cpu) * 1e3);
	figure("resolve_ms", (double)(now_ns() - begin) / 1e6);
	settle(m);
	figure("load_all_ms", (double)(now_ns() - begin) / 1e6);
	while (modules_pop_event(m, &ev))
		if (streq(ev.entry.name, "virtio_net"))
			net = ev.entry.end;
	figure("virtio_net_ms", net ? (double)(net - begin) / 1e6 : -1);
	figure("own_cpu_ms", (own_cpu() - cpu) * 1e3);
	figure("rounds", rounds);
	figure("workers", modules_processes(m));
	figure("forks", forks() - before);
	show_ledger(m, begin);
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		is_loaded(m, wanted[i]);
	is_loaded(m, "virtio_net");
	is_loaded(m, "crc32_generic");
	return m;
}

/* Sets or clears IFF_UP. */
static void set_up(const char *netdev, bool up)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq ifr = {0};

	(void)strscpy(ifr.ifr_name, netdev, sizeof(ifr.ifr_name));
	ok(ioctl(fd, SIOCGIFFLAGS, &ifr) == 0, "%s is there", netdev);
	ifr.ifr_flags = (short)(up ? ifr.ifr_flags | IFF_UP : ifr.ifr_flags & ~IFF_UP);
	ok(ioctl(fd, SIOCSIFFLAGS, &ifr) == 0, "%s set %s", netdev, up ? "up" : "down");
	close(fd);
}

static void set_address(const char *netdev, uint32_t address)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq ifr = {0};
	struct sockaddr_in *sin = (struct sockaddr_in *)(void *)&ifr.ifr_addr;

	(void)strscpy(ifr.ifr_name, netdev, sizeof(ifr.ifr_name));
	sin->sin_family = AF_INET;
	sin->sin_addr.s_addr = address;
	ok(ioctl(fd, SIOCSIFADDR, &ifr) == 0, "%s gets an address", netdev);
	close(fd);
}

/* Waits until the port's state is wanted. Returns the time it took in ms, -1: never. */
static double wait_state(struct fabric *f, const char *device, enum port_state wanted)
{
	const uint64_t begin = now_ns(), end = begin + 10 * NSEC_PER_SEC;
	struct pollfd pfd = {.fd = fabric_fd(f), .events = POLLIN};

	while (now_ns() < end) {
		const struct fabric_port *p = fabric_find(f, device, 1);
		struct fabric_event ev;
		uint64_t now;

		if (p && p->state == wanted)
			return (double)(now_ns() - begin) / 1e6;
		now = now_ns();
		poll(&pfd, 1,
			(int)(min_u64(fabric_deadline(f), end) - now) / (int)NSEC_PER_MSEC + 1);
		fabric_dispatch(f, now_ns());
		while (fabric_pop_event(f, &ev))
			printf("# event %d %s %s\n", ev.type, ev.port.name,
				port_state_name(ev.port.state));
	}
	return -1;
}

static void try_link(const char *name, const char *type, const char *netdev, int want)
{
	uint64_t begin = now_ns();
	char text[128] = "";
	int r = rdma_link_add(name, type, netdev, text, sizeof(text));

	printf("# link %s type %s netdev %s: %d %s (%.1f ms)\n", name, type, netdev, r, text,
		(double)(now_ns() - begin) / 1e6);
	ok(r == want, "link %s,%s,%s gives %d", name, type, netdev, want);
	ok((r < 0) == (*text != 0), "a failure has its words");
}

static void links(void)
{
	try_link("rxe0", "rxe", "eth0", 0);
	try_link("rxe0", "rxe", "eth0", 1);
	try_link("rxe1", "rxe", "eth0", -EEXIST);
	try_link("rxe0", "rxe", "lo", -EEXIST);
	try_link("rxe2", "rxe", "nosuch0", -ENODEV);
	try_link("foo0", "foo", "lo", -EINVAL);
}

static void events(void)
{
	struct fabric *f = NULL;
	const struct fabric_port *p;
	const struct inet_addr addr = {.family = AF_INET, .bytes = {10, 99, 0, 100}};
	double t;
	size_t n;

	if (!ok(fabric_new(&f, &env, NULL) == 0 && fabric_rescan(f, now_ns()) == 0, "fabric opens"))
		return;
	p = fabric_find(f, "rxe0", 1);
	ok(p && p->verbs_events, "rxe0 has verbs events: its provider is linked in");
	ok(fabric_deadline(f) == NSEC_NEVER, "no timer is needed");
	ok(p && streq(p->netdev, "eth0") && p->link_layer == LINK_LAYER_ETHERNET,
		"rxe0 is on eth0");
	ok(wait_state(f, "rxe0", PORT_ACTIVE) >= 0, "rxe0 becomes ACTIVE");
	set_up("eth0", false);
	t = wait_state(f, "rxe0", PORT_STATE_DOWN);
	ok(t >= 0, "link down is told by a verbs event");
	figure("down_event_ms", t);
	set_up("eth0", true);
	t = wait_state(f, "rxe0", PORT_ACTIVE);
	ok(t >= 0, "link up is told by a verbs event");
	figure("up_event_ms", t);
	ok(!fabric_has_gid(&env, fabric_find(f, "rxe0", 1), &addr), "no GID yet");
	set_address("eth0", addr.v4.s_addr);
	ok(fabric_has_gid(&env, fabric_find(f, "rxe0", 1), &addr),
		"the address has a RoCE GID at once");
	p = fabric_ports(f, &n);
	fabric_print_ports(&env, p, n, stdout);
	fabric_free(f);
}

/* The only RDMA device there is: its index is small. */
static int delete_link(void)
{
	_cleanup_(netlink_freep) struct netlink *n = NULL;
	int r = netlink_new(&n, NETLINK_RDMA);

	for (uint32_t index = 0; n && index < 16; index++) {
		const int type = RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_DELLINK);
		struct nl_msg *msg = netlink_msg(type, NLM_F_REQUEST | NLM_F_ACK, NULL, 0);

		r = netlink_call(n, netlink_put_u32(msg, RDMA_NLDEV_ATTR_DEV_INDEX, index), "link");
		if (r == 0)
			break;
	}
	return r;
}

/* Before switch-root: with the contexts closed nothing holds the link. */
static void removal(void)
{
	struct fabric *f = NULL;
	uint64_t begin;
	int r;

	if (!ok(fabric_new(&f, &env, NULL) == 0 && fabric_rescan(f, now_ns()) == 0, "fabric opens"))
		return;
	ok(fabric_find(f, "rxe0", 1) && fabric_find(f, "rxe0", 1)->verbs_events, "rxe0 is watched");
	begin = now_ns();
	fabric_close_verbs(f);
	r = delete_link();
	ok(r == 0, "with contexts closed the link can be removed (%s)", strerror(-r));
	figure("remove_ms", (double)(now_ns() - begin) / 1e6);
	fabric_free(f);
}

/* Takes the virtio interface out, as a hot unplug would. Blocks as long as somebody holds it. */
static pid_t unplug(void)
{
	static const char path[] = "/sys/bus/virtio/drivers/virtio_net/unbind";
	char device[64], link[128];
	pid_t pid = fork();
	ssize_t n;
	int fd;

	if (pid != 0)
		return pid;
	/* Inherited, the verbs context would stay open here. */
	for (fd = 3; fd < 64; fd++)
		close(fd);
	n = readlink("/sys/class/net/eth0/device", link, sizeof(link) - 1);
	link[n > 0 ? n : 0] = 0;
	(void)strscpy(device, strrchr(link, '/') ? strrchr(link, '/') + 1 : link, sizeof(device));
	fd = open(path, O_WRONLY | O_CLOEXEC);
	_exit(fd < 0 || write(fd, device, strlen(device)) < 0);
}

/* The netdev goes while a context is open: the room must let go by itself. */
static void netdev_goes(void)
{
	const uint64_t end = now_ns() + 20 * NSEC_PER_SEC;
	struct fabric *f = NULL;
	uint64_t begin = now_ns();
	int status = -1;
	pid_t pid;

	try_link("rxe0", "rxe", "eth0", 0);
	if (!ok(fabric_new(&f, &env, NULL) == 0 && fabric_rescan(f, now_ns()) == 0, "fabric opens"))
		return;
	ok(fabric_find(f, "rxe0", 1) && fabric_find(f, "rxe0", 1)->verbs_events, "rxe0 is watched");
	pid = unplug();
	while (now_ns() < end && waitpid(pid, &status, WNOHANG) == 0) {
		struct pollfd pfd = {.fd = fabric_fd(f), .events = POLLIN};

		poll(&pfd, 1, 20);
		fabric_dispatch(f, now_ns());
	}
	ok(status == 0, "an open context does not hold up its netdev");
	figure("unplug_ms", (double)(now_ns() - begin) / 1e6);
	fabric_free(f);
}

struct trouble {
	const char *module;
	enum cause cause;
	const char *words; /* must be in the text */
};

static void troubles(void)
{
	static const struct trouble rows[] = {
		{"nosuchmodule", CAUSE_MODULE_MISSING, "no such module or alias"},
		{"loop", CAUSE_MODULE_SYMBOLS, "loop: disagrees about version of symbol"},
		{"ib_ipoib", CAUSE_MODULE_SIGNATURE, ""},
		{"rdma_ucm", CAUSE_MODULE_FAILED, "not a module for this kernel"},
		{"mlx4_core", CAUSE_MODULE_OPTION, "unknown parameter 'nosuchoption' ignored"},
		{"mlx5_ib", CAUSE_MODULE_BLACKLISTED, "rd.driver.blacklist"},
	};
	static const char *const blacklist[] = {"mlx5_ib"};
	static const struct module_param params[] = {
		{.module = "mlx4_core", .param = "nosuchoption", .value = "1"}};
	const struct modules_config cfg = {
		.blacklist = blacklist, .n_blacklist = 1, .n_barred = 1,
		.params = params, .n_params = 1};
	struct modules *m = open_room(&cfg);

	for (size_t i = 0; m && i < ARRAY_SIZE(rows); i++) {
		const struct module_entry *e;

		modules_request(m, rows[i].module, now_ns());
		settle(m);
		e = modules_find(m, rows[i].module);
		ok(e && e->cause == rows[i].cause && strstr(e->text, rows[i].words), "%s: %s: %s",
			rows[i].module, e ? cause_info(e->cause)->code : "", e ? e->text : "");
	}
	modules_free(m);
}

/* The kernel's own request_module, with this program as /sbin/modprobe. */
static void helper(void)
{
	struct stat st;
	char old[64];
	unsigned before = forks();

	ok(modules_check_modprobe_helper(&env, old, sizeof(old)) == 0, "the helper is left alone");
	/* There is nothing to mount; the kernel looks for the file system first. */
	ok(mount("none", "/proc", "squashfs", 0, NULL) < 0, "no squashfs there");
	ok(stat("/sys/module/squashfs", &st) == 0, "the kernel got squashfs by itself");
	figure("helper_forks", forks() - before);
}

static void power_off(void)
{
	printf("1..%u\n# %s\n", count, failed ? "FAILED" : "all passed");
	fflush(stdout);
	sync();
	reboot(RB_POWER_OFF);
}

static void mount_basics(void)
{
	mount("proc", "/proc", "proc", 0, NULL);
	mount("sysfs", "/sys", "sysfs", 0, NULL);
	mount("dev", "/dev", "devtmpfs", 0, NULL);
}

int main(int argc, char **argv)
{
	const char *name = strrchr(argv[0], '/');
	const char *only;
	struct modules *m;

	if (streq(name ? name + 1 : argv[0], "modprobe"))
		return modules_modprobe_main(argc, argv);
	mount_basics();
	printf("# kernel hands over at %.3f s\n", (double)now_ns() / 1e9);
	m = load_all();
	only = option("only=", "all");
	if (streq(only, "all")) {
		set_up("eth0", true);
		links();
		events();
		removal();
		netdev_goes();
		troubles();
		helper();
	}
	if (streq(only, "images"))
		images_try(m, ok, settle);
	modules_free(m);
	power_off();
}
