/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dhcp_request: who we are to a DHCP server, and the messages we send (RFC 2131, 2132, 4361, 4390).
 * The hardware type is data: another kind of link is another row of the identity table. Pure.
 */
#pragma once

#include "address/client_id.h"
#include "address/dhcp_reply.h"

/* How a kind of link presents itself. */
struct dhcp_identity {
	uint8_t htype, hlen;
	uint8_t chaddr[DHCP_CHADDR_SIZE];
	bool broadcast; /* replies must be broadcast: the link cannot be addressed by chaddr */
	struct client_id client_id; /* option 61 */
};

/*
 * dhcp_identity_make: the identity of an interface. Ethernet: chaddr is the MAC, option 61 is 01
 * and the MAC as iPXE sends it. InfiniBand: htype 32, hlen 0, chaddr zero, broadcast flag (RFC
 * 4390); option 61 is FlexBoot's form with the port GUID, so that ROM and agent get the same lease.
 * Others: as Ethernet, as far as 16 bytes reach. A client_id_len other than 0 replaces option 61.
 * Returns 0, or -EINVAL (no hardware address, client_id too long).
 */
int dhcp_identity_make(struct dhcp_identity *ret, uint16_t hwtype, const struct link_hw *hw,
	const uint8_t *client_id, size_t client_id_len);

/*
 * dhcp_identity_meant: is a reply for this client? A server copies the hardware address from the
 * request (RFC 2131 table 3), and may echo the client identifier (RFC 6842). Where the request has
 * no hardware address nothing of it is compared: servers and relays fill in what they like.
 */
bool dhcp_identity_meant(const struct dhcp_identity *id, const struct dhcp_reply *r);

struct dhcp_request {
	enum dhcp_type type;
	const struct dhcp_identity *id;
	uint32_t xid;
	uint16_t secs;
	bool broadcast; /* set the flag although the identity does not need it */
	bool rapid;	/* a DISCOVER: a lease in two messages is fine (RFC 4039) */
	struct in_addr ciaddr, requested, server_id; /* 0: left out */
	const char *hostname;	  /* NULL or "": left out */
	const char *vendor_class; /* NULL: left out */
};

/* DHCP messages are never shorter than a BOOTP message (RFC 1542 section 2.1), headers included. */
#define DHCP_PACKET_MIN (WIRE_HEADERS + 300)
/* Longest message dhcp_request_encode() can make. */
#define DHCP_REQUEST_MAX 768

/*
 * dhcp_request_encode: writes the message behind WIRE_HEADERS free bytes of
 * packet[DHCP_REQUEST_MAX]. Returns the length with these.
 */
size_t dhcp_request_encode(const struct dhcp_request *r, uint8_t *packet);
