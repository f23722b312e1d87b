/* SPDX-License-Identifier: GPL-2.0-or-later */
/* collector: one report sink and its progress. Internal to tell/. */
#pragma once

#include "report/record.h"
#include "report/tell/post.h"
#include "report/tell/syslog.h"
#include "report/tell/tell.h"
#include "report/tell/xcat_line.h"

/*
 * A message as it waits: it is written down only when it goes, with what is known of the node then.
 */
struct tell_row {
	enum tell_kind kind;
	enum cause cause;
	uint64_t guid, when;
	char where[REPORT_NAME_MAX];
	char device[80];
	char text[REPORT_TEXT_MAX];
};

struct tell_queue {
	struct tell_row rows[TELL_QUEUE];
	uint64_t n; /* ever said; row i is rows[i % TELL_QUEUE] while i + TELL_QUEUE >= n */
};

struct collector {
	const struct plan_report *plan;
	struct inet_addr addr;	/* family 0: not known yet */
	int fd;			/* syslog: the socket; -1: none */
	struct worker *post;	/* http: the process that sends; NULL: none */
	bool connected;		/* TCP: the handshake is done */
	bool asked, posted;	/* http: the state was to be sent; a process was started for it */
	bool stored;		/* it said that all is well */
	bool named;		/* collector_missed() was here */
	uint64_t next;		/* syslog: row to be sent next */
	uint64_t given;		/* TCP: rows begun in this connection */
	uint64_t lost;		/* rows that are gone from the queue */
	uint64_t retry;		/* not before */
	unsigned failures;
	int error;		/* the last one, errno; 0: none */
	char why[224];		/* http: in words */
	uint8_t told, saying;	/* xCAT: enum xcat_state that it took, that it is being told */
	struct xcat_line heard;	/* xCAT: what is coming */
	size_t from, to;	/* TCP: what of out is still to go */
	char out[SYSLOG_MAX + 8];
};

void collector_init(struct collector *c, const struct plan_report *plan);
void collector_done(struct collector *c);

/* collector_up: another network: nothing stands in the way of trying at once. */
void collector_up(struct collector *c);

/* collector_push: connects and sends what goes without waiting. */
void collector_push(struct collector *c, const struct tell_queue *q, const char *node, int epoll,
	uint64_t now);
uint64_t collector_deadline(const struct collector *c, const struct tell_queue *q);

bool collector_wants_address(const struct collector *c, uint64_t now);
void collector_resolved(struct collector *c, const struct inet_addr *addr, uint64_t now);

/* collector_socket.c. collector_watch: fd becomes part of epoll.
 * collector_open: connects; true once connected. collector_send: what of out goes now; true: all
 * of it. collector_retry: later, and why. */
bool collector_is_xcat(const struct collector *c);
bool collector_is_tcp(const struct collector *c);
bool collector_watch(int fd, int epoll, uint32_t events);
bool collector_open(struct collector *c, int epoll, uint64_t now);
bool collector_send(struct collector *c, uint64_t now);
void collector_retry(struct collector *c, int error, uint64_t now);
void collector_close(struct collector *c);

/* collector_post: the state to a web server; o lacks server and address. */
void collector_post(struct collector *c, const struct post_request *o, int epoll);
/* collector_receive: the result of the process that sends, if it is there. */
void collector_receive(struct collector *c, uint64_t now);

bool collector_idle(const struct collector *c, const struct tell_queue *q, bool up);
bool collector_missed(struct collector *c, const struct tell_queue *q, char *text, size_t size);
