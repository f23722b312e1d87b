/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * iface: one interface on its way to an address. It owns its DHCP client, its packet socket and its
 * address probe, and applies the outcome. The room (addresses.c) owns the interfaces, the parser
 * process and the events' way out. iface.c has the states, iface_dhcp.c the DHCP side.
 */
#pragma once

#include "address/arp_probe.h"
#include "address/parse.h"
#include "address/news.h"
#include "address/result.h"
#include "report/causes.h"

/* A static address that another host uses is tried again after this time. */
#define IFACE_CONFLICT_REST (10 * NSEC_PER_SEC)
/* A saved lease with less time left than this is not worth adopting. */
#define IFACE_LEASE_MARGIN  (10 * NSEC_PER_SEC)
/* How many servers that are not allowed are told by address. */
#define IFACE_FOREIGN_MAX   4

enum iface_state {
	IFACE_NO_CARRIER,
	IFACE_ASKING,	  /* DHCP */
	IFACE_PROBING,	  /* is the address free? Not yet set */
	IFACE_CONFIGURED,
	IFACE_CONFLICT,	  /* static address used by another host */
	IFACE_FAILED,
	IFACE_GONE,	  /* the interface is */
	IFACE_STATE_MAX,
};

/* What the interfaces of a room share; borrowed. */
struct iface_room {
	const struct env *env;
	struct links *links;
	int epoll;
	bool keep; /* nothing is taken off interfaces any more */
};

struct iface {
	const struct iface_room *room;
	struct iface_config config;
	struct netdev dev; /* as last seen */
	enum iface_state state;
	struct dhcp4 *dhcp;  /* NULL: static, or not begun */
	int fd;		     /* packet socket, -1 before it was needed */
	bool listens;	     /* fd is in the epoll set and not muted */
	uint32_t filter_xid; /* what fd lets through */
	int renew_fd;	     /* holds port 68 while a renewal is under way, -1 */
	struct arp_probe *probe; /* also after its verdict, muted */
	struct address_result result;
	bool applied;	 /* result is on the interface */
	bool verified;	 /* nobody else uses the address */
	bool probing;	 /* probe is under way, its fd in the epoll set */
	bool careful;	 /* there was a conflict: probe first */
	bool looked;	 /* for a lease of an earlier run */
	uint64_t began;	 /* carrier: the exchange's span starts here */
	uint64_t retry;	 /* end of IFACE_CONFLICT */
	uint64_t round_end;
	unsigned rounds;
	uint64_t heard; /* packets the interface had received when the round began; UINT64_MAX: unknown */
	enum cause hindrance; /* worse than silence, in this round */
	char unacked[128];    /* what it is, if CAUSE_DHCP_NO_ACK */
	struct in_addr foreign[IFACE_FOREIGN_MAX]; /* servers not allowed that answered in it */
	size_t n_foreign;
	bool spoke; /* the first DHCP packet since carrier is out */
	uint32_t link_mtu; /* what the link had before we set it: on IPoIB the group's */
	struct news news;
};

/* iface_new: cfg is copied. Nothing happens before iface_link(). 0 or -errno. */
int iface_new(struct iface **ret, const struct iface_room *room, const struct address_config *cfg);
/* iface_free: what is on the interface stays. */
struct iface *iface_free(struct iface *i);
DEFINE_FREEP(struct iface, iface_free)

/* iface_link: looks at the interface again: is it there, up, has it carrier? */
void iface_link(struct iface *i, uint64_t now);
/* iface_release: takes everything off the interface. */
void iface_release(struct iface *i);
/* iface_set_metric: see addresses_set_metric(). */
void iface_set_metric(struct iface *i, uint32_t metric);

/* iface_deadline: 0 while an event waits to be popped. */
uint64_t iface_deadline(const struct iface *i);
void iface_tick(struct iface *i, uint64_t now);
bool iface_pop_event(struct iface *i, struct address_event *ret);

/* iface_read: hands received packets to the parser process. */
void iface_read(struct iface *i, struct parser *parser, struct parse_request *scratch);
/* iface_take: a parsed reply. */
void iface_take(struct iface *i, const struct dhcp_reply *reply, uint64_t now);
/* iface_no_parser: there is no parser process any more: DHCP cannot go on. */
void iface_no_parser(struct iface *i, uint64_t now);

/* --- between iface.c and iface_dhcp.c --- */

void iface_set_state(struct iface *i, enum iface_state to, uint64_t now);
void iface_hint(struct iface *i, enum cause cause, const char *fmt, ...) _printf_(3, 4);
/* iface_lost: takes the result off (unless the root stands on it) and says why. */
void iface_lost(struct iface *i, enum cause cause, const char *text);
void iface_fail(struct iface *i, enum cause cause, const char *text, uint64_t now);
/* iface_use: want is what the interface shall have: probe for it and apply it. */
void iface_use(struct iface *i, const struct address_result *want, uint64_t now);
void iface_event(struct iface *i, enum address_event_type type, enum cause cause, const char *text);

void iface_dhcp_start(struct iface *i, uint64_t now);
void iface_dhcp_stop(struct iface *i, uint64_t now);
void iface_dhcp_decline(struct iface *i, uint64_t now);
void iface_dhcp_tick(struct iface *i, uint64_t now);
uint64_t iface_dhcp_deadline(const struct iface *i);

/* iface_watch: fd becomes part of the room's fd. iface_unwatch: *fd leaves it and is closed, becomes -1. */
void iface_watch(const struct iface_room *room, int fd);
void iface_unwatch(const struct iface_room *room, int *fd);
