/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * packet: packet sockets that carry IP or ARP before an interface has an address. The kernel makes
 * the link header (SOCK_DGRAM), so that the same code serves Ethernet and IPoIB.
 */
#pragma once

#include <netinet/in.h>

#include "link/link.h"

/*
 * packet_open_dhcp: IP packets of an interface, filtered in the kernel to DHCP replies of one
 * transaction: on a large segment every node's replies reach every node. -errno or the fd.
 */
int packet_open_dhcp(int ifindex, uint32_t xid);

/* packet_expect: changes the transaction. 0 or -errno. */
int packet_expect(int fd, uint32_t xid);

/*
 * packet_mute: nothing comes in any more. A packet socket is muted rather than closed while the
 * boot goes on: closing one waits for an RCU grace period, 8-20 ms in the middle of the event
 * loop.
 */
int packet_mute(int fd);

/* packet_open_arp: ARP packets of an interface. -errno or the fd. */
int packet_open_arp(int ifindex);

/* packet_broadcast: sends to the link's broadcast address. 0 or -errno. */
int packet_broadcast(int fd, const struct netdev *dev, uint16_t ethertype, const void *data,
	size_t len);

/*
 * packet_receive: one packet, cut to size. Its length, -EAGAIN, or another -errno. Either may be
 * NULL: *ret_verify: its UDP checksum is complete; the kernel leaves it out between hosts on one
 * machine. *ret_type, of a packet socket: PACKET_HOST ...: whom it was sent to.
 */
ssize_t packet_receive(int fd, void *data, size_t size, bool *ret_verify, uint8_t *ret_type);

/* packet_open_unicast: a UDP socket from source, port 68, over one interface. -errno or the fd. */
int packet_open_unicast(int ifindex, struct in_addr source);

/* packet_unicast: sends a UDP payload to port 67 of dest. 0 or -errno. */
int packet_unicast(int fd, struct in_addr dest, const void *data, size_t len);
