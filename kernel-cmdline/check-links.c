/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check-links: what vlan=, bond=, bridge= and team= say together, and what uses them. */
#include "links.h"

/* name may be NULL. */
static void check_made(struct parser *p, const struct plan_word *w, const char *name)
{
	const struct plan_link *link = name ? find_named(&p->links, name) : NULL;

	if (link && link->kind == PLAN_LINK_TEAM)
		complain(p, w, WHOLE, DIAG_ERROR, textf(p, "write %s", link->instead),
			"%s never appears: no team is created", link->name);
}

/* The ip= with the name of what is made in the place of its part's. */
static const char *ip_line(struct parser *p, const struct plan_ip *ip, const char *name)
{
	const struct slice v = word_value(&p->words[ip->word]);
	struct slice f[7], at;
	const size_t n = fields_split(v, f, ARRAY_SIZE(f));

	/* the sixth field of the long form, else the first */
	at = f[n >= 6 ? 5 : 0];
	if (!slice_is(at, ip->ifname))
		return textf(p, "write ip=%s:...", name);
	return textf(p, "write ip=%.*s%s%s", (int)(at.s - v.s), v.s, name, at.s + at.len);
}

/* What is below another interface has no address of its own, but for a VLAN's. */
static void check_lower(struct parser *p, const struct plan_ip *ip)
{
	FOR_EACH(struct plan_link, link, &p->links)
		if (ip->ifname && link->kind != PLAN_LINK_VLAN &&
			link_has_lower(link, ip->ifname))
			complain(p, &p->words[ip->word], WHOLE, DIAG_ERROR,
				ip_line(p, ip, link->name),
				"%s is a part of %s and cannot have an address of its own",
				ip->ifname, link->name);
}

/* A part has no DHCP either. */
static void check_client_id(struct parser *p, const struct plan_client_id *id)
{
	const struct plan_link *top = link_part_of(p, id->ifname, NULL);

	if (top)
		warn_word(p, parser_word(p, OPTION_RD_NET_DHCP_CLIENT_ID),
			textf(p, "write rd.net.dhcp.client-id=%s:...", top->name),
			"%s is a part of %s, which is what asks for an address", id->ifname,
			top->name);
}

const struct plan_link *link_part_of(const struct parser *p, const char *name,
	const struct plan_link *other)
{
	FOR_EACH(struct plan_link, link, &p->links)
		if (link != other && link->kind != PLAN_LINK_VLAN &&
			(!other || link < other || other->kind == PLAN_LINK_VLAN) &&
			link_has_lower(link, name))
			return link;
	return NULL;
}

const struct plan_link *link_twin(const struct parser *p, const struct plan_link *link)
{
	FOR_EACH(struct plan_link, other, &p->links)
		if (other < link && link->vlan_id && other->vlan_id == link->vlan_id &&
			streq(other->lower[0], link->lower[0]))
			return other;
	return NULL;
}

/* The kernel looks for a VLAN before it gives a frame to the bridge (net/core/dev.c). */
static bool can_carry(const struct plan_link *link, const struct plan_link *has)
{
	return link->kind == PLAN_LINK_VLAN && has->kind == PLAN_LINK_BRIDGE;
}

/* A part of a bond or a bridge is a part of nothing else, and that of a bond carries no VLAN. */
static void check_twice(struct parser *p, const struct plan_link *link)
{
	for (size_t i = 0; i < link->n_lower; i++) {
		const struct plan_link *has = link_part_of(p, link->lower[i], link);

		if (has && !can_carry(link, has))
			complain(p, &p->words[link->word], WHOLE, DIAG_ERROR,
				link->kind == PLAN_LINK_VLAN
					? textf(p, "write vlan=%s.%u:%s", has->name, link->vlan_id,
						  has->name)
					: textf(p, "leave %s to one of them", link->lower[i]),
				"%s is a part of %s already", link->lower[i], has->name);
	}
}

/*
 * Is the link based, directly or not, on "of" (NULL: on any IPoIB interface)? seen: a bit of each
 * link that was looked at.
 */
static bool made_of(const struct parser *p, const struct plan_link *link, const char *of,
	uint64_t *seen)
{
	const struct plan_link *first = p->links.items, *lower;

	*seen |= UINT64_C(1) << (link - first);
	for (size_t i = 0; i < link->n_lower; i++) {
		if (of ? streq(link->lower[i], of) : parser_is_ipoib(p, link->lower[i]))
			return true;
		lower = find_named(&p->links, link->lower[i]);
		if (lower && !(*seen >> (lower - first) & 1) && made_of(p, lower, of, seen))
			return true;
	}
	return false;
}

static bool is_made_of(const struct parser *p, const struct plan_link *link, const char *of)
{
	uint64_t seen = 0;

	return made_of(p, link, of, &seen);
}

/* of_ipoib: a bit of each link that is. What is so directly was said where it was read. */
static void check_nesting(struct parser *p, const struct plan_link *link, uint64_t of_ipoib)
{
	const struct plan_link *first = p->links.items, *lower;
	const struct plan_word *w = &p->words[link->word];

	if (is_made_of(p, link, link->name))
		complain(p, w, WHOLE, DIAG_ERROR, "name an interface of an adapter",
			"%s is based on itself", link->name);
	for (size_t i = 0; i < link->n_lower; i++) {
		lower = find_named(&p->links, link->lower[i]);
		if (lower && lower->kind == PLAN_LINK_BRIDGE && link->kind == lower->kind)
			complain(p, w, WHOLE, DIAG_ERROR,
				textf(p, "name the ports of %s in its place", lower->name),
				"%s is a bridge, which cannot be a port of another one",
				lower->name);
		if (lower && of_ipoib >> (lower - first) & 1)
			complain(p, w, WHOLE, DIAG_ERROR,
				"use the bond itself, on partitions: rd.ib.pkey=ib0.8001 "
				"rd.ib.pkey=ib1.8001 bond=bond0:ib0.8001,ib1.8001:mode="
				"active-backup",
				"%s is of IPoIB interfaces, which have no Ethernet frames",
				lower->name);
	}
}

/* Is it, or what is made of it, brought up with an address, as far as the line tells? */
static bool has_address(const struct parser *p, const char *netdev)
{
	FOR_EACH(struct plan_ip, ip, &p->ips) {
		const struct plan_link *link =
			ip->ifname ? find_named(&p->links, ip->ifname) : NULL;

		if (plan_ip_is_open(ip) || ip->match.len || streq(ip->ifname, netdev) ||
			(link && is_made_of(p, link, netdev)))
			return true;
	}
	return p->ips.n == 0 || p->plan->net.bootif.len;
}

/* RDMA over an interface without an address, or over a bridge alone. */
static void check_rdma_way(struct parser *p)
{
	const struct plan_ip *ip = p->ips.items;
	const struct plan_link *only = p->ips.n == 1 && ip->ifname
		? find_named(&p->links, ip->ifname) : NULL;

	if (only && only->kind == PLAN_LINK_BRIDGE && !p->rdma_links.n &&
		p->plan->root.nfs.proto == PLAN_NFS_PROTO_RDMA)
		note_word(p, &p->words[only->word],
			textf(p, "add rd.rdma.link=rxe0,rxe,%s", only->name),
			"RDMA over a bridge takes an adapter whose driver knows the bridge's "
			"addresses, or Soft-RoCE");
	FOR_EACH(struct plan_rdma_link, rdma, &p->rdma_links)
		if (!has_address(p, rdma->netdev))
			warn_word(p, parser_word(p, OPTION_RD_RDMA_LINK),
				textf(p, "add ip=%s:dhcp, or name an interface that ip= names",
					rdma->netdev),
				"%s is on %s, which no ip= gives an address", rdma->name,
				rdma->netdev);
}

/*
 * The kernel makes rxe on the interface below a VLAN only; its RoCE carries the tag by the GID. A
 * packet for what is a part of a bond or a bridge comes in on that, and rxe looks for its device
 * there (rxe_net.c).
 */
static void check_rdma(struct parser *p, const struct plan_rdma_link *rdma)
{
	const struct plan_word *w = parser_word(p, OPTION_RD_RDMA_LINK);
	const struct plan_link *link = find_named(&p->links, rdma->netdev);
	const struct plan_link *top = link_part_of(p, rdma->netdev, NULL);

	if (!streq(rdma->type, "rxe"))
		return;
	if (link && link->kind == PLAN_LINK_VLAN)
		complain(p, w, WHOLE, DIAG_ERROR,
			textf(p, "write rd.rdma.link=%s,rxe,%s", rdma->name, link->lower[0]),
			"rxe is not possible on %s: it carries VLANs from the interface below",
			link->name);
	else if (top)
		complain(p, w, WHOLE, DIAG_ERROR,
			textf(p, "write rd.rdma.link=%s,rxe,%s", rdma->name, top->name),
			"rxe receives nothing on %s, which is a part of %s", rdma->netdev,
			top->name);
}

/* The adapter with that address gets the name, which is then no longer free. */
static void check_name(struct parser *p, const struct plan_link *link)
{
	if (link->kind != PLAN_LINK_TEAM && find_named(&p->ifnames, link->name))
		complain(p, &p->words[link->word], WHOLE, DIAG_ERROR,
			textf(p, "leave ifname=%s:... out: %s has the address of its first part",
				link->name, link->name),
			"%s cannot be created: ifname= gives an adapter that name", link->name);
}

void check_links(struct parser *p)
{
	const struct plan_word *bootdev = bootdev_word(p);
	uint64_t of_ipoib = 0;
	size_t n = 0;

	FOR_EACH(struct plan_ip, ip, &p->ips) {
		check_made(p, &p->words[ip->word], ip->ifname);
		check_lower(p, ip);
	}
	if (bootdev)
		check_made(p, bootdev, bootdev->value);
	FOR_EACH(struct plan_link, link, &p->links)
		of_ipoib |= (uint64_t)is_made_of(p, link, NULL) << n++;
	FOR_EACH(struct plan_link, link, &p->links)
		check_nesting(p, link, of_ipoib);
	FOR_EACH(struct plan_link, link, &p->links) {
		for (size_t i = 0; i < link->n_lower; i++)
			check_made(p, &p->words[link->word], link->lower[i]);
		check_twice(p, link);
		check_name(p, link);
	}
	FOR_EACH(struct plan_rdma_link, rdma, &p->rdma_links)
		check_rdma(p, rdma);
	FOR_EACH(struct plan_client_id, id, &p->client_ids)
		check_client_id(p, id);
	check_rdma_way(p);
}
