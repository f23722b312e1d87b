/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * loop: epoll over the descriptors of the rooms. Owns the epoll descriptor, not those in it.
 * In: descriptors with tags, a deadline. Out: the tags of those that are ready; no callbacks:
 * boot.c dispatches the room behind each tag.
 * Callers: boot/; state/ writes struct loop_wakes down. Tests: base/test_core.c.
 */
#pragma once

#include "util.h"

struct loop;

int loop_new(struct loop **ret);
struct loop *loop_free(struct loop *l);
DEFINE_FREEP(struct loop, loop_free)

/* loop_add: watch fd for reading (EPOLLIN); tag >= 0 comes back from loop_wait. 0 or -errno. */
int loop_add(struct loop *l, int fd, int tag);
/* loop_add_changes: the same for a file of /proc or /sys that announces changes by EPOLLPRI. */
int loop_add_changes(struct loop *l, int fd, int tag);
/* loop_remove: of an fd that stays open. */
void loop_remove(struct loop *l, int fd);

/*
 * loop_wait: sleeps until an fd is ready or the absolute time deadline (NSEC_NEVER: no limit).
 * Writes up to max tags to tags. Returns their number, 0 when the deadline passed, or -errno.
 */
int loop_wait(struct loop *l, uint64_t deadline, int *tags, size_t max);

/*
 * How often loop_wait() came back: in all, and the most without any event within one second. A loop
 * whose rooms name right deadlines has few of the latter: a deadline in the past that is never
 * moved shows there.
 */
struct loop_wakes {
	unsigned all, timer_peak;
};
struct loop_wakes loop_wakes(const struct loop *l);
