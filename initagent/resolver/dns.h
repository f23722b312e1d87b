/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dns: one question and its answer (RFC 1035), as much as is needed to find an address. Pure. */
#pragma once

#include "base/cursor.h"
#include "base/net_limits.h"
#include "value.h"

#define DNS_MESSAGE_MAX 512 /* without EDNS, RFC 1035 section 4.2.1 */

enum { DNS_TYPE_A = 1, DNS_TYPE_CNAME = 5, DNS_TYPE_AAAA = 28 };

struct dns_query {
	uint16_t id;
	uint16_t type; /* DNS_TYPE_A or DNS_TYPE_AAAA */
	char name[ADDRESS_DOMAIN_MAX + 1];
};

/* As if it were an RCODE, of which there are 16. */
#define DNS_REFERRAL 16

enum dns_verdict {
	DNS_ANSWER,	/* at least one address */
	DNS_NO_NAME,	/* NXDOMAIN */
	DNS_NO_DATA,	/* the name is there, but has no address of that type */
	DNS_UNUSABLE,	/* it has only addresses that no host can have: unusable is the first */
	DNS_ALIAS,	/* it is another name for alias, whose addresses are not in the message */
	DNS_TRUNCATED,	/* no address before the cut: ask over TCP; says nothing about the name */
	DNS_REFUSED,	/* SERVFAIL, REFUSED, a referral and the like: another server may know */
	DNS_FOREIGN,	/* not the answer to this query */
	DNS_BAD,	/* malformed */
	DNS_VERDICT_MAX,
};

struct dns_answer {
	uint32_t verdict;
	uint32_t id, type; /* of the query it belongs to */
	uint32_t rcode;
	char alias[ADDRESS_DOMAIN_MAX + 1];
	uint8_t unusable[16];
	uint32_t n;
	uint8_t addresses[ADDRESS_RESOLVED_MAX][16]; /* 4 bytes used for A */
};

/* dns_encode: the query as a message. The length, or -EINVAL (not a host name). */
int dns_encode(const struct dns_query *q, uint8_t message[static DNS_MESSAGE_MAX]);

/* dns_cut: marks a message as truncated, of which only the beginning was kept. */
void dns_cut(uint8_t *message, size_t len);

/* dns_rcode_name: as RFC 1035 section 4.1.1 and its successors name it. */
const char *dns_rcode_name(unsigned rcode);

/* dns_parse: fills ret. The work is bounded by the message's length. */
void dns_parse(struct dns_answer *ret, const struct dns_query *q, const void *message, size_t len);

/* dns_answer_sane: verdict and count in range? */
bool dns_answer_sane(const struct dns_answer *a);
