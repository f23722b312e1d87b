/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * parser: a worker (base/worker.h) that parses what came from the network, with no rights but to
 * read and write its socket. It owns that process, and replaces one that died five times at most.
 * In: requests, structs of fixed size with untrusted bytes. Out: replies, likewise; one of another
 * size, or that is invalid, counts as an attack: the process is killed and replaced.
 * Callers: address/. Tests: address/test_parser.c, address/test_hostile_room.c.
 *
 * Namespaces would hide nothing from a process that can name nothing; a network namespace would
 * even make every later module load pay for it. So none is made.
 */
#pragma once

#include "base/env.h"

struct parser;

struct parser_job {
	const char *room;	/* named in reports */
	size_t request, reply;	/* their sizes */
	void (*parse)(const void *request, void *reply); /* pure; in the process */
	/* can parse() have made this? context is NULL */
	bool (*valid)(void *reply, const void *context);
};

/*
 * parser_new: forks the process; its socket becomes part of epoll, which is borrowed like the rest.
 * Early, before the agent has much that could be copied. 0 or -errno.
 */
int parser_new(struct parser **ret, const struct env *env, const struct parser_job *job, int epoll,
	uint64_t now);
/* parser_free: ends the process and waits for its end. */
struct parser *parser_free(struct parser *p);
DEFINE_FREEP(struct parser, parser_free)

/* parser_submit: 0, -EAGAIN when the process is busy with others (the packet is lost, as on the
 * wire) or -EPIPE when there is no process. */
int parser_submit(struct parser *p, const void *request);

/*
 * parser_pop: the next reply. 1, 0 when there is none yet, -EPIPE when the process died or sent an
 * invalid message: that is reported, what it was working on is lost, and it is replaced: at once
 * the first time, later after 1, 2, 4 and 8 s (parser_deadline()).
 */
int parser_pop(struct parser *p, void *reply, uint64_t now);

/* parser_tick: starts the process when parser_deadline() has come (NSEC_NEVER: nothing is due). */
void parser_tick(struct parser *p, uint64_t now);
uint64_t parser_deadline(const struct parser *p);

/* parser_lost: there is no process, and there will be none. */
bool parser_lost(const struct parser *p);

/* For tests: -1: no process. */
int parser_fd(const struct parser *p);
pid_t parser_pid(const struct parser *p);
