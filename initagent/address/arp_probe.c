// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * arp_probe: see arp_probe.h. ARP packets are read here and not in the parser process: they have
 * one fixed shape, and only whether two addresses are equal is taken from them.
 */
#include "address/arp_probe.h"

#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if_arp.h>

#include "address/packet.h"
#include "base/cursor.h"

#define FIXED_SIZE	   8
#define PACKET_MAX	   (FIXED_SIZE + 2 * (LINK_HW_MAX + 4))
#define PACKETS_PER_DISPATCH 32

/* An ARP request for our own address; sender 0.0.0.0 makes it a probe (RFC 5227 section 1.1). */
static int send_request(const struct arp_probe *p, struct in_addr sender)
{
	uint8_t packet[PACKET_MAX] = {0}, *at = packet + FIXED_SIZE;
	size_t hlen = p->dev.hw.len;

	put_be(put_be(packet, p->dev.hwtype, 2), ETHERTYPE_IP, 2);
	packet[4] = (uint8_t)hlen;
	packet[5] = sizeof(sender);
	put_be(packet + 6, ARPOP_REQUEST, 2);
	memcpy(at, p->dev.hw.bytes, hlen);
	memcpy(at + hlen, &sender, sizeof(sender));
	memcpy(at + 2 * hlen + 4, &p->addr, sizeof(p->addr));
	return packet_broadcast(p->fd, &p->dev, ETHERTYPE_ARP, packet, FIXED_SIZE + 2 * (hlen + 4));
}

int arp_probe_begin(struct arp_probe *p, const struct netdev *dev, struct in_addr addr,
	uint64_t now)
{
	int fd = -EOPNOTSUPP;

	if (!dev->noarp && dev->hw.len && dev->broadcast.len)
		fd = packet_open_arp(dev->ifindex);
	*p = (struct arp_probe){.fd = fd, .dev = *dev, .addr = addr, .began = now, .sent = 1};
	if (fd >= 0)
		send_request(p, (struct in_addr){0});
	return fd < 0 ? fd : 0;
}

/* The next probe, or after the last one the end of the wait for answers. */
uint64_t arp_probe_deadline(const struct arp_probe *p)
{
	if (p->verdict != ARP_PROBING)
		return NSEC_NEVER;
	return p->began + (p->sent < ARP_PROBE_COUNT ? p->sent * ARP_PROBE_GAP : ARP_PROBE_SPAN);
}

/*
 * A conflict is our address as sender (another host has it), or another host's probe for it (which
 * is about to take it; RFC 5227 section 2.1.1). Our own packets, which some switches reflect, are
 * none. Probes are broadcast: what looks like one and was sent to this node alone is the question
 * of a switch that tracks its hosts (Cisco's IP device tracking, Dell's), whether it is still
 * there.
 */
bool arp_conflicts(const void *packet, size_t len, const struct netdev *dev, struct in_addr addr,
	bool unicast, struct link_hw *ret_other)
{
	struct cursor c = cursor_make(packet, len);
	uint16_t type = cursor_be16(&c), protocol = cursor_be16(&c), operation;
	uint8_t hlen = cursor_u8(&c), plen = cursor_u8(&c);
	struct in_addr sender, target;
	const uint8_t *hw;

	operation = cursor_be16(&c);
	hw = cursor_take(&c, hlen);
	cursor_copy(&c, &sender, sizeof(sender));
	cursor_skip(&c, hlen);
	cursor_copy(&c, &target, sizeof(target));
	if (c.failed || type != dev->hwtype || protocol != ETHERTYPE_IP || hlen != dev->hw.len ||
		plen != sizeof(sender) || !memcmp(hw, dev->hw.bytes, hlen))
		return false;
	if (sender.s_addr != addr.s_addr &&
		(unicast || operation != ARPOP_REQUEST || sender.s_addr ||
			target.s_addr != addr.s_addr))
		return false;
	ret_other->len = hlen;
	memcpy(ret_other->bytes, hw, hlen);
	return true;
}

/* ARP is broadcast: on a large segment most packets are none of our business. PACKET_OTHERHOST is
 * also what came in a VLAN that has no interface here: the kernel's own ARP ignores it, too. */
static void read_packets(struct arp_probe *p)
{
	uint8_t packet[PACKET_MAX];

	for (int i = 0; i < PACKETS_PER_DISPATCH && p->verdict == ARP_PROBING; i++) {
		uint8_t type = PACKET_HOST;
		ssize_t n = packet_receive(p->fd, packet, sizeof(packet), NULL, &type);

		if (n < 0)
			return;
		if (type != PACKET_OTHERHOST && arp_conflicts(packet, (size_t)n, &p->dev, p->addr,
				type == PACKET_HOST, &p->other))
			p->verdict = ARP_CONFLICT;
	}
}

/* Probes that could not be sent (link just lost) count as sent: the address room notices the link
 * itself. */
enum arp_verdict arp_probe_dispatch(struct arp_probe *p, uint64_t now)
{
	if (p->verdict != ARP_PROBING)
		return p->verdict;
	read_packets(p);
	if (p->verdict != ARP_PROBING || now < arp_probe_deadline(p))
		return p->verdict;
	if (p->sent < ARP_PROBE_COUNT) {
		send_request(p, (struct in_addr){0});
		p->sent++;
	} else {
		send_request(p, p->addr);
		p->verdict = ARP_CLEAR;
	}
	return p->verdict;
}
