/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * address: gives the rails their addresses, by DHCP, from routers or as the command line says. It
 * owns interfaces, their DHCP clients, a parser process, /etc/resolv.conf, the resolver.
 * In: a configuration for each interface, link changes. Out: events; a result for each rail.
 * Callers: rails/; state/ and handover/ read the results. Tests: address/test_*.c,
 * tests/address*.bats.
 *
 * What came from the network was parsed in a process without rights (parse.h) and passed a
 * per-field alphabet before it reaches a result. A lease is kept in /run/initagent, so that an
 * agent that was killed and started again goes on with it.
 */
#pragma once

#include "base/net_limits.h"
#include "base/env.h"
#include "link/link.h"
#include "plan.h"
#include "report/causes.h"

struct addresses;
struct resolver;

/* Those from ADDRESS_LINK6 on give IPv6 addresses; a static address may be of either family. */
enum address_method {
	ADDRESS_STATIC,
	ADDRESS_DHCP4,
	ADDRESS_LINK6,	 /* the link-local address, and no more */
	/* from router advertisements (RFC 4862); what DHCPv6 has besides is asked for */
	ADDRESS_AUTO6,
	ADDRESS_DHCP6,
	/* AUTO6, and if that fails or the router says so, DHCP6 until an automatic address comes */
	ADDRESS_EITHER6,
	ADDRESS_METHOD_MAX,
};

/* address_method_name: as ip= has it: "static", "dhcp", "link6" ... */
const char *address_method_name(enum address_method m);

/*
 * Duplicate address detection: IPv4 by ARP probes (RFC 5227, shortened: see arp_probe.h), IPv6 by
 * the kernel (RFC 4862 section 5.4; 1 s, and "parallel" is RFC 4429's optimistic form of it; a
 * kernel without that makes it "first").
 */
enum address_probe {
	ADDRESS_PROBE_PARALLEL, /* use the address at once, probe beside it: costs no boot time */
	ADDRESS_PROBE_FIRST,	/* use it only after no answer came (0.5 s; IPv6 1 s) */
	ADDRESS_PROBE_NONE,
};

/*
 * What one rail gets. All pointers are copied by addresses_add().
 *
 * Two methods: the IPv4 one and the IPv6 one go at the same time, neither waits for the other. The
 * rail is usable with the first that yields; the second goes on beside it, and what it brings is
 * set as well. The rail is lost when it has neither.
 */
struct address_config {
	int ifindex;
	enum address_method method;
	/* An IPv6 one beside an IPv4 one. ADDRESS_STATIC: addr6, and if that is not given, none. */
	enum address_method second;
	enum address_probe probe;
	/* static; DHCP takes them from the lease */
	struct inet_addr addr, peer;
	uint8_t prefix;
	struct inet_addr gateway; /* given with DHCP: wins over the lease's */
	/* both */
	uint32_t mtu;	 /* 0: the lease's, else leave it */
	uint32_t metric; /* of all routes; 0: none */
	bool no_default_route;
	const char *hostname; /* sent to the server; NULL: none. Wins over the lease's */
	const struct plan_route *routes;
	size_t n_routes;
	const struct inet_addr *nameservers;
	size_t n_nameservers;
	bool no_peerdns; /* rd.peerdns=0: ignore the lease's DNS servers and domains */
	/* DHCP */
	/* option 61; len 0: by hardware type and the next */
	uint8_t client_id[ADDRESS_CLIENT_ID_MAX];
	size_t client_id_len;
	struct plan_clientid ib_client_id; /* InfiniBand, where client_id_len is 0 */
	struct inet_addr servers[ADDRESS_SERVERS_MAX]; /* allowed server ids; none: all */
	size_t n_servers;
	struct in_addr request; /* leased before the kernel; 0: none */
	uint64_t dhcp_limit;  /* ns one round may take; 0: no limit */
	uint32_t dhcp_rounds; /* how many rounds; 0: any number */
	/* IPv6 */
	struct inet_addr addr6, gateway6; /* of a second, static method */
	uint8_t prefix6;
	/* ns after which EITHER6 turns to DHCPv6 and AUTO6 is called a cause; 0: never */
	uint64_t auto_limit;
	/* ns after which a link-local address that is not usable is called a cause; 0: never */
	uint64_t dad_limit;
};

struct address_route {
	struct inet_addr dst;
	uint8_t prefix;
	struct inet_addr gateway; /* family 0: on-link */
};

/* What a rail has; plain data. Times are CLOCK_BOOTTIME ns, NSEC_NEVER without end. */
struct address_result {
	int ifindex;
	char ifname[IFNAMSIZ];
	enum address_method method; /* never EITHER6, but what it came to */
	bool adopted; /* from an earlier run of the agent */
	enum address_probe probe; /* IPv6: how it is set */
	struct inet_addr addr, broadcast, peer, gateway;
	uint8_t prefix;
	uint32_t mtu; /* set by us; 0: left as it was */
	struct address_route routes[ADDRESS_ROUTES_MAX];
	size_t n_routes;
	struct inet_addr dns[ADDRESS_LIST_MAX], ntp[ADDRESS_LIST_MAX];
	size_t n_dns, n_ntp;
	char hostname[ADDRESS_HOSTNAME_MAX + 1];
	char domain[ADDRESS_DOMAIN_MAX + 1];
	char search[ADDRESS_SEARCH_MAX + 1]; /* domains, separated by one space */
	char root_path[ADDRESS_PATH_MAX + 1]; /* option 17 */
	/* option 67 or the file field; DHCPv6: the URL of option 59 */
	char boot_file[ADDRESS_PATH_MAX + 1];
	char tftp_server[ADDRESS_PATH_MAX + 1]; /* option 66 or the sname field */
	struct inet_addr next_server; /* siaddr */
	struct inet_addr server_id;   /* option 54 */
	uint8_t client_id[ADDRESS_CLIENT_ID_MAX]; /* DHCPv6: our DUID */
	size_t client_id_len;
	uint8_t server_duid[ADDRESS_DUID_MAX]; /* DHCPv6 */
	size_t server_duid_len;
	uint32_t lease_s; /* 0: static; UINT32_MAX: for ever */
	uint64_t obtained, renew, rebind, expires;
};

enum address_event_type {
	ADDRESS_CONFIGURED, /* the rail is usable; also after a change by the server */
	ADDRESS_RENEWED,    /* the lease goes on, nothing else changed */
	ADDRESS_HINDRANCE,  /* not there yet, cause and text say why; it goes on trying */
	ADDRESS_LOST,	    /* expired, refused, conflict or link gone; it goes on trying */
	ADDRESS_FAILED,	    /* trying again cannot help */
	ADDRESS_RESOLVED,   /* a lookup is done: addr, or cause and text */
};

struct address_event {
	enum address_event_type type;
	int ifindex; /* 0 for ADDRESS_RESOLVED */
	uint32_t id; /* ADDRESS_RESOLVED: of the question (resolver_ask()) */
	enum cause cause;
	char text[192];
	/* ADDRESS_RESOLVED: the first address, family 0 when there is none; and all of them, the
	 * best first. */
	struct inet_addr addr;
	struct inet_addr addrs[ADDRESS_RESOLVED_MAX];
	size_t n_addrs;
};

/*
 * addresses_forget: takes the leases of an agent before, and the addresses they gave, off this
 * node: that one failed, perhaps because of them, and nothing of it may be adopted unasked. Errors
 * do not matter.
 */
void addresses_forget(const struct env *env, struct links *links, uint64_t now);

/*
 * addresses_new: forks the parser process (call it early, while the agent is small). links is
 * borrowed and must outlive the room. Returns 0 or -errno.
 */
int addresses_new(struct addresses **ret, const struct env *env, struct links *links, uint64_t now);

/* addresses_free: addresses and routes stay as they are; the parser process is ended. */
struct addresses *addresses_free(struct addresses *as);
DEFINE_FREEP(struct addresses, addresses_free)

int addresses_fd(const struct addresses *as);
/* addresses_deadline: call addresses_dispatch() then; 0 while an event waits to be popped. */
uint64_t addresses_deadline(const struct addresses *as);
void addresses_dispatch(struct addresses *as, uint64_t now);
bool addresses_pop_event(struct addresses *as, struct address_event *ret);

/*
 * address_config_from_plan: fills cfg from an ip= entry (NULL: plain DHCP) and the rest of the
 * plan for this interface. The pointers in cfg are the plan's. Returns 0 or -EINVAL (an ip= entry
 * that says neither DHCP nor a static address).
 */
int address_config_from_plan(struct address_config *cfg, const struct boot_plan *plan,
	const struct plan_ip *ip, const struct netdev *dev);

/*
 * addresses_add: begins with a rail; one per interface (-EEXIST). The interface is set up if it is
 * not; the first DHCP packet leaves the moment carrier is there. A lease or an address left by an
 * earlier run is adopted. Returns 0 or -errno.
 */
int addresses_add(struct addresses *as, const struct address_config *cfg, uint64_t now);

/* addresses_hold: while it is on, interfaces that are added are set up, and no more. */
void addresses_hold(struct addresses *as, bool on, uint64_t now);

/* addresses_remove: stops the rail; release also takes what was set off the interface. */
void addresses_remove(struct addresses *as, int ifindex, bool release, uint64_t now);

/* addresses_set_metric: moves the routes of the rail in the kernel's order of preference; less is
 * better. */
void addresses_set_metric(struct addresses *as, int ifindex, uint32_t metric);

/* addresses_link: to be called for each LINK_* event of an interface that was added. */
void addresses_link(struct addresses *as, int ifindex, uint64_t now);

/*
 * addresses_keep: from now on (root mounted) nothing is taken off an interface any more, whatever a
 * server or a conflict says; it is only reported.
 */
void addresses_keep(struct addresses *as);

/*
 * addresses_result: of a configured rail, NULL otherwise; valid until the next dispatch. Of a rail
 * with both families the IPv4 one; addresses_result_of() has the one of a family (0: as
 * addresses_result()).
 */
const struct address_result *addresses_result(const struct addresses *as, int ifindex);
const struct address_result *addresses_result_of(const struct addresses *as, int ifindex,
	int family);

/* addresses_held: the same of one family, also while its carrier is away: the address is set. */
const struct address_result *addresses_held(const struct addresses *as, int ifindex, int family);

/* addresses_awaited: is an address of that family asked for on the rail, and not there yet? */
bool addresses_awaited(const struct addresses *as, int ifindex, int family);

/*
 * addresses_resolver: the room's resolver, which knows the DNS servers of all configured rails.
 * Names are looked up by resolver_ask() with any id; each ends in an ADDRESS_RESOLVED with that id.
 */
struct resolver *addresses_resolver(struct addresses *as);

/* address_wall: CLOCK_REALTIME seconds of a CLOCK_BOOTTIME instant, given both clocks' present. */
static inline int64_t address_wall(uint64_t instant, uint64_t now, int64_t now_wall)
{
	return now_wall + ((int64_t)instant - (int64_t)now) / (int64_t)NSEC_PER_SEC;
}
