// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dhcp4: see dhcp4.h.
 *
 *                     +-------- ACK with Rapid Commit ---------+
 *                     |                                        V
 * stopped -start-> selecting --OFFER--> requesting --ACK--> bound -T1-> renewing -T2-> rebinding
 *    |                ^  ^                  |                 ^            | ACK          | ACK
 *    |  lease held,   |  +--- 3 x silent ---+                 +------------+--------------+
 *    |  or a wish     | silent                  NAK, expiry, conflict: resting -> selecting
 *    +--> rebooting --+
 *             +----------- ACK --> bound
 */
#include "address/dhcp4.h"

#include "address/dhcp_option.h"
#include "base/random.h"

#define DECLINE_REST	 (10 * NSEC_PER_SEC)
#define RENEW_RETRY_MIN	 (60 * NSEC_PER_SEC) /* RFC 2131 section 4.4.5 */
#define BROADCAST_BIT	 2  /* of the number of DISCOVERs: two without the flag, two with it */
/* DISCOVERs with Rapid Commit: a network may lose those with an option that it does not know. */
#define RAPID_MAX	 3
#define REFUSALS_REST_MAX 4 /* rest after n NAKs in a row: 0, 1, 2, 4, 8 s */

enum state {
	STOPPED,
	REBOOTING,
	WISHING, /* the same, for an address of which we have no lease */
	SELECTING,
	REQUESTING,
	BOUND,
	RENEWING,
	REBINDING,
	RESTING, /* after a NAK or a conflict */
	STATE_MAX,
};

/* Seconds to the next try; the last one is repeated. Zero ends the row. */
static const uint8_t discover_waits[] = {1, 2, 4, 4, 8, 8, 8, 16, 32, 64, 0};
static const uint8_t request_waits[] = {1, 2, 4, 0};
static const uint8_t reboot_waits[] = {1, 2, 0};
static const uint8_t wish_waits[] = {1, 0};

/* What a state sends, what it sends along, and what silence means to it. */
static const struct phase {
	const char *name;
	enum dhcp_type sends; /* DHCP_NONE: nothing */
	bool listens;
	bool requested, server, ciaddr, unicast;
	const uint8_t *waits;	/* NULL: the times are the lease's */
	enum state after_waits; /* STOPPED: repeat the last wait */
} phases[STATE_MAX] = {
	[STOPPED] = {.name = "stopped"},
	[REBOOTING] = {"rebooting", DHCP_REQUEST, true, .requested = true, .waits = reboot_waits,
		.after_waits = SELECTING},
	[WISHING] = {"rebooting", DHCP_REQUEST, true, .requested = true, .waits = wish_waits,
		.after_waits = SELECTING},
	[SELECTING] = {"selecting", DHCP_DISCOVER, true, .waits = discover_waits},
	[REQUESTING] = {"requesting", DHCP_REQUEST, true, .requested = true, .server = true,
		.waits = request_waits, .after_waits = SELECTING},
	[BOUND] = {.name = "bound"},
	[RENEWING] = {"renewing", DHCP_REQUEST, true, .ciaddr = true, .unicast = true},
	[REBINDING] = {"rebinding", DHCP_REQUEST, true, .ciaddr = true},
	[RESTING] = {.name = "resting"},
};

struct dhcp4 {
	struct dhcp4_config cfg; /* identity's client identifier is the one sent now */
	struct client_turn turn;
	enum state state;
	uint32_t xid;
	unsigned tries;		/* sent in this state, with this client identifier */
	unsigned asked;		/* sent in this state */
	unsigned refusals;	/* NAKs since the last ACK */
	uint64_t began;		/* of the exchange, for secs */
	uint16_t secs;		/* relays and some servers act on that field */
	uint64_t sent, request; /* the last message, the first REQUEST: a lease counts from one */
	uint64_t next;		/* next try or next state */
	struct in_addr address; /* offered or held */
	struct in_addr server;	/* whose offer we took */
	struct in_addr rival;	/* REQUESTING: who acknowledged instead of it */
	bool answered;		/* REQUESTING: by something of no use */
	bool rapid;		/* SELECTING: Rapid Commit was asked for in this transaction */
	bool broadcast;		/* the flag of the last DISCOVER: what follows it has the same */
	struct dhcp4_offer offer;
	unsigned strangers;	/* replies for other hardware addresses, since the exchange began */
	bool has_lease;
	struct dhcp4_lease lease;
	bool has_packet;
	struct dhcp4_packet packet;
	struct dhcp_events events;
};

/* The form of client identifier whose turn it is. */
static void show_identity(struct dhcp4 *d)
{
	d->cfg.identity.client_id = d->turn.ids[d->turn.now];
}

/* Stopped, without a lease, until the owner has carrier. */
int dhcp4_new(struct dhcp4 **ret, const struct dhcp4_config *cfg)
{
	struct dhcp4 *d = calloc(1, sizeof(*d));

	if (!d)
		return -ENOMEM;
	d->cfg = *cfg;
	d->next = NSEC_NEVER;
	client_turn_make(&d->turn, cfg->n_ids ? cfg->ids : &cfg->identity.client_id, cfg->n_ids
		? cfg->n_ids : 1);
	show_identity(d);
	*ret = d;
	return 0;
}

struct dhcp4 *dhcp4_free(struct dhcp4 *d)
{
	free(d);
	return NULL;
}

/* One packet at most waits: a newer one makes the older pointless. */
static void queue_packet(struct dhcp4 *d, const struct dhcp_request *r, bool unicast)
{
	struct dhcp4_packet *p = &d->packet;

	p->len = dhcp_request_encode(r, p->bytes);
	p->unicast = unicast;
	p->source = r->ciaddr;
	p->dest.s_addr = unicast ? d->server.s_addr : INADDR_BROADCAST;
	if (!unicast)
		wire_wrap(p->bytes, p->len, p->source, p->dest);
	d->has_packet = true;
}

/* May a server commit a lease at once, since no other one is waited for? */
static bool takes_rapid(const struct dhcp4 *d)
{
	return d->state == SELECTING && d->asked < RAPID_MAX && !d->cfg.n_servers &&
		!d->cfg.listed_only && d->turn.now == d->turn.preferred;
}

/* RFC 2131 table 5: which fields a message carries in which state. */
static void send_request(struct dhcp4 *d, uint64_t now)
{
	const struct phase *p = &phases[d->state];
	struct dhcp_request r = {
		.type = p->sends,
		.id = &d->cfg.identity,
		.xid = d->xid,
		.secs = d->secs,
		.broadcast = d->broadcast && !p->ciaddr, /* who renews can be reached */
		.rapid = takes_rapid(d),
		.hostname = d->cfg.hostname,
		.vendor_class = d->cfg.vendor_class,
	};

	/* A DISCOVER names the address we had, if any, as a wish. */
	if (p->requested || (p->sends == DHCP_DISCOVER && d->address.s_addr))
		r.requested = d->address;
	if (p->server)
		r.server_id = d->server;
	if (p->ciaddr)
		r.ciaddr = d->address;
	d->tries++;
	d->asked++;
	d->rapid |= r.rapid;
	d->sent = now;
	queue_packet(d, &r, p->unicast);
}

/* --- states -------------------------------------------------------------------------------- */

/* The wait after the n-th packet (from 1) of a row; the last one for ever; 0 when the row has
 * ended. */
static uint64_t wait_after(const struct dhcp4 *d, unsigned n)
{
	const struct phase *p = &phases[d->state];
	unsigned i = 0, seconds;

	while (i + 1 < n && p->waits[i])
		i++;
	if (p->waits[i] == 0 && p->after_waits == STOPPED)
		i--;
	seconds = p->waits[i];
	if (d->state == SELECTING)
		seconds = client_turn_wait(&d->turn, seconds);
	return dhcp_jitter(seconds * NSEC_PER_SEC, 8);
}

/* RFC 2131 4.4.5: half of what is left until the next state, not below 60 s, not beyond that
 * state. */
static uint64_t renew_again(const struct dhcp4 *d, uint64_t now)
{
	uint64_t end = d->state == RENEWING ? d->lease.life.rebind : d->lease.life.expires;
	uint64_t half;

	if (end == NSEC_NEVER || end <= now)
		return end;
	half = (end - now) / 2;
	return min_u64(end, now + (half < RENEW_RETRY_MIN ? RENEW_RETRY_MIN : half));
}

/* Sends and winds the clock. A REQUEST has the seconds of its DISCOVER (RFC 2131 section 3.1). */
static void transmit(struct dhcp4 *d, uint64_t now)
{
	if (d->state == SELECTING)
		d->broadcast = d->tries & BROADCAST_BIT;
	if (d->state != REQUESTING)
		d->secs = (uint16_t)min_u64((now - d->began) / NSEC_PER_SEC, UINT16_MAX);
	send_request(d, now);
	d->next = phases[d->state].waits ? now + wait_after(d, d->tries) : renew_again(d, now);
	if (d->has_lease)
		d->next = min_u64(d->next, d->lease.life.expires);
}

/* The one way from state to state. A packet of the state left behind must not go out any more. */
static void enter(struct dhcp4 *d, enum state to, uint64_t now)
{
	bool exchange = d->state == SELECTING ? to == REQUESTING
		: d->state == REQUESTING && to == SELECTING && d->server.s_addr;
	bool search = d->state == SELECTING && to == SELECTING; /* with another client identifier */

	d->state = to;
	d->tries = 0;
	d->next = NSEC_NEVER;
	d->has_packet = false;
	d->answered = d->rapid = false;
	d->rival.s_addr = d->offer.server.s_addr = 0;
	if (!phases[to].sends)
		return;
	/* OFFER, REQUEST and ACK, a late one too, are one transaction; all else is a new one. */
	if (!exchange)
		d->xid = random_u32();
	if (!exchange && !search) {
		d->began = now;
		d->strangers = 0;
	}
	if (!search)
		d->asked = 0;
	if (phases[to].requested)
		d->request = now;
	transmit(d, now);
}

/* Silence for a while, then everything from the beginning. */
static void rest(struct dhcp4 *d, uint64_t span, uint64_t now)
{
	enter(d, RESTING, now);
	d->next = now + span;
}

/* The address is no wish any more either: it was refused, expired or taken. */
static void drop_lease(struct dhcp4 *d)
{
	d->has_lease = false;
	d->address.s_addr = 0;
	d->server.s_addr = 0;
}

/* RFC 2131 section 4.4.5: at the end of the lease the address must not be used any more. */
static void expire(struct dhcp4 *d, uint64_t now)
{
	drop_lease(d);
	dhcp_note(&d->events, DHCP_EVENT_EXPIRED);
	if (d->state != STOPPED)
		enter(d, SELECTING, now);
}

void dhcp4_start(struct dhcp4 *d, uint64_t now)
{
	bool wish;

	if (d->state != STOPPED)
		return;
	if (d->has_lease && now >= d->lease.life.expires)
		expire(d, now);
	wish = !d->has_lease && d->cfg.request.s_addr;
	client_turn_begin(&d->turn);
	show_identity(d);
	if (wish)
		d->address = d->cfg.request;
	d->cfg.request.s_addr = 0;
	enter(d, d->has_lease ? REBOOTING : wish ? WISHING : SELECTING, now);
}

/* From the server that acknowledged: after rebinding it may be another one. */
static void hold_lease(struct dhcp4 *d, const struct dhcp4_lease *lease)
{
	d->lease = *lease;
	d->has_lease = true;
	d->address = lease->ack.yiaddr;
	d->server = lease->ack.server_id;
	d->offer.n_failed = d->refusals = 0;
	client_turn_bound(&d->turn);
}

/* Straight into bound; if T1 has passed meanwhile the next tick renews. */
bool dhcp4_adopt(struct dhcp4 *d, const struct dhcp4_lease *lease, const uint8_t *id, size_t id_len,
	uint64_t now)
{
	if (!client_turn_pick(&d->turn, id, id_len))
		return false;
	show_identity(d);
	hold_lease(d, lease);
	enter(d, BOUND, now);
	d->next = lease->life.renew;
	return true;
}

/* The lease goes on running without carrier. */
void dhcp4_stop(struct dhcp4 *d, uint64_t now)
{
	enter(d, STOPPED, now);
	if (d->has_lease)
		d->next = d->lease.life.expires;
}

void dhcp4_decline(struct dhcp4 *d, uint64_t now)
{
	struct dhcp_request r = {
		.type = DHCP_DECLINE,
		.id = &d->cfg.identity,
		.requested = d->address,
		.server_id = d->server,
	};

	if (!d->has_lease)
		return;
	rest(d, DECLINE_REST, now);
	r.xid = d->xid = random_u32();
	queue_packet(d, &r, false);
	dhcp4_offer_failed(&d->offer, d->server);
	drop_lease(d);
}

uint64_t dhcp4_deadline(const struct dhcp4 *d)
{
	return d->next;
}

/* The form of client identifier has just changed from that of identity: a new transaction. */
static void use_form(struct dhcp4 *d, bool again, uint64_t now)
{
	struct dhcp_event *ev = dhcp_note(&d->events, DHCP_EVENT_FORM);

	ev->before = d->cfg.identity.client_id.form;
	ev->count = d->tries;
	ev->again = again;
	show_identity(d);
	enter(d, SELECTING, now);
}

/* The server that made the offer has nothing to say to the REQUEST: that is not what no server at
 * all is. */
static void no_ack(struct dhcp4 *d)
{
	bool over = wait_after(d, d->tries + 1) == 0;

	if (over)
		dhcp4_offer_failed(&d->offer, d->server);
	if (d->answered)
		return; /* with what was told already */
	dhcp_note(&d->events, DHCP_EVENT_UNACKED)->unacked = (struct dhcp_unacked){
		.server = inet_from(d->server), .address = inet_from(d->address),
		.rival = inet_from(d->rival), .requests = d->asked, .over = over};
}

static void request_offer(struct dhcp4 *d, uint64_t now)
{
	d->address = d->offer.address;
	d->server = d->offer.server;
	enter(d, REQUESTING, now);
}

/* Nothing came in time: again, with another client identifier, or the next state. */
static void no_answer(struct dhcp4 *d, uint64_t now)
{
	struct dhcp_event *ev;

	if (d->state == REQUESTING) {
		no_ack(d);
	} else {
		ev = dhcp_note(&d->events, DHCP_EVENT_SILENCE);
		ev->count = d->asked;
		ev->strangers = d->strangers;
	}
	if (d->state == SELECTING && d->tries >= client_turn_tries(&d->turn)) {
		client_turn_next(&d->turn);
		use_form(d, false, now);
	} else if (wait_after(d, d->tries + 1) == 0) {
		enter(d, phases[d->state].after_waits, now);
	} else {
		transmit(d, now);
	}
}

/* The end of a lease comes before everything else; then what the state is due. */
void dhcp4_tick(struct dhcp4 *d, uint64_t now)
{
	if (now < d->next)
		return;
	if (d->has_lease && now >= d->lease.life.expires) {
		d->next = NSEC_NEVER;
		expire(d, now);
	} else if ((d->state == BOUND || d->state == RENEWING) && now >= d->lease.life.rebind) {
		/* also straight from BOUND, after a long silence of ours */
		enter(d, REBINDING, now);
	} else if (d->state == BOUND) {
		enter(d, RENEWING, now);
	} else if (d->state == RESTING) {
		enter(d, SELECTING, now);
	} else if (d->offer.server.s_addr) {
		request_offer(d, now);
	} else if (phases[d->state].waits) {
		no_answer(d, now);
	} else if (phases[d->state].sends) {
		transmit(d, now);
	}
}

/* --- replies ------------------------------------------------------------------------------- */

/* The server is named by its identifier, or by the packet's source if that names none. */
static void bad_reply(struct dhcp4 *d, const struct dhcp_reply *r, const char *words)
{
	struct dhcp_event *ev = dhcp_note(&d->events, DHCP_EVENT_BAD_REPLY);

	strscpy(ev->text, words, sizeof(ev->text));
	ev->server = inet_from(inet4_is_host(r->server_id) ? r->server_id : r->source);
	d->answered = true;
}

/* No list: everybody is. */
static bool server_allowed(const struct dhcp4 *d, struct in_addr server)
{
	for (size_t i = 0; i < d->cfg.n_servers; i++)
		if (d->cfg.servers[i].s_addr == server.s_addr)
			return true;
	return d->cfg.n_servers == 0 && !d->cfg.listed_only;
}

/*
 * Is it of no use? An OFFER is judged like the ACK: a REQUEST for it would bind the address at the
 * server and cost a round of silence, while another server may have a better one.
 */
static bool reply_fault(const struct dhcp4 *d, const struct dhcp_reply *r, struct dhcp4_fault *f)
{
	if (dhcp4_server_fault(r, f))
		return true;
	if (r->type == DHCP_NAK)
		return false;
	if (r->type == DHCP_ACK && d->state != SELECTING &&
		r->yiaddr.s_addr != d->address.s_addr) {
		strscpy(f->text, "ACK for an address that was not requested", sizeof(f->text));
		return true;
	}
	return dhcp4_lease_fault(r, f);
}

/* After a link flap it is always told, since the interface may have lost what was set. */
static void take_ack(struct dhcp4 *d, const struct dhcp_reply *r, uint64_t now)
{
	struct dhcp4_lease lease;
	bool same = d->has_lease && d->state != REBOOTING && dhcp4_lease_same(&d->lease.ack, r);
	bool last = phases[d->state].ciaddr || (d->state == SELECTING && r->rapid);

	dhcp4_lease_make(&lease, r, last ? d->sent : d->request);
	hold_lease(d, &lease);
	dhcp_note(&d->events, same ? DHCP_EVENT_RENEWED : DHCP_EVENT_LEASE);
	enter(d, BOUND, now);
	d->next = d->lease.life.renew;
}

/* The first refusal starts over at once; a server that goes on refusing is given time. That of a
 * wish is none of a lease. */
static void take_nak(struct dhcp4 *d, const struct dhcp_reply *r, uint64_t now)
{
	unsigned n = d->refusals < REFUSALS_REST_MAX ? d->refusals : REFUSALS_REST_MAX;
	struct dhcp_event *ev = dhcp_note(&d->events, DHCP_EVENT_REFUSED);

	ev->server = inet_from(r->server_id);
	ev->again = d->state == WISHING;
	if (d->state == REQUESTING && n > 0) /* a first one may be chance */
		dhcp4_offer_failed(&d->offer, d->server);
	drop_lease(d);
	d->refusals += !ev->again;
	if (n == 0)
		enter(d, SELECTING, now);
	else
		rest(d, dhcp_jitter(NSEC_PER_SEC << (n - 1), 8), now);
}

static void take_offer(struct dhcp4 *d, const struct dhcp_reply *r, uint64_t now)
{
	if (!client_turn_offer(&d->turn)) {
		use_form(d, true, now);
		return;
	}
	if (dhcp4_offer_take(&d->offer, r->server_id, r->yiaddr))
		request_offer(d, now);
}

/* May the state use a reply of this type? Late duplicates and the like are ignored. */
static bool expected(struct dhcp4 *d, const struct dhcp_reply *r)
{
	if (!phases[d->state].listens || r->xid != d->xid)
		return false;
	if (!dhcp_identity_meant(&d->cfg.identity, r)) {
		d->strangers++;
		return false;
	}
	if (d->state == SELECTING && r->type == DHCP_ACK)
		return r->rapid ? d->rapid : dhcp4_ack_late(r, d->server, d->address);
	return d->state == SELECTING ? r->type == DHCP_OFFER
		: r->type == DHCP_ACK || r->type == DHCP_NAK;
}

/* In REQUESTING only the server whose offer was taken counts. That another one acknowledges is
 * told, unless it is the DISCOVER that it has acknowledged. */
static bool from_another(struct dhcp4 *d, const struct dhcp_reply *r)
{
	if (d->state != REQUESTING || r->server_id.s_addr == d->server.s_addr)
		return false;
	if (r->type == DHCP_ACK && !r->rapid)
		d->rival = r->server_id;
	return true;
}

/* Order matters: not for us, malformed, not allowed, then what it says. */
void dhcp4_take(struct dhcp4 *d, const struct dhcp_reply *r, uint64_t now)
{
	struct dhcp4_fault fault;

	if (r->wire_defect || r->defect) {
		if (phases[d->state].listens)
			bad_reply(d, r, r->wire_defect ? wire_defect_words(r->wire_defect)
						       : dhcp_defect_words(r->defect));
		return;
	}
	if (!expected(d, r))
		return;
	if (!dhcp4_server_fault(r, &fault) && from_another(d, r))
		return;
	if (reply_fault(d, r, &fault))
		bad_reply(d, r, fault.text);
	else if (!server_allowed(d, r->server_id))
		dhcp_note(&d->events, DHCP_EVENT_FOREIGN)->server = inet_from(r->server_id);
	else if (r->type == DHCP_OFFER)
		take_offer(d, r, now);
	else if (r->type == DHCP_ACK)
		take_ack(d, r, now);
	else
		take_nak(d, r, now);
}

bool dhcp4_listens(const struct dhcp4 *d)
{
	return phases[d->state].listens;
}

uint32_t dhcp4_xid(const struct dhcp4 *d)
{
	return d->xid;
}

bool dhcp4_pop_packet(struct dhcp4 *d, struct dhcp4_packet *ret)
{
	if (!d->has_packet)
		return false;
	*ret = d->packet;
	d->has_packet = false;
	return true;
}

bool dhcp4_pop_event(struct dhcp4 *d, struct dhcp_event *ret)
{
	return dhcp_pop(&d->events, ret);
}

const struct dhcp_identity *dhcp4_identity(const struct dhcp4 *d)
{
	return &d->cfg.identity;
}

const struct dhcp4_lease *dhcp4_lease(const struct dhcp4 *d)
{
	return d->has_lease ? &d->lease : NULL;
}

bool dhcp4_verifies(const struct dhcp4 *d)
{
	return d->state == REBOOTING;
}

const char *dhcp4_state_name(const struct dhcp4 *d)
{
	return phases[d->state].name;
}
