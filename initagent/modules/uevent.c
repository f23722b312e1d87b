// SPDX-License-Identifier: GPL-2.0-or-later
#include "modules/uevent.h"

#include <linux/filter.h>
#include <linux/netlink.h>
#include <sys/socket.h>

/* lib/kobject_uevent.c sends its announcements to this multicast group; udevd uses group 2. */
#define KERNEL_GROUP   1

/* A coldplug storm must fit: some hundred devices, each up to 2 KiB with its skb. */
#define RECEIVE_BUFFER (4 * 1024 * 1024)

/* "/dev", as a filter loads it: what an announcement of a device has after its action and '@'. */
#define DEVICE_PATH 0x2f646576u
/* Where that is when the action has so many letters; accept: how many instructions further on. */
#define IF_DEVICE(letters, accept)                                                                 \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (letters) + 1),                                         \
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, DEVICE_PATH, accept, 0)

/*
 * Lets only announcements of devices through. A boot makes hundreds of others, for each module,
 * driver and slab cache; each would wake us (Documentation/networking/filter.rst).
 */
static struct sock_filter devices_only[] = {
	IF_DEVICE(3, 7), /* add */
	IF_DEVICE(4, 5), /* bind, move */
	IF_DEVICE(6, 3), /* change, online, remove, unbind */
	IF_DEVICE(7, 1), /* offline */
	BPF_STMT(BPF_RET | BPF_K, 0),
	BPF_STMT(BPF_RET | BPF_K, UEVENT_SIZE),
};

int uevent_filter(int fd)
{
	const struct sock_fprog program = {ARRAY_SIZE(devices_only), devices_only};

	return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) < 0 ? -errno
											   : 0;
}

int uevent_open(void)
{
	struct sockaddr_nl sa = {.nl_family = AF_NETLINK, .nl_groups = KERNEL_GROUP};
	const int size = RECEIVE_BUFFER;
	_cleanup_close_ int fd = -1;
	int ret;

	fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);
	if (fd < 0)
		return -errno;
	/* Without CAP_NET_ADMIN the default size stays; overruns are then met with a new scan. */
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size));
	/* A kernel without filters: everything comes, which costs time and nothing else. */
	(void)uevent_filter(fd);
	if (bind(fd, (struct sockaddr *)&sa, sizeof(sa)) < 0)
		return -errno;
	ret = fd;
	fd = -1;
	return ret;
}

/* Stores value where the key's field is; other keys are ignored. */
static void take_pair(char *pair, struct uevent *ev)
{
	const struct {
		const char *key;
		const char **field;
	} rows[] = {
		{"ACTION=", &ev->action},
		{"DEVPATH=", &ev->devpath},
		{"DEVPATH_OLD=", &ev->old},
		{"SUBSYSTEM=", &ev->subsystem},
		{"MODALIAS=", &ev->modalias},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t len = strlen(rows[i].key);

		if (strncmp(pair, rows[i].key, len) == 0)
			*rows[i].field = pair + len;
	}
}

int uevent_parse(char *buf, size_t len, struct uevent *ret)
{
	struct uevent ev = {
		.action = "", .devpath = "", .old = "", .subsystem = "", .modalias = ""};
	size_t at;

	buf[len] = 0;
	at = strlen(buf) + 1;
	/* The header "ACTION@DEVPATH" tells the kernel's messages from udevd's. */
	if (at > len || !strchr(buf, '@'))
		return -EBADMSG;
	while (at < len) {
		take_pair(buf + at, &ev);
		at += strlen(buf + at) + 1;
	}
	if (!*ev.action || !*ev.devpath || !*ev.subsystem)
		return -EBADMSG;
	*ret = ev;
	return 0;
}

int uevent_recv(int fd, char buf[static UEVENT_SIZE], struct uevent *ret)
{
	for (;;) {
		struct sockaddr_nl sa = {0};
		socklen_t salen = sizeof(sa);
		ssize_t n = recvfrom(fd, buf, UEVENT_SIZE - 1, MSG_DONTWAIT | MSG_TRUNC,
			(struct sockaddr *)&sa, &salen);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN ? 0 : -errno;
		if (n == 0)
			return 0;
		/* Port 0 is the kernel; anyone else with the right to send could forge devices. */
		if (sa.nl_family == AF_NETLINK && sa.nl_pid != 0)
			continue;
		if (n < UEVENT_SIZE && uevent_parse(buf, (size_t)n, ret) == 0)
			return 1;
	}
}
