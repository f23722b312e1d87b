/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * uevent: the kernel's device announcements. Owns nothing: socket and buffer are the caller's.
 * In: datagrams of the kernel's group (Documentation/ABI: "ACTION@DEVPATH\0KEY=value\0...", at most
 * UEVENT_BUFFER_SIZE = 2048 bytes of environment plus the header line). Out: action, path,
 * subsystem and modalias, or that some were lost.
 * Callers: fabric/, root/block/, root/cache/. Tests: test_devices.c, fuzz_uevent.c.
 */
#pragma once

#include "base/util.h"

#define UEVENT_SIZE 8192

/* One announcement; strings point into the caller's buffer, "" when absent. */
struct uevent {
	const char *action;    /* "add", "remove", "change", "bind" ... */
	const char *devpath;   /* "/devices/..." without /sys */
	const char *old;       /* "move": what devpath was */
	const char *subsystem; /* "pci", "net", "infiniband" ... */
	const char *modalias;
};

/*
 * uevent_open: netlink socket on the kernel's group, non-blocking, devices only. Returns the fd or
 * -errno.
 */
int uevent_open(void);

/*
 * uevent_filter: lets only announcements of devices ("ACTION@/devices/...") come in on that socket.
 * 0 or -errno.
 */
int uevent_filter(int fd);

/*
 * uevent_parse: reads one datagram of len bytes; buf[len] must be writable and is set to 0. Returns
 * 0, or -EBADMSG for anything that is not a kernel announcement (udevd's own, which begin with
 * "libudev", included).
 */
int uevent_parse(char *buf, size_t len, struct uevent *ret);

/*
 * uevent_recv: the next announcement from fd. Returns 1 with ret filled, 0 when nothing is left,
 * -ENOBUFS when the kernel had to drop some (scan sysfs again), or another negative errno.
 * Datagrams of other senders than the kernel are skipped.
 */
int uevent_recv(int fd, char buf[static UEVENT_SIZE], struct uevent *ret);
