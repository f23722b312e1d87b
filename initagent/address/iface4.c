// SPDX-License-Identifier: GPL-2.0-or-later
/* iface4: IPv4: static addresses, and whether an address is free; see iface.h. */
#include <sys/epoll.h>

#include "address/iface.h"
#include "address/packet.h"

/* Silences the probe; it is closed when the next one begins, or at the end. */
void iface4_end_probe(struct iface *i)
{
	if (!i->probing)
		return;
	epoll_ctl(i->room->epoll, EPOLL_CTL_DEL, i->probe.fd, NULL);
	packet_mute(i->probe.fd);
	i->probing = false;
}

/* A link without ARP, or a socket that cannot be had, is no reason not to use the address. */
static bool begin_probe(struct iface *i, uint64_t now)
{
	iface4_end_probe(i);
	closep(&i->probe.fd);
	i->probe.fd = -1;
	if (i->verified || i->config.cfg.probe == ADDRESS_PROBE_NONE ||
		arp_probe_begin(&i->probe, &i->dev, i->result.addr.v4, now) < 0) {
		i->verified = true;
		return false;
	}
	iface_watch(i->room, i->probe.fd);
	i->probing = true;
	return true;
}

static void apply_lease(struct iface *i, uint64_t now)
{
	if (iface_set_address(i, now))
		iface_configured(i, now);
}

/*
 * A new address replaces the old one; the same address again (renewed with other options, after a
 * loss of carrier) is set over itself, which costs nothing and is not probed for again. Its routes
 * are taken off before: some may be of the old lease only.
 */
void iface4_use(struct iface *i, const struct address_result *want, uint64_t now)
{
	bool first = i->config.cfg.probe == ADDRESS_PROBE_FIRST || i->careful;

	if (!inet_equal(&i->result.addr, &want->addr)) {
		if (!i->room->keep)
			iface_release(i);
		i->verified = want->adopted;
	} else if (i->applied && !i->room->keep) {
		apply_remove_routes(i->room->links, &i->result, i->config.cfg.metric);
	}
	i->result = *want;
	if (first && begin_probe(i, now)) {
		iface_set_state(i, IFACE_CHECKING, now);
		return;
	}
	apply_lease(i, now);
	if (!first && i->state == IFACE_CONFIGURED)
		begin_probe(i, now);
}

/*
 * Another host answers for our address. A lease is declined, which makes the server offer another
 * one; a static address is tried again later. Under a mounted root it stays, and that is said once.
 */
static void probe_conflict(struct iface *i, const struct hw_addr *other, uint64_t now)
{
	char text[128], addr[INET_ADDR_TEXT], by[HW_ADDR_TEXT];

	snprintf(text, sizeof(text), "%s is in use by %s", inet_text(&i->result.addr, addr),
		hw_text(other, by));
	iface4_end_probe(i);
	i->verified = i->room->keep;
	iface_conflict(i, text, true, now);
}

/*
 * A node with two rails in one subnet answers its own probe: the kernel speaks for each of its
 * addresses on every interface (arp_ignore 0). That is no other host, which may answer yet.
 */
void iface4_tick(struct iface *i, uint64_t now)
{
	enum arp_verdict v = i->probing ? arp_probe_dispatch(&i->probe, now) : ARP_PROBING;
	struct hw_addr other = {0};

	if (v == ARP_CONFLICT) {
		const struct link_hw *hw = &i->probe.other;

		other.len = hw->len < HW_ADDR_MAX ? hw->len : HW_ADDR_MAX;
		memcpy(other.bytes, hw->bytes, other.len);
		if (links_by_hw(i->room->links, &other))
			i->probe.verdict = ARP_PROBING;
		else
			probe_conflict(i, &other, now);
	} else if (v == ARP_CLEAR) {
		iface4_end_probe(i);
		i->verified = true;
		if (i->state == IFACE_CHECKING)
			apply_lease(i, now);
	}
}

/* Worked out each time: the interface may have been renamed meanwhile. */
static void begin_static(struct iface *i, uint64_t now)
{
	struct address_result want;

	result_static(&want, &i->config.cfg, &i->dev);
	iface4_use(i, &want, now);
}

static void begin_dhcp(struct iface *i, uint64_t now)
{
	i->spoken = 0;
	i->rounds = 0;
	iface_dhcp4_start(i, now);
}

const struct iface_method iface4_methods[ADDRESS_METHOD_MAX] = {
	[ADDRESS_STATIC] = {.begin = begin_static},
	[ADDRESS_DHCP4] = {.begin = begin_dhcp},
};
