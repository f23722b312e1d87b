/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dhcp_reply: one DHCP reply after parsing, as plain data of fixed size: what the parser process
 * sends to the agent. The agent does not trust it and checks it once more.
 */
#pragma once

#include <netinet/in.h>

#include "base/net_limits.h"
#include "base/wire.h"

/* DHCP message types, option 53 (RFC 2132 section 9.6, RFC 3203). */
enum dhcp_type {
	DHCP_NONE,
	DHCP_DISCOVER,
	DHCP_OFFER,
	DHCP_REQUEST,
	DHCP_DECLINE,
	DHCP_ACK,
	DHCP_NAK,
	DHCP_RELEASE,
	DHCP_INFORM,
	DHCP_FORCERENEW,
	DHCP_TYPE_MAX,
};

/* RFC 2131 sections 2 and 3. */
#define DHCP_CHADDR_SIZE 16
#define DHCP_SNAME_SIZE	 64
#define DHCP_FILE_SIZE	 128
#define DHCP_COOKIE	 0x63825363

/* Why a packet is no reply at all. */
enum dhcp_defect {
	DHCP_GOOD,
	DHCP_SHORT,	  /* shorter than the fixed part and the cookie */
	DHCP_NOT_REPLY,	  /* a request, or plain BOOTP */
	DHCP_NO_COOKIE,
	DHCP_OPTION_CUT,  /* an option is longer than what is left */
	DHCP_TOO_MANY,	  /* more options than any server sends */
	DHCP_OPTION_SIZE, /* type, server id or lease time of a wrong size */
	DHCP_NO_TYPE,
	DHCP_DEFECT_MAX,
};

const char *dhcp_defect_words(enum dhcp_defect d);

/* Fields that were present but unusable, and were left out: bits of dhcp_reply.dropped. */
enum dhcp_field {
	FIELD_MASK,
	FIELD_ROUTERS,
	FIELD_DNS,
	FIELD_NTP,
	FIELD_HOSTNAME,
	FIELD_DOMAIN,
	FIELD_SEARCH,
	FIELD_ROOT_PATH,
	FIELD_BOOT_FILE,
	FIELD_TFTP_SERVER,
	FIELD_MTU,
	FIELD_BROADCAST,
	FIELD_ROUTES,
	FIELD_TIMES,
	FIELD_CLIENT_ID,
	FIELD_NEXT_SERVER,
	FIELD_OVERLOADED, /* what follows in a file or sname field that an option runs out of */
	FIELD_MAX,
};

/* dhcp_field_name: "host name" ...; never NULL. */
const char *dhcp_field_name(enum dhcp_field f);

struct dhcp_route {
	struct in_addr dst, gateway; /* gateway 0.0.0.0: on-link */
	uint32_t prefix;
};

struct dhcp_reply {
	uint32_t wire_defect; /* enum wire_defect */
	uint32_t defect;      /* enum dhcp_defect */
	uint32_t dropped;     /* 1 << enum dhcp_field */
	uint32_t partly;      /* likewise: some entries of the list were left out */
	uint32_t type;	      /* enum dhcp_type */
	uint32_t xid;
	uint32_t hlen;	      /* of chaddr, as sent: may be more than 16 */
	uint8_t chaddr[DHCP_CHADDR_SIZE];
	struct in_addr source, ciaddr, yiaddr, siaddr;
	struct in_addr server_id, broadcast; /* 0: none */
	/* as sent, for messages; 0: none, or of a wrong size */
	struct in_addr mask;
	uint32_t prefix;		     /* 0: none, or FIELD_MASK is dropped */
	uint32_t rapid;			     /* has Rapid Commit (RFC 4039) */
	uint32_t has_lease;
	uint32_t lease_s, t1_s, t2_s; /* UINT32_MAX: for ever; t1, t2 0: none */
	uint32_t mtu;		      /* 0: none */
	uint32_t n_routers, n_dns, n_ntp, n_routes, client_id_len;
	struct in_addr routers[ADDRESS_LIST_MAX], dns[ADDRESS_LIST_MAX], ntp[ADDRESS_LIST_MAX];
	struct dhcp_route routes[ADDRESS_ROUTES_MAX];
	uint8_t client_id[ADDRESS_CLIENT_ID_MAX]; /* echoed, RFC 6842 */
	char hostname[ADDRESS_HOSTNAME_MAX + 1];
	char domain[ADDRESS_DOMAIN_MAX + 1];
	char search[ADDRESS_SEARCH_MAX + 1];
	char root_path[ADDRESS_PATH_MAX + 1];
	char boot_file[ADDRESS_PATH_MAX + 1];
	char tftp_server[ADDRESS_PATH_MAX + 1];
};

/*
 * dhcp_parse: fills ret from an IP packet. ret->wire_defect and ret->defect say whether it is a
 * reply at all; nothing else is valid when one of them is not 0. Pure; no allocation; the work is
 * bounded by the packet's length.
 */
void dhcp_parse(struct dhcp_reply *ret, const void *packet, size_t len, bool verify_checksum);

/*
 * dhcp_reply_sane: is this something dhcp_parse() can have made: counts and enums in range, strings
 * terminated and of their alphabet? What came from the parser process is checked with it.
 */
bool dhcp_reply_sane(const struct dhcp_reply *r);
