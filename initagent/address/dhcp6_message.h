/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dhcp6_message: DHCPv6 messages (RFC 8415) as plain data of fixed size: what the client says, and
 * what is left of a server's answer after parsing. The parser process makes the latter; the agent
 * does not trust it and checks it once more. Pure.
 */
#pragma once

#include <netinet/in.h>

#include "base/net_limits.h"
#include "base/cursor.h"

#define DHCP6_CLIENT_PORT 546
#define DHCP6_SERVER_PORT 547
#define DHCP6_REQUEST_MAX 1280 /* IPv6's smallest MTU: never a fragment */

/* Message types, RFC 8415 section 7.3. */
enum dhcp6_type {
	DHCP6_NO_MESSAGE,
	DHCP6_SOLICIT,
	DHCP6_ADVERTISE,
	DHCP6_REQUEST,
	DHCP6_CONFIRM,
	DHCP6_RENEW,
	DHCP6_REBIND,
	DHCP6_REPLY,
	DHCP6_RELEASE,
	DHCP6_DECLINE,
	DHCP6_RECONFIGURE,
	DHCP6_INFORMATION_REQUEST,
};

/* The option codes that we know (IANA, "Dynamic Host Configuration Protocol for IPv6"). */
enum dhcp6_option {
	OPTION6_CLIENT_ID = 1,
	OPTION6_SERVER_ID = 2,
	OPTION6_IA_NA = 3,
	OPTION6_IAADDR = 5,
	OPTION6_ORO = 6,
	OPTION6_PREFERENCE = 7,
	OPTION6_ELAPSED = 8,
	OPTION6_STATUS = 13,
	OPTION6_RAPID = 14,
	OPTION6_DNS = 23,	/* RFC 3646 */
	OPTION6_SEARCH = 24,	/* RFC 3646 */
	OPTION6_SNTP = 31,	/* RFC 4075 */
	OPTION6_FQDN = 39,	/* RFC 4704 */
	OPTION6_NTP = 56,	/* RFC 5908 */
	OPTION6_BOOT_FILE = 59, /* RFC 5970 */
	OPTION6_SOL_MAX_RT = 82,
};

/* Status codes, RFC 8415 section 21.13; higher ones are kept as they are. */
enum dhcp6_status {
	DHCP6_SUCCESS,
	DHCP6_UNSPEC_FAIL,
	DHCP6_NO_ADDRS_AVAIL,
	DHCP6_NO_BINDING,
	DHCP6_NOT_ON_LINK,
	DHCP6_USE_MULTICAST,
	DHCP6_NO_PREFIX_AVAIL,
	DHCP6_STATUS_MAX,
};

/* dhcp6_status_words: "no addresses available" ...; never NULL. */
const char *dhcp6_status_words(uint32_t status);

/* A DHCP unique identifier: two octets of type, then up to 128. */
struct duid {
	uint16_t len; /* 0: none */
	uint8_t bytes[ADDRESS_DUID_MAX];
};

/* What the client sends. */
struct dhcp6_message {
	enum dhcp6_type type;
	uint32_t xid; /* 24 bits */
	const struct duid *client, *server; /* server NULL: to all servers */
	uint16_t elapsed; /* hundredths of a second since the exchange began */
	uint32_t iaid;
	bool ia;		 /* with an IA_NA */
	struct in6_addr address; /* in the IA_NA; :: none */
	bool rapid;		 /* Rapid Commit */
	const char *hostname;	 /* NULL or "": none */
};

/* dhcp6_encode: the length; every message fits. */
size_t dhcp6_encode(const struct dhcp6_message *m, uint8_t buf[static DHCP6_REQUEST_MAX]);

/* Why a packet is no answer at all. */
enum dhcp6_defect {
	DHCP6_GOOD,
	DHCP6_SHORT,
	DHCP6_NOT_ANSWER,  /* not ADVERTISE or REPLY */
	DHCP6_OPTION_CUT,  /* an option is longer than what is left */
	DHCP6_OPTION_SIZE, /* an identifier, IA or status of a wrong size */
	DHCP6_DEFECT_MAX,
};

const char *dhcp6_defect_words(uint32_t defect);

/* Fields that were present but unusable, and were left out: bits of dhcp6_reply.dropped. */
enum dhcp6_field {
	FIELD6_DNS,
	FIELD6_SEARCH,
	FIELD6_NTP,
	FIELD6_BOOT_FILE,
	FIELD6_MAX,
};

const char *dhcp6_field_name(enum dhcp6_field f);

/* One address of an IA, as it was sent. */
struct dhcp6_address {
	struct in6_addr address;
	uint32_t preferred_s, valid_s, status;
};

/* Addresses of an IA that are looked at: a client asks for one. */
#define DHCP6_ADDRESSES_MAX 16

struct dhcp6_reply {
	uint32_t defect;  /* enum dhcp6_defect */
	uint32_t dropped; /* 1 << enum dhcp6_field */
	uint32_t partly;  /* likewise: some entries of the list were left out, others are used */
	uint32_t type, xid;
	struct duid client, server;
	uint32_t preference; /* 0-255 */
	uint32_t rapid;	     /* has Rapid Commit */
	uint32_t status;     /* of the message */
	uint32_t has_ia, ia_status; /* the first IA_NA of our IAID */
	uint32_t other_ia, other_iaid; /* there is one of another IAID, the last of these */
	uint32_t t1_s, t2_s; /* 0: ours to choose */
	uint32_t n_addresses;
	struct dhcp6_address addresses[DHCP6_ADDRESSES_MAX];
	/* the one that counts, see dhcp6_choose(); not filled by dhcp6_parse() */
	uint32_t has_address;
	struct in6_addr address;
	uint32_t preferred_s, valid_s;
	struct in6_addr source; /* whom it came from; not filled by dhcp6_parse() */
	uint32_t sol_max_s; /* option 82; 0: none */
	uint32_t n_dns, n_ntp;
	struct in6_addr dns[ADDRESS_LIST_MAX], ntp[ADDRESS_LIST_MAX];
	char search[ADDRESS_SEARCH_MAX + 1];
	char boot_file[ADDRESS_PATH_MAX + 1]; /* option 59, RFC 5970 */
};

/*
 * dhcp6_parse: fills ret from a UDP payload; nothing but defect counts when that is not 0. Bounded
 * by len. The IA_NA of this IAID is taken, others are passed over. Of an option that may come once
 * the first instance counts (RFC 8415 section 21).
 */
void dhcp6_parse(struct dhcp6_reply *ret, const void *message, size_t len, uint32_t iaid);

/* dhcp6_reply_sane: can dhcp6_parse() have made this? */
bool dhcp6_reply_sane(const struct dhcp6_reply *r);
