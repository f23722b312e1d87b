/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wire: the IPv4 and UDP headers around a DHCP message, which a packet socket leaves to us (RFC
 * 791, 768). Pure.
 * In: a packet as received; a payload with its addresses. Out: the payload's cursor, or what is
 * wrong with the packet; the packet to send.
 * Callers: address/, resolver/. Tests: address/test_packet.c, address/test_dhcp_parse.c,
 * address/fuzz_dhcp.c.
 */
#pragma once

#include <netinet/in.h>

#include "base/cursor.h"

#define WIRE_HEADERS	 28 /* IPv4 without options, UDP */
#define WIRE_SERVER_PORT 67
#define WIRE_CLIENT_PORT 68
/* What we say we can take (option 57) and take: the smallest MTU of all our links. */
#define WIRE_PACKET_MAX	 1500

/* Why a packet is not taken; wire_defect_words() has the words. */
enum wire_defect {
	WIRE_GOOD,
	WIRE_SHORT,	   /* shorter than its headers say */
	WIRE_NOT_IPV4,
	WIRE_HEADER_SIZE,  /* IHL below 5 or UDP length below 8 */
	WIRE_FRAGMENT,
	WIRE_NOT_OURS,	   /* not UDP or another port */
	WIRE_CHECKSUM,
	WIRE_DEFECT_MAX,
};

const char *wire_defect_words(enum wire_defect d);

/*
 * wire_open: checks the headers of an IP packet, and gives its UDP payload and source. verify:
 * check the UDP checksum; a sender on the same host may leave it to hardware that is not there (the
 * kernel says so by TP_STATUS_CSUMNOTREADY).
 */
enum wire_defect wire_open(const void *packet, size_t len, bool verify, struct cursor *ret,
	struct in_addr *ret_source);

/*
 * wire_wrap: fills the WIRE_HEADERS bytes before a payload that already stands at packet +
 * WIRE_HEADERS. The whole is len bytes, at most 65,535.
 */
void wire_wrap(uint8_t *packet, size_t len, struct in_addr source, struct in_addr dest);
