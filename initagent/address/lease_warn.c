// SPDX-License-Identifier: GPL-2.0-or-later

#include "address/result.h"
#include "report/report.h"

static const char *const route_words[] = {
	[LEASE_ROUTE_PART] =
		"route %s/%u via %s in DHCP lease sends part of the interface's own subnet "
		"through a gateway",
	[LEASE_ROUTE_FAR] =
	"ignoring route %s/%u via %s in DHCP lease: its gateway is outside of the subnet",
	[LEASE_ROUTE_SUBNET] =
	"ignoring route %s/%u via %s in DHCP lease: it is the interface's own subnet, alone or "
	"with others",
	[LEASE_ROUTE_GATEWAY] =
	"ignoring route %s/%u via %s in DHCP lease: its gateway is this node, or not a host "
	"address",
};

static const char *text_of(struct in_addr a, char buf[static INET_ADDR_TEXT])
{
	const struct inet_addr addr = {.family = AF_INET, .v4 = a};

	return inet_text(&addr, buf);
}

static void warn_routes(struct report *r, const char *ifname, const struct dhcp_reply *ack,
	uint64_t now)
{
	char dst[INET_ADDR_TEXT], hop[INET_ADDR_TEXT];

	for (uint32_t i = 0; i < ack->n_routes; i++) {
		const struct dhcp_route *o = &ack->routes[i];
		const char *words = route_words[lease_route(ack, o)];

		if (words)
			report_log(r, REPORT_WARN, ifname, now, words, text_of(o->dst, dst),
				o->prefix, text_of(o->gateway, hop));
	}
	for (uint32_t i = 0; i < ack->n_routers; i++)
		if (!lease_router(ack, ack->routers[i]))
			report_log(r, REPORT_WARN, ifname, now,
				"ignoring router %s in DHCP lease: it is %s",
				text_of(ack->routers[i], hop),
				ack->routers[i].s_addr == ack->yiaddr.s_addr
					? "this node's own address"
					: "not a host of the subnet");
}

/* What is made up here is also what the real root is told, the end of the lease for one. */
static void warn_made_up(struct report *r, const char *ifname, const struct dhcp_reply *ack,
	uint64_t now)
{
	if (!ack->prefix)
		report_log(r, REPORT_WARN, ifname, now,
			"no subnet mask (option 1) in DHCP lease: using that of the address's "
			"class, /%u",
			dhcp4_lease_prefix(ack));
	if (!ack->has_lease)
		report_log(r, REPORT_WARN, ifname, now,
			"no lease time (option 51) in DHCP lease: taking %u s",
			DHCP4_LEASE_DEFAULT_S);
	else if (ack->lease_s < LEASE_SHORT_S)
		report_log(r, REPORT_WARN, ifname, now,
			"DHCP lease of %u s only: lost as soon as the server does not answer in "
			"time", ack->lease_s);
}

void lease_warn(struct report *r, const char *ifname, const struct dhcp_reply *ack, uint64_t now)
{
	char name[INET_ADDR_TEXT];

	for (unsigned f = 0; f < FIELD_MAX; f++)
		if (ack->dropped & UINT32_C(1) << f)
			report_log(r, REPORT_WARN, ifname, now, "ignoring invalid %s in DHCP lease",
				dhcp_field_name(f));
		else if (ack->partly & UINT32_C(1) << f)
			report_log(r, REPORT_WARN, ifname, now,
				"ignoring some entries of %s in DHCP lease: invalid, or more than "
				"%d", dhcp_field_name(f),
				f == FIELD_ROUTES ? ADDRESS_ROUTES_MAX : ADDRESS_LIST_MAX);
	if (ack->broadcast.s_addr && !lease_broadcast(ack))
		report_log(r, REPORT_WARN, ifname, now,
			"ignoring broadcast address %s in DHCP lease: it is not the subnet's",
			text_of(ack->broadcast, name));
	for (uint32_t i = 0; i < ack->n_dns; i++)
		if (ack->dns[i].s_addr == ack->yiaddr.s_addr)
			report_log(r, REPORT_WARN, ifname, now,
				"ignoring DNS server %s in DHCP lease: it is this node's own "
				"address",
				text_of(ack->dns[i], name));
	warn_made_up(r, ifname, ack, now);
	warn_routes(r, ifname, ack, now);
}
