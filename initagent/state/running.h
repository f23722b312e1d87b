/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * running: is an agent at work, is the network up, how did it end, and did it start before? It
 * owns four files in /run/initagent: lock is held (fcntl, open file description lock) while one
 * runs, so a killed agent is noticed at once; online holds the names of the interfaces, a line
 * each, once the network is up, until an agent begins again after a failure; outcome one word;
 * start the time of the first start, so that a restart keeps the budget.
 * In: start, renewal and end of an agent. Out: whether one runs, and how it ended, at once or when
 * it is known.
 * Callers: boot/, main.c. Tests: test_running.c, boot/test_boot_again.c.
 */
#pragma once

#include "base/env.h"

struct running {
	int lock;	/* held while open */
	uint64_t start; /* CLOCK_BOOTTIME ns of the first start */
	unsigned restarts;
	bool failed;	/* the one before ended by itself, without a root */
};

/* running_begin: takes the lock without waiting. 0, -EBUSY: another agent runs, or -errno. */
int running_begin(const struct env *env, uint64_t now, struct running *ret);

/* running_renew: the budgets begin at now, for a successor too. Errors cost no more than that. */
void running_renew(const struct env *env, struct running *r, uint64_t now);

/* running_online: the network is up, with these interfaces ("eth0\nib0\n"). 0 or -errno. */
int running_online(const struct env *env, const char *names);

/* running_end: writes the outcome ("done", "failed") and lets the lock go. */
int running_end(const struct env *env, struct running *r, const char *outcome);

enum running_state {
	RUNNING_NEVER,	/* no agent was started in this boot */
	RUNNING_NOW,
	RUNNING_DONE,
	RUNNING_FAILED,
	RUNNING_KILLED, /* started, not at work, no outcome */
};

/* running_state: what the files say. */
enum running_state running_look(const struct env *env);

/*
 * running_wait: waits until it is neither RUNNING_NEVER nor RUNNING_NOW, or deadline (absolute,
 * NSEC_NEVER: no limit). Returns the state it saw last. Waits by inotify and by the lock, not by
 * polling.
 */
enum running_state running_wait(const struct env *env, uint64_t deadline);

/* running_wait_outcome: the same, but waits for the successor of a killed agent, too. */
enum running_state running_wait_outcome(const struct env *env, uint64_t deadline);

/* running_wait_online: RUNNING_DONE as soon as the network is up, or how it failed; or the state at
 * the deadline. */
enum running_state running_wait_online(const struct env *env, uint64_t deadline);
