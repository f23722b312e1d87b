/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ip: the ip= option in its three shapes (dracut.cmdline(7); the last is also the kernel's own,
 * Documentation/admin-guide/nfs/nfsroot.rst):
 *
 *	METHOD[,METHOD...]				every interface
 *	[IFNAME]:METHOD[:[MTU][:MAC]]			one interface
 *	ADDR:PEER:GATEWAY:MASK:HOST:IFNAME:METHOD...	then [MTU][:MAC] or DNS1[:DNS2]
 *
 * and the installer's "ip=ADDR" alone, whose mask and gateway are options of their own. Where
 * dracut stops the boot (unknown method, address with dhcp), the sane part is kept and the rest
 * reported.
 */
#include "parser.h"

/* A MAC of 20 octets needs 7 + 1 + 20 fields. */
#define FIELDS_MAX 32

enum { F_ADDR, F_PEER, F_GATEWAY, F_MASK, F_HOST, F_DEV, F_METHOD, F_TAIL };

struct ip_parse {
	struct parser *p;
	struct plan_word *w;
	struct slice value;
	struct slice f[FIELDS_MAX]; /* beyond n: empty */
	size_t n;
	struct plan_ip ip;
};

const struct choice ip_methods[] = {
	{"dhcp", PLAN_IP_DHCP, "asks for a lease by DHCP"},
	{"on", PLAN_IP_DHCP, NULL},
	{"any", PLAN_IP_DHCP, NULL},
	{"single-dhcp", PLAN_IP_SINGLE, "asks for a lease by DHCP, the first answer wins"},
	{"dhcp6", PLAN_IP_DHCP6, "DHCPv6"},
	{"auto6", PLAN_IP_AUTO6, "IPv6 autoconfiguration"},
	{"either6", PLAN_IP_EITHER6, "IPv6 autoconfiguration or else DHCPv6"},
	{"link6", PLAN_IP_LINK6, "an IPv6 link-local address"},
	{"ibft", PLAN_IP_IBFT, "sets up what the firmware's iBFT says"},
	{"none", PLAN_IP_STATIC, NULL},
	{"off", PLAN_IP_STATIC, NULL},
	/* dracut's own message is that these are unsupported */
	{"bootp", 0, NULL},
	{"rarp", 0, NULL},
	{"both", 0, NULL},
	{0},
};

/* The method a word names: bits, 0 for an unsupported one, -EINVAL for no method. */
static int method_of(struct slice s)
{
	const struct choice *c = choice_find(ip_methods, s);

	return c ? (int)c->value : -EINVAL;
}

/* Is any word of the comma list a method? */
static bool is_methods(struct slice s)
{
	struct slice item;

	while (slice_next(&s, ',', &item))
		if (method_of(item) >= 0)
			return true;
	return false;
}

/* The method a misspelt word comes near to, or NULL. */
static const char *near_method(struct slice s)
{
	for (size_t slips = 0; slips <= 1; slips++)
		for (const struct choice *c = ip_methods; c->word; c++)
			if (c->value && option_distance(s.s, s.len, c->word) == slips)
				return c->word;
	return NULL;
}

/* A remark about a field. */
static void complain_at(struct ip_parse *x, struct slice at, enum diag_severity severity,
	const char *remedy, const char *text)
{
	complain(x->p, x->w, at, severity, remedy, "%s", text);
}

/* What makes the whole option useless; false. */
static bool ip_fail(struct ip_parse *x, struct slice at, const char *remedy, const char *why)
{
	complain(x->p, x->w, at, DIAG_ERROR, remedy, "%s; the whole option is left out", why);
	return false;
}

/* Adds the methods of a comma list; says what is wrong with the others. */
static void read_methods(struct ip_parse *x, struct slice s)
{
	struct slice item;

	while (slice_next(&s, ',', &item)) {
		int m = method_of(item);

		if (m > 0)
			x->ip.methods |= (unsigned int)m;
		else if (m == 0)
			left_out(x->p, x->w, item, "use dhcp",
				"this method is not supported, nor is it by dracut");
		else if (item.len)
			left_out(x->p, x->w, item, slice_is(item, "static") ? "write none"
				: x->n == 1 && item.s == x->value.s && method_of(s) > 0
				? textf(x->p, "did you mean ip=%.*s:%.*s?", SLICE(item), SLICE(s))
				: "dhcp, single-dhcp, none, dhcp6, auto6, either6 or link6",
				"not a method");
	}
}

/*
 * What dracut's manual has for one interface: dhcp, on, any, dhcp6, auto6, link6, and in the long
 * form none, off and ibft; lists stand alone only. full: the long form, in which network-legacy
 * takes them all.
 */
static void judge_methods(struct ip_parse *x, struct slice s, bool full)
{
	const unsigned int documented = PLAN_IP_DHCP | PLAN_IP_DHCP6 | PLAN_IP_AUTO6 |
		PLAN_IP_LINK6 | PLAN_IP_STATIC | (full ? PLAN_IP_IBFT : 0);
	int m = method_of(s);

	if (is_methods(s) && slice_find(s, ",") < s.len)
		differ(x->p, x->w, s, DIAG_WARN,
			"name one method, or no interface: ip=METHOD,METHOD", full
			? "several methods for one interface: NetworkManager takes some of them"
			: "several methods for one interface: network-legacy stops, "
			"NetworkManager takes some of them");
	else if (m > 0 && !((unsigned int)m & documented))
		differ(x->p, x->w, s, DIAG_WARN, "dhcp, on, any, dhcp6, auto6 or link6",
			textf(x->p, "not among dracut's methods for one interface: %s", full
				? "NetworkManager asks for IPv4 and IPv6 at once"
				: m == PLAN_IP_EITHER6 ? "NetworkManager drops the option"
						       : "network-legacy stops"));
}

/* 12 hex digits after "enx", udev's name by address. */
static bool read_enx(struct slice s, struct hw_addr *ret)
{
	char text[] = "xx:xx:xx:xx:xx:xx";

	if (s.len != 15 || !slice_starts(s, "enx"))
		return false;
	for (size_t i = 0; i < 6; i++)
		memcpy(text + 3 * i, s.s + 3 + 2 * i, 2);
	return value_hw(text, strlen(text), ret) == 0;
}

static bool check_own_hw(struct ip_parse *x, struct slice at, const struct hw_addr *hw)
{
	const char *remedy, *fault = value_hw_fault(hw, &remedy);

	return !fault || ip_fail(x, at, remedy, fault);
}

/*
 * dracut names interfaces only; by address is what its users have asked for (dracutdevs issue
 * 2337), and the one way to name an IPoIB interface that survives another probe order.
 */
static bool read_device(struct ip_parse *x, struct slice s)
{
	if (s.len == 0) {
		if (s.s == x->value.s)
			differ(x->p, x->w, WHOLE, DIAG_NOTE,
				textf(x->p, "write ip=%s", x->w->value + 1),
				"no interface named: every interface is meant");
		return true;
	}
	if (value_ifname(s.s, s.len)) {
		x->ip.ifname = keep(x->p, s);
		read_enx(s, &x->ip.match);
		return check_own_hw(x, s, &x->ip.match);
	}
	if (value_hw(s.s, s.len, &x->ip.match) == 0) {
		differ(x->p, x->w, s, DIAG_NOTE, "bind a name to the address: ifname=NAME:MAC",
			"found by its address here; dracut looks for an interface of that name");
		return check_own_hw(x, s, &x->ip.match);
	}
	return ip_fail(x, s, "a name of at most 15 bytes, or an address joined by '-'",
		"not an interface");
}

static void read_mtu(struct ip_parse *x, struct slice s)
{
	if (s.len && value_mtu(s.s, s.len, &x->ip.mtu) < 0)
		left_out(x->p, x->w, s, "68 to 65535", "not an MTU");
}

/* The MAC is all that is left, colons and all. */
static void read_mac(struct ip_parse *x, size_t first)
{
	const char *fault, *remedy;
	char text[HW_ADDR_TEXT];
	struct inet_addr dns;
	struct slice s;

	if (first >= x->n)
		return;
	s = slice_from(x->value, (size_t)(x->f[first].s - x->value.s));
	if (s.len == 0)
		return;
	if (value_hw(s.s, s.len, &x->ip.hwaddr) < 0)
		left_out(x->p, x->w, s, value_inet(s.s, s.len, &dns) == 0
				? textf(x->p, "add nameserver=%.*s", SLICE(s))
				: "for example 52:54:00:12:34:56", "not a hardware address");
	else if ((fault = value_hw_fault(&x->ip.hwaddr, &remedy)))
		left_out(x->p, x->w, s, remedy, fault);
	else if (x->ip.hwaddr.len != 6)
		complain_at(x, s, DIAG_WARN, "leave it out", FIXED_ADDRESS);
	else if (value_hw_plain(s.s, s.len))
		return;
	else {
		differ(x->p, x->w, s, DIAG_WARN,
			textf(x->p, "write %s", hw_text(&x->ip.hwaddr, text)),
			"not dracut's form of a hardware address (6 octets of two digits, joined "
			"by ':'): network-legacy stops");
		return;
	}
	x->ip.hwaddr.len = 0;
}

/*
 * The kernel's own ip= and boot loaders have 0.0.0.0 for an address that is not given. Otherwise it
 * is one that another host can have, or left out.
 */
static bool other_host(struct ip_parse *x, struct slice s, const struct inet_addr *a)
{
	if (!inet_is_any(a))
		return check_host(x->p, x->w, s, DIAG_ERROR, a);
	differ(x->p, x->w, s, DIAG_WARN, "leave the field empty",
		"read as not given, as by the kernel; dracut takes it for an address");
	return false;
}

/* At most two, as dracut; more fields are the kernel's and not needed to boot. */
static void read_dns(struct ip_parse *x, size_t first)
{
	struct inet_addr a;

	for (size_t i = first; i < x->n; i++) {
		struct slice s = x->f[i];

		if (s.len == 0)
			continue;
		if (i >= first + 2) /* the kernel's ip= has NTP servers here */
			complain_at(x, s, DIAG_WARN, NULL,
				"unexpected field; ignored");
		else if (value_inet(s.s, s.len, &a) == 0 && other_host(x, s, &a))
			x->ip.dns[x->ip.n_dns++] = a;
		else if (value_inet(s.s, s.len, &a) < 0)
			left_out(x->p, x->w, s, NULL, "not a DNS server's address");
	}
}

/* Behind the method: a DNS server's address, or an MTU and a MAC. */
static void read_tail(struct ip_parse *x)
{
	struct inet_addr a;

	if (x->n <= F_TAIL)
		return;
	if (value_inet(x->f[F_TAIL].s, x->f[F_TAIL].len, &a) == 0) {
		read_dns(x, F_TAIL);
		return;
	}
	read_mtu(x, x->f[F_TAIL]);
	read_mac(x, F_TAIL + 1);
}

/* What two fields that are no IFNAME:METHOD were meant to be. */
static const char *addr_remedy(struct ip_parse *x)
{
	const char *near = near_method(x->f[1]);

	if (near && value_ifname(x->f[0].s, x->f[0].len))
		return textf(x->p, "did you mean ip=%.*s:%s?", SLICE(x->f[0]), near);
	if (method_of(x->f[0]) > 0 && value_ifname(x->f[1].s, x->f[1].len))
		return textf(x->p, "did you mean ip=%.*s:%.*s?", SLICE(x->f[1]), SLICE(x->f[0]));
	/* "2001": an IPv6 address without brackets */
	return server_remedy(
		slice_find(x->f[0], ".") < x->f[0].len ? x->f[0] : (struct slice){"", 0},
		"ADDR:[PEER]:[GATEWAY]:MASK:[HOST]:[IFNAME]:METHOD (IPv6 in brackets), or "
		"IFNAME:METHOD");
}

/* False only if the field cannot be an address at all: then none of the others means anything. */
static bool read_addr(struct ip_parse *x)
{
	struct slice s = x->f[F_ADDR];
	char text[INET_ADDR_TEXT];

	x->ip.prefix = -1;
	if (s.len == 0)
		return true;
	if (value_inet_prefix(s.s, s.len, &x->ip.addr, &x->ip.prefix) < 0)
		return ip_fail(x, s, addr_remedy(x), "neither an address nor IFNAME:METHOD");
	if (x->ip.prefix >= 0)
		differ(x->p, x->w, s, DIAG_WARN,
			textf(x->p, x->ip.addr.family == AF_INET6
				? "write [%s] here, and %d into the fourth field, the mask"
				: "write %s here, and %d into the fourth field, the mask",
				inet_text(&x->ip.addr, text), x->ip.prefix),
			"the prefix length follows the address: network-legacy and "
			"systemd-network-generator set no such address");
	return inet_is_host(&x->ip.addr) || ip_fail(x, s, NULL, "no host can have this address");
}

/* An address of the same family as the interface's, or it is left out. */
static void read_other(struct ip_parse *x, size_t field, struct inet_addr *to, int *prefix,
	const char *bad)
{
	struct slice s = x->f[field];
	struct inet_addr a;

	if (s.len == 0)
		return;
	if (value_inet_prefix(s.s, s.len, &a, prefix) < 0) {
		left_out(x->p, x->w, s, NULL, bad);
		return;
	}
	if (slice_starts(s, "255.") && value_netmask(s.s, s.len, 32, prefix) == 0)
		left_out(x->p, x->w, s, "ADDR:[PEER]:[GATEWAY]:MASK:..., with each ':'",
			"a netmask, which is the fourth field");
	else if (x->ip.addr.family && a.family != x->ip.addr.family)
		left_out(x->p, x->w, s, NULL, "of another family than the address");
	else if (other_host(x, s, &a)) {
		*to = a;
		return;
	}
	*prefix = -1;
}

/* The prefix behind the address, if any, is the clearer word of the two. */
static void read_mask(struct ip_parse *x)
{
	struct slice s = x->f[F_MASK];
	int max = x->ip.addr.family == AF_INET6 ? 128 : 32, prefix;

	if (s.len == 0)
		return;
	if (value_netmask(s.s, s.len, max, &prefix) < 0)
		complain_at(x, s, DIAG_ERROR, "for example 255.255.255.0 or 24", "not a netmask");
	else if (x->ip.prefix >= 0 && x->ip.prefix != prefix)
		complain_at(x, s, DIAG_WARN, "give it once",
			"not the prefix after the address, which counts");
	else
		x->ip.prefix = prefix;
}

/* Goes to the kernel and into files of the real root: a strict alphabet. */
static void read_host(struct ip_parse *x)
{
	struct slice s = x->f[F_HOST];

	if (s.len == 0)
		return;
	if (value_hostname(s.s, s.len))
		x->ip.hostname = keep(x->p, s);
	else
		left_out(x->p, x->w, s, "letters, digits, '-' and '.', at most 64",
			"not a host name");
}

/* No usable method: an address means static, none means DHCP. */
static void default_method(struct ip_parse *x, bool given)
{
	if (x->ip.methods)
		return;
	x->ip.methods = x->ip.addr.family ? PLAN_IP_STATIC : PLAN_IP_DHCP;
	if (given)
		complain_at(x, WHOLE, DIAG_WARN, "name the method", x->ip.addr.family
			? "no valid method: read as none (static)"
			: "no valid method: read as dhcp");
	else
		complain_at(x, WHOLE, DIAG_NOTE, "name the method", x->ip.addr.family
			? "no method: read as none (static); dracut takes dhcp"
			: "no method: read as dhcp");
}

/*
 * An address with dhcp: network-legacy stops the boot. With "on" and "any" NetworkManager takes it
 * for static, which is what Warewulf's dracut_static writes.
 */
static void check_method(struct ip_parse *x)
{
	struct slice s = x->f[F_METHOD];

	if (!x->ip.addr.family || x->ip.methods & PLAN_IP_STATIC)
		return;
	if ((slice_is(s, "on") || slice_is(s, "any")) &&
		(x->ip.prefix > 0 || x->ip.addr.family == AF_INET6)) {
		x->ip.methods = PLAN_IP_STATIC;
		differ(x->p, x->w, s, DIAG_WARN, "write none",
			"with an address it is static; network-legacy stops");
		return;
	}
	complain_at(x, x->f[F_ADDR], DIAG_ERROR, "write none for the method, or no address",
		"this method takes no address; the address is left out");
	memset(&x->ip.addr, 0, sizeof(x->ip.addr));
	x->ip.prefix = -1;
}

bool check_host_part(struct parser *p, const struct plan_word *w, const struct plan_ip *ip)
{
	int i, bits = ip->addr.family == AF_INET ? 32 : 128;
	bool zeros = true, ones = true;

	/* RFC 3021: both addresses of a /31 are hosts'; RFC 6164 has the same for /127 */
	if (bits - ip->prefix < 2)
		return true;
	for (i = ip->prefix; i < bits; i++) {
		bool set = ip->addr.bytes[i / 8] & (0x80 >> i % 8);

		zeros &= !set;
		ones &= set;
	}
	if (!zeros && (!ones || bits == 128))
		return true;
	complain(p, w, WHOLE, DIAG_ERROR, "check address and mask",
		"%s; the whole option is left out",
		ones	     ? "the address is the subnet's broadcast address"
		: bits == 32 ? "the address is the subnet's own number"
			     : "the address is the routers' anycast address");
	return false;
}

/* What a static address must have; false if the option is to be left out. */
static bool check_static(struct ip_parse *x)
{
	if (!(x->ip.methods & PLAN_IP_STATIC))
		return true;
	if (!x->ip.addr.family)
		return ip_fail(x, WHOLE,
			"write ip=ADDR::GATEWAY:MASK:HOST:IFNAME:none, or a method such as dhcp",
			"a static set-up needs an address");
	if (x->ip.prefix > 0)
		return check_host_part(x->p, x->w, &x->ip);
	if (x->ip.addr.family == AF_INET6) {
		x->ip.prefix = 64; /* what dracut takes for the firmware's addresses */
		complain_at(x, x->f[F_ADDR], DIAG_NOTE,
			"write the prefix length into the fourth field", "no prefix: /64 taken");
		return check_host_part(x->p, x->w, &x->ip);
	}
	return ip_fail(x, WHOLE, "the fourth field is the mask: 255.255.255.0 or 24",
		"a static set-up needs a netmask");
}

/*
 * Fields may be missing at the end, as for the kernel. Each bad field costs only itself, except
 * those without which the rest is void: address, mask, interface.
 */
static bool read_full(struct ip_parse *x)
{
	int gateway_prefix = -1;

	if (!read_addr(x) || !read_device(x, x->f[F_DEV]))
		return false;
	x->ip.peer_prefix = -1;
	read_other(x, F_PEER, &x->ip.peer, &x->ip.peer_prefix, "not a peer's address");
	read_other(x, F_GATEWAY, &x->ip.gateway, &gateway_prefix, "not a gateway's address");
	if (gateway_prefix >= 0)
		complain_at(x, x->f[F_GATEWAY], DIAG_WARN, "leave it out",
			"a gateway is one address: its prefix length has no effect");
	read_mask(x);
	read_host(x);
	read_methods(x, x->f[F_METHOD]);
	judge_methods(x, x->f[F_METHOD], true);
	default_method(x, x->f[F_METHOD].len);
	read_tail(x);
	check_method(x);
	return check_static(x);
}

/* The second field is a method: dracut's own test for this shape. */
static bool read_interface(struct ip_parse *x)
{
	struct inet_addr a;
	int prefix;

	x->ip.prefix = x->ip.peer_prefix = -1;
	if (value_inet_prefix(x->f[0].s, x->f[0].len, &a, &prefix) == 0)
		return ip_fail(x, x->f[0], "IFNAME:METHOD",
			"an interface belongs here, not an address");
	if (!read_device(x, x->f[0]))
		return false;
	read_methods(x, x->f[1]);
	judge_methods(x, x->f[1], false);
	if (x->n > 2)
		read_mtu(x, x->f[2]);
	read_mac(x, 3);
	default_method(x, true);
	return check_static(x);
}

/* One word that is nothing: a slip in a method, or an interface without its method. */
static bool single_fail(struct ip_parse *x, struct slice s)
{
	const char *near = near_method(s);
	const char *remedy = "for example ip=dhcp or ip=eth0:dhcp";

	if (slice_is(s, "link-local")) /* systemd-network-generator's */
		remedy = "did you mean ip=link6?";
	else if (slice_is(s, "nbft"))
		remedy = "leave it out: root=nvmf sets up what the firmware's NBFT says";
	else if (near)
		remedy = textf(x->p, "did you mean ip=%s?", near);
	else if (value_ifname(s.s, s.len))
		remedy = textf(x->p, "did you mean ip=%s:dhcp?", x->w->value);
	return ip_fail(x, s, remedy, "neither a method nor an address");
}

/*
 * One field: methods for every interface, or the installer's address alone, whose mask may be
 * an option further on and is looked for when all are read.
 */
static bool read_single(struct ip_parse *x)
{
	struct slice s = x->f[0];

	x->ip.prefix = x->ip.peer_prefix = -1;
	if (is_methods(s)) {
		read_methods(x, s);
		default_method(x, true);
		return check_static(x);
	}
	if (value_inet_prefix(s.s, s.len, &x->ip.addr, &x->ip.prefix) == 0 && read_addr(x)) {
		if (x->p->short_ip)
			return left_out(x->p, x->w, s, "ip=ADDR::GATEWAY:MASK:HOST:IFNAME:none",
				"only one ip= can be an address alone");
		x->ip.methods = PLAN_IP_STATIC;
		x->p->short_ip = x->p->ips.n + 1; /* completed by resolve_net() */
		return true;
	}
	return single_fail(x, s);
}

/* Go prints it for an address that is not set; provisioners' templates write it here. */
static void blank_nil(struct ip_parse *x)
{
	for (size_t i = 0; i < x->n; i++)
		if (slice_is(x->f[i], "<nil>")) {
			differ(x->p, x->w, x->f[i], DIAG_WARN, NULL,
				"not set in the provisioner: read as empty");
			x->f[i].len = 0;
		}
}

/* The second field alone decides which shape it is, as in dracut. */
static bool read_ip(struct ip_parse *x)
{
	if (x->value.len == 0) {
		x->ip = (struct plan_ip){
			.methods = PLAN_IP_DHCP, .prefix = -1, .peer_prefix = -1};
		complain_at(x, WHOLE, DIAG_WARN, "write ip=dhcp",
			"empty: read as dhcp, like dracut");
		return true;
	}
	x->n = fields_split(x->value, x->f, FIELDS_MAX);
	blank_nil(x);
	if (x->n == 1)
		return read_single(x);
	if (x->f[1].len && is_methods(x->f[1]))
		return read_interface(x);
	return read_full(x);
}

PARSE(ip)
{
	struct ip_parse x = {.p = p, .w = w, .value = word_value(w)};

	if (!read_ip(&x))
		return false;
	x.ip.word = (size_t)(w - p->words);
	return APPEND(p, &p->ips, x.ip, w);
}
