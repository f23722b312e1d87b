// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mad_client: see mad_client.h. Our own timers decide when a try is over: what the kernel says
 * about its own comes at about the same time, and ibsim's stand-in for the kernel says nothing.
 */
#include "fabric/mad_client.h"

#define LID_ROUTE 0xffff /* the permissive LID: the way is in the MAD */
/* Datagrams taken in one dispatch, so that a flood cannot keep the loop from its other work. */
#define BUDGET	  64

void mad_client_init(struct mad_client *c, const struct env *env, const struct mad_ops *ops,
	const char *device, unsigned port)
{
	*c = (struct mad_client){.env = env, .ops = ops, .port = port};
	(void)strscpy(c->device, device, sizeof(c->device));
}

void mad_client_shut(struct mad_client *c)
{
	if (c->io)
		c->ops->close(c->io);
	c->io = NULL;
}

int mad_client_fd(const struct mad_client *c)
{
	return c->io ? c->ops->fd(c->io) : -1;
}

static bool under_way(const struct mad_client *c)
{
	for (size_t i = 0; i < MAD_ASKS_MAX; i++)
		if (c->asks[i].state == ASK_SENT)
			return true;
	return false;
}

static void finish(struct mad_asked *a, enum mad_outcome outcome, int error)
{
	a->result.query = a->what.query;
	a->result.pkey = a->what.pkey;
	a->result.outcome = outcome;
	a->result.error = error;
	a->state = ASK_DONE;
}

static struct mad_request request_of(const struct mad_client *c, const struct mad_asked *a)
{
	return (struct mad_request){
		.query = a->what.query, .tid = a->tid, .port = c->port, .pkey = a->what.pkey};
}

/* One try. Each has its own number: the kernel refuses one that is still out. */
static int send_try(struct mad_client *c, struct mad_asked *a, uint64_t now)
{
	enum mad_class class = mad_query_class(a->what.query);
	uint64_t wait = a->what.period << (a->sent < 16 ? a->sent : 16);
	struct mad_to to = {.class = class, .sl = (uint8_t)a->what.sl,
		.pkey_index = a->what.pkey_index};
	struct mad_request rq;
	uint8_t mad[MAD_SIZE];

	to.lid = class == MAD_CLASS_SM_DIRECTED ? LID_ROUTE : (uint16_t)a->what.lid;
	a->tid = ++c->tid;
	a->sent++;
	a->next = now + wait;
	rq = request_of(c, a);
	mad_build(&rq, mad);
	return c->ops->send(c->io, &to, mad, (unsigned)(wait / NSEC_PER_MSEC));
}

static struct mad_asked *slot_for(struct mad_client *c, const struct mad_ask *ask)
{
	struct mad_asked *free_slot = NULL;

	for (size_t i = 0; i < MAD_ASKS_MAX; i++) {
		struct mad_asked *a = &c->asks[i];

		if (a->state == ASK_FREE)
			free_slot = free_slot ? free_slot : a;
		else if (a->what.query == ask->query && a->what.pkey == ask->pkey)
			return a;
	}
	return free_slot;
}

int mad_client_ask(struct mad_client *c, const struct mad_ask *ask, uint64_t now)
{
	struct mad_asked *a = slot_for(c, ask);
	int r = 0;

	if (!a)
		return -ENOSPC;
	if (mad_query_class(ask->query) != MAD_CLASS_SM_DIRECTED && ask->lid > LID_UNICAST_MAX)
		return -EADDRNOTAVAIL;
	if (!c->io)
		r = c->ops->open(c->ops->data, c->env, c->device, c->port, &c->io);
	*a = (struct mad_asked){.what = *ask};
	if (r >= 0)
		r = send_try(c, a, now);
	if (r >= 0)
		a->state = ASK_SENT;
	if (!under_way(c))
		mad_client_shut(c);
	return r < 0 ? r : 0;
}

void mad_client_cancel(struct mad_client *c, enum mad_query query)
{
	for (size_t i = 0; i < MAD_ASKS_MAX; i++)
		if (c->asks[i].state != ASK_FREE && c->asks[i].what.query == query)
			c->asks[i].state = ASK_FREE;
	if (!under_way(c))
		mad_client_shut(c);
}

uint64_t mad_client_deadline(const struct mad_client *c)
{
	uint64_t next = NSEC_NEVER;

	for (size_t i = 0; i < MAD_ASKS_MAX; i++)
		if (c->asks[i].state == ASK_SENT)
			next = min_u64(next, c->asks[i].next);
	return next;
}

/* The try is over without an answer: the next one, or the end. */
static void try_over(struct mad_client *c, struct mad_asked *a, uint64_t now)
{
	int r = 0;

	if (a->sent < a->what.tries)
		r = send_try(c, a, now);
	/* Its silence proves nothing to who may not speak to it. */
	else if (a->what.outside && !a->result.error)
		r = -ENOKEY;
	else
		finish(a, a->result.error ? MAD_FAILED : MAD_SILENT, a->result.error);
	if (r < 0)
		finish(a, MAD_FAILED, r);
}

/*
 * A datagram as the answer to this question; false when it is another's. One that makes no sense is
 * dropped as if it had not come. A busy node is asked again when the try is over, and not called
 * silent; where the question is whether it is alive, it has answered.
 */
static bool take(struct mad_client *c, struct mad_asked *a, const uint8_t *buf, size_t len)
{
	struct mad_request rq = request_of(c, a);
	struct mad_answer answer;
	int r = mad_parse(&rq, buf, len, &answer);

	if (r == -ENOMSG)
		return false;
	if (r < 0)
		return true;
	if (mad_is_busy(answer.status) && rq.query != MAD_SA_ALIVE) {
		a->result.error = -EBUSY;
		return true;
	}
	a->result.answer = answer;
	finish(a, MAD_ANSWERED, 0);
	return true;
}

static void take_datagram(struct mad_client *c, const uint8_t *buf, size_t len)
{
	for (size_t i = 0; i < MAD_ASKS_MAX; i++)
		if (c->asks[i].state == ASK_SENT && take(c, &c->asks[i], buf, len))
			return;
}

/* Everything that is under way ends with this error: the device is gone. */
static void fail_all(struct mad_client *c, int error)
{
	for (size_t i = 0; i < MAD_ASKS_MAX; i++)
		if (c->asks[i].state == ASK_SENT)
			finish(&c->asks[i], MAD_FAILED, error);
}

static void take_all(struct mad_client *c)
{
	uint8_t buf[MAD_IO_SIZE];

	for (unsigned i = 0; c->io && i < BUDGET; i++) {
		int error = 0;
		int len = c->ops->recv(c->io, buf, &error);

		if (len == 0)
			return;
		if (len < 0)
			fail_all(c, len);
		/* A request that the kernel gives back: our own timer is about to end that try. */
		else if (error == 0)
			take_datagram(c, buf, (size_t)len);
		if (!under_way(c))
			mad_client_shut(c);
	}
}

void mad_client_dispatch(struct mad_client *c, uint64_t now)
{
	take_all(c);
	for (size_t i = 0; c->io && i < MAD_ASKS_MAX; i++)
		if (c->asks[i].state == ASK_SENT && now >= c->asks[i].next)
			try_over(c, &c->asks[i], now);
	if (!under_way(c))
		mad_client_shut(c);
}

bool mad_client_pop(struct mad_client *c, struct mad_result *ret)
{
	for (size_t i = 0; i < MAD_ASKS_MAX; i++) {
		if (c->asks[i].state != ASK_DONE)
			continue;
		*ret = c->asks[i].result;
		c->asks[i].state = ASK_FREE;
		return true;
	}
	return false;
}
