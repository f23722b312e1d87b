/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * attempt: a process that does what the kernel may hang in (a mount, a connection), so that the agent never does. It tells
 * its outcome on a SOCK_SEQPACKET socket and is gone.
 */
#pragma once

#include "util.h"

/*
 * attempt_fork: returns the child's pid in the parent, 0 in the child, -errno; *ret_fd is the end of the socket of whoever
 * asks, close-on-exec. The child keeps the standard streams and nothing else of its parent's, and dies with it.
 */
pid_t attempt_fork(int *ret_fd);

/*
 * attempt_end: ends the child for good (-1: there is none) and closes *fd; both are -1 afterwards. A process that the
 * kernel holds for more than a second is left to itself.
 */
void attempt_end(pid_t *child, int *fd);
