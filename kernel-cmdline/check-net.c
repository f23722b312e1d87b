/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check-net: what ip=, routes, interfaces and the root's server say together. */
#include "links.h"
#include "url.h"

/* IPoIB in datagram mode: an InfiniBand MTU of 4096 less its header of 4 octets (RFC 4391 7). */
#define DATAGRAM_MTU_MAX 4092

/* In connected mode: 64 KiB less 16 octets (the kernel's IPOIB_CM_MTU). */
#define CONNECTED_MTU_MAX 65520

static const struct plan_word *ip_word(const struct parser *p, const struct plan_ip *ip)
{
	return &p->words[ip->word];
}

/* --- interfaces ------------------------------------------------------------------------------- */

static bool has_ip(const struct parser *p, const char *name)
{
	FOR_EACH(struct plan_ip, ip, &p->ips)
		if (ip->ifname && streq(ip->ifname, name))
			return true;
	return false;
}

/* An ip= or BOOTIF= that may mean any interface: then any name may be right. */
static bool any_interface(const struct parser *p)
{
	FOR_EACH(struct plan_ip, ip, &p->ips)
		if (!ip->ifname)
			return true;
	return p->ips.n == 0 || p->plan->net.bootif.len;
}

/* "ib0.8001" into its parent and key; false for any other name. */
static bool split_child(const char *name, struct slice *parent, uint32_t *pkey)
{
	const char *dot = strrchr(name, '.');
	uint8_t bytes[2];

	if (!dot || dot == name || value_hex(dot + 1, strlen(dot + 1), bytes, 2) < 0)
		return false;
	*parent = (struct slice){name, (size_t)(dot - name)};
	*pkey = (uint32_t)bytes[0] << 8 | bytes[1];
	return true;
}

static bool is_parent(const struct plan_pkey *k, struct slice parent)
{
	return !k->parent || slice_is(parent, k->parent);
}

/* Does an option make this partition's interface? */
static bool makes_child(const struct parser *p, struct slice parent, uint32_t pkey)
{
	FOR_EACH(struct plan_pkey, k, &p->pkeys)
		if (k->pkey == pkey && is_parent(k, parent))
			return true;
	return false;
}

/* The partition's interface that is made above this parent, as text; NULL: none. */
static const char *other_child(struct parser *p, struct slice parent)
{
	FOR_EACH(struct plan_pkey, k, &p->pkeys)
		if (is_parent(k, parent))
			return textf(p, "%.*s.%04x", SLICE(parent), k->pkey);
	return NULL;
}

static bool all_digits(const char *s)
{
	return *s && strspn(s, "0123456789") == strlen(s);
}

/* The option that interfaces of this name come from, or NULL: bond0, br0, team0, vlan5, eth0.5 */
static const char *made_by(const char *name)
{
	static const struct {
		const char *start, *option;
	} kinds[] = {{"bond", "bond"}, {"br", "bridge"}, {"team", "team"}, {"vlan", "vlan"}};
	const char *dot = strrchr(name, '.');

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		size_t n = strlen(kinds[i].start);

		if (strncmp(name, kinds[i].start, n) == 0 && all_digits(name + n))
			return kinds[i].option;
	}
	return dot && dot > name && strlen(dot) <= 5 && all_digits(dot + 1) ? "vlan" : NULL;
}

/* "ib0.1", which is hardly a VLAN, as "ib0.0001". */
static const char *all_of_key(struct parser *p, const char *name)
{
	const char *dot = strrchr(name, '.');
	const size_t digits = dot ? strlen(dot + 1) : 4;

	if (digits >= 4)
		return name;
	return textf(p, "%.*s.%s%s", (int)(dot - name), name, &"0000"[digits], dot + 1);
}

/* The kernel makes and names a partition's interface with the full-membership bit. */
static bool limited_child(struct parser *p, const struct plan_word *w, const char *name)
{
	const char *full, *remedy;
	struct slice parent;
	uint32_t pkey;

	if (!split_child(all_of_key(p, name), &parent, &pkey) || pkey & 0x8000 ||
		!parser_is_ipoib(p, keep(p, parent)))
		return false;
	full = textf(p, "%.*s.%04x", SLICE(parent), pkey | 0x8000);
	remedy = makes_child(p, parent, pkey | 0x8000) ? textf(p, "write %s", full)
		: textf(p, "add rd.ib.pkey=%s and write %s", full, full);
	warn_word(p, w, remedy,
		"nothing creates %s: a partition's interface has the full-membership bit in its "
		"name, %s", name, full);
	return true;
}

/* "ib0.ffff", "ib0.7fff": the default partition is mostly that of the parent. */
static bool is_default_child(struct parser *p, const char *name, struct slice *parent)
{
	uint32_t pkey;

	return split_child(name, parent, &pkey) &&
	       (pkey == 0xffff || (pkey == 0x7fff && parser_is_ipoib(p, keep(p, *parent))));
}

static void check_child(
	struct parser *p, const struct plan_word *w, const char *name, struct slice parent)
{
	const char *other = other_child(p, parent);

	warn_word(p, w,
		textf(p, "add rd.ib.pkey=%s%s%s", name, other ? ", or write " : "",
			other ? other : ""), "no option creates %s: %s", name,
		other ? textf(p, "%s is made", other) : "only rd.ib.pkey= does");
}

static void check_kind(struct parser *p, const struct plan_word *w, const char *name)
{
	const char *option = made_by(name);
	const size_t len = strlen(name);

	/* It is there and was left out, which is said. */
	for (const struct plan_word *o = p->words; option && o < p->words + p->n_words; o++)
		if (o->row && streq(o->row->name, option) && slice_starts(word_value(o), name) &&
			(!o->value[len] || o->value[len] == ':'))
			return;
	if (option)
		warn_word(p, w,
			streq(option, "team") ? "name an interface of an adapter"
				: textf(p, "add %s=%s:..., or name an interface of an adapter",
					option, name),
			"no option creates %s: only %s= would", name, option);
}

/* An interface that no option makes never appears. */
static void check_made(struct parser *p, const struct plan_word *w, const char *name)
{
	struct slice parent;
	uint32_t pkey;
	bool child = split_child(name, &parent, &pkey) && pkey & 0x8000;

	if (find_named(&p->links, name) || find_named(&p->ifnames, name) ||
		(child && makes_child(p, parent, pkey)))
		return;
	if (is_default_child(p, name, &parent))
		warn_word(p, w, textf(p, "write %.*s", SLICE(parent)),
			"nothing creates %s: the default partition is that of %.*s itself", name,
			SLICE(parent));
	else if (child)
		check_child(p, w, name, parent);
	else if (!limited_child(p, w, name))
		check_kind(p, w, name);
}

/*
 * An interface that something is sent over: what is a part of another one, no option makes or no
 * ip= sets up, has no address. what: "bootdev=NAME"; method: of the ip= that would do.
 */
static void check_used(struct parser *p, const struct plan_word *w, const char *name,
	const char *what, const char *method)
{
	const struct plan_link *top = link_part_of(p, name, NULL);
	struct slice parent;

	if (top)
		warn_word(p, w, textf(p, "name %s", top->name),
			"%s: %s is a part of %s and has no address of its own", what, name,
			top->name);
	else if (any_interface(p) || is_default_child(p, name, &parent))
		check_made(p, w, name);
	else if (!has_ip(p, name))
		warn_word(p, w, textf(p, "add ip=%s:%s, or name one that an ip= sets up", name,
				method), "%s: no ip= sets %s up", what, name);
}

static void check_bootdev(struct parser *p)
{
	const struct plan_word *w = bootdev_word(p);
	const struct plan_ip *first = NULL;

	if (w)
		check_used(p, w, w->value, textf(p, "%s=%s", w->name, w->value), "dhcp");
	if (w || p->plan->net.bootif.len)
		return;
	FOR_EACH(struct plan_ip, ip, &p->ips) {
		if (!ip->ifname || (first && streq(first->ifname, ip->ifname)))
			continue;
		if (first) {
			warn_word(p, ip_word(p, first), textf(p, "add bootdev=%s", first->ifname),
				"ip= for %s and %s without bootdev=, which dracut's manual "
				"requires: %s is taken, the first", first->ifname, ip->ifname,
				first->ifname);
			return;
		}
		first = ip;
	}
}

/* As in a lease: see enum lease_route. */
static void check_own_subnet(struct parser *p, const struct plan_route *r)
{
	const struct plan_word *w = &p->words[r->word];
	char text[INET_ADDR_TEXT], hop[INET_ADDR_TEXT];

	inet_text(&r->net, text);
	inet_text(&r->gateway, hop);
	FOR_EACH(struct plan_ip, ip, &p->ips) {
		if (!ip->addr.family || !*hop || ip->prefix < 1 || r->prefix < ip->prefix ||
			!inet_in_subnet(&r->net, &ip->addr, (unsigned)ip->prefix))
			continue;
		if (r->prefix == ip->prefix)
			warn_word(p, w, "leave it out",
				"%s/%d is the interface's own subnet: all of it would go through "
				"%s", text, r->prefix, hop);
		else
			note_word(p, w, NULL,
				"%s/%d is part of the interface's own subnet and goes through %s",
				text, r->prefix, hop);
	}
}

static void check_routes(struct parser *p)
{
	FOR_EACH(struct plan_route, r, &p->routes) {
		check_own_subnet(p, r);
		if (r->ifname)
			check_used(p, &p->words[r->word], r->ifname,
				textf(p, "rd.route= over %s", r->ifname),
				r->net.family == AF_INET ? "dhcp" : "auto6");
	}
}

/* Does an interface, NULL: any, ask by DHCP? */
static bool asks(const struct parser *p, const char *name)
{
	FOR_EACH(struct plan_ip, ip, &p->ips)
		if ((!name || !ip->ifname || streq(ip->ifname, name)) &&
			ip->methods & (PLAN_IP_DHCP | PLAN_IP_SINGLE | PLAN_IP_IBFT))
			return true;
	return p->ips.n == 0 || (bootif_asks(p) && !(name && has_ip(p, name)));
}

static void check_requests(struct parser *p)
{
	FOR_EACH(struct plan_dhcp_request, r, &p->dhcp_requests) {
		const struct plan_word *w = &p->words[r->word];

		if ((!r->ifname && !p->plan->net.bootif.len) || !asks(p, r->ifname))
			warn_word(p, w, "name an interface with ip=IFNAME:dhcp, or add BOOTIF=",
				"meant for no interface that asks a DHCP server: no effect");
		else if (r->ifname)
			check_used(p, w, r->ifname, w->name, "dhcp");
	}
}

/* --- what is made of others ------------------------------------------------------------------- */

/* Something means it: an ip=, bootdev=, another one on top of it, an RDMA device. */
static bool is_used(const struct parser *p, const struct plan_link *link)
{
	const struct plan_word *bootdev = bootdev_word(p);

	FOR_EACH(struct plan_link, top, &p->links)
		if (link_has_lower(top, link->name))
			return true;
	FOR_EACH(struct plan_rdma_link, rdma, &p->rdma_links)
		if (streq(rdma->netdev, link->name))
			return true;
	/* An ip= that names a part is said to mean it. */
	for (size_t i = 0; link->kind != PLAN_LINK_VLAN && i < link->n_lower; i++)
		if (has_ip(p, link->lower[i]))
			return true;
	return any_interface(p) || has_ip(p, link->name) ||
	       (bootdev && streq(bootdev->value, link->name));
}

/* The MTU that the line gives to an interface; 0: none. */
static uint32_t mtu_of(const struct parser *p, const char *name)
{
	const struct plan_link *link = find_named(&p->links, name);

	FOR_EACH(struct plan_ip, ip, &p->ips)
		if (ip->ifname && ip->mtu && streq(ip->ifname, name))
			return ip->mtu;
	return link ? link->mtu : 0;
}

/* of: " of bond0", or "". */
static void check_ipoib_mtu(
	struct parser *p, const struct plan_word *w, uint32_t mtu, const char *of)
{
	if (mtu > CONNECTED_MTU_MAX)
		warn_word(p, w, "write rd.ib.mode=connected and an MTU of at most 65520",
			"MTU %u%s, but IPoIB allows 65520 at most", mtu, of);
	else if (mtu > DATAGRAM_MTU_MAX && p->plan->ib.mode == PLAN_IB_MODE_DATAGRAM)
		warn_word(p, w, "write rd.ib.mode=connected, or an MTU of at most 4092",
			"MTU %u%s, but rd.ib.mode=datagram allows 4092 at most", mtu, of);
}

/* What is below a VLAN or a bridge gets its MTU first, as the kernel asks (link/netdev.c). */
static void check_mtu(struct parser *p, const struct plan_link *link)
{
	const struct plan_word *w = &p->words[link->word];
	const uint32_t mtu = mtu_of(p, link->name);

	if (link->kind == PLAN_LINK_BOND && parser_is_ipoib(p, link->lower[0]))
		check_ipoib_mtu(p, w, mtu, textf(p, " of %s", link->name));
	for (size_t i = 0; link->kind != PLAN_LINK_BOND && i < link->n_lower; i++) {
		const uint32_t below = mtu_of(p, link->lower[i]);

		if (below && below < mtu)
			warn_word(p, w, textf(p, "give %s an MTU of %u, or %s one of %u",
					link->lower[i], mtu, link->name, below),
				"MTU %u of %s is above that of %s, %u, which gets %u as well", mtu,
				link->name, link->lower[i], below, mtu);
	}
}

static void check_stack(struct parser *p, const struct plan_link *link)
{
	const struct plan_word *w = &p->words[link->word];
	const struct plan_link *twin = link_twin(p, link);

	if (link->kind == PLAN_LINK_TEAM)
		return;
	for (size_t i = 0; i < link->n_lower; i++)
		check_made(p, w, link->lower[i]);
	if (twin)
		complain(p, w, WHOLE, DIAG_ERROR,
			textf(p, "leave it out, and write %s for %s", twin->name, link->name),
			"%s cannot be created: VLAN %u of %s is %s", link->name, link->vlan_id,
			link->lower[0], twin->name);
	else if (!is_used(p, link))
		warn_word(p, w, textf(p, "add ip=%s:dhcp, or leave it out", link->name),
			"%s is created, but no ip= sets it up: nothing uses it", link->name);
	check_mtu(p, link);
}

/* --- addresses -------------------------------------------------------------------------------- */

static void check_addresses(struct parser *p, const struct plan_ip *ip)
{
	const struct plan_word *w = ip_word(p, ip);
	char text[INET_ADDR_TEXT];

	if (!ip->addr.family)
		return;
	inet_text(&ip->addr, text);
	if (inet_equal(&ip->addr, &ip->gateway))
		warn_word(p, w, "check address and gateway",
			"%s is the interface's own address and its gateway", text);
	for (const struct plan_ip *k = p->ips.items; k < ip; k++)
		if (inet_equal(&k->addr, &ip->addr) && !same_device(k, ip))
			warn_word(p, w, "one address for each interface", "%s is set on %s as well",
				text, k->ifname ? k->ifname : "another interface");
	if (plan_ip_is_open(ip) && !p->plan->net.bootif.len &&
		p->ports.n + p->guids.n != 1)
		warn_word(p, w, "name the interface in the sixth field",
			"a static address for no interface: it is set on the first one, which may "
			"be any");
}

static bool is_ipoib(const struct parser *p, const struct plan_ip *ip)
{
	return ip->ifname ? parser_is_ipoib(p, ip->ifname) : ip->match.len > 6;
}

static void check_device(struct parser *p, const struct plan_ip *ip)
{
	const struct plan_word *w = ip_word(p, ip);

	if (ip->ifname)
		check_made(p, w, ip->ifname);
	if (ip->hwaddr.len && ip->ifname && find_named(&p->ifnames, ip->ifname))
		warn_word(p, w, "leave the hardware address out",
			"a hardware address in ip= beside ifname=%s: dracut allows only one of "
			"them", ip->ifname);
	if (is_ipoib(p, ip))
		check_ipoib_mtu(p, w, ip->mtu, "");
}

static bool is_ethernet(const struct parser *p, const struct plan_ip *ip)
{
	return ip->ifname && !is_ipoib(p, ip) &&
		(strncmp(ip->ifname, "eth", 3) == 0 || strncmp(ip->ifname, "en", 2) == 0);
}

/* A mode of IPoIB where every interface of the line is another kind's. */
static void check_mode(struct parser *p)
{
	const struct plan_word *w = parser_word(p, OPTION_RD_IB_MODE);

	FOR_EACH(struct plan_ip, ip, &p->ips)
		if (!is_ethernet(p, ip))
			return;
	if (p->ips.n && w)
		note_word(p, w, "leave it out", "every ip= names an Ethernet interface");
}

static bool has_guid(const struct parser *p, const struct hw_addr *a)
{
	FOR_EACH(struct hw_addr, guid, &p->guids)
		if (hw_addr_same_port(a, guid))
			return true;
	return false;
}

/* An interface that ip= names by ifname= of a port that rd.ib.guid= does not have; NULL: none. */
static const struct plan_ifname *other_guid(const struct parser *p)
{
	FOR_EACH(struct plan_ifname, name, &p->ifnames)
		if (name->hwaddr.len >= 8 && has_ip(p, name->name) && !has_guid(p, &name->hwaddr))
			return name;
	return NULL;
}

/* rd.ib.port= and rd.ib.guid= choose among the interfaces that ip= does not name, and the parents
 * of partitions. */
static void check_ports(struct parser *p)
{
	const struct plan_word *port = parser_word(p, OPTION_RD_IB_PORT);
	const struct plan_word *guid = parser_word(p, OPTION_RD_IB_GUID), *w = guid ? guid : port;
	const struct plan_ifname *other = guid && !port ? other_guid(p) : NULL;

	if (other)
		warn_word(p, guid, "name the same port in both",
			"ip= names %s, whose GUID is not in rd.ib.guid=: it is used all the same",
			other->name);
	else if (w && !any_interface(p) && !p->pkeys.n)
		note_word(p, w, "leave it out, or write ip=dhcp",
			"every ip= names its interface, which is used whatever its port is");
}

/* Does an ip= set up a partition's interface, which may be the parent, or something that is made of
 * this one? (That of another partition, which nothing creates, has been judged.) */
static bool pkey_used(const struct parser *p, const struct plan_pkey *k)
{
	struct slice parent;
	uint32_t pkey;

	FOR_EACH(struct plan_ip, ip, &p->ips)
		if (k->pkey == 0xffff ||
			(split_child(ip->ifname, &parent, &pkey) && is_parent(k, parent)))
			return true;
	FOR_EACH(struct plan_link, link, &p->links)
		for (size_t i = 0; i < link->n_lower; i++)
			if (split_child(link->lower[i], &parent, &pkey) && pkey == k->pkey &&
				is_parent(k, parent))
				return true;
	return false;
}

/* An ip= that names an interface means this one, not the partition's above it. */
static void check_pkeys(struct parser *p)
{
	const struct plan_word *w = parser_word(p, OPTION_RD_IB_PKEY);
	const char *parent, *asked = "ib0";

	if (any_interface(p))
		return;
	w = w ? w : parser_word(p, OPTION_IB_PKEY);
	FOR_EACH(struct plan_ip, ip, &p->ips)
		if (ip->ifname && parser_is_ipoib(p, ip->ifname))
			asked = ip->ifname;
	FOR_EACH(struct plan_pkey, k, &p->pkeys) {
		if (pkey_used(p, k))
			continue;
		parent = k->parent ? k->parent : asked;
		warn_word(p, w, textf(p, "write ip=%s.%04x:dhcp", parent, k->pkey),
			"no ip= sets up an interface of partition 0x%04x: it gets no address",
			k->pkey);
	}
}

/* parse-ip-opts.sh: "ip=dhcp does not make sense with multiple ip= lines" */
static void check_mixed(struct parser *p)
{
	const struct plan_ip *open = NULL;
	size_t named = 0;

	FOR_EACH(struct plan_ip, ip, &p->ips) {
		if (!plan_ip_is_open(ip))
			named++;
		else if (!(ip->methods & (PLAN_IP_STATIC | PLAN_IP_IBFT)))
			open = ip;
	}
	if (open && named)
		differ(p, ip_word(p, open), WHOLE, DIAG_WARN,
			"name the interface: ip=IFNAME:METHOD",
			open->methods & (PLAN_IP_DHCP | PLAN_IP_SINGLE | PLAN_IP_DHCP6)
			? "a method for every interface beside options for one: network-legacy "
			"stops, NetworkManager merges them"
			: "a method for every interface beside options for one: network-legacy "
			"passes over it, NetworkManager merges them");
}

/* --- the root's server ------------------------------------------------------------------------ */

/* A link-local address is reached over one interface alone. */
static void check_way(struct parser *p, const char *zone)
{
	if (zone && *zone)
		check_used(p, root_word(p), zone, textf(p, "the root's server is on %s", zone),
			"link6");
}

static void check_ways(struct parser *p)
{
	const struct plan_root *root = &p->plan->root;
	struct url u;

	for (size_t i = 0; root->kind == PLAN_ROOT_NFS && i < root->nfs.n_servers; i++)
		check_way(p, root->nfs.servers[i].zone);
	for (size_t i = 0; root->kind == PLAN_ROOT_REMOTE && i < root->block.n_portals; i++)
		check_way(p, root->block.portals[i].zone);
	if (plan_is_fetched(root->kind) && root->image.url &&
		url_parse(&u, root->image.url, strlen(root->image.url)) == 0)
		check_way(p, u.zone);
}

static void check_server(struct parser *p)
{
	unsigned int missing = plan_server_families(p->plan) & ~plan_ip_families(p->plan);

	if (missing & PLAN_FAMILY_6)
		warn_family(p, root_word(p), WHOLE, "server", AF_INET6);
	if (missing & PLAN_FAMILY_4)
		warn_family(p, root_word(p), WHOLE, "server", AF_INET);
}

/* The node has one name: an option's, the last of both, before that of the first ip= with one. */
static void check_hostname(struct parser *p)
{
	const struct plan_word *a = parser_word(p, OPTION_HOSTNAME);
	const struct plan_word *b = parser_word(p, OPTION_SYSTEMD_HOSTNAME);
	const struct plan_word *w = a && (!b || a > b) ? a : b;
	const char *name = p->plan->net.hostname;

	if (a && b && !streq(a->value, b->value))
		warn_word(p, a < b ? a : b, "keep one of them",
			"hostname=%s and systemd.hostname=%s: the last one counts", a->value,
			b->value);
	FOR_EACH(struct plan_ip, ip, &p->ips)
		if (ip->hostname && !streq(ip->hostname, name))
			warn_word(p, ip_word(p, ip), "keep one of them",
				w ? "host name %s, but %s=%s counts" : "host name %s, but %s has "
				"%s, which counts: it is the first", ip->hostname,
				w ? w->name : "another ip=", name);
}

void check_net(struct parser *p)
{
	check_server(p);
	FOR_EACH(struct plan_ip, ip, &p->ips) {
		check_addresses(p, ip);
		check_device(p, ip);
	}
	FOR_EACH(struct plan_link, link, &p->links)
		check_stack(p, link);
	check_mixed(p);
	check_ways(p);
	check_bootdev(p);
	check_routes(p);
	check_requests(p);
	check_mode(p);
	check_ports(p);
	check_pkeys(p);
	check_hostname(p);
}
