/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cage: a child process that works on untrusted bytes and is left with no more rights than its work
 * needs: one input, one pipe to say what it found, perhaps one file, no other descriptor, no network, no new privileges, an
 * allow-list of system calls, and either nobody's user id or, for unpacking, a root directory of its own
 * with the few capabilities that owners and modes need.
 *
 * What it writes to the pipe is data like any other: of a fixed size, judged by whom receives it.
 */
#pragma once

#include <sys/types.h>

#include "base/util.h"

enum cage_rights {
	CAGE_COMPUTE, /* read, write and memory; user nobody */
	CAGE_WRITE,   /* the same, and to write the file of the job */
	CAGE_UNPACK,  /* files below a directory that becomes "/" */
};

struct cage {
	pid_t pid; /* -1: none */
	int fd;	   /* of the pipe; -1: none */
};
#define CAGE_NONE ((struct cage){.pid = -1, .fd = -1})

#define CAGE_FILE 3 /* where the child finds the file; not 2, to which libraries write when they fail */

/* What the child does: in, out and the file are its only descriptors. Its return value becomes the exit status. */
struct cage_job {
	int (*run)(const void *arg, int in, int out);
	void (*prepare)(const void *arg); /* before it gives up its rights, e.g. to make a thread; NULL: nothing */
	const void *arg;
	int in;		  /* its input; -1: none */
	int file;	  /* CAGE_WRITE: open for reading and writing */
	const char *root; /* CAGE_UNPACK: the directory */
	enum cage_rights rights;
	size_t memory;	  /* most address space, bytes */
	unsigned cpu_s;	  /* most processor time; 0: none */
};

/* cage_start: forks the child. 0 or -errno. The pipe is blocking; poll(2) it. */
int cage_start(struct cage *c, const struct cage_job *job);

/*
 * cage_read: reads the whole of a message of size bytes, waiting for it. 1, 0 (the child ended before
 * its first byte), -EIO (in the midst of it) or -errno.
 */
int cage_read(struct cage *c, void *message, size_t size);

/* cage_end: ends the child if it still runs, and waits for it. Returns its wait status, 0 if none. */
int cage_end(struct cage *c);

/*
 * cage_end_text: how a child ended that did not say so itself, in words: a signal, a forbidden call, too
 * little memory, rights it could not give up.
 */
const char *cage_end_text(int status);

/* cage_write: the child's side: all of size bytes. 0 or -errno. */
int cage_write(int out, const void *message, size_t size);
