/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * parse: what the room's parser process does (resolver/parser.h): DHCP replies and router
 * options.
 */
#pragma once

#include "address/dhcp6_message.h"
#include "address/dhcp_reply.h"
#include "address/nd_option.h"
#include "resolver/parser.h"

/* PARSE_ND: a router's options as the kernel passes them on (nd_option.h). */
enum parse_kind { PARSE_DHCP4, PARSE_DHCP6, PARSE_ND };

/* DHCPv6 answers may exceed the link's MTU: boot file parameters and vendor options come in
 * fragments. */
#define PARSE_PACKET_MAX 4096

/* A packet to be parsed. tag comes back with the reply. */
struct parse_request {
	uint32_t kind; /* enum parse_kind */
	uint32_t tag;
	uint32_t verify; /* DHCPv4: the UDP checksum is complete */
	uint32_t iaid;	 /* DHCPv6: of the client */
	struct in6_addr source; /* DHCPv6: the sender, which comes back with the reply */
	uint32_t len;
	uint8_t packet[PARSE_PACKET_MAX];
};

struct parse_reply {
	uint32_t kind;
	uint32_t tag;
	union {
		struct dhcp_reply dhcp;
		struct dhcp6_reply dhcp6;
		struct nd_options options;
	};
};

extern const struct parser_job parse_job;

/* parse_packet: a struct parse_request to a struct parse_reply; pure, also for fuzz targets. */
void parse_packet(const void *request, void *reply);
