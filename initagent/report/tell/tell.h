/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tell: the report sinks (rd.report=): messages to syslog servers, the state to web servers at the
 * end. It owns the sinks, their connections and a queue of fixed size; nothing waits, what is not
 * taken is counted.
 * In: messages, state.json, addresses of names (tell_lookup(), tell_resolved()). Out: packets; what
 * was not delivered. A server is tried again after 1, 2, 4 ... 30 s, each span drawn at random.
 * Callers: boot/ alone; its layer is above fetch, whose HTTP request and sandbox it uses. Tests:
 * test_collector.c, test_syslog.c, test_failure*.c, tests/report.bats.
 */
#pragma once

#include "base/env.h"
#include "plan.h"
#include "report/causes.h"

#define TELL_QUEUE 64 /* messages kept for servers that do not take them yet */

struct tell;

enum tell_kind {
	TELL_WAIT,   /* something is waited for */
	TELL_CAUSE,  /* a cause was met */
	TELL_BEFORE, /* an earlier boot had failed with this cause */
	TELL_DONE,   /* the root is mounted */
	TELL_FAILED, /* the boot gave up */
	TELL_KIND_MAX,
};

/* One message. All strings are copied; none is NULL. */
struct tell_item {
	enum tell_kind kind;
	enum cause cause;
	const char *where;
	const char *device; /* RDMA device and port of the rail, or "" */
	uint64_t guid;	    /* of that port, 0: none */
	const char *text;
};

/* tell_new: borrows reports (the plan's) and env. Sends nothing before tell_up(). 0 or -errno. */
int tell_new(struct tell **ret, const struct env *env, const struct plan_report *reports, size_t n);

/* tell_free: connections are ended; what the kernel has taken is still sent. */
struct tell *tell_free(struct tell *t);
DEFINE_FREEP(struct tell, tell_free)

/* tell_node: the name of this node. */
void tell_node(struct tell *t, const char *name);

/* tell_up: there is a network, or another one: every server is tried at once. */
void tell_up(struct tell *t, uint64_t now);

/* tell_say: queues a message and sends what can be sent without waiting. */
void tell_say(struct tell *t, const struct tell_item *item, uint64_t now);

int tell_fd(const struct tell *t);
uint64_t tell_deadline(const struct tell *t);
void tell_dispatch(struct tell *t, uint64_t now);

/* tell_lookup: a name that needs an address now, or NULL. */
const char *tell_lookup(const struct tell *t, uint64_t now);
/* tell_resolved: its address, or NULL: there is none; it is asked for again later. */
void tell_resolved(struct tell *t, const struct inet_addr *addr, uint64_t now);

struct tell_state {
	const char *body; /* state.json */
	size_t len;
	const char *ca;	  /* PEM file below env's prefix, or NULL: /etc/initagent/ca.pem */
	bool patient;	  /* the boot failed: its end waits for tell_idle() */
};

/*
 * tell_state: the state to the web servers. Each gets it from a process of its own, which the
 * kernel ends after 10 s at most; it may outlive the agent. Results come in until tell_free().
 */
void tell_state(struct tell *t, const struct tell_state *s);

/* tell_idle: nothing is left to send, or no sink is left to send to. */
bool tell_idle(const struct tell *t);

/* tell_missed: the next sink with undelivered reports, and why; false: no more. */
bool tell_missed(struct tell *t, const char **ret_server, char *text, size_t size);
