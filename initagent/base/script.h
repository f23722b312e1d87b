/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * script: a program of the root or of a provisioner, which prepares the root: run to its end. Owns
 * its process; blocks: for a worker's process, or process 1 as it leaves.
 * In: the program below a root, its arguments and environment. Out: each line that it says; its
 * wait status.
 * Callers: handover/, root/nfs/, root/wwinit/. Tests: root/nfs/test_statelite.c,
 * tests/wwinit.bats.
 */
#pragma once

#include "base/util.h"

#define SCRIPT_LINE_MAX 240

struct script {
	const char *root;	/* where it finds "/"; NULL: here */
	const char *host;	/* the host name that it sees; NULL: ours */
	char *const *argv;	/* argv[0] is only a name */
	const char *program;	/* below root */
	char *const *envp;	/* ends with NULL; PATH, HOME and TERM are added */
};

#define SCRIPT_ENV_MAX 4

/*
 * script_run: line is called for each line that is not empty, without its end. Returns the wait
 * status, or -errno: it was not started. It has no terminal, reads nothing, and ends with this
 * process. What it leaves in the background is not waited for.
 */
int script_run(const struct script *s, void (*line)(const char *text, void *arg), void *arg);
