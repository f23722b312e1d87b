/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iothread: continuous I/O on a folder, several rounds a second, in a thread of its own, as it may
 * hang. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

/* What it counts; any thread may read. */
struct iothread {
	const char *folder; /* borrowed */
	pthread_t thread;
	_Atomic unsigned long rounds, errors, damaged;
	_Atomic uint64_t longest_ns, longest_at_ns; /* one operation's time; its begin */
	_Atomic uint64_t busy_since_ns;		    /* of the operation under way; 0: none */
	char first_error[160];			    /* valid when errors is not 0 */
};

/*
 * iothread_start: folder is set, the rest zero, and it lives as long as the process. Returns 0 or a
 * positive errno. It ends with the process.
 */
int iothread_start(struct iothread *io);

