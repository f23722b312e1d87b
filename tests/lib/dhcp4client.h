/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dhcp4client: a DHCP client on Ethernet under test, with replies as bytes. Each fails the case
 * when it is not so. */
#pragma once

#include "dhcpmsg.h"

#include "address/dhcp4.h"

#define SEC	NSEC_PER_SEC
#define SERVER	0x0a000001
#define OTHER	0x0a000002
#define ADDRESS 0x0a000005

extern const struct link_hw client_mac;

/* client_make: allowed servers; none: all. */
struct dhcp4 *client_make(const struct in_addr *servers, size_t n);

/* client_sent: the packet waiting, of this type. client_nothing_sent: there is none. */
struct dhcp4_packet client_sent(struct dhcp4 *d, enum dhcp_type type);
void client_nothing_sent(struct dhcp4 *d);

/* client_give: a reply, made out to the client's hardware address. client_reply: msg_offer() of
 * ADDRESS. */
void client_give(struct dhcp4 *d, struct msg *m, uint64_t now);
void client_reply(struct dhcp4 *d, uint8_t type, uint32_t server, uint64_t now);

/* client_event: the next event, of this type. client_no_event: there is none. */
struct dhcp_event client_event(struct dhcp4 *d, enum dhcp_event_type type);
void client_no_event(struct dhcp4 *d);

/* client_bind_at: DISCOVER, OFFER, REQUEST, ACK at the given time. */
void client_bind_at(struct dhcp4 *d, uint64_t now);
