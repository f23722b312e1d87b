// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dhcp6: see dhcp6.h.
 *
 * stopped -start-> soliciting -ADVERTISE-> requesting -REPLY-> bound -T1-> renewing -T2-> rebinding
 *    |                ^  ^ |                   |                 ^  ^          | REPLY      | REPLY
 *    |  lease held    |  | +-- REPLY, rapid ---|-----------------+  +----------+------------+
 *    +--> confirming -+  +----- 5 x silent ----+          expiry, refusal: soliciting
 *             |  not on link                              conflict: declining, resting, soliciting
 *             +--- REPLY, or silence: the lease is good ---> bound
 */
#include "address/dhcp6.h"

#include "address/dhcp6_offer.h"
#include "base/random.h"

#define JITTER	     10 /* a tenth more or less (RFC 8415 section 15) */
#define GATHER	     (200 * NSEC_PER_MSEC)
#define DECLINE_REST (10 * NSEC_PER_SEC)
#define REFUSED_REST (2 * NSEC_PER_SEC)
#define SOLICIT_MAX  30 /* seconds, unless option 82 says more */
#define LEASE_BASE_S 10

enum state {
	STOPPED,
	SOLICITING,
	REQUESTING,
	CONFIRMING,
	BOUND,
	RENEWING,
	REBINDING,
	DECLINING,
	RESTING,
	INFORMING,
	INFORMED,
	STATE_MAX,
};

/*
 * What a state sends and how it repeats it (RFC 8415 sections 7.6 and 15); what silence leads to.
 */
static const struct phase {
	enum dhcp6_type sends;
	bool server, ia, address; /* what the message holds */
	uint16_t first_s, max_s;  /* IRT, MRT */
	uint8_t count;		  /* MRC; 0: no limit */
	enum state after;
} phases[STATE_MAX] = {
	[SOLICITING] = {DHCP6_SOLICIT, false, true, false, 1, SOLICIT_MAX, 0, STOPPED},
	[REQUESTING] = {DHCP6_REQUEST, true, true, true, 1, 30, 5, SOLICITING},
	/* CNF_MAX_RD is 10 s: three tries make 1 + 2 + 4. */
	[CONFIRMING] = {DHCP6_CONFIRM, false, true, true, 1, 4, 3, BOUND},
	[RENEWING] = {DHCP6_RENEW, true, true, true, 10, 600, 0, STOPPED},
	[REBINDING] = {DHCP6_REBIND, false, true, true, 10, 600, 0, STOPPED},
	[DECLINING] = {DHCP6_DECLINE, true, true, true, 1, 0, 4, RESTING},
	[INFORMING] = {DHCP6_INFORMATION_REQUEST, false, false, false, 1, SOLICIT_MAX, 0, STOPPED},
};

struct dhcp6 {
	struct dhcp6_config cfg;
	enum state state;
	uint32_t xid;
	unsigned tries;	  /* sent in this state */
	uint64_t wait;	  /* RT: the last wait between two messages */
	uint64_t began;	  /* of the exchange, for the elapsed time */
	uint64_t next;	  /* next message or next state */
	uint32_t sol_max_s;
	/* SOLICITING: what came so far; REQUESTING: its best is whom we asked */
	struct dhcp6_offer offer;
	bool has_lease;
	struct dhcp6_lease lease;
	bool has_packet;
	struct dhcp6_packet packet;
	struct dhcp_events events;
};

int dhcp6_new(struct dhcp6 **ret, const struct dhcp6_config *cfg)
{
	struct dhcp6 *d;

	if (cfg->client.len < 3 || cfg->client.len > ADDRESS_DUID_MAX)
		return -EINVAL;
	d = calloc(1, sizeof(*d));
	if (!d)
		return -ENOMEM;
	d->cfg = *cfg;
	d->next = NSEC_NEVER;
	*ret = d;
	return 0;
}

struct dhcp6 *dhcp6_free(struct dhcp6 *d)
{
	free(d);
	return NULL;
}

/* --- sending ------------------------------------------------------------------------------- */

/* 0xffff: that long or longer (RFC 8415 section 21.9). */
static uint16_t elapsed(const struct dhcp6 *d, uint64_t now)
{
	return (uint16_t)min_u64((now - d->began) / (10 * NSEC_PER_MSEC), UINT16_MAX);
}

/* Whom a message names and which address it is about: the offer's while there is no lease. */
static void send_message(struct dhcp6 *d, uint64_t now)
{
	const struct phase *p = &phases[d->state];
	const struct dhcp6_reply *about = d->state == REQUESTING ? &d->offer.best : &d->lease.reply;
	struct dhcp6_message m = {
		.type = p->sends,
		.xid = d->xid,
		.client = &d->cfg.client,
		.server = p->server ? &about->server : NULL,
		.elapsed = elapsed(d, now),
		.ia = p->ia,
		.iaid = d->cfg.iaid,
		.rapid = d->state == SOLICITING,
		.hostname = d->cfg.hostname,
	};

	if (p->address)
		m.address = about->address;
	d->packet.len = dhcp6_encode(&m, d->packet.bytes);
	d->has_packet = true;
	d->tries++;
}

static uint64_t limit_of(const struct dhcp6 *d)
{
	const struct phase *p = &phases[d->state];

	if (d->state == SOLICITING && d->sol_max_s)
		return d->sol_max_s * NSEC_PER_SEC;
	return p->max_s ? p->max_s * NSEC_PER_SEC : NSEC_NEVER;
}

/* Section 15: doubled each time, with jitter, up to the limit, which has jitter of its own. */
static void wind(struct dhcp6 *d, uint64_t now)
{
	const struct phase *p = &phases[d->state];
	uint64_t max = limit_of(d);

	if (d->tries > 1)
		d->wait += dhcp_jitter(d->wait, JITTER);
	else if (d->state == SOLICITING) /* never less (RFC 8415 section 18.2.1) */
		d->wait = p->first_s * NSEC_PER_SEC + dhcp_jitter(NSEC_PER_SEC / 20, 1);
	else
		d->wait = dhcp_jitter(p->first_s * NSEC_PER_SEC, JITTER);
	if (d->wait > max)
		d->wait = dhcp_jitter(max, JITTER);
	d->next = now + d->wait;
	/* Renewing ends when rebinding begins, and that with the lease. */
	if (d->state == RENEWING)
		d->next = min_u64(d->next, d->lease.life.rebind);
	if (d->has_lease)
		d->next = min_u64(d->next, d->lease.life.expires);
}

static void transmit(struct dhcp6 *d, uint64_t now)
{
	send_message(d, now);
	wind(d, now);
}

/* The one way from state to state; every exchange is a transaction of its own (section 16.1). */
static void enter(struct dhcp6 *d, enum state to, uint64_t now)
{
	d->state = to;
	d->tries = 0;
	d->next = NSEC_NEVER;
	d->has_packet = false;
	if (to == SOLICITING || to == STOPPED)
		d->offer.has_best = d->offer.has_second = false;
	if (!phases[to].sends)
		return;
	d->xid = random_u32() & 0xffffff;
	d->began = now;
	transmit(d, now);
}

static void bind_lease(struct dhcp6 *d, uint64_t now)
{
	enter(d, BOUND, now);
	d->next = min_u64(d->lease.life.renew, d->lease.life.expires);
}

static void begin(struct dhcp6 *d, uint64_t now)
{
	enter(d, d->cfg.information ? INFORMING : SOLICITING, now);
}

static void rest(struct dhcp6 *d, uint64_t span, uint64_t now)
{
	enter(d, RESTING, now);
	d->next = d->has_lease ? min_u64(now + span, d->lease.life.expires) : now + span;
}

static void expire(struct dhcp6 *d, uint64_t now)
{
	d->has_lease = false;
	dhcp_note(&d->events, DHCP_EVENT_EXPIRED);
	if (d->state == STOPPED)
		d->next = NSEC_NEVER;
	else
		begin(d, now);
}

void dhcp6_start(struct dhcp6 *d, uint64_t now)
{
	if (d->state != STOPPED)
		return;
	if (d->has_lease && now >= d->lease.life.expires)
		expire(d, now);
	if (d->has_lease)
		enter(d, CONFIRMING, now);
	else
		begin(d, now);
}

/* The lease goes on running without carrier; what was told without an address may be of another
 * place. */
void dhcp6_stop(struct dhcp6 *d, uint64_t now)
{
	enter(d, STOPPED, now);
	d->has_lease = d->has_lease && !d->cfg.information;
	if (d->has_lease)
		d->next = d->lease.life.expires;
}

void dhcp6_adopt(struct dhcp6 *d, const struct dhcp6_lease *lease, uint64_t now)
{
	d->lease = *lease;
	d->has_lease = true;
	bind_lease(d, now);
}

void dhcp6_decline(struct dhcp6 *d, uint64_t now)
{
	if (!d->has_lease)
		return;
	d->has_lease = false; /* what it was about stays in d->lease until the server has heard */
	dhcp6_offer_failed(&d->offer, &d->lease.reply.server);
	enter(d, DECLINING, now);
}

/* --- time ---------------------------------------------------------------------------------- */

/* A server that makes an offer is there: that is not what no server at all is. */
static void note_unacked(struct dhcp6 *d)
{
	const struct dhcp6_reply *r = &d->offer.best;

	dhcp_note(&d->events, DHCP_EVENT_UNACKED)->unacked = (struct dhcp_unacked){
		.duid = r->server, .server = inet_from6(&r->source),
		.address = inet_from6(&r->address), .requests = d->tries,
		.over = d->tries >= phases[REQUESTING].count};
}

/* No answer in time. Without an answer to CONFIRM the lease counts on (section 18.2.3). */
static void no_answer(struct dhcp6 *d, uint64_t now)
{
	const struct phase *p = &phases[d->state];

	if (d->state == REQUESTING)
		note_unacked(d);
	else if (d->state != DECLINING)
		dhcp_note(&d->events, DHCP_EVENT_SILENCE)->count = d->tries;
	if (!p->count || d->tries < p->count)
		transmit(d, now);
	else if (d->state == REQUESTING)
		enter(d, dhcp6_offer_fail(&d->offer) ? REQUESTING : SOLICITING, now);
	else if (d->state == CONFIRMING)
		bind_lease(d, now);
	else if (p->after == RESTING)
		rest(d, DECLINE_REST, now);
	else
		enter(d, p->after, now);
}

/* What is due when the clock of the state has run down. */
static void state_due(struct dhcp6 *d, uint64_t now)
{
	switch (d->state) {
	case BOUND: enter(d, now >= d->lease.life.rebind ? REBINDING : RENEWING, now); break;
	case RENEWING:
		if (now >= d->lease.life.rebind)
			enter(d, REBINDING, now);
		else
			no_answer(d, now);
		break;
	case SOLICITING:
		if (d->offer.has_best)
			enter(d, REQUESTING, now);
		else
			no_answer(d, now);
		break;
	case RESTING: begin(d, now); break;
	case STOPPED:
	case INFORMED: d->next = NSEC_NEVER; break;
	default: no_answer(d, now); break;
	}
}

void dhcp6_tick(struct dhcp6 *d, uint64_t now)
{
	if (now < d->next)
		return;
	if (d->has_lease && now >= d->lease.life.expires)
		expire(d, now);
	else
		state_due(d, now);
}

/* --- answers ------------------------------------------------------------------------------- */

/*
 * T1 and T2 as given, else half and four fifths of the preferred lifetime (section 21.4), never
 * past the end. A preferred lifetime of less than 10 s would keep us busy where the address is
 * valid for longer: T1 and T2 are as of 10 s then.
 */
static void take_lease(struct dhcp6 *d, const struct dhcp6_reply *r, uint64_t now)
{
	bool fresh = !d->has_lease ||
		memcmp(&d->lease.reply.address, &r->address, sizeof(r->address)) != 0;
	struct dhcp6_lease *l = &d->lease;
	uint64_t least = min_u64(LEASE_BASE_S * NSEC_PER_SEC, dhcp_span(r->valid_s));
	uint64_t base = r->preferred_s < LEASE_BASE_S ? least : dhcp_span(r->preferred_s);
	uint64_t t1 = r->t1_s ? dhcp_span(r->t1_s) : base == NSEC_NEVER ? base : base / 2;
	uint64_t t2 = r->t2_s ? dhcp_span(r->t2_s) : base == NSEC_NEVER ? base : base / 5 * 4;

	l->reply = *r;
	l->life.obtained = now;
	l->life.expires = dhcp_after(now, dhcp_span(r->valid_s));
	l->life.rebind = min_u64(dhcp_after(now, t2), l->life.expires);
	l->life.renew = min_u64(dhcp_after(now, t1), l->life.rebind);
	d->has_lease = true;
	d->offer.n_failed = 0;
	bind_lease(d, now);
	dhcp_note(&d->events, fresh ? DHCP_EVENT_LEASE : DHCP_EVENT_RENEWED);
}

static void bad_reply(struct dhcp6 *d, const struct dhcp6_reply *r, const char *text)
{
	struct dhcp_event *ev = dhcp_note(&d->events, DHCP_EVENT_BAD_REPLY);

	strscpy(ev->text, text, sizeof(ev->text));
	ev->server = inet_from6(&r->source);
}

/* A status code is the server's; any other obstacle is named here. */
static void tell(struct dhcp6 *d, const struct dhcp6_reply *r, const struct dhcp6_judgement *j)
{
	if (!j->status)
		bad_reply(d, r, j->text);
	else
		dhcp_note(&d->events, DHCP_EVENT_REFUSED)->status = j->status;
}

/* The one with the highest preference; 255 ends the search. Servers without an address are passed
 * over. */
static void take_advertise(struct dhcp6 *d, struct dhcp6_reply *r, uint64_t now)
{
	struct dhcp6_judgement j;

	if (r->sol_max_s)
		d->sol_max_s = r->sol_max_s;
	if (!dhcp6_choose(r, d->has_lease ? &d->lease.reply.address : NULL, &j)) {
		tell(d, r, &j);
		return;
	}
	if (!dhcp6_offer_take(&d->offer, r))
		return;
	d->next = min_u64(d->next, now + GATHER);
	if (r->preference == 255)
		enter(d, REQUESTING, now);
}

/*
 * Without an address while there is one. NotOnLink: ours is of another place, ask for another.
 * NoBinding: the server has forgotten us and is asked (section 18.2.10.1), with the address in
 * place: it is valid until its time is over. Anything else: the lease still counts.
 */
static void take_no_renewal(struct dhcp6 *d, const struct dhcp6_reply *r,
	const struct dhcp6_judgement *j, uint64_t now)
{
	if (dhcp6_withdraws(r, &d->lease.reply.address)) {
		d->has_lease = false;
		dhcp_note(&d->events, DHCP_EVENT_WITHDRAWN);
		begin(d, now);
	} else if (j->status == DHCP6_NOT_ON_LINK) {
		d->has_lease = false;
		tell(d, r, j);
		begin(d, now);
	} else if (j->status == DHCP6_NO_BINDING) {
		tell(d, r, j);
		d->offer.best = d->lease.reply;
		d->offer.best.server = r->server;
		d->offer.best.source = r->source;
		d->offer.has_second = false;
		enter(d, REQUESTING, now);
	} else if (!j->status) {
		tell(d, r, j);
	}
}

/* The server that was asked gives no address: another one that offered one is asked, or all of
 * them after a while. */
static void take_refusal(struct dhcp6 *d, const struct dhcp6_reply *r,
	const struct dhcp6_judgement *j, uint64_t now)
{
	if (j->status == DHCP6_NOT_ON_LINK)
		d->has_lease = false;
	tell(d, r, j);
	if (dhcp6_offer_fail(&d->offer))
		enter(d, REQUESTING, now);
	else
		rest(d, REFUSED_REST, now);
}

static void take_confirmation(struct dhcp6 *d, const struct dhcp6_reply *r, uint64_t now)
{
	const struct dhcp6_judgement j = {.status = r->status};

	if (r->status == DHCP6_NOT_ON_LINK)
		take_no_renewal(d, r, &j, now);
	else if (r->status == DHCP6_SUCCESS)
		bind_lease(d, now);
}

static void take_information(struct dhcp6 *d, const struct dhcp6_reply *r, uint64_t now)
{
	d->lease = (struct dhcp6_lease){.reply = *r,
		.life = {now, NSEC_NEVER, NSEC_NEVER, NSEC_NEVER}};
	d->has_lease = true;
	enter(d, INFORMED, now);
	dhcp_note(&d->events, DHCP_EVENT_INFORMED);
}

static void take_reply(struct dhcp6 *d, struct dhcp6_reply *r, uint64_t now)
{
	struct dhcp6_judgement j;

	switch (d->state) {
	case CONFIRMING: take_confirmation(d, r, now); return;
	case DECLINING: rest(d, DECLINE_REST, now); return;
	case INFORMING: take_information(d, r, now); return;
	case SOLICITING:
		if (!r->rapid)
			return;
		break;
	default: break;
	}
	if (dhcp6_choose(r, d->has_lease ? &d->lease.reply.address : NULL, &j))
		take_lease(d, r, now);
	else if (d->state == SOLICITING)
		tell(d, r, &j);
	else if (d->state == REQUESTING)
		take_refusal(d, r, &j, now);
	else
		take_no_renewal(d, r, &j, now);
}

/* The server a message was for, NULL if for all: only that one is to answer it (section 16). */
static const struct duid *asked(const struct dhcp6 *d)
{
	if (d->state == REQUESTING)
		return &d->offer.best.server;
	return phases[d->state].server ? &d->lease.reply.server : NULL;
}

/* Is it an answer to our last message (section 16.3, 16.10)? Others' are passed over in silence. */
static bool is_ours(const struct dhcp6 *d, const struct dhcp6_reply *r)
{
	const struct duid *server = asked(d);

	return dhcp6_listens(d) && r->xid == d->xid && duid_equal(&r->client, &d->cfg.client) &&
		(!server || !r->server.len || duid_equal(&r->server, server));
}

void dhcp6_take(struct dhcp6 *d, const struct dhcp6_reply *r, uint64_t now)
{
	struct dhcp6_reply own = *r;

	if (r->defect != DHCP6_GOOD) {
		/* The transaction may be known all the same: then the server is to be corrected. */
		if (dhcp6_listens(d) && r->xid == d->xid && r->defect != DHCP6_NOT_ANSWER)
			bad_reply(d, r, dhcp6_defect_words(r->defect));
		return;
	}
	if (!is_ours(d, r))
		return;
	if (!r->server.len)
		bad_reply(d, r, "it does not name its server");
	else if (r->type == DHCP6_ADVERTISE && d->state == SOLICITING)
		take_advertise(d, &own, now);
	else if (r->type == DHCP6_REPLY)
		take_reply(d, &own, now);
}

/* --- for the owner ------------------------------------------------------------------------- */

uint64_t dhcp6_deadline(const struct dhcp6 *d)
{
	return d->next;
}

bool dhcp6_listens(const struct dhcp6 *d)
{
	return phases[d->state].sends != DHCP6_NO_MESSAGE;
}

uint32_t dhcp6_xid(const struct dhcp6 *d)
{
	return d->xid;
}

bool dhcp6_pop_packet(struct dhcp6 *d, struct dhcp6_packet *ret)
{
	if (!d->has_packet)
		return false;
	*ret = d->packet;
	d->has_packet = false;
	return true;
}

bool dhcp6_pop_event(struct dhcp6 *d, struct dhcp_event *ret)
{
	return dhcp_pop(&d->events, ret);
}

const struct dhcp6_lease *dhcp6_lease(const struct dhcp6 *d)
{
	return d->has_lease ? &d->lease : NULL;
}
