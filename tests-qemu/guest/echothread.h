/* SPDX-License-Identifier: GPL-2.0-or-later */
/* echothread: ICMP echo requests to the root's server, ten a second, in a thread of its own. A
 * reply that is late is none the less a reply: what a busy machine does to the time of one counts
 * for nothing, packets that a link loses do. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

/* 819 s at ten a second: longer than a witness looks. Further ones overwrite the first. */
#define ECHO_MAX 8192

/* Any thread may read the counts. */
struct echothread {
	pthread_t thread;
	int fd;
	_Atomic unsigned sent, answered;
	_Atomic uint64_t sent_ns[ECHO_MAX]; /* by number, CLOCK_BOOTTIME */
	_Atomic uint8_t replied[ECHO_MAX];
};

/*
 * echothread_start: e is zero and lives as long as the process. The server is that of the file
 * system mounted on "/". Returns 0 or a negative errno. The thread ends with the process.
 */
int echothread_start(struct echothread *e);

/*
 * echothread_longest_lost: the longest time in which every request sent was lost, first to last, in
 * ns: one lost between two that were answered is 0. Requests on the way are left out. ret_from: the
 * time of the first, as it was if there is none.
 */
uint64_t echothread_longest_lost(const struct echothread *e, uint64_t *ret_from);
