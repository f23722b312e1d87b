/* SPDX-License-Identifier: GPL-2.0-or-later */
/* net: the network options of one kind of value each (ip= has ip.c). */
#include "parser.h"

/* Given twice is listed once: resolv.conf has room for three. */
PARSE(nameserver)
{
	struct slice v = word_value(w);
	size_t zone = slice_find(v, "%");
	struct inet_addr a;

	if (value_inet(v.s, zone, &a) < 0 ||
		(zone < v.len && !value_zone(&a, v.s + zone + 1, v.len - zone - 1)))
		return left_out(p, w, v, "write nameserver=ADDR, one option for each server",
			"not an address");
	if (v.s[0] == '[')
		differ(p, w, v, DIAG_NOTE,
			textf(p, "write nameserver=%.*s", (int)v.len - 2, v.s + 1),
			"taken without the brackets here; dracut writes them into resolv.conf");
	if (!check_host(p, w, v, DIAG_ERROR, &a))
		return false;
	if (zone < v.len)
		note_word(p, w, NULL, "asked on each interface here, not on this one alone");
	else if (inet_is_link_local(&a))
		complain(p, w, v, DIAG_WARN, "name a server with a global address",
			"a link-local address without its interface: asked on each interface "
			"here, out of reach where dracut writes it into resolv.conf");
	say(p, w, "asks DNS server %s", v.s);
	FOR_EACH(struct inet_addr, known, &p->nameservers)
		if (inet_equal(&a, known))
			return true;
	return APPEND_MAX(p, &p->nameservers, a, w, PLAN_NAMESERVERS_MAX);
}

/* --- rd.route ----------------------------------------------------------------------------- */

static const char route_remedy[] = "write rd.route=NET/PREFIX:GATEWAY[:IFNAME], for example "
				   "rd.route=192.0.2.0/24:198.51.100.1:eth0";

/* NET/PREFIX, NET/MASK, NET alone (one host) or "default". */
static int parse_net(struct slice s, struct plan_route *r, bool *masked)
{
	size_t slash = slice_find(s, "/");

	if (slice_is(s, "default")) {
		r->net.family = AF_INET;
		return 0;
	}
	if (value_inet_prefix(s.s, s.len, &r->net, &r->prefix) < 0) {
		*masked = true;
		if (slash == s.len || value_ipv4(s.s, slash, &r->net) < 0)
			return -EINVAL;
		return value_netmask(s.s + slash + 1, s.len - slash - 1, 32, &r->prefix);
	}
	if (r->prefix < 0)
		r->prefix = r->net.family == AF_INET ? 32 : 128;
	return 0;
}

/* Clears the bits behind the prefix, which the kernel refuses; true if there were any. */
static bool clear_host_bits(struct plan_route *r)
{
	size_t n = r->net.family == AF_INET ? 4 : 16;
	bool cleared = false;

	for (size_t i = 0; i < n; i++) {
		int bits = r->prefix - (int)(8 * i);
		uint8_t mask = bits >= 8 ? 0xff : bits <= 0 ? 0 : (uint8_t)(0xff << (8 - bits));

		cleared |= (r->net.bytes[i] & ~mask) != 0;
		r->net.bytes[i] &= mask;
	}
	return cleared;
}

/* "default" takes its family from the gateway. */
static bool parse_gateway(struct parser *p, const struct plan_word *w, const struct slice *f,
	struct plan_route *r)
{
	if (!f[1].len)
		return true;
	if (value_inet(f[1].s, f[1].len, &r->gateway) < 0)
		return left_out(p, w, f[1], route_remedy, "not a gateway address");
	if (slice_is(f[0], "default"))
		r->net.family = r->gateway.family;
	if (r->gateway.family != r->net.family)
		return left_out(p, w, f[1], route_remedy,
			"gateway and net are of different families");
	return check_host(p, w, f[1], DIAG_ERROR, &r->gateway);
}

/* Gateway and interface. */
static bool parse_hop(struct parser *p, const struct plan_word *w, const struct slice *f, size_t n,
	struct plan_route *r)
{
	if (!parse_gateway(p, w, f, r))
		return false;
	if (n == 3 && f[2].len && !value_ifname(f[2].s, f[2].len))
		return left_out(p, w, f[2], route_remedy, "not an interface name");
	if (n == 3 && f[2].len)
		r->ifname = keep(p, f[2]);
	if (r->gateway.family || r->ifname)
		return true;
	return left_out(p, w, WHOLE, route_remedy, "a route needs a gateway or an interface");
}

/* dracut leaves a malformed route out without any message. */
PARSE(route)
{
	struct slice v = word_value(w), f[4];
	struct plan_route r = {.word = (size_t)(w - p->words)};
	char net[INET_ADDR_TEXT], gw[INET_ADDR_TEXT];
	size_t n = fields_split(v, f, ARRAY_SIZE(f));
	bool masked = false;

	if (n < 2 || n > 3)
		return left_out(p, w, v, route_remedy, "a route has two or three fields");
	if (parse_net(f[0], &r, &masked) < 0)
		return left_out(p, w, f[0], route_remedy, "not NET/PREFIX");
	if (!parse_hop(p, w, f, n, &r))
		return false;
	if (masked)
		differ(p, w, f[0], DIAG_NOTE,
			textf(p, "write %s/%d", inet_text(&r.net, net), r.prefix),
			"a dotted mask: NetworkManager drops the route");
	if (f[0].s[0] == '[' && f[0].s[f[0].len - 1] != ']')
		differ(p, w, f[0], DIAG_WARN,
			textf(p, "write [%s/%d]", inet_text(&r.net, net), r.prefix),
			"the prefix length follows the bracket: network-legacy sets no such route, "
			"NetworkManager one to a single host");
	if (clear_host_bits(&r))
		complain(p, w, f[0], DIAG_WARN,
			textf(p, "write %s/%d", inet_text(&r.net, net), r.prefix),
			"host bits are set; read as %s/%d", inet_text(&r.net, net), r.prefix);
	if (!APPEND_MAX(p, &p->routes, r, w, PLAN_ROUTES_MAX))
		return false;
	return say(p, w, "routes %s/%d%s%s%s%s", inet_text(&r.net, net), r.prefix,
		r.gateway.family ? " through " : "", inet_text(&r.gateway, gw),
		r.ifname ? " on " : "", r.ifname ? r.ifname : "");
}

/* --- ifname, BOOTIF, bootdev, hostname ----------------------------------------------------- */

/* eth0, eth1 ...: the kernel's own numbering. */
static bool kernel_name(struct slice s)
{
	return slice_starts(s, "eth") && s.len > 3 && strspn(s.s + 3, "0123456789") >= s.len - 3;
}

/* Has an earlier ifname= this name or address? dracut passes over the same once more. */
static bool ifname_taken(struct parser *p, const struct plan_word *w, struct slice name,
	const struct hw_addr *hw)
{
	FOR_EACH(struct plan_ifname, known, &p->ifnames) {
		bool named = slice_is(name, known->name);
		bool meant = hw_addr_same_port(&known->hwaddr, hw);

		if (named && meant)
			note_word(p, w, "leave it out", "the same as an earlier ifname=");
		else if (named || meant)
			left_out(p, w, word_value(w), "one ifname= for each interface",
				"this name or address already has an ifname=");
		if (named || meant)
			return true;
	}
	return false;
}

/*
 * dracut knows 6 and 20 octets. Of 20 only the last 8 (the port GUID) survive a reboot, so these
 * alone are taken as well; initagent/link/ compares them.
 */
PARSE(ifname)
{
	static const char form[] = "write ifname=NAME:MAC, for example "
				     "ifname=bootnet:52:54:00:12:34:56";
	struct slice v = word_value(w), name, mac = v;
	const char *fault, *remedy;
	char text[HW_ADDR_TEXT];
	struct plan_ifname item;
	struct hw_addr hw;

	if (!slice_next(&mac, ':', &name) || !value_ifname(name.s, name.len))
		return left_out(p, w, name, form, "not an interface name");
	if (!mac.s || value_guid(mac.s, mac.len, &hw) < 0)
		return left_out(p, w, mac.s ? mac : v, form,
			"not an address of 6, 8 or 20 octets");
	fault = value_hw_fault(&hw, &remedy);
	if (fault)
		return left_out(p, w, mac, remedy, fault);
	if (hw.len == 8)
		differ(p, w, mac, DIAG_WARN,
			"name the port by rd.ib.guid= where the line must work under dracut",
			"a port GUID: dracut takes 6 or 20 octets and stops");
	else if (hw.len == HW_ADDR_MAX)
		differ(p, w, mac, DIAG_WARN, "name the port by rd.ib.guid=",
			"only the last 8 octets count here; dracut's udev rule matches Ethernet "
			"only, so never this");
	else if (!value_hw_plain(mac.s, mac.len))
		differ(p, w, mac, DIAG_WARN, textf(p, "write %s", hw_text(&hw, text)),
			"not dracut's form of a hardware address (6 octets of two digits, joined "
			"by ':'): network-legacy stops");
	if (ifname_taken(p, w, name, &hw))
		return false;
	if (kernel_name(name))
		differ(p, w, name, DIAG_WARN, "take another name, for example bootnet",
			"the kernel gives names like this itself: with dracut they can clash; here "
			"an interface that has got it is renamed");
	item = (struct plan_ifname){keep(p, name), hw};
	return APPEND(p, &p->ifnames, item, w) &&
		say(p, w, "names the interface with address %s: %s", hw_text(&hw, text), item.name);
}

/* False: no interface can be meant, and none is. */
static bool judge_bootif(struct parser *p, const struct plan_word *w, struct slice v, bool typed)
{
	struct plan_net *net = &p->plan->net;

	bool zero = value_hw_zero(&net->bootif);

	if (zero || (value_hw_group(&net->bootif) && net->bootif_type == 1)) {
		complain(p, w, v, DIAG_ERROR, "write BOOTIF=01- and six octets",
			"%s address, which no interface has%s; left out",
			zero ? "an all-zero" : "a group",
			typed || zero ? "" : ": perhaps one octet is missing after the type");
		net->bootif = (struct hw_addr){0};
		net->bootif_type = 0;
		return false;
	}
	if (net->bootif_type != 1 && net->bootif_type != 0x20)
		complain(p, w, v, DIAG_WARN, "01 is Ethernet, 20 is InfiniBand",
			"hardware type %02x is neither Ethernet nor InfiniBand", net->bootif_type);
	if (net->bootif_type == 0x20)
		differ(p, w, WHOLE, DIAG_NOTE, NULL,
			"understood here; dracut's back ends do not match an InfiniBand BOOTIF");
	return true;
}

static int read_bootif(struct slice v, uint8_t octets[static 1 + HW_ADDR_MAX])
{
	int n = value_octets(v.s, v.len, octets, 1 + HW_ADDR_MAX);
	struct hw_addr guid;

	if (n >= 0 || value_guid(v.s, v.len, &guid) < 0)
		return n;
	memcpy(octets, guid.bytes, guid.len);
	return guid.len;
}

/*
 * BOOTIF: ARP hardware type and address, as pxelinux and iPXE write it; 6, 8 and 20 octets are
 * taken for an address without type (GRUB's net_default_mac is one).
 */
PARSE(bootif)
{
	struct slice v = word_value(w);
	uint8_t octets[1 + HW_ADDR_MAX];
	char text[HW_ADDR_TEXT];
	struct plan_net *net = &p->plan->net;
	int n = read_bootif(v, octets);
	int type;

	if (n != 6 && n != 7 && n != 8 && n != 9 && n != 20 && n != 21)
		return left_out(p, w, v, "for example BOOTIF=01-52-54-00-12-34-56",
			"not a hardware type and an address of 6, 8 or 20 octets");
	type = n == 7 || n == 9 || n == 21;
	net->bootif.len = (uint8_t)(n - type);
	memcpy(net->bootif.bytes, octets + type, net->bootif.len);
	/* ARP hardware types (IANA): 1 Ethernet, 32 InfiniBand */
	net->bootif_type = type ? octets[0] : net->bootif.len == 6 ? 1 : 0x20;
	if (!judge_bootif(p, w, v, type))
		return false;
	return say(p, w, net->bootif_type == 0x20 && net->bootif.len == 6
			? "brings up the InfiniBand interface that its boot ROM calls %s in short"
			: "brings up the interface with address %s", hw_text(&net->bootif, text));
}

/* A name only: interfaces known by address get theirs from ifname=. */
PARSE(bootdev)
{
	struct slice v = word_value(w);

	if (!value_ifname(v.s, v.len))
		return left_out(p, w, v,
			"name the interface; ifname=NAME:MAC binds a name to an address",
			"not an interface name");
	p->plan->net.bootdev = w->value;
	p->plan->net.bootdev_hint = streq(w->name, "netdev");
	return say(p, w, p->plan->net.bootdev_hint
			? "takes the root path first from %s, if there is one of that name"
			: "takes routes, DNS and the root path from %s", w->value);
}

/* Set early so that DHCP servers, subnet managers and logs see it. */
PARSE(hostname)
{
	struct slice v = word_value(w);

	if (!value_hostname(v.s, v.len))
		return left_out(p, w, v, "letters, digits, '-' and '.', at most 64",
			"not a host name");
	p->plan->net.hostname = w->value;
	return say(p, w, "the host name is %s until the real root sets its own", w->value);
}
