/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * worker: the one way to fork a process: for what the kernel may hang in (mounts, connections,
 * module loads), and for what reads bytes from outside. It owns the process and a SOCK_SEQPACKET
 * pair, over which messages of fixed size go; its end, by whatever way, is told in words.
 * In: a struct worker_spec. Out: replies, checked for size, sense and state; a deadline; how it
 * ended.
 * Callers: every folder. Tests: base/test_worker.c.
 */
#pragma once

#include <sys/types.h>

#include "base/sandbox.h"

/* The process has no descriptors but these and 0 to 2, which lead to /dev/null in a sandbox. */
#define WORKER_SOCKET	 3
#define WORKER_FILE(i)	 (WORKER_SOCKET + 1 + (i))
#define WORKER_FILES_MAX 3

struct worker;

struct worker_spec {
	/*
	 * The process. Its return value becomes the exit status. arg is borrowed: the process has a
	 * copy of all memory.
	 */
	int (*run)(const void *arg);
	/*
	 * May be NULL. Called before the rights are dropped, with the descriptors as run() finds
	 * them: returns what run() gets instead of arg, NULL when it cannot go on.
	 */
	const void *(*prepare)(const void *arg);
	const void *arg;
	const char *name; /* of the process, at most 15 bytes; NULL: its parent's */
	int files[WORKER_FILES_MAX]; /* become WORKER_FILE(i); the first n_files count, -1: none */
	unsigned n_files;
	struct sandbox sandbox;
	size_t request_size; /* 0: it gets no requests */
	size_t reply_size;
	/*
	 * valid: may the process say that, and now? Called for each reply of the right size; may
	 * end its strings. A process that fails here is killed. NULL: size alone counts. context is
	 * borrowed.
	 */
	bool (*valid)(void *reply, const void *context);
	const void *context;
	uint64_t limit; /* most ns to its first reply, and from each to the next; 0: none */
};

/* What a process goes on with once it has done what it was started for; see worker_go_on(). */
struct worker_task {
	int (*run)(const void *arg); /* as worker_spec.run */
	const void *arg;
	size_t request_size, reply_size;
};

/* worker_start: 0 or -errno. The process ends with its parent unless sandbox.outlives is set. */
int worker_start(struct worker **ret, const struct worker_spec *spec, uint64_t now);

/* worker_free: worker_end(), and frees. */
struct worker *worker_free(struct worker *w);
DEFINE_FREEP(struct worker, worker_free)

/*
 * worker_end: kills the process and reaps it; one that the kernel holds for more than a second is
 * left to itself. Closes worker_fd(): take that out of an epoll set before, since other processes
 * may hold copies of it.
 */
void worker_end(struct worker *w);

/* worker_detach: frees, but leaves the process to itself; it finds its socket closed. */
struct worker *worker_detach(struct worker *w);

/* worker_abandon: kills the process and frees, without waiting for its end. */
struct worker *worker_abandon(struct worker *w);

/* worker_fd: readable when there is a reply or an end. -1 for NULL and after worker_end(). */
int worker_fd(const struct worker *w);
pid_t worker_pid(const struct worker *w);

/*
 * worker_deadline: when worker_receive() says -ETIMEDOUT; NSEC_NEVER for NULL, and without limit.
 */
uint64_t worker_deadline(const struct worker *w);

/*
 * worker_send: never blocks. 0, -EAGAIN: it is busy with others, -EPIPE: it has ended, which
 * worker_receive() tells.
 */
int worker_send(struct worker *w, const void *request);

/*
 * worker_receive: the next reply. 1; 0: none yet; -EPIPE: it has ended or sent an invalid message;
 * -ETIMEDOUT: no reply within the limit. After an error nothing more comes: call worker_end() or
 * worker_free(). NULL: 0.
 */
int worker_receive(struct worker *w, void *reply, uint64_t now);

/*
 * worker_go_on: from now on the process works on that task, which its run() calls by itself:
 * requests and replies have the task's sizes, and there is no limit.
 */
void worker_go_on(struct worker *w, const struct worker_task *task);

/* worker_set_limit: what spec.limit is from now on, for the next reply, too. */
void worker_set_limit(struct worker *w, uint64_t limit, uint64_t now);

/* worker_wait: waits for the next reply, by the clock. 1, -EPIPE or -ETIMEDOUT. */
int worker_wait(struct worker *w, void *reply);

/*
 * worker_ask: a process for a single reply: starts it, waits and ends it. 0; or -errno, then
 * *ret_text (lives for ever) says how it ended.
 */
int worker_ask(const struct worker_spec *spec, void *reply, const char **ret_text);

/*
 * worker_end_text: after worker_end(): how it ended, in words that live for ever: exit, signal,
 * forbidden call, invalid message.
 */
const char *worker_end_text(const struct worker *w);

/* worker_never_ran: after worker_end(): it could not be set up, or drop its rights: another one
 * could not either. */
bool worker_never_ran(const struct worker *w);

/* worker_exit_status: after worker_end(): what run() returned; -1: it ended otherwise. */
int worker_exit_status(const struct worker *w);

/*
 * worker_try: calls run(arg), which finds file (-1: none) as WORKER_FILE(0), in a process and waits
 * for its end, limit ns at most; then it is killed and left to itself. What it sends is not read.
 */
void worker_try(int (*run)(const void *arg), const void *arg, int file, uint64_t limit);

/*
 * The process's side. worker_next: the next request; false: its parent is gone. worker_reply: 0 or
 * -errno. Both block.
 */
bool worker_next(void *request, size_t size);
int worker_reply(const void *reply, size_t size);
