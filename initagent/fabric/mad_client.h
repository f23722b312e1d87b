/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mad_client: questions of one port and their answers. Several may be under way; each is sent again
 * a few times, with a doubling period, and ends in an answer or in silence. The port is open only
 * while one is under way.
 */
#pragma once

#include "fabric/mad_io.h"

#define LID_UNICAST_MAX 0xbfff /* IBTA 1, 4.1.3; Omni-Path's may be larger */
#define MAD_ASKS_MAX	12

struct mad_ask {
	enum mad_query query;
	uint16_t pkey;	 /* MAD_SA_GROUP */
	uint32_t lid;	 /* where to: the SM LID; unused by directed route */
	unsigned sl;
	uint16_t pkey_index;
	bool outside;	 /* of the partition that lid is asked in: its silence is MAD_FAILED */
	unsigned tries;	 /* how often it is sent, from 1 */
	uint64_t period; /* ns to wait after the first; doubles each time */
};

enum mad_outcome {
	MAD_ANSWERED,
	MAD_SILENT, /* no answer to any try: dead, not served, or an M_Key is required */
	/* could not be sent, or was answered by "busy" alone: error; -ENOKEY: no answer to one from
	 * outside */
	MAD_FAILED,
};

struct mad_result {
	enum mad_query query;
	uint16_t pkey; /* of the question */
	enum mad_outcome outcome;
	int error;
	struct mad_answer answer; /* MAD_ANSWERED */
};

/* mad_answered: with what was asked for, not with a status. */
static inline bool mad_answered(const struct mad_result *r)
{
	return r->outcome == MAD_ANSWERED && r->answer.status == 0;
}

struct mad_client {
	const struct env *env; /* borrowed, as is: */
	const struct mad_ops *ops;
	char device[64];
	unsigned port;
	void *io; /* NULL: closed */
	uint32_t tid;
	struct mad_asked {
		enum { ASK_FREE, ASK_SENT, ASK_DONE } state;
		struct mad_ask what;
		uint32_t tid;
		unsigned sent; /* tries so far */
		uint64_t next; /* when this try is over */
		struct mad_result result;
	} asks[MAD_ASKS_MAX];
};

/* mad_client_init: opens nothing yet. mad_client_shut: closes the port. */
void mad_client_init(struct mad_client *c, const struct env *env, const struct mad_ops *ops,
	const char *device, unsigned port);
void mad_client_shut(struct mad_client *c);

/*
 * mad_client_ask: sends a question; one of the same kind (and P_Key) that is under way is replaced.
 * Its result is popped later. Returns 0, or with nothing asked: -ENODEV when ib_umad is not there
 * yet, -EACCES, -EPERM (see mad_io.h), -ENOSPC when too many are under way, -EADDRNOTAVAIL for a
 * LID above LID_UNICAST_MAX, or another errno.
 */
int mad_client_ask(struct mad_client *c, const struct mad_ask *ask, uint64_t now);

/* mad_client_cancel: forgets a kind of question and its result. */
void mad_client_cancel(struct mad_client *c, enum mad_query query);

/* mad_client_fd: to poll for reading; -1 while the port is closed. Changes with each opening. */
int mad_client_fd(const struct mad_client *c);

/* mad_client_deadline: of the next try; NSEC_NEVER when none is due. */
uint64_t mad_client_deadline(const struct mad_client *c);

/* mad_client_dispatch: takes answers, sends what is due again, closes the port when all is done. */
void mad_client_dispatch(struct mad_client *c, uint64_t now);

bool mad_client_pop(struct mad_client *c, struct mad_result *ret);
