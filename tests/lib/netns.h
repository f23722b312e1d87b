/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * netns: network namespaces for tests. They have no names and vanish with the test's processes.
 * Without the right to make them the case is skipped.
 */
#pragma once

#include "base/util.h"

#include <sys/types.h>

/* netns_enter: moves the test into a new, empty network namespace with lo up. */
void netns_enter(void);

/* netns_peer: a second namespace, held by a sleeping process that dies with the test. Its pid. */
pid_t netns_peer(void);

/* netns_run: runs a command line (sh) in the test's namespace; the case fails when it fails. */
void netns_run(const char *fmt, ...) _printf_(1, 2);

/* netns_run_in: the same in the namespace of pid. */
void netns_run_in(pid_t pid, const char *fmt, ...) _printf_(2, 3);

/* netns_veth: a veth pair: name here, peer there (pid) or here too (pid 0). Both down. */
void netns_veth(const char *name, const char *peer, pid_t pid);

/* netns_join: moves the calling process into the namespace of pid. */
void netns_join(pid_t pid);
