/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * iface: one interface on its way to an address of one family, by whichever method: the rows of a
 * table (static, DHCPv4, link-local, router advertisements, DHCPv6). It owns its DHCP client,
 * sockets and address probe, and applies the outcome. addresses.c owns the interfaces, the parser
 * process and the events' way out.
 *
 *	no carrier --+--> asking ---> (checking) --> configured <--+		DHCPv4
 *	             |      ^           free?           |          |
 *	             |      +--- NAK, expired, conflict-+          |
 *	             +--> (checking) ---------- static ------------+
 *	             +--> link-local --+--> (routers) --------------> configured	auto6
 *	                               +--> asking --> checking ----> configured	dhcp6
 *	                               +--> checking ---------------> configured	static
 *
 * From everywhere: carrier lost -> no carrier; interface gone -> gone; address in use by another
 * host -> conflict, 10 s, again; nothing helps -> failed. For IPv6 the kernel does neighbour
 * discovery; this looks at what it has come to at each change, so that lost notifications do not
 * matter.
 *
 * iface.c: states, link, conflicts; iface4.c, iface6.c: the methods of a family; iface_dhcp.c:
 * DHCP's events, iface_dhcp4.c, iface_dhcp6.c: its packets and leases; apply.c: addresses and
 * routes.
 */
#pragma once

#include "address/arp_probe.h"
#include "address/dhcp4.h"
#include "address/dhcp6.h"
#include "address/duid.h"
#include "address/inet6.h"
#include "address/parse.h"
#include "address/result.h"
#include "address/router_list.h"

/* An address that another host uses is tried again after this time. */
#define IFACE_CONFLICT_REST (10 * NSEC_PER_SEC)
/* A saved lease with less time left than this is not worth adopting. */
#define IFACE_LEASE_MARGIN  (10 * NSEC_PER_SEC)
/* How many servers that are not allowed are told by address. */
#define IFACE_FOREIGN_MAX   4
#define IFACE_PACKETS_PER_DISPATCH 16

enum iface_state {
	IFACE_NO_CARRIER,
	IFACE_LINK_LOCAL, /* IPv6: waits for the link-local address */
	IFACE_ROUTERS,	  /* IPv6: for an address from a router advertisement */
	IFACE_ASKING,	  /* DHCP */
	IFACE_CHECKING,	  /* is the address free? IPv4: not yet set */
	IFACE_CONFIGURED,
	IFACE_CONFLICT,	  /* address in use by another host */
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
	bool hold; /* none begins with its method */
	unsigned *repeats; /* DHCP packets after the first, of all interfaces */
};

struct iface {
	const struct iface_room *room;
	int family;
	struct iface_config config;
	enum address_method way; /* as configured, EITHER6 as what is being tried */
	struct netdev dev;	 /* as last seen */
	enum iface_state state;
	struct address_result result;
	bool applied;	 /* result was set by us */
	bool careful;	 /* there was a conflict: check first */
	uint64_t began;	 /* carrier: the exchange's span starts here */
	uint64_t retry;	 /* end of IFACE_CONFLICT; look again; NSEC_NEVER: none due */
	uint64_t pause;	 /* between looks: kernel without IPv6 yet, interface that is not up */
	/* Events to be popped: what has happened, and what is in the way; the newest of each. */
	bool has_outcome, has_hint;
	struct address_event outcome, hint; /* hint is kept after it was popped */

	/* DHCP. */
	struct dhcp4 *dhcp4; /* NULL: not begun */
	struct dhcp6 *dhcp6;
	bool looked;	   /* for a lease of an earlier run */
	int fd;		   /* IPv4: packet socket; IPv6: UDP port 546; -1 */
	uint64_t dhcp_end; /* of the round, DHCPv6: of all rounds; NSEC_NEVER: none */
	/* packets the interface had received when it began; UINT64_MAX: unknown */
	uint64_t heard;
	enum cause hindrance; /* worse than silence, in this round */
	char unacked[192];    /* what it is, if CAUSE_DHCP_NO_ACK */

	/* DHCPv4. */
	bool listens;	     /* fd is in the epoll set and not muted */
	uint32_t filter_xid; /* what fd lets through */
	int renew_fd;	     /* holds port 68 while a renewal is under way, -1 */
	unsigned rounds;
	/* servers not allowed that answered in this one */
	struct in_addr foreign[IFACE_FOREIGN_MAX];
	size_t n_foreign;
	unsigned spoken;     /* DHCP packets since carrier */
	uint64_t spoke;	     /* when the last one was sent */
	uint32_t link_mtu;   /* what the link had before we set it: on IPoIB the group's */

	/* IPv4: is the address free? */
	struct arp_probe probe;	 /* also after its verdict, muted */
	bool probing;		 /* under way, its fd in the epoll set */
	bool verified;		 /* no other host uses the address */

	/* IPv6. */
	struct inet6_view seen;
	bool prepared;		 /* the kernel's switches are set */
	struct inet6_saved saved; /* how they were */
	bool stale;		 /* something may have changed since the last look */
	bool solicited;		 /* routers, since there is carrier */
	/* the advertisement with an address or the managed flag was worked off */
	bool settled;
	bool parsing;		 /* what a router said of DNS is with the parser */
	uint64_t dad_end, auto_end, settle_at, route_end; /* NSEC_NEVER: none */
	struct router_list servers, domains; /* of DNS, from router advertisements */
	unsigned malformed;		     /* options since that was last told */
	uint64_t malformed_quiet;	     /* not told again before */
	bool deprecated;		     /* the address is, as of the last look */
	uint64_t deprecated_quiet;	     /* not told again before */
	/* removed by the kernel, as another host has it; family 0: none */
	struct inet_addr duplicate;
	struct duid client;
	bool informs; /* DHCPv6 is asked for no address */
};

/* iface_new: cfg, whose method (and address) is of this family, is copied. Idle until
 * iface_link(). 0 or -errno. */
int iface_new(struct iface **ret, const struct iface_room *room, int family,
	const struct address_config *cfg);
/* iface_free: what is on the interface stays. */
struct iface *iface_free(struct iface *i);
DEFINE_FREEP(struct iface, iface_free)

/* iface_link: looks at the interface again: is it there, up, has it carrier? */
void iface_link(struct iface *i, uint64_t now);
/* iface_release: takes what we have set off the interface. */
void iface_release(struct iface *i);
/* iface_set_metric: see addresses_set_metric(). */
void iface_set_metric(struct iface *i, uint32_t metric);

/* iface_deadline: 0 while an event waits to be popped. */
uint64_t iface_deadline(const struct iface *i);
void iface_tick(struct iface *i, uint64_t now);
bool iface_pop_event(struct iface *i, struct address_event *ret);

/* iface_read: hands received packets to the parser process. iface_take: what it makes of them. */
void iface_read(struct iface *i, struct parser *parser, struct parse_request *scratch,
	uint64_t now);
void iface_take(struct iface *i, const struct parse_reply *reply, uint64_t now);
/* iface_no_parser: there is no parser process any more: DHCP cannot go on. */
void iface_no_parser(struct iface *i, uint64_t now);
/* iface_notice: IPv6: the kernel tells of a change; which it is is looked at later. */
void iface_notice(struct iface *i, const struct inet6_notice *notice);

/* --- iface.c, for the others below --- */

/* One way to an address. */
struct iface_method {
	enum inet6_routers routers;			/* IPv6: what it takes from them */
	void (*begin)(struct iface *i, uint64_t now);	/* carrier is there */
	void (*step)(struct iface *i, uint64_t now);	/* IPv6: the interface was looked at */
};
extern const struct iface_method iface4_methods[], iface6_methods[]; /* by way */

static inline const struct iface_method *iface_method(const struct iface *i)
{
	return &(i->family == AF_INET6 ? iface6_methods : iface4_methods)[i->way];
}

static inline struct report *iface_report(const struct iface *i)
{
	return i->room->env->report;
}

void iface_set_state(struct iface *i, enum iface_state to, uint64_t now);
void iface_no_times(struct iface *i);
void iface_event(struct iface *i, enum address_event_type type, enum cause cause, const char *text);
/* iface_hint: what is in the way. The same as the last is not told again, unless there was an
 * outcome since. */
void iface_hint(struct iface *i, enum cause cause, const char *fmt, ...) _printf_(3, 4);
/* iface_lost: takes the result off (unless the root needs it) and says why. */
void iface_lost(struct iface *i, enum cause cause, const char *text);
void iface_fail(struct iface *i, enum cause cause, const char *text, uint64_t now);
/* iface_set_address: i->result goes on the interface; false: it could not, and the interface has
 * failed. */
bool iface_set_address(struct iface *i, uint64_t now);
/* iface_configured: i->result is there and usable. */
void iface_configured(struct iface *i, uint64_t now);
/* iface_conflict: text: another host has the address; had: it was set. Declines a lease, else
 * rests. */
void iface_conflict(struct iface *i, const char *text, bool had, uint64_t now);

/* iface_watch: fd becomes part of the room's fd. iface_unwatch: *fd leaves it and is closed,
 * becomes -1. */
void iface_watch(const struct iface_room *room, int fd);
void iface_unwatch(const struct iface_room *room, int *fd);

/* --- iface4.c --- */

/* iface4_use: want is what the interface shall have: probe for it and apply it. */
void iface4_use(struct iface *i, const struct address_result *want, uint64_t now);
void iface4_end_probe(struct iface *i);
void iface4_tick(struct iface *i, uint64_t now);

/* --- iface6.c --- */

/* iface6_prepare: sets the kernel's switches; false: it has no IPv6 yet. */
bool iface6_prepare(struct iface *i, uint64_t now);
/* iface6_rested: what goes before another try after a conflict. */
void iface6_rested(struct iface *i);
uint64_t iface6_deadline(const struct iface *i);
void iface6_tick(struct iface *i, uint64_t now);
void iface6_take_options(struct iface *i, const struct nd_options *o, uint64_t now);
/* iface6_result: what is known, with this address. */
void iface6_result(const struct iface *i, struct address_result *ret, const struct inet_addr *addr,
	unsigned prefix);

/* --- DHCP --- */

/* What a family does differently, around its client. */
struct iface_dhcp {
	const char *name; /* in messages */
	void (*use_lease)(struct iface *i, uint64_t now);
	void (*renew)(struct iface *i, uint64_t now); /* the result follows the lease */
	void (*listen)(struct iface *i);	      /* as long as the client expects replies */
	void (*send)(struct iface *i, uint64_t now);  /* what the client has to send */
	uint64_t (*limit)(const struct address_config *cfg); /* from asking to dhcp_end */
	void (*over)(struct iface *i, uint64_t now);  /* dhcp_end has come */
};
extern const struct iface_dhcp iface_dhcp4, iface_dhcp6;

void iface_dhcp4_start(struct iface *i, uint64_t now);
/* iface_dhcp4_keeps: no server confirms a lease that is set: it is kept until its end. */
bool iface_dhcp4_keeps(struct iface *i, uint64_t now);
/* iface_dhcp4_foreign: "10.0.0.9, 10.0.0.10": who answered without being allowed to. */
void iface_dhcp4_foreign(const struct iface *i, char *buf, size_t size);
void iface_dhcp6_start(struct iface *i, bool informs, uint64_t now);
void iface_dhcp6_informed(struct iface *i, uint64_t now);
/* iface_dhcp6_adopts: is there a lease of an earlier run whose address is still set? */
bool iface_dhcp6_adopts(struct iface *i, uint64_t now);

void iface_dhcp_take(struct iface *i, const struct parse_reply *reply, uint64_t now);
void iface_dhcp_stop(struct iface *i, uint64_t now);
/* iface_dhcp_decline: false: the address is not leased. */
bool iface_dhcp_decline(struct iface *i, uint64_t now);
void iface_dhcp_tick(struct iface *i, uint64_t now);
uint64_t iface_dhcp_deadline(const struct iface *i);
/* iface_dhcp_pump: carries packets and events out of the client, until it has no more. */
void iface_dhcp_pump(struct iface *i, uint64_t now);
/* iface_dhcp_ask: now asking; what is heard, and the limit, count from here, unless it was asking
 * already. */
void iface_dhcp_ask(struct iface *i, uint64_t now);
/* iface_dhcp_hindered: worse than silence, and kept, because silence follows it. */
void iface_dhcp_hindered(struct iface *i, enum cause cause, const char *text, uint64_t now);
void iface_dhcp_save(struct iface *i, const struct address_result *lease, uint64_t now);
/* iface_dhcp_worth: is enough left of a saved lease? */
bool iface_dhcp_worth(const struct address_result *saved, uint64_t now);
/* iface_dhcp_heard: ", 3 packets of any kind received" since i->heard; "" when that is unknown. */
#define HEARD_TEXT 64
const char *iface_dhcp_heard(const struct iface *i, char buf[static HEARD_TEXT]);
uint64_t iface_dhcp_packets(const struct iface *i);

/* iface_dhcp4_read, iface_dhcp6_read: received packets to the parser process. */
void iface_dhcp4_read(struct iface *i, struct parser *parser, struct parse_request *scratch);
void iface_dhcp6_read(struct iface *i, struct parser *parser, struct parse_request *scratch,
	uint64_t now);

/* --- apply.c --- */

struct apply_outcome {
	enum cause cause; /* CAUSE_NONE, or the first thing that went wrong */
	char text[192];
	bool adopted; /* the address was there before */
};

/*
 * apply_result: MTU, address, routes, default route. Only a failed address is an error (-errno): a
 * route that cannot be set may not be needed for the root, so it is told in *ret and the rest goes
 * on.
 */
int apply_result(struct links *links, const struct address_result *r, uint32_t metric,
	struct apply_outcome *ret);
/* apply_around: MTU and routes only: the address and the default route are set by the kernel. */
void apply_around(struct links *links, const struct address_result *r, uint32_t metric,
	struct apply_outcome *ret);
/*
 * apply_metric: the same with another metric, without a gap. What cannot be moved stays as it is.
 */
void apply_metric(struct links *links, const struct address_result *r, uint32_t from, uint32_t to);
/* apply_remove_routes: takes them off, the default route included. */
void apply_remove_routes(struct links *links, const struct address_result *r, uint32_t metric);
/* apply_release: takes routes and address off; errors do not matter, the interface may be gone. */
void apply_release(struct links *links, const struct address_result *r, uint32_t metric);
