/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sandbox: how a process that works on bytes from outside gives up its rights, by role. Every role
 * but SANDBOX_NONE leaves an allow-list of system calls, no new privileges, no core dump, no locked
 * memory and no new processes; all but SANDBOX_UNPACK become the kernel's overflow user, which has
 * no capabilities. Processes get here by way of worker.h.
 */
#pragma once

#include "base/util.h"

enum sandbox_role {
	SANDBOX_NONE,	  /* keeps its rights: it mounts, connects, loads */
	SANDBOX_PARSE,	  /* read, write and exit; no memory beyond what it has */
	SANDBOX_COMPUTE,  /* and memory */
	SANDBOX_WRITE,	  /* and to write and cut a file that it was given */
	/* files below root, which becomes "/", with the capabilities that owners and modes need */
	SANDBOX_UNPACK,
	SANDBOX_INTERNET, /* TCP and UDP sockets; opening a file fails with EACCES */
	SANDBOX_MAX
};

struct sandbox {
	enum sandbox_role role;
	const char *root; /* SANDBOX_UNPACK: the directory */
	size_t memory;	  /* most address space, bytes; 0: no limit */
	unsigned cpu_s;	  /* most processor time; 0: no limit */
	bool low_ports;	  /* SANDBOX_INTERNET: may bind to ports below 1024 */
	bool outlives;	  /* does not end with the process that made it; bounds its own life */
};

/* sandbox_enter: for the calling process, for good. 0 or -errno. */
int sandbox_enter(const struct sandbox *s);
