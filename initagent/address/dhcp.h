/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dhcp: what the clients of DHCPv4 and DHCPv6 share: the life of a lease, events, jitter. Pure. */
#pragma once

#include "address/client_id.h"
#include "address/dhcp6_message.h"

/* CLOCK_BOOTTIME ns; NSEC_NEVER: without end. obtained <= renew (T1) <= rebind (T2) <= expires. */
struct lease_life {
	uint64_t obtained, renew, rebind, expires;
};

/* inet_from: an IPv4 address as struct inet_addr; 0.0.0.0 becomes "not given". */
static inline struct inet_addr inet_from(struct in_addr a)
{
	return (struct inet_addr){.family = a.s_addr ? AF_INET : 0, .v4 = a};
}

static inline struct inet_addr inet_from6(const struct in6_addr *a)
{
	return (struct inet_addr){.family = AF_INET6, .v6 = *a};
}

/* dhcp_span: seconds of a message in ns; UINT32_MAX is for ever. dhcp_after: an instant,
 * NSEC_NEVER at most. */
static inline uint64_t dhcp_span(uint32_t seconds)
{
	return seconds == UINT32_MAX ? NSEC_NEVER : seconds * NSEC_PER_SEC;
}

static inline uint64_t dhcp_after(uint64_t from, uint64_t span)
{
	return span > NSEC_NEVER - from ? NSEC_NEVER : from + span;
}

/* dhcp_jitter: wait, more or less a random part (1/part) of it, so that nodes that lost the same
 * packet do not come back in the same instant. */
uint64_t dhcp_jitter(uint64_t wait, unsigned part);

/* In the order they are popped in. */
enum dhcp_event_type {
	DHCP_EVENT_NOTHING,
	DHCP_EVENT_LEASE,     /* there is a lease: new, or other content than before */
	DHCP_EVENT_RENEWED,   /* the same lease goes on; DHCPv6: maybe with other servers */
	DHCP_EVENT_INFORMED,  /* DHCPv6: the answer to INFORMATION-REQUEST is in dhcp6_lease() */
	/* DHCPv4: NAK, a lease that was held is gone; DHCPv6: a status code */
	DHCP_EVENT_REFUSED,
	DHCP_EVENT_WITHDRAWN, /* DHCPv6: the server took the address of the lease back */
	DHCP_EVENT_EXPIRED,   /* the lease ran out */
	DHCP_EVENT_FOREIGN,   /* DHCPv4: a server that is not allowed answered */
	DHCP_EVENT_BAD_REPLY, /* text says what is wrong with it */
	DHCP_EVENT_FORM,      /* DHCPv4: another form of client identifier is being sent now */
	DHCP_EVENT_SILENCE,   /* count requests in a row got no answer */
	DHCP_EVENT_UNACKED,   /* a server made an offer, and has not answered the REQUEST for it */
	DHCP_EVENT_MAX,
};

struct dhcp_unacked {
	struct inet_addr server, address; /* who offered what */
	struct duid duid;	/* DHCPv6: of the server */
	/* DHCPv4: another server that acknowledged instead; family 0: none */
	struct inet_addr rival;
	unsigned requests;	/* sent for this offer */
	bool over;		/* no more of them follow */
};

struct dhcp_event {
	enum dhcp_event_type type;
	struct inet_addr server; /* DHCPv4: REFUSED, FOREIGN; BAD_REPLY; family 0: unknown */
	uint32_t status;	 /* DHCPv6: REFUSED */
	unsigned count;		 /* SILENCE; FORM: requests with the form before */
	unsigned strangers;	 /* SILENCE: replies meanwhile that were for another client */
	/* FORM: because another form got an offer, not because of silence; REFUSED: no lease,
	 * but a wish (dhcp4_config.request) */
	bool again;
	enum client_id_form before;  /* FORM; the present one is dhcp4_identity()'s */
	struct dhcp_unacked unacked; /* UNACKED */
	char text[128];		 /* BAD_REPLY */
};

/* One place a type: the queue cannot grow, a newer event replaces an older one. Zeroed: empty. */
struct dhcp_events {
	struct dhcp_event slots[DHCP_EVENT_MAX];
};

/* dhcp_note: an event to be popped, for the caller to fill in. */
struct dhcp_event *dhcp_note(struct dhcp_events *e, enum dhcp_event_type type);
bool dhcp_pop(struct dhcp_events *e, struct dhcp_event *ret);
