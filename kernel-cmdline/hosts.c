/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hosts: the other hosts that the line names (servers, gateways, report sinks): each by itself as
 * it is read, and against the addresses of ip= once all are known.
 */
#include "base/host.h"
#include "parser.h"

struct named_host {
	const struct plan_word *w;
	struct slice at;
	struct inet_addr addr; /* family 0: a name */
};

static const char *kind_of(const struct inet_addr *a)
{
	if (inet_is_any(a))
		return "it means no address";
	if (a->family == AF_INET)
		return a->bytes[0] == 0	    ? "0.0.0.0/8 is this network"
		       : a->bytes[0] < 240 ? "multicast"
		       : a->v4.s_addr == INADDR_BROADCAST ? "the broadcast address"
							   : "reserved";
	return IN6_IS_ADDR_MULTICAST(&a->v6) ? "multicast"
					     : "an IPv4 address in the form of an IPv6 one";
}

/* The IPv4 address that an IPv6 one embeds is what was meant. */
static const char *remedy_of(struct parser *p, const struct inet_addr *a)
{
	struct inet_addr four = {.family = AF_INET};
	char text[INET_ADDR_TEXT];

	if (a->family == AF_INET || IN6_IS_ADDR_MULTICAST(&a->v6) || inet_is_any(a))
		return "write the address of one host";
	memcpy(four.bytes, a->bytes + 12, 4);
	return textf(p, "write %s", inet_text(&four, text));
}

/* The same text twice in a list of servers. In ip= the server is often the gateway, too. A
 * root-path of DHCP is no word of the line. */
static void check_twice(struct parser *p, const struct plan_word *w, struct slice at)
{
	FOR_EACH(struct named_host, known, &p->hosts)
		if (known->w == w && w && w->row && w->row->id != OPTION_IP &&
			w->row->parse != parse_credential &&
			known->at.len == at.len && memcmp(known->at.s, at.s, at.len) == 0)
			complain(p, w, at, DIAG_NOTE, "leave one out", "the same server again");
}

bool check_host(struct parser *p, const struct plan_word *w, struct slice at,
	enum diag_severity severity, const struct inet_addr *a)
{
	struct named_host host = {.w = w, .at = at, .addr = *a};
	char text[INET_ADDR_TEXT];

	inet_text(a, text);
	if (inet_is_loopback(a)) {
		complain(p, w, at, DIAG_WARN, "write the address that other hosts have for it",
			"%s is a loopback address: this node itself", text);
		return true;
	}
	if (a->family && !inet_is_host(a)) {
		complain(p, w, at, severity, remedy_of(p, a),
			"no host can have the address %s (%s)%s", text, kind_of(a),
			severity < DIAG_ERROR ? "" : "; left out");
		return false;
	}
	check_twice(p, w, at);
	return APPEND(p, &p->hosts, host, w);
}

bool check_zone(struct parser *p, const struct plan_word *w, struct slice at,
	enum diag_severity severity, const struct inet_addr *a, const char *zone)
{
	bool first = severity < DIAG_ERROR;
	char text[INET_ADDR_TEXT];

	if (!inet_is_link_local(a) || (zone && *zone))
		return true;
	inet_text(a, text);
	complain(p, w, at, severity, textf(p, "write [%s%%INTERFACE]; in a URL [%s%%25INTERFACE]",
			text, text), "a link-local address without its interface%s",
		first ? ": any that has a route is taken" : "; left out");
	return first;
}

const char *server_remedy(struct slice s, const char *otherwise)
{
	struct inet_addr a;

	return value_numbers(s.s, s.len) && value_inet(s.s, s.len, &a) < 0
		       ? "write all four numbers of the address, each 0 to 255"
		       : otherwise;
}

/* --- against ip= ------------------------------------------------------------------------------ */

/* A name to be looked up where nothing says whom to ask. */
static bool can_ask_dns(const struct parser *p)
{
	FOR_EACH(struct plan_ip, ip, &p->ips)
		if (ip->methods != PLAN_IP_STATIC || ip->n_dns)
			return true;
	return p->ips.n == 0 || p->nameservers.n || bootif_asks(p);
}

/* A proxy looks the servers of an image up itself. */
static bool asks_for(const struct parser *p, const struct named_host *host)
{
	const struct plan_root *root = &p->plan->root;
	enum option_id id = host->w->row->id;

	if (root->image.proxy && plan_is_fetched(root->kind) &&
		(host->w == root_word(p) || id == OPTION_RD_ROOT_MIRROR ||
			id == OPTION_RD_SYSTEMD_PULL))
		return false;
	return id != OPTION_RD_ROOT_ORIGIN;
}

/* One remark for each word, however many of its servers have names. */
static void check_names(struct parser *p)
{
	const struct plan_word *last = NULL;

	if (can_ask_dns(p))
		return;
	FOR_EACH(struct named_host, host, &p->hosts) {
		if (host->addr.family || host->w == last || !asks_for(p, host))
			continue;
		warn_word(p, host->w, "add nameserver=, or write the server's address",
			"the server has a name, but every ip= is static and there is no "
			"nameserver=");
		last = host->w;
	}
}

/* check_net() knows the gateway that is the interface's own address. */
static void check_own_address(struct parser *p, const struct named_host *host,
	const struct plan_ip *ip)
{
	bool gateway = host->w == &p->words[ip->word] && inet_equal(&ip->gateway, &host->addr);
	char text[INET_ADDR_TEXT];

	if (!inet_equal(&ip->addr, &host->addr) || gateway)
		return;
	inet_text(&host->addr, text);
	if (host->w == root_word(p))
		warn_word(p, &p->words[ip->word], "check ip= and root=",
			"%s is this node in ip= and the server in root=", text);
	else
		complain(p, host->w, host->at, DIAG_WARN, "check it and ip=",
			"%s is this node's own address in ip=", text);
}

static void check_subnet(struct parser *p, const struct named_host *host, const struct plan_ip *ip)
{
	char text[INET_ADDR_TEXT], own[INET_ADDR_TEXT];

	if (host->addr.family != AF_INET || ip->prefix < 0 ||
		!inet_in_subnet(&host->addr, &ip->addr, (unsigned)ip->prefix) ||
		inet4_is_host_of(host->addr.v4, (unsigned)ip->prefix))
		return;
	inet_text(&host->addr, text);
	inet_text(&ip->addr, own);
	complain(p, host->w, host->at, DIAG_WARN, "check address and mask",
		"%s is no host's: the number or the broadcast address of the subnet of %s/%d in "
		"ip=", text, own, ip->prefix);
}

/* A second ip= for an interface, or one for all of them beside it, stops dracut. */
const char *add_method(struct parser *p, const char *method, const char *address)
{
	const struct plan_ip *ip = p->ips.items;
	const char *name = p->ips.n && ip->ifname ? ip->ifname : NULL;

	if (p->ips.n > 1)
		return textf(p, "name the method %s%s in one of the ip= options", method, address);
	return textf(p, "%s ip=%s%s%s%s", p->ips.n ? "write" : "add", name ? name : "",
		name ? ":" : "", method, address);
}

void warn_family(struct parser *p, const struct plan_word *w, struct slice at, const char *what,
	int family)
{
	bool six = family == AF_INET6;
	int digit = six ? '6' : '4';

	complain(p, w, at, DIAG_WARN, six
			? add_method(p, "auto6", ", dhcp6, either6 or an IPv6 address")
			: add_method(p, "dhcp", " or an IPv4 address"),
		"an IPv%c %s, but no ip= sets up IPv%c", digit, what, digit);
}

static unsigned int family_of(const struct named_host *host)
{
	return host->addr.family == AF_INET6 ? PLAN_FAMILY_6 : PLAN_FAMILY_4;
}

bool routed_on_link(const struct parser *p, const struct inet_addr *a)
{
	FOR_EACH(struct plan_route, r, &p->routes)
		if (!r->gateway.family && inet_in_subnet(a, &r->net, (unsigned)r->prefix))
			return true;
	return false;
}

/* Is it a neighbour, as far as static addresses tell? A lease may bring any subnet. */
static bool is_on_link(const struct parser *p, const struct inet_addr *a)
{
	FOR_EACH(struct plan_ip, ip, &p->ips)
		if (ip->methods != PLAN_IP_STATIC || inet_equal(&ip->peer, a) ||
			(ip->addr.family == a->family &&
				inet_in_subnet(a, &ip->addr, (unsigned)ip->prefix)))
			return true;
	return inet_is_link_local(a) || routed_on_link(p, a);
}

static bool has_gateway(const struct parser *p, const struct inet_addr *a)
{
	FOR_EACH(struct plan_route, r, &p->routes)
		if (r->net.family == a->family &&
			inet_in_subnet(a, &r->net, (unsigned)r->prefix))
			return true;
	FOR_EACH(struct plan_ip, ip, &p->ips)
		if (ip->gateway.family == a->family)
			return true;
	return false;
}

static void check_reach(struct parser *p, const struct named_host *host)
{
	bool gateway = host->w->row->id == OPTION_RD_ROUTE, set_up =
		plan_ip_families(p->plan) & family_of(host);
	char text[INET_ADDR_TEXT];

	if (!host->addr.family || p->ips.n == 0 || bootif_asks(p) || !asks_for(p, host))
		return;
	/* check_net() says so of the root's servers: once is enough. */
	if (!set_up && !(plan_server_families(p->plan) & family_of(host)))
		warn_family(p, host->w, host->at, gateway ? "gateway" : "server",
			host->addr.family);
	if (!set_up || is_on_link(p, &host->addr) || host->w->row->id == OPTION_IP)
		return;
	if (gateway)
		complain(p, host->w, host->at, DIAG_WARN, "check address, mask and gateway",
			"the gateway is outside of the interface's subnet");
	else if (!has_gateway(p, &host->addr))
		complain(p, host->w, host->at, DIAG_WARN,
			"name the gateway in the third field of ip=",
			"no route to %s: it is in no subnet of ip=, and there is no gateway",
			inet_text(&host->addr, text));
}

static bool is_nameserver(const struct parser *p, const struct inet_addr *a)
{
	FOR_EACH(struct inet_addr, known, &p->nameservers)
		if (inet_equal(a, known))
			return true;
	return p->nameservers.n == 0;
}

/* address/plan_config.c takes the one or the other. */
static void check_dns(struct parser *p)
{
	FOR_EACH(struct plan_ip, ip, &p->ips)
		for (size_t i = 0; i < ip->n_dns; i++)
			if (!is_nameserver(p, &ip->dns[i])) {
				warn_word(p, &p->words[ip->word], "name them all by nameserver=",
					"its DNS servers are not used beside nameserver=; dracut "
					"uses both");
				break;
			}
}

void check_hosts(struct parser *p)
{
	FOR_EACH(struct named_host, host, &p->hosts) {
		check_reach(p, host);
		FOR_EACH(struct plan_ip, ip, &p->ips) {
			if (!ip->addr.family || !host->addr.family)
				continue;
			check_own_address(p, host, ip);
			check_subnet(p, host, ip);
		}
	}
	check_names(p);
	check_dns(p);
}
