/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * iface6: one interface on its way to an IPv6 address, by whichever method. The kernel does neighbour discovery; this
 * looks at what it has come to whenever it tells of a change, so nothing depends on which notifications came or were
 * lost. Stands beside struct iface, which has the IPv4 side. iface6.c has the states, iface6_steps.c what each method
 * does, iface6_dhcp.c DHCPv6.
 *
 *	no carrier -> link-local --+--> (routers) ---> configured	auto6: an address past its check
 *	                  ^        +--> asking --> checking --> configured	dhcp6
 *	                  |        +--> checking --> configured	static
 *	   duplicate: conflict, 10 s
 */
#pragma once

#include "address/duid.h"
#include "address/parse.h"
#include "address/iface.h"
#include "address/inet6.h"
#include "address/router_list.h"
#include "report/causes.h"

enum iface6_state {
	IFACE6_NO_CARRIER,
	IFACE6_LINK_LOCAL, /* waits for the link-local address */
	IFACE6_ROUTERS,	   /* for an address from a router advertisement */
	IFACE6_ASKING,	   /* DHCPv6 */
	IFACE6_CHECKING,   /* an address is set, duplicate address detection goes on */
	IFACE6_CONFIGURED,
	IFACE6_CONFLICT,   /* another host has the address */
	IFACE6_FAILED,
	IFACE6_GONE,
	IFACE6_STATE_MAX,
};

struct iface6 {
	const struct iface_room *room;
	struct iface_config config;
	enum address_method way; /* as configured, EITHER6 as what is being tried */
	struct netdev dev;	 /* as last seen */
	enum iface6_state state;
	struct inet6_view seen;
	bool prepared;		 /* the kernel's switches are set */
	struct inet6_saved saved; /* how they were */
	bool stale;		 /* something may have changed since the last look */
	bool solicited;		 /* routers, since there is carrier */
	/* From router advertisements. */
	struct router_list servers, domains; /* of DNS */
	unsigned malformed;		     /* options since that was last told */
	uint64_t malformed_quiet;	     /* not told again before */
	bool deprecated;		     /* the address is, as of the last look */
	uint64_t deprecated_quiet;	     /* not told again before */
	struct inet_addr duplicate;	     /* removed by the kernel, as another host has it; family 0: none */
	/* DHCPv6. */
	struct duid client;
	struct dhcp6 *dhcp; /* NULL: not begun */
	bool informs;	    /* it asks for no address */
	bool looked;	    /* for a lease of an earlier run */
	int fd;		    /* UDP port 546, -1 */
	uint64_t heard;	    /* packets the interface had received when the asking began; UINT64_MAX: unknown */
	/* What came of it. */
	struct address_result result;
	bool applied; /* the address was set by us */
	/* Times; NSEC_NEVER: none. */
	uint64_t began;	     /* carrier */
	uint64_t retry;	     /* look again, or end of a conflict */
	uint64_t dad_end, auto_end, settle_at, route_end;
	uint64_t dhcp_end;   /* rd.net.timeout.dhcp, as often as rd.net.dhcp.retry says */
	bool settled;	     /* the advertisement that brought an address or the managed flag has been worked off */
	bool careful;	     /* there was a conflict: check first */
	uint64_t pause;	     /* between looks for a kernel that has no IPv6 yet */
	enum cause hindrance;
	char unacked[192]; /* what it is, if CAUSE_DHCP_NO_ACK */
	struct news news;
};

/* iface6_new: cfg is copied; its method is an IPv6 one. Nothing happens before iface6_link(). 0 or -errno. */
int iface6_new(struct iface6 **ret, const struct iface_room *room, const struct address_config *cfg);
struct iface6 *iface6_free(struct iface6 *i);
DEFINE_FREEP(struct iface6, iface6_free)

void iface6_link(struct iface6 *i, uint64_t now);
/* iface6_release: takes what we have set off the interface; what the kernel made of advertisements goes by itself. */
void iface6_release(struct iface6 *i);
/* iface6_set_metric: see addresses_set_metric(); routes that the kernel made of advertisements stay as they are. */
void iface6_set_metric(struct iface6 *i, uint32_t metric);

uint64_t iface6_deadline(const struct iface6 *i);
void iface6_tick(struct iface6 *i, uint64_t now);
bool iface6_pop_event(struct iface6 *i, struct address_event *ret);

void iface6_read(struct iface6 *i, struct parser *parser, struct parse_request *scratch, uint64_t now);
void iface6_take(struct iface6 *i, const struct dhcp6_reply *reply, uint64_t now);
void iface6_take_options(struct iface6 *i, const struct nd_options *o, uint64_t now);
/* iface6_notice: the kernel tells of a change: what it is is looked at later. */
void iface6_notice(struct iface6 *i, const struct inet6_notice *notice);
void iface6_no_parser(struct iface6 *i, uint64_t now);

/* --- between iface6.c, iface6_steps.c and iface6_dhcp.c --- */

void iface6_set_state(struct iface6 *i, enum iface6_state to, uint64_t now);
void iface6_hint(struct iface6 *i, enum cause cause, const char *fmt, ...) _printf_(3, 4);
void iface6_event(struct iface6 *i, enum address_event_type type, enum cause cause, const char *text);
/* iface6_lost: the result is off the interface (unless the root stands on it) and the rail told of it. */
void iface6_lost(struct iface6 *i, enum cause cause, const char *text);
void iface6_fail(struct iface6 *i, enum cause cause, const char *text, uint64_t now);
/* iface6_set_address: i->result goes on the interface; false: it could not, and the interface has failed. */
bool iface6_set_address(struct iface6 *i, uint64_t now);
/* iface6_done: want is there and usable. */
void iface6_done(struct iface6 *i, const struct address_result *want, uint64_t now);
/* iface6_result: what is known, with this address. */
void iface6_result(const struct iface6 *i, struct address_result *ret, const struct inet_addr *addr, unsigned prefix);

/* iface6_advance: looks at the interface if something may have changed, and takes the next step. */
void iface6_advance(struct iface6 *i, uint64_t now);
/* iface6_turn_to_dhcp: either6 goes on with DHCPv6. iface6_say_routers: what stands in the way of auto6, as a hint. */
void iface6_turn_to_dhcp(struct iface6 *i, const char *why, uint64_t now);
void iface6_say_routers(struct iface6 *i);

/* iface6_works: neither stopped nor resting. */
static inline bool iface6_works(const struct iface6 *i)
{
	return i->state >= IFACE6_LINK_LOCAL && i->state <= IFACE6_CONFIGURED;
}

void iface6_dhcp_start(struct iface6 *i, bool informs, uint64_t now);
void iface6_dhcp_stop(struct iface6 *i, uint64_t now);
void iface6_dhcp_decline(struct iface6 *i, uint64_t now);
void iface6_dhcp_tick(struct iface6 *i, uint64_t now);
uint64_t iface6_dhcp_deadline(const struct iface6 *i);
/* iface6_adopts: is there a lease of an earlier run whose address is still set? */
bool iface6_adopts(struct iface6 *i, uint64_t now);
