/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * child: the process that fetches, seen from the agent: started, given orders, listened to, ended. It keeps what the
 * servers said of the file from one order to the next. What it says is checked: it may have been taken over by what it reads.
 */
#pragma once

#include "fetch/order.h"

struct child;

/* child_new: forks. setup is borrowed until then; out: the writing end of the verifier's pipe, the caller's. 0 or -errno. */
int child_new(struct child **ret, const struct fetch_setup *setup, int out);

/* child_free: ends the process and waits for its end. */
struct child *child_free(struct child *c);
DEFINE_FREEP(struct child, child_free)

int child_fd(const struct child *c);
pid_t child_pid(const struct child *c);

/* child_send: 0 or -EPIPE. */
int child_send(struct child *c, const struct fetch_order *order);

/* child_pop: the next news. 1, 0: none yet, -EPIPE: it ended, or said what it cannot say; child_end() tells how. */
int child_pop(struct child *c, struct fetch_news *ret);

/* child_end: ends the process; in words how it ended. buf is returned. */
const char *child_end(struct child *c, char *buf, size_t size);
