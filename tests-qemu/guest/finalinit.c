// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * finalinit: /sbin/init of the exported root. It is the witness of a boot: it takes the time
 * before anything else, looks at what the initramfs left behind, checks the files of its root
 * against their sums, and sends everything to the host as one ustar stream through the
 * virtio-serial port "results" or, when there is none, the second UART. Then it powers off.
 *
 * finalinit=greet on the kernel command line: greets on the console and shows the agent's phase
 * table (the demo). finalinit=stay: does not power off, for a look around by hand.
 * finalinit=outage: reads its root again and again, past all caches, until a line is typed on the
 * console and the root was read once more; finalinit=cable:N: until N carriers were lost or found,
 * likewise. finalinit=settle: reports only when all that the initramfs left at work has ended.
 */
#include "guest.h"
#include "netwatch.h"
#include "sums.h"
#include "tar.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define KMSG_SIZE (512 * 1024)
#define FALLBACK  "/dev/ttyS1"

/* What is reported besides the files copied whole. */
struct witness {
	struct snapshot pid1;	/* bootmark's record */
	struct snapshot now;
	struct rusage self;	/* PID 1 since the kernel's start, across its execs */
	struct rusage children;
	bool moved_proc, moved_sys, moved_dev, moved_run;
	bool writable;		/* a file could be made in the root */
	struct sums files;
	unsigned long long net_bytes, net_packets; /* of eth*, in and out */
	/* Seconds; -1: not measured. */
	double stalled_s;	/* the root was read once, at the longest */
	double back_s;		/* from the last carrier lost or found until the root was read */
};

/* A text that grows; cut off when full, which the reader sees by its missing end. */
struct text {
	char *buf;
	size_t len;
	size_t size;
};

static void append(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void append(struct text *t, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(t->buf + t->len, t->size - t->len, fmt, ap);
	va_end(ap);
	if (n > 0 && (size_t)n < t->size - t->len)
		t->len += (size_t)n;
}

static bool is_mount(const char *mountinfo, const char *point, const char *type)
{
	char key[64];
	char *line;

	snprintf(key, sizeof(key), " %s ", point);
	line = strstr(mountinfo, key);
	snprintf(key, sizeof(key), " - %s ", type);
	return line && memmem(line, strcspn(line, "\n"), key, strlen(key));
}

/* Notes what was moved here, and mounts what is missing so that the rest of this program works. */
static void check_mounts(struct witness *w)
{
	static char text[65536];

	w->moved_proc = guest_read("/proc/self/mountinfo", text, sizeof(text)) > 0;
	if (!w->moved_proc) {
		mount("proc", "/proc", "proc", 0, NULL);
		guest_read("/proc/self/mountinfo", text, sizeof(text));
	}
	w->moved_sys = is_mount(text, "/sys", "sysfs");
	w->moved_dev = is_mount(text, "/dev", "devtmpfs");
	w->moved_run = is_mount(text, "/run", "tmpfs");
	if (!w->moved_sys)
		mount("sysfs", "/sys", "sysfs", 0, NULL);
	if (!w->moved_dev)
		mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);
}

/* The whole kernel log, one record a line, as /dev/kmsg gives it. */
static size_t read_kmsg(char *buf, size_t size)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	size_t len = 0;

	while (fd >= 0 && size - len > 8192) {
		ssize_t n = read(fd, buf + len, size - 1 - len);

		if (n < 0 && errno == EPIPE) /* records were overwritten meanwhile */
			continue;
		if (n <= 0)
			break;
		len += (size_t)n;
	}
	if (fd >= 0)
		close(fd);
	buf[len] = 0;
	return len;
}

static void parse_bootmark(struct snapshot *s, const char *kmsg)
{
	const char *p = strstr(kmsg, ";bootmark: pid1_ns=");
	unsigned long long v[5];

	if (!p)
		return;
	if (sscanf(p,
		    ";bootmark: pid1_ns=%llu processes=%llu total_kb=%llu free_kb=%llu "
		    "available_kb=%llu",
		    &v[0], &v[1], &v[2], &v[3], &v[4]) != 5)
		return;
	*s = (struct snapshot){v[0], v[1], v[2], v[3], v[4]};
}

/* User processes still alive: pid, name, program, and the kernel function they sleep in. There
 * should be none but ours. */
static void list_processes(struct text *t)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char path[64];
		char comm[64];
		char exe[256];
		char wait[128];
		ssize_t len;

		if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
			continue;
		snprintf(path, sizeof(path), "/proc/%.16s/exe", entry->d_name);
		len = readlink(path, exe, sizeof(exe) - 1);
		if (len < 0) /* kernel threads have no program */
			continue;
		exe[len] = 0;
		snprintf(path, sizeof(path), "/proc/%.16s/comm", entry->d_name);
		guest_read(path, comm, sizeof(comm));
		comm[strcspn(comm, "\n")] = 0;
		snprintf(path, sizeof(path), "/proc/%.16s/wchan", entry->d_name);
		guest_read(path, wait, sizeof(wait));
		append(t, "%s\t%s\t%s\t%s\n", entry->d_name, comm, exe, wait);
	}
	if (dir)
		closedir(dir);
}

/* RDMA ports as "device port state link_layer", one a line. */
static void list_ports(struct text *t)
{
	DIR *dir = opendir("/sys/class/infiniband");
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char path[320];
		char state[64];
		char layer[64];

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/1/state",
			entry->d_name);
		guest_read(path, state, sizeof(state));
		snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/1/link_layer",
			entry->d_name);
		guest_read(path, layer, sizeof(layer));
		append(t, "%s 1 %.*s %.*s\n", entry->d_name, (int)strcspn(state, "\n"), state,
			(int)strcspn(layer, "\n"), layer);
	}
	if (dir)
		closedir(dir);
}

/* proc(5), net/dev: name, then bytes and packets in, six others, bytes and packets out. */
static void count_traffic(struct witness *w)
{
	static char text[8192];
	unsigned long long in[2], out[2];

	guest_read("/proc/net/dev", text, sizeof(text));
	for (const char *p = text; (p = strstr(p, "eth")); p++) {
		if (sscanf(p, "%*[^:]: %llu %llu %*u %*u %*u %*u %*u %*u %llu %llu", &in[0],
			    &in[1], &out[0], &out[1]) != 4)
			continue;
		w->net_bytes += in[0] + out[0];
		w->net_packets += in[1] + out[1];
	}
}

/* Nothing is left behind: the root may be somebody else's, too. */
static bool can_write(void)
{
	int fd = open("/etc/written", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	bool ok = fd >= 0 && write(fd, "x", 1) == 1;

	if (fd >= 0) {
		close(fd);
		unlink("/etc/written");
	}
	return ok;
}

static unsigned long long usec(struct timeval tv)
{
	return (unsigned long long)tv.tv_sec * 1000000ULL + (unsigned long long)tv.tv_usec;
}

static void format_result(struct text *t, const struct witness *w)
{
	append(t, "{\"pid1_ns\": %llu, \"init_ns\": %llu, ", (unsigned long long)w->pid1.boot_ns,
		(unsigned long long)w->now.boot_ns);
	append(t, "\"pid1_processes\": %llu, \"processes\": %llu, ",
		(unsigned long long)w->pid1.processes, (unsigned long long)w->now.processes);
	append(t, "\"total_kb\": %llu, \"pid1_free_kb\": %llu, \"free_kb\": %llu, ",
		(unsigned long long)w->pid1.mem_total_kb, (unsigned long long)w->pid1.mem_free_kb,
		(unsigned long long)w->now.mem_free_kb);
	append(t, "\"self_maxrss_kb\": %ld, \"children_maxrss_kb\": %ld, ", w->self.ru_maxrss,
		w->children.ru_maxrss);
	append(t, "\"self_user_us\": %llu, \"self_system_us\": %llu, ", usec(w->self.ru_utime),
		usec(w->self.ru_stime));
	append(t, "\"children_user_us\": %llu, \"children_system_us\": %llu, ",
		usec(w->children.ru_utime), usec(w->children.ru_stime));
	append(t, "\"moved_proc\": %s, \"moved_sys\": %s, \"moved_dev\": %s, \"moved_run\": %s, ",
		w->moved_proc ? "true" : "false", w->moved_sys ? "true" : "false",
		w->moved_dev ? "true" : "false", w->moved_run ? "true" : "false");
	append(t, "\"writable\": %s, ", w->writable ? "true" : "false");
	append(t, "\"stalled_s\": %.3f, \"back_s\": %.3f, ", w->stalled_s, w->back_s);
	append(t, "\"net_bytes\": %llu, \"net_packets\": %llu, ", w->net_bytes, w->net_packets);
	append(t, "\"files_good\": %u, \"files_bad\": %u}\n", w->files.good, w->files.bad);
}

/* The virtio-serial port called "results", else the second UART; raw, so that bytes stay bytes. */
static int open_results(void)
{
	DIR *dir = opendir("/sys/class/virtio-ports");
	struct dirent *entry;
	struct termios tio;
	char path[320];
	char name[64];
	int fd = -1;

	while (fd < 0 && dir && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "/sys/class/virtio-ports/%s/name", entry->d_name);
		if (guest_read(path, name, sizeof(name)) <= 0 || strncmp(name, "results", 7) != 0)
			continue;
		snprintf(path, sizeof(path), "/dev/%s", entry->d_name);
		fd = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
	}
	if (dir)
		closedir(dir);
	if (fd >= 0)
		return fd;
	fd = open(FALLBACK, O_WRONLY | O_NOCTTY | O_CLOEXEC);
	if (fd >= 0 && tcgetattr(fd, &tio) == 0) {
		cfmakeraw(&tio);
		tcsetattr(fd, TCSANOW, &tio);
	}
	return fd;
}

static void send_run(int fd)
{
	DIR *dir = opendir("/run/initagent");
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char path[320];
		char name[320];

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/run/initagent/%s", entry->d_name);
		snprintf(name, sizeof(name), "run/%s", entry->d_name);
		tar_add_path(fd, name, path);
	}
	if (dir)
		closedir(dir);
}

static void send_text(int fd, const char *name, void (*fill)(struct text *))
{
	static char buf[32768];
	struct text t = {.buf = buf, .size = sizeof(buf)};

	buf[0] = 0;
	fill(&t);
	tar_add(fd, name, t.buf, t.len);
}

static void send_results(const struct witness *w, const char *kmsg, size_t kmsg_len)
{
	static const char *const copies[][2] = {
		{"mountinfo", "/proc/self/mountinfo"},
		{"mountstats", "/proc/self/mountstats"},
		{"cmdline", "/proc/cmdline"},
		{"modules", "/proc/modules"},
		{"route", "/proc/net/route"},
		{"bond0", "/proc/net/bonding/bond0"},
		{"arp", "/proc/net/arp"},
		{"fib_trie", "/proc/net/fib_trie"},
		{"resolv.conf", "/run/initagent/resolv.conf"},
		{"modprobe", "/proc/sys/kernel/modprobe"},
		{"hostname", "/proc/sys/kernel/hostname"},
		{"send_queue_size", "/sys/module/ib_ipoib/parameters/send_queue_size"},
		{"recv_queue_size", "/sys/module/ib_ipoib/parameters/recv_queue_size"},
		{"port_type_array", "/sys/module/mlx4_core/parameters/port_type_array"},
		{"log_num_mac", "/sys/module/mlx4_core/parameters/log_num_mac"},
		{"eth0.network", "/run/systemd/network/05-initagent-eth0.network"},
		{"umcast", "/sys/class/net/ib0/umcast"},
		{"address", "/sys/class/net/ib0/address"},
		{"broadcast", "/sys/class/net/ib0/broadcast"},
		{"gid", "/sys/class/infiniband/sib0/ports/1/gids/0"},
		{"nfs4_unique_id", "/sys/module/nfs/parameters/nfs4_unique_id"},
		{"hostid", "/sys/class/nvme/nvme0/hostid"},
	};
	char buf[2048];
	struct text t = {.buf = buf, .size = sizeof(buf)};
	int fd = open_results();

	if (fd < 0)
		return;
	format_result(&t, w);
	tar_add(fd, "result.json", t.buf, t.len);
	for (size_t i = 0; i < sizeof(copies) / sizeof(copies[0]); i++)
		tar_add_path(fd, copies[i][0], copies[i][1]);
	send_text(fd, "processes", list_processes);
	send_text(fd, "ports", list_ports);
	tar_add(fd, "kmsg", kmsg, kmsg_len);
	send_run(fd);
	tar_end(fd);
	tcdrain(fd);
	close(fd);
}

/* The line of the root file system in mountinfo, from its type on. */
static void print_root(void)
{
	static char text[65536];
	char *line;

	guest_read("/proc/self/mountinfo", text, sizeof(text));
	line = strstr(text, " / / ");
	if (line)
		line = memmem(line, strcspn(line, "\n"), " - ", 3);
	if (line)
		printf("root: %.*s\n", (int)strcspn(line + 3, "\n"), line + 3);
}

/* The demo's root holds a copy of the agent, which tells from its state what happened. */
static void run_status(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		execl("/sbin/initagent", "initagent", "status", (char *)NULL);
		_exit(127);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

/* The demo's last screen: who we are, where the root is, how long each phase took. */
static void greet(const struct witness *w)
{
	static char text[65536];
	uint64_t taken = w->now.boot_ns - w->pid1.boot_ns;

	printf("\n");
	if (guest_read("/etc/motd", text, sizeof(text)) > 0)
		fputs(text, stdout);
	print_root();
	printf("files checked: %u good, %u bad\n", w->files.good, w->files.bad);
	printf("PID 1 start to this init: %llu.%03llu s\n",
		(unsigned long long)(taken / 1000000000),
		(unsigned long long)(taken / 1000000 % 1000));
	fflush(stdout);
	run_status();
}

static void drop_caches(void)
{
	int fd = open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC);

	sync();
	if (fd < 0 || write(fd, "3", 1) != 1)
		printf("finalinit: caches cannot be dropped\n");
	if (fd >= 0)
		close(fd);
}

static void *watch_network(void *arg)
{
	struct netwatch *net = arg;
	struct pollfd p = {.fd = net->fd, .events = POLLIN};

	for (;;) {
		poll(&p, 1, -1);
		netwatch_dispatch(net);
	}
	return NULL;
}

/* A line was typed on the console. */
static bool is_told(void)
{
	struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};

	return poll(&p, 1, 0) > 0;
}

/* carriers: how many are lost or found until then; 0: until a line on the console says that the
 * server is back. The network's changes are on the console. */
static void wait_for_outage(struct witness *w, unsigned carriers)
{
	static struct netwatch net;
	uint64_t began, took, carrier, seen = 0;
	pthread_t thread;
	bool told;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (netwatch_open(&net, stdout) < 0 ||
		pthread_create(&thread, NULL, watch_network, &net) != 0)
		printf("finalinit: the network cannot be watched\n");
	printf("finalinit: the server may go\n");
	do {
		told = is_told();
		/* This program's own pages are the root's, too, and may be what is dropped. */
		began = guest_now();
		drop_caches();
		w->files = (struct sums){0};
		sums_check("/etc/sums", &w->files);
		took = guest_now() - began;
		if ((double)took / 1e9 > w->stalled_s)
			w->stalled_s = (double)took / 1e9;
		/* It may have come since the root was read, or before this round. */
		carrier = atomic_load(&net.carrier_ns);
		if (carrier != seen)
			w->back_s = carrier < began + took
				? (double)(began + took - carrier) / 1e9 : 0;
		seen = carrier;
	} while (!w->files.bad &&
		(carriers ? atomic_load(&net.carriers) < carriers ||
					atomic_load(&net.carrier_ns) > began :
			    !told));
	w->writable = can_write();
	printf("finalinit: back after %.0f s\n", w->stalled_s);
}

/* PID 1 inherits every process; ours are bound to end by themselves. */
static void settle(void)
{
	while (wait(NULL) > 0 || errno == EINTR)
		;
}

/* As any init does it: what the initramfs left is taken when it ends. What does not, shows among
 * the processes. */
static void reap(void)
{
	const struct timespec patience = {.tv_sec = 3};
	sigset_t ends;
	pid_t pid;

	sigemptyset(&ends);
	sigaddset(&ends, SIGCHLD);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	do
		while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
			;
	while (pid == 0 && sigtimedwait(&ends, NULL, &patience) == SIGCHLD);
	sigprocmask(SIG_UNBLOCK, &ends, NULL);
}

int main(void)
{
	static struct witness w = {.stalled_s = -1, .back_s = -1};
	static char kmsg[KMSG_SIZE];
	static char cmdline[8192];
	char mode[32] = "";
	unsigned carriers;
	size_t kmsg_len;

	w.now.boot_ns = guest_now();
	getrusage(RUSAGE_SELF, &w.self);
	check_mounts(&w);
	guest_snapshot(&w.now, "/proc");
	count_traffic(&w);
	reap();
	getrusage(RUSAGE_CHILDREN, &w.children);
	kmsg_len = read_kmsg(kmsg, sizeof(kmsg));
	parse_bootmark(&w.pid1, kmsg);
	sums_check("/etc/sums", &w.files);
	w.writable = can_write();
	guest_read("/proc/cmdline", cmdline, sizeof(cmdline));
	guest_option(cmdline, "finalinit", mode, sizeof(mode));
	if (strcmp(mode, "greet") == 0)
		greet(&w);
	if (strcmp(mode, "outage") == 0)
		wait_for_outage(&w, 0);
	if (sscanf(mode, "cable:%u", &carriers) == 1)
		wait_for_outage(&w, carriers);
	if (strcmp(mode, "settle") == 0) {
		settle();
		kmsg_len = read_kmsg(kmsg, sizeof(kmsg));
	}
	send_results(&w, kmsg, kmsg_len);
	if (strcmp(mode, "stay") == 0)
		pause();
	sync();
	reboot(RB_POWER_OFF);
	return 1;
}
