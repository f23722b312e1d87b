/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verifier: the process that writes a file and finds out whether it is the one asked for, seen from the agent. What
 * it writes comes through a pipe from the process that fetches, which is believed in nothing and has no other way to the
 * file. This one has the pipe, the file and no socket, and is gone after it said that the file is complete: from
 * then on nobody but the agent can change it.
 */
#pragma once

#include "fetch/pieces.h"

struct verifier;

/* verifier_new: forks. setup is borrowed until then; in: the pipe's reading end, the caller's. 0 or -errno. */
int verifier_new(struct verifier **ret, const struct fetch_setup *setup, int in);

/* verifier_free: ends the process and waits for its end. */
struct verifier *verifier_free(struct verifier *v);
DEFINE_FREEP(struct verifier, verifier_free)

int verifier_fd(const struct verifier *v);

/* verifier_pop: the next message. 1, 0: none yet, -EPIPE: the process ended; verifier_end() tells how. */
int verifier_pop(struct verifier *v, struct verified *ret);

/* verifier_end: ends the process; in words how it ended, which live for ever. NULL: the process that fetches was gone first. */
const char *verifier_end(struct verifier *v);
