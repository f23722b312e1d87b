/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest.h: what the test programs inside the VMs share. They are static, need no shell and no
 * library, and run before anything else of the system is there.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The figures both ends of a measured boot are taken from. */
struct snapshot {
	uint64_t boot_ns;	   /* CLOCK_BOOTTIME */
	uint64_t processes;	   /* /proc/stat "processes": forks since the kernel started */
	uint64_t mem_total_kb;	   /* /proc/meminfo */
	uint64_t mem_free_kb;	   /* with the pages in lists of the processors (zoneinfo) */
	uint64_t mem_available_kb;
};

/* guest_now: CLOCK_BOOTTIME in ns. */
uint64_t guest_now(void);

/*
 * guest_read: reads the file at path into buf, at most size - 1 bytes, always terminated.
 * Returns the length or -errno.
 */
int guest_read(const char *path, char *buf, size_t size);

/* guest_field: the number behind the line start key in text; 0 when the line is not there. */
uint64_t guest_field(const char *text, const char *key);

/*
 * guest_snapshot: fills s from the proc file system mounted at proc. boot_ns is left alone: the
 * caller takes the time before anything else.
 */
void guest_snapshot(struct snapshot *s, const char *proc);

/*
 * guest_option: the value of NAME=VALUE on the kernel command line (cmdline as in /proc/cmdline),
 * copied to buf. Returns false when it is not there. The last one wins.
 */
bool guest_option(const char *cmdline, const char *name, char *buf, size_t size);

/*
 * guest_kmsg: one record in the kernel log. It goes through a device node of its own at node
 * (made and removed again), because early on there is no /dev.
 */
void guest_kmsg(const char *node, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
