// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bootmark: the rdinit= of every measured node, ours and the peers' alike. It records when PID 1
 * started, how many processes the kernel had made and how much memory was in use by then, as one
 * record in the kernel log that finalinit finds again in the real root, and becomes /init.
 *
 * bootmark.kill=EVENT[,EVENT...] on the kernel command line leaves a watcher behind that ends the
 * agent (never PID 1) with SIGKILL once at each event:
 *   link   a network interface other than lo is up
 *   addr   an address, not a link-local one, was set on an interface other than lo
 *   mount  an NFS file system was mounted, or the writable layer over an image
 */
#include "guest.h"

#include <dirent.h>
#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <fcntl.h>
#include <unistd.h>

#define PROC	      "/bootmark.proc"
#define NODE	      "/bootmark.kmsg"
#define WATCH_SECONDS 120

enum event { EVENT_LINK = 1, EVENT_ADDR = 2, EVENT_MOUNT = 4 };

static const struct {
	const char *name;
	enum event event;
} events[] = {
	{"link", EVENT_LINK},
	{"addr", EVENT_ADDR},
	{"mount", EVENT_MOUNT},
};

static unsigned parse_events(const char *list)
{
	unsigned mask = 0;

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if (strstr(list, events[i].name))
			mask |= events[i].event;
	return mask;
}

/*
 * The agent is known by the file it runs, not by a name it may change: "initagent", or "init"
 * where it is the image's /init.
 */
static bool runs_agent(long pid)
{
	char path[64];
	char exe[256];
	const char *base;
	ssize_t len;

	snprintf(path, sizeof(path), PROC "/%ld/exe", pid);
	len = readlink(path, exe, sizeof(exe) - 1);
	if (len < 0)
		return false;
	exe[len] = 0;
	base = strrchr(exe, '/');
	return base && (strcmp(base, "/initagent") == 0 || strcmp(base, "/init") == 0);
}

/* proc(5): "pid (comm) state ppid ..." */
static long parent_of(long pid)
{
	char path[64];
	char text[512];
	const char *p;

	snprintf(path, sizeof(path), PROC "/%ld/stat", pid);
	guest_read(path, text, sizeof(text));
	p = strrchr(text, ')');
	return p ? strtol(p + 4, NULL, 10) : 0;
}

/* The agent itself, not the workers it has started: they must cope with its death on their own. */
static bool is_victim(long pid)
{
	long parent;

	if (pid <= 1 || !runs_agent(pid))
		return false;
	parent = parent_of(pid);
	return parent <= 1 || !runs_agent(parent);
}

/* Returns true when a process was killed. */
static bool kill_agent(const char *event)
{
	DIR *dir = opendir(PROC);
	struct dirent *entry;
	bool any = false;

	while (dir && (entry = readdir(dir))) {
		long pid = strtol(entry->d_name, NULL, 10);

		if (is_victim(pid) && kill((pid_t)pid, SIGKILL) == 0) {
			guest_kmsg(
				NODE, "<3>bootmark: killed the agent pid=%ld at=%s\n", pid, event);
			any = true;
		}
	}
	if (dir)
		closedir(dir);
	return any;
}

static bool is_link_up(const struct nlmsghdr *h)
{
	const struct ifinfomsg *ifi = NLMSG_DATA(h);

	return (ifi->ifi_flags & IFF_UP) && !(ifi->ifi_flags & IFF_LOOPBACK);
}

static bool is_address(const struct nlmsghdr *h)
{
	const struct ifaddrmsg *ifa = NLMSG_DATA(h);

	/* lo is always the first interface of a network namespace; the kernel makes link-local ones
	 * unasked */
	return ifa->ifa_index != 1 &&
	       (ifa->ifa_family == AF_INET || ifa->ifa_scope == RT_SCOPE_UNIVERSE);
}

static unsigned netlink_events(int fd)
{
	static char buf[16384] __attribute__((aligned(8)));
	ssize_t got = recv(fd, buf, sizeof(buf), MSG_DONTWAIT);
	size_t left = got > 0 ? (size_t)got : 0;
	unsigned seen = 0;

	for (const struct nlmsghdr *h = (void *)buf; NLMSG_OK(h, left); h = NLMSG_NEXT(h, left)) {
		if (h->nlmsg_type == RTM_NEWLINK && is_link_up(h))
			seen |= EVENT_LINK;
		if (h->nlmsg_type == RTM_NEWADDR && is_address(h))
			seen |= EVENT_ADDR;
	}
	return seen;
}

static unsigned mount_events(void)
{
	static char text[65536];

	guest_read(PROC "/1/mountinfo", text, sizeof(text));
	return strstr(text, " - nfs ") || strstr(text, " - nfs4 ") || strstr(text, " - overlay ") ||
			strstr(text, " - ext4 ") ? EVENT_MOUNT : 0;
}

static int open_netlink(void)
{
	struct sockaddr_nl addr = {
		.nl_family = AF_NETLINK,
		.nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR,
	};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

	if (fd >= 0 && bind(fd, (const struct sockaddr *)&addr, sizeof(addr)) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Takes the events seen out of wanted; each of them strikes the agent once. */
static unsigned strike(unsigned wanted, unsigned seen)
{
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if ((wanted & seen & events[i].event) && kill_agent(events[i].name))
			wanted &= ~(unsigned)events[i].event;
	return wanted;
}

static void watch(unsigned wanted)
{
	const uint64_t end = guest_now() + WATCH_SECONDS * UINT64_C(1000000000);
	struct pollfd fds[2] = {{.events = POLLIN}, {.events = POLLPRI}};

	fds[0].fd = open_netlink();
	fds[1].fd = open(PROC "/1/mountinfo", O_RDONLY | O_CLOEXEC);
	while (wanted && guest_now() < end) {
		unsigned seen = 0;

		if (poll(fds, 2, 1000) < 0)
			break;
		if (fds[0].revents)
			seen |= netlink_events(fds[0].fd);
		if (fds[1].revents)
			seen |= mount_events();
		wanted = strike(wanted, seen);
	}
	if (wanted)
		guest_kmsg(NODE, "<3>bootmark: events never seen: %#x\n", wanted);
}

/*
 * The watcher lives in a mount namespace of its own, so that its /proc neither shows up in the
 * boot under test nor goes away with the initramfs.
 */
static void start_watcher(const char *list, char *argv[])
{
	unsigned wanted = parse_events(list);
	pid_t pid = wanted ? fork() : -1;

	if (pid != 0)
		return;
	/* systemd spares processes whose argv[0] starts with '@' when it cleans up the initrd */
	argv[0][0] = '@';
	setsid();
	if (unshare(CLONE_NEWNS) == 0 && mount("proc", PROC, "proc", 0, NULL) == 0)
		watch(wanted);
	_exit(0);
}

int main(int argc, char *argv[], char *envp[])
{
	struct snapshot s = {.boot_ns = guest_now()};
	char *init[] = {(char[]){"/init"}, NULL};
	static char cmdline[8192];
	char list[64];

	(void)argc;
	mkdir(PROC, 0555);
	if (mount("proc", PROC, "proc", 0, NULL) == 0) {
		guest_snapshot(&s, PROC);
		guest_read(PROC "/cmdline", cmdline, sizeof(cmdline));
		umount(PROC);
	}
	guest_kmsg(NODE,
		"<7>bootmark: pid1_ns=%llu processes=%llu total_kb=%llu free_kb=%llu "
		"available_kb=%llu\n",
		(unsigned long long)s.boot_ns, (unsigned long long)s.processes,
		(unsigned long long)s.mem_total_kb, (unsigned long long)s.mem_free_kb,
		(unsigned long long)s.mem_available_kb);
	if (guest_option(cmdline, "bootmark.kill", list, sizeof(list)))
		start_watcher(list, argv);
	else
		rmdir(PROC);
	execve(init[0], init, envp);
	guest_kmsg(NODE, "<3>bootmark: cannot run /init: %s\n", strerror(errno));
	return 1;
}
