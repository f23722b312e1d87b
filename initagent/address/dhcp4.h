/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dhcp4: the state machine of a DHCPv4 client (RFC 2131 section 4.4) without any input or output of
 *   its own: it takes parsed replies and the time, and yields packets and events. The owner
 *   sends, receives and has replies parsed.
 *
 * Where it departs from the RFC, and why:
 *  - the first DISCOVER leaves at once (no 1-10 s wait): carrier times spread by themselves, and
 *    every later delay has jitter;
 *  - retransmission after 1, 2, 4, 4, 8, 8, 8 s, then 16, 32, 64 s, each +-1/8, instead of 4, 8,
 *    16, 32, 64: a lost first packet costs 1 s, a server that comes up late is found within 4-8
 *    s;
 *  - the first acceptable OFFER is taken; only that of a server that has left REQUESTs unanswered
 *    waits for others until the next DISCOVER would be due;
 *  - the ACK of a REQUEST that was given up after 7 s still counts: a server that a rack has just
 *    flooded takes longer, and would be asked again and again without end;
 *  - the first DISCOVERs ask for Rapid Commit (RFC 4039): the ACK that comes then is judged like an
 *    OFFER and is the lease. Not when another server's lease may be wanted, since the committed one
 *    is lost to its server until it ends: not with a list of servers, nor with a form of client
 *    identifier that is not the preferred one;
 *  - an address that was leased before the kernel is asked for once, for 1 s: without the time of
 *    that lease it may not be used unacknowledged (RFC 2131 section 3.2), and a server that knows
 *    nothing of it may be silent;
 *  - with several forms of client identifier these waits are those of the forms' turns
 *  (client_id.h);
 *  - on links that do not need the broadcast flag two DISCOVERs are without it, two have it, and so
 *    on: there are networks that lose unicast to hosts without address, and relay agents that do
 *    not know the flag. The REQUEST has it as its DISCOVER had;
 *  - FORCERENEW is ignored (CVE-2020-13529: nothing authenticates it).
 */
#pragma once

#include "address/dhcp.h"
#include "address/dhcp4_lease.h"
#include "address/dhcp_request.h"

struct dhcp4;

struct dhcp4_config {
	struct dhcp_identity identity;
	struct client_id ids[CLIENT_IDS_MAX]; /* tried in turn; none: only that of identity */
	size_t n_ids;
	char hostname[ADDRESS_HOSTNAME_MAX + 1]; /* "": none sent */
	const char *vendor_class;		 /* borrowed; NULL: none */
	struct in_addr servers[ADDRESS_SERVERS_MAX]; /* allowed server identifiers; none: all */
	size_t n_servers;
	bool listed_only; /* without any of them: none is allowed */
	struct in_addr request; /* leased to us before, until when is not known; 0: none */
};

/* A packet to send: len bytes from the IP header on. */
struct dhcp4_packet {
	size_t len;
	bool unicast; /* to dest by the IP stack, from our address; else to the link's broadcast */
	struct in_addr source, dest;
	uint8_t bytes[DHCP_REQUEST_MAX]; /* headers filled unless unicast */
};

/* dhcp4_new: copies cfg. 0 or -ENOMEM. */
int dhcp4_new(struct dhcp4 **ret, const struct dhcp4_config *cfg);
struct dhcp4 *dhcp4_free(struct dhcp4 *d);
DEFINE_FREEP(struct dhcp4, dhcp4_free)

/*
 * dhcp4_start: the link can carry packets. A lease that is still valid is asked for again
 * (INIT-REBOOT), else, the first time, the address of the configuration, else a new one.
 */
void dhcp4_start(struct dhcp4 *d, uint64_t now);

/*
 * dhcp4_adopt: go on with a lease of an earlier run whose address is still set; nothing is sent
 * now. id is the client identifier it was granted to. false, and nothing done, when we do not send
 * such a one.
 */
bool dhcp4_adopt(struct dhcp4 *d, const struct dhcp4_lease *lease, const uint8_t *id, size_t id_len,
	uint64_t now);

/* dhcp4_stop: no carrier. Silent until the next start; a lease is kept (and may expire). */
void dhcp4_stop(struct dhcp4 *d, uint64_t now);

/* dhcp4_decline: the address is in use by another host: DECLINE, 10 s of rest (RFC 2131 3.1.5),
 * again. */
void dhcp4_decline(struct dhcp4 *d, uint64_t now);

/* dhcp4_deadline: call dhcp4_tick() then. NSEC_NEVER: not needed. */
uint64_t dhcp4_deadline(const struct dhcp4 *d);
void dhcp4_tick(struct dhcp4 *d, uint64_t now);

/* dhcp4_take: a parsed reply, sane (dhcp_reply_sane()) and free of defects; others are reported
 * as bad. */
void dhcp4_take(struct dhcp4 *d, const struct dhcp_reply *r, uint64_t now);

/* dhcp4_listens: is a reply expected? dhcp4_xid: its transaction; both for the socket's filter. */
bool dhcp4_listens(const struct dhcp4 *d);
uint32_t dhcp4_xid(const struct dhcp4 *d);

/* dhcp4_pop_packet, dhcp4_pop_event: false when there is none. One packet waits at most, the
 * newest. */
bool dhcp4_pop_packet(struct dhcp4 *d, struct dhcp4_packet *ret);
bool dhcp4_pop_event(struct dhcp4 *d, struct dhcp_event *ret);

/* dhcp4_identity: how the client presents itself now. */
const struct dhcp_identity *dhcp4_identity(const struct dhcp4 *d);

/* dhcp4_lease: the lease held, NULL if none. */
const struct dhcp4_lease *dhcp4_lease(const struct dhcp4 *d);

/* dhcp4_verifies: is the lease held being asked for again (INIT-REBOOT)? */
bool dhcp4_verifies(const struct dhcp4 *d);

/* dhcp4_state_name: "selecting", "bound" ... for reports; constant strings. */
const char *dhcp4_state_name(const struct dhcp4 *d);
