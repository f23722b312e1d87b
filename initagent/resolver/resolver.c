// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * resolver: the lookups under way and the process that parses their answers; see resolver.h.
 *
 * A packet's way: socket -> lookup_read() -> parser process -> lookup_take() -> event. The
 * process's reply comes in a later dispatch: nothing here waits for it.
 */
#include "resolver/resolver.h"

#include <sys/epoll.h>

#include "resolver/parser.h"
#include "resolver/private.h"

#define PACKETS_PER_DISPATCH 16 /* of one lookup */
#define REPLIES_PER_DISPATCH 64
#define PACKET_MAX	     4096

/* What the parser process gets and sends back. */
struct dns_request {
	uint32_t serial, tag; /* whose packet it is */
	uint32_t len;
	struct dns_query query;
	uint8_t packet[PACKET_MAX];
};

struct dns_reply {
	uint32_t serial, tag;
	struct dns_answer answer;
};

struct slot {
	struct lookup *lookup; /* NULL: free */
	uint32_t id;	       /* the caller's */
	uint32_t serial;       /* ours: replies to an earlier use of the slot or id do not match */
};

struct resolver {
	const struct env *env;
	int epoll;
	struct resolv_conf conf;
	struct parser *parser; /* NULL: no server was asked yet */
	uint32_t serial;
	struct slot slots[RESOLVER_LOOKUPS_MAX];
	struct dns_request scratch;
};

/* Its length is checked again: a request is data like any other. */
static void parse_answer(const void *request, void *reply)
{
	const struct dns_request *q = request;
	struct dns_reply *a = reply;

	memset(a, 0, sizeof(*a));
	a->serial = q->serial;
	a->tag = q->tag;
	dns_parse(&a->answer, &q->query, q->packet, q->len < PACKET_MAX ? q->len : PACKET_MAX);
}

static bool reply_valid(void *reply, const void *context)
{
	(void)context;
	return dns_answer_sane(&((const struct dns_reply *)reply)->answer);
}

static const struct parser_job job = {
	.room = "resolver",
	.request = sizeof(struct dns_request),
	.reply = sizeof(struct dns_reply),
	.parse = parse_answer,
	.valid = reply_valid,
};

int resolver_new(struct resolver **ret, const struct env *env)
{
	_cleanup_(resolver_freep) struct resolver *r = calloc(1, sizeof(*r));

	if (!r)
		return -ENOMEM;
	r->env = env;
	r->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (r->epoll < 0)
		return -errno;
	*ret = r;
	r = NULL;
	return 0;
}

struct resolver *resolver_free(struct resolver *r)
{
	if (!r)
		return NULL;
	for (size_t i = 0; i < RESOLVER_LOOKUPS_MAX; i++)
		lookup_free(r->slots[i].lookup);
	parser_free(r->parser);
	closep(&r->epoll);
	free(r);
	return NULL;
}

static struct slot *find_slot(struct resolver *r, uint32_t id)
{
	for (size_t i = 0; i < RESOLVER_LOOKUPS_MAX; i++)
		if (r->slots[i].lookup && r->slots[i].id == id)
			return &r->slots[i];
	return NULL;
}

static struct slot *free_slot(struct resolver *r)
{
	for (size_t i = 0; i < RESOLVER_LOOKUPS_MAX; i++)
		if (!r->slots[i].lookup)
			return &r->slots[i];
	return NULL;
}

void resolver_servers(struct resolver *r, const struct resolv_conf *conf, uint64_t now)
{
	if (!memcmp(&r->conf, conf, sizeof(*conf)))
		return;
	r->conf = *conf;
	for (size_t i = 0; i < RESOLVER_LOOKUPS_MAX; i++)
		if (r->slots[i].lookup)
			lookup_restart(r->slots[i].lookup, now);
}

/*
 * A process that died too often is not made again. Then every question is over at once: who
 * answered is not to blame.
 */
static bool is_unread(const struct resolver *r)
{
	return r->parser && parser_lost(r->parser);
}

int resolver_ask(struct resolver *r, uint32_t id, const char *name, uint64_t limit_ns, uint64_t now)
{
	struct lookup *l = NULL;
	struct slot *slot;
	int e;

	resolver_cancel(r, id);
	slot = free_slot(r);
	if (!slot)
		return -ENOSPC;
	e = lookup_new(&l, r->env, r->epoll, &r->conf, name, limit_ns, now);
	if (e == 0 && lookup_state(l) == LOOKUP_ASKING && !r->parser)
		e = parser_new(&r->parser, r->env, &job, r->epoll, now);
	if (e < 0) {
		lookup_free(l);
		return e;
	}
	*slot = (struct slot){.lookup = l, .id = id, .serial = ++r->serial};
	if (is_unread(r))
		lookup_tick(l, NSEC_NEVER);
	return 0;
}

void resolver_want_all(struct resolver *r, uint32_t id)
{
	struct slot *slot = find_slot(r, id);

	if (slot)
		lookup_want_all(slot->lookup);
}

void resolver_cancel(struct resolver *r, uint32_t id)
{
	struct slot *slot = find_slot(r, id);

	if (slot)
		slot->lookup = lookup_free(slot->lookup);
}

int resolver_fd(const struct resolver *r)
{
	return r->epoll;
}

uint64_t resolver_deadline(const struct resolver *r)
{
	uint64_t at = r->parser ? parser_deadline(r->parser) : NSEC_NEVER;

	for (size_t i = 0; i < RESOLVER_LOOKUPS_MAX; i++) {
		const struct lookup *l = r->slots[i].lookup;

		if (l)
			at = min_u64(at, lookup_state(l) == LOOKUP_ASKING ? lookup_deadline(l) : 0);
	}
	return at;
}

/* Bounded: a server may send at line rate. */
static void read_packets(struct resolver *r, const struct slot *slot)
{
	struct dns_request *q = &r->scratch;
	int budget = PACKETS_PER_DISPATCH;
	size_t len;

	q->serial = slot->serial;
	while ((len = lookup_read(slot->lookup, q->packet, sizeof(q->packet), &q->query, &q->tag,
		&budget))) {
		q->len = (uint32_t)len;
		parser_submit(r->parser, q);
	}
}

static void read_replies(struct resolver *r, uint64_t now)
{
	struct dns_reply reply;

	for (int n = 0; n < REPLIES_PER_DISPATCH && r->parser; n++) {
		int e = parser_pop(r->parser, &reply, now);

		if (e == 0)
			return;
		for (size_t i = 0; e > 0 && i < RESOLVER_LOOKUPS_MAX; i++)
			if (r->slots[i].lookup && r->slots[i].serial == reply.serial)
				lookup_take(r->slots[i].lookup, &reply.answer, reply.tag, now);
	}
}

/* Which socket was ready is not asked: reading one that is not costs a system call. */
void resolver_dispatch(struct resolver *r, uint64_t now)
{
	for (size_t i = 0; i < RESOLVER_LOOKUPS_MAX; i++)
		if (r->slots[i].lookup)
			read_packets(r, &r->slots[i]);
	read_replies(r, now);
	if (r->parser)
		parser_tick(r->parser, now);
	if (is_unread(r))
		now = NSEC_NEVER;
	for (size_t i = 0; i < RESOLVER_LOOKUPS_MAX; i++)
		if (r->slots[i].lookup)
			lookup_tick(r->slots[i].lookup, now);
}

bool resolver_pop_event(struct resolver *r, struct resolver_event *ret)
{
	for (size_t i = 0; i < RESOLVER_LOOKUPS_MAX; i++) {
		struct slot *slot = &r->slots[i];

		if (!slot->lookup || lookup_state(slot->lookup) == LOOKUP_ASKING)
			continue;
		*ret = (struct resolver_event){.id = slot->id};
		ret->n_addrs = lookup_result(slot->lookup, ret->addrs);
		if (!ret->n_addrs && is_unread(r))
			strscpy(ret->text, "DNS answers cannot be read (IA-E508)",
				sizeof(ret->text));
		else if (!ret->n_addrs)
			lookup_reason(slot->lookup, ret->text, sizeof(ret->text));
		slot->lookup = lookup_free(slot->lookup);
		return true;
	}
	return false;
}
