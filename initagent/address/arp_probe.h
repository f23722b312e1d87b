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

enum arp_verdict { ARP_PROBING, ARP_CLEAR, ARP_CONFLICT };

struct arp_probe {
	int fd; /* the owner's, to be closed; -1: no probe was sent */
	struct netdev dev;
	struct in_addr addr;
	unsigned sent;
	uint64_t began;
	enum arp_verdict verdict; /* once it is not ARP_PROBING, only the owner changes it */
	struct link_hw other;	  /* who has the address, after ARP_CONFLICT */
};

/* arp_probe_begin: opens the socket and sends the first probe. 0, -EOPNOTSUPP (link without ARP),
 * -errno. */
int arp_probe_begin(struct arp_probe *p, const struct netdev *dev, struct in_addr addr,
	uint64_t now);
uint64_t arp_probe_deadline(const struct arp_probe *p);
/* arp_probe_dispatch: the verdict so far. */
enum arp_verdict arp_probe_dispatch(struct arp_probe *p, uint64_t now);

/* arp_conflicts: does this ARP packet show that another host uses addr or is about to? unicast: it
 * was sent to this node alone. *ret_other gets its hardware address. Pure. */
bool arp_conflicts(const void *packet, size_t len, const struct netdev *dev, struct in_addr addr,
	bool unicast, struct link_hw *ret_other);
