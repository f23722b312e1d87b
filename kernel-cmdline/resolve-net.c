/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * resolve-net: what of the network depends on several options: the installer's short ip= form,
 * repeated ip= for one interface, which interface leads, whether a network is wanted at all.
 */
#include "parser.h"

/* --- ip=ADDR with netmask=, gateway=, mtu=, ksdevice= ---------------------------------------- */

static bool short_mask(struct parser *p, struct plan_word *w, struct slice v, struct plan_ip *ip)
{
	if (value_netmask(v.s, v.len, ip->addr.family == AF_INET ? 32 : 128, &ip->prefix) == 0)
		return true;
	complain(p, w, v, DIAG_ERROR, "for example netmask=255.255.255.0", "not a netmask");
	return false;
}

static bool short_gateway(struct parser *p, struct plan_word *w, struct slice v, struct plan_ip *ip)
{
	struct inet_addr a;

	if (value_inet(v.s, v.len, &a) < 0 || a.family != ip->addr.family)
		return left_out(p, w, v, NULL, "not a gateway for this address");
	if (!check_host(p, w, v, DIAG_ERROR, &a))
		return false;
	ip->gateway = a;
	return true;
}

static bool short_mtu(struct parser *p, struct plan_word *w, struct slice v, struct plan_ip *ip)
{
	return value_mtu(v.s, v.len, &ip->mtu) == 0 ||
		left_out(p, w, v, "68 to 65535", "not an MTU");
}

/* "link" (the first with carrier) and "ibft" name no interface: any will do. */
static bool short_device(struct parser *p, struct plan_word *w, struct slice v, struct plan_ip *ip)
{
	const char *fault, *remedy;
	struct hw_addr hw;

	if (slice_is(v, "bootif") || slice_is(v, "BOOTIF")) {
		ip->match = p->plan->net.bootif;
	} else if (value_hw(v.s, v.len, &hw) == 0) {
		fault = value_hw_fault(&hw, &remedy);
		if (fault)
			return left_out(p, w, v, remedy, fault);
		ip->match = hw;
	} else if (!slice_is(v, "link") && !slice_is(v, "ibft")) {
		if (!value_ifname(v.s, v.len))
			return left_out(p, w, v, NULL, "not an interface");
		ip->ifname = w->value;
	}
	return true;
}

static const struct {
	enum option_id id;
	bool (*take)(struct parser *p, struct plan_word *w, struct slice v, struct plan_ip *ip);
} helpers[] = {
	{OPTION_NETMASK, short_mask},
	{OPTION_GATEWAY, short_gateway},
	{OPTION_MTU, short_mtu},
	{OPTION_KSDEVICE, short_device},
};

/* Takes the item at index i out of the list. */
static void drop_ip(struct parser *p, size_t i)
{
	struct plan_ip *ips = p->ips.items;

	memmove(&ips[i], &ips[i + 1], (p->ips.n - i - 1) * sizeof(*ips));
	p->ips.n--;
}

/* Beside other forms of ip= these helpers mean nothing, which is said. */
static void resolve_short(struct parser *p)
{
	struct plan_ip *ip = p->short_ip ? (struct plan_ip *)p->ips.items + p->short_ip - 1 : NULL;

	for (size_t i = 0; i < ARRAY_SIZE(helpers); i++) {
		struct plan_word *w = parser_word(p, helpers[i].id);

		if (w && ip) {
			w->effect = NULL;
			if (helpers[i].take(p, w, word_value(w), ip))
				say(p, w, "goes with ip=%s", p->words[ip->word].value);
		} else if (w) {
			say(p, w, "has no effect: there is no ip=ADDR to go with it");
			warn_word(p, w, "put it into the ip= option",
				"only counts beside ip=ADDR alone");
		}
	}
	if (!ip)
		return;
	if (ip->prefix < 0)
		complain(p, &p->words[ip->word], WHOLE, DIAG_ERROR,
			"write ip=ADDR::GATEWAY:MASK:HOST:IFNAME:none",
			"an address without a netmask; the whole option is left out");
	else if (check_host_part(p, &p->words[ip->word], ip))
		return;
	drop_ip(p, p->short_ip - 1);
}

/* --- every ip= ------------------------------------------------------------------------------ */

bool same_device(const struct plan_ip *a, const struct plan_ip *b)
{
	if (a->match.len || b->match.len)
		return hw_addr_equal(&a->match, &b->match);
	return a->ifname && b->ifname ? streq(a->ifname, b->ifname) : a->ifname == b->ifname;
}

static bool is_six(const struct plan_ip *ip)
{
	return ip->addr.family == AF_INET6 || ip->methods & IPV6_METHODS;
}

/* Would both set up the same thing? IPv4 and IPv6 on one interface are two things. */
static bool rivals(const struct plan_ip *a, const struct plan_ip *b)
{
	return is_six(a) == is_six(b) && same_device(a, b);
}

/* The image of one machine has the address that it was booted with; on another the boot loader's
 * ip= must not stand beside that. */
static void drop_last_boots(struct parser *p)
{
	const struct plan_ip *ips = p->ips.items;

	/* They are in the order of their sources. */
	for (size_t i = 0; p->last_boot && i + 1 < p->ips.n; i++) {
		struct plan_word *w = &p->words[ips[i].word];

		if (w->source + 1 != p->last_boot ||
			w->source == p->words[ips[p->ips.n - 1].word].source)
			continue;
		say(p, w, "has no effect: the boot loader has ip=, too");
		drop_ip(p, i--);
	}
}

/*
 * dracut stops the boot with "Duplication configurations". The last one counts here, as for
 * single options: that is how /etc/cmdline.d is overridden.
 */
static void resolve_repeated(struct parser *p)
{
	drop_last_boots(p);
	for (size_t i = 0; i < p->ips.n; i++) {
		struct plan_ip *ips = p->ips.items;
		struct plan_word *w = &p->words[ips[i].word];
		size_t k = i + 1;

		while (k < p->ips.n && !rivals(&ips[i], &ips[k]))
			k++;
		if (k == p->ips.n)
			continue;
		w->by = &p->words[ips[k].word];
		say(p, w, "has no effect: given again further on");
		warn_word(p, w, "keep one of them",
			"another ip= for the same interface follows and counts; dracut stops here");
		drop_ip(p, i--);
	}
}

/* Whether an interface of a name is IPoIB is known when all options are. */
static void drop_hwaddr(struct parser *p, struct plan_ip *ip)
{
	if (!ip->hwaddr.len ||
		(ip->ifname ? !parser_is_ipoib(p, ip->ifname) : ip->match.len <= 6))
		return;
	ip->hwaddr.len = 0;
	warn_word(p, &p->words[ip->word], "leave it out", FIXED_ADDRESS);
}

/* dracut knows one ip= for an interface, IPv4 and IPv6 together. */
static void comment_pair(struct parser *p, const struct plan_ip *ip)
{
	for (const struct plan_ip *k = p->ips.items; k < ip; k++)
		if (same_device(k, ip) && !plan_ip_is_open(ip)) {
			differ(p, &p->words[ip->word], WHOLE, DIAG_NOTE, NULL,
				"another ip= for the same interface: network-legacy stops");
			return;
		}
}

static const char *device_text(struct parser *p, const struct plan_ip *ip)
{
	char hw[HW_ADDR_TEXT];

	if (ip->match.len)
		return textf(p, "the interface with address %s", hw_text(&ip->match, hw));
	if (ip->ifname)
		return ip->ifname;
	if (p->plan->net.bootif.len)
		return "the interface of BOOTIF=";
	return ip->methods & PLAN_IP_STATIC ? "the first interface" : "every interface";
}

static const char *method_text(struct parser *p, const struct plan_ip *ip)
{
	char addr[INET_ADDR_TEXT];
	const char *text = "";

	if (ip->methods & PLAN_IP_STATIC)
		text = textf(p, "sets %s/%d", inet_text(&ip->addr, addr), ip->prefix);
	for (const struct choice *c = ip_methods; c->word; c++)
		if (c->text && ip->methods & c->value)
			text = textf(p, "%s%s%s", text, text[0] ? ", " : "", c->text);
	return text;
}

/* "sets 192.0.2.5/24 on ib0, gateway 192.0.2.1, MTU 2044" */
static void say_ip(struct parser *p, const struct plan_ip *ip)
{
	char a[INET_ADDR_TEXT], b[HW_ADDR_TEXT];
	const char *text = textf(p, "%s on %s", method_text(p, ip), device_text(p, ip));

	if (ip->peer.family)
		text = textf(p, "%s, peer %s", text, inet_text(&ip->peer, a));
	if (ip->gateway.family)
		text = textf(p, "%s, gateway %s", text, inet_text(&ip->gateway, a));
	if (ip->hostname)
		text = textf(p, "%s, host name %s", text, ip->hostname);
	if (ip->mtu)
		text = textf(p, "%s, MTU %u", text, ip->mtu);
	if (ip->hwaddr.len)
		text = textf(p, "%s, with address %s", text, hw_text(&ip->hwaddr, b));
	for (size_t i = 0; i < ip->n_dns; i++)
		text = textf(p, "%s, DNS %s", text, inet_text(&ip->dns[i], a));
	say(p, &p->words[ip->word], "%s", text);
}

/* Is the gateway reachable with this prefix? */
static bool gateway_outside(const struct parser *p, const struct plan_ip *ip)
{
	return ip->methods & PLAN_IP_STATIC && ip->gateway.family && ip->prefix >= 0 &&
		!inet_is_link_local(&ip->gateway) && !ip->peer.family &&
		!inet_in_subnet(&ip->gateway, &ip->addr, (unsigned)ip->prefix) &&
		!routed_on_link(p, &ip->gateway);
}

/* What an iBFT said has become options of its own. */
static void resolve_ibft(struct parser *p)
{
	for (size_t i = 0; p->firmware && i < p->ips.n; i++)
		if (((struct plan_ip *)p->ips.items)[i].methods & PLAN_IP_IBFT)
			drop_ip(p, i--);
}

/* After the effect is known: what hardly can work. */
static void comment_ip(struct parser *p, const struct plan_ip *ip)
{
	const struct plan_word *w = &p->words[ip->word];
	const struct plan_link *link = ip->ifname ? find_named(&p->links, ip->ifname) : NULL;
	const uint32_t mtu = ip->mtu || !link ? ip->mtu : link->mtu;

	if (gateway_outside(p, ip))
		warn_word(p, w, "check address, mask and gateway",
			"the gateway is outside of the interface's subnet");
	if (mtu && mtu < 1280 && is_six(ip))
		warn_word(p, w, "1280 or more",
			"MTU %u: below 1280 the kernel takes IPv6 off the interface (RFC 8200 5)",
			mtu);
}

/* --- the whole network ---------------------------------------------------------------------- */

/* The boot loader adds BOOTIF= by itself; rd.bootif=0 is the way to be rid of it. */
static void resolve_bootif(struct parser *p)
{
	struct plan_word *off = parser_word(p, OPTION_RD_BOOTIF);
	struct plan_word *w = parser_word(p, OPTION_BOOTIF);
	enum switch_word sw;

	if (!off || !w)
		return;
	sw = value_switch(word_value(off).s, word_value(off).len);
	if (sw != SWITCH_OFF && sw != SWITCH_OFF_LOOSE)
		return;
	say(p, w, "has no effect: rd.bootif=0 turns it off");
	memset(&p->plan->net.bootif, 0, sizeof(p->plan->net.bootif));
	p->plan->net.bootif_type = 0;
}

/* ip=enxADDRESS gives its interface that name, as in dracut, unless ifname= gives it one. */
static void resolve_enx(struct parser *p, struct plan_ip *ip)
{
	struct plan_ifname own = {ip->ifname, ip->match};

	if (!ip->ifname || !ip->match.len)
		return;
	FOR_EACH(struct plan_ifname, known, &p->ifnames) {
		if (hw_addr_equal(&known->hwaddr, &ip->match))
			ip->ifname = known->name;
		if (streq(known->name, ip->ifname))
			return;
	}
	(void)APPEND(p, &p->ifnames, own, &p->words[ip->word]);
}

/* Explicit options have been read already and stay. */
static void resolve_leaders(struct parser *p)
{
	struct plan_net *net = &p->plan->net;
	size_t n = 0;

	FOR_EACH(struct plan_ip, ip, &p->ips) {
		n += !(ip->methods & PLAN_IP_IBFT);
		if (!net->bootdev && !net->bootif.len && ip->ifname)
			net->bootdev = ip->ifname;
		if (!net->hostname)
			net->hostname = ip->hostname;
	}
	/* dracut: several ip= are waited for, unless rd.neednet=0; ibft does not count */
	if (n > 1 && !p->plan->given[OPTION_RD_NEEDNET])
		net->neednet = true;
}

/* BOOTIF first, ksdevice=bootif looks at it; effects last, when the list is final. */
void resolve_net(struct parser *p)
{
	resolve_bootif(p);
	resolve_short(p);
	resolve_ibft(p);
	for (size_t i = 0; i < p->ips.n; i++)
		resolve_enx(p, (struct plan_ip *)p->ips.items + i);
	resolve_repeated(p);
	resolve_leaders(p);
	for (size_t i = 0; i < p->ips.n; i++)
		drop_hwaddr(p, (struct plan_ip *)p->ips.items + i);
	FOR_EACH(struct plan_ip, ip, &p->ips) {
		say_ip(p, ip);
		comment_ip(p, ip);
		comment_pair(p, ip);
	}
}
