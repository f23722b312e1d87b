/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arp_probe: does another host on the segment use our IPv4 address? ARP probes as in RFC 5227, but
 * shorter, since a boot waits: probes at 0, 150 and 300 ms (RFC: 3 within 1-7 s), an answer may
 * come until 500 ms (RFC: 2 s more); then one announcement, so that a server that still knows an
 * earlier adapter of this address learns ours.
 */
#pragma once

#include "link/link.h"

#define ARP_PROBE_COUNT 3
#define ARP_PROBE_GAP	(150 * NSEC_PER_MSEC)
#define ARP_PROBE_SPAN	(500 * NSEC_PER_MSEC)

struct arp_probe;

enum arp_verdict { ARP_PROBING, ARP_CLEAR, ARP_CONFLICT };

/* arp_probe_new: opens the socket and sends the first probe. 0, -EOPNOTSUPP (link without ARP),
 * -errno. */
int arp_probe_new(struct arp_probe **ret, const struct netdev *dev, struct in_addr addr,
	uint64_t now);
struct arp_probe *arp_probe_free(struct arp_probe *p);
DEFINE_FREEP(struct arp_probe, arp_probe_free)

int arp_probe_fd(const struct arp_probe *p);
uint64_t arp_probe_deadline(const struct arp_probe *p);

/* arp_probe_dispatch: the verdict so far. Once it is not ARP_PROBING, only arp_probe_go_on()
 * changes it. */
enum arp_verdict arp_probe_dispatch(struct arp_probe *p, uint64_t now);

/* arp_probe_go_on: after ARP_CONFLICT with an interface of this node: that was none. */
void arp_probe_go_on(struct arp_probe *p);

/* arp_probe_mute: no more packets come in (packet_mute()): for a probe that is over but not
 * closed yet. */
void arp_probe_mute(struct arp_probe *p);

/* arp_probe_other: the other host's hardware address after ARP_CONFLICT. */
const struct link_hw *arp_probe_other(const struct arp_probe *p);

/* arp_conflicts: does this ARP packet show that another host uses addr or is about to? unicast: it
 * was sent to this node alone. *ret_other gets its hardware address. Pure. */
bool arp_conflicts(const void *packet, size_t len, const struct netdev *dev, struct in_addr addr,
	bool unicast, struct link_hw *ret_other);
