// SPDX-License-Identifier: GPL-2.0-or-later

#include "resolver/dns.h"

#include <arpa/inet.h>
#include <strings.h>

#include "base/host.h"
#include "inet_text.h"
#include "resolver/name.h"

#define HEADER_SIZE    12
#define FLAGS_QUERY    0x0100 /* recursion desired */
#define FLAGS_KNOWS    0x0480 /* authoritative, or recursion available */
#define FLAG_RESPONSE  0x8000
#define FLAG_TRUNCATED 0x0200
#define OPCODE_MASK    0x7800
#define RCODE_MASK     15
#define RCODE_NXDOMAIN 3
#define CLASS_IN       1
#define TYPE_NS	       2
#define RECORDS_MAX    128 /* more do not fit into a packet anyway */
#define CHAIN_MAX      8  /* aliases followed */

/* One question, recursion desired, no EDNS: what we ask for fits into 512 bytes. */
int dns_encode(const struct dns_query *q, uint8_t message[static DNS_MESSAGE_MAX])
{
	const char *label = q->name;
	uint8_t *at = message;

	/* At most 253 characters in labels of at most 63: header + 255 + 4 always fit. */
	if (!text_valid(TEXT_DOMAIN, q->name))
		return -EINVAL;
	memset(message, 0, HEADER_SIZE);
	put_be(put_be(put_be(at, q->id, 2), FLAGS_QUERY, 2), 1, 2);
	at += HEADER_SIZE;
	while (*label) {
		size_t len = strcspn(label, ".");

		*at++ = (uint8_t)len;
		memcpy(at, label, len);
		at += len;
		label += len + (label[len] == '.');
	}
	*at++ = 0;
	return (int)(put_be(put_be(at, q->type, 2), CLASS_IN, 2) - message);
}

/* The name at the cursor, which is moved behind it. message is what the cursor ends with. */
static bool read_name(const uint8_t *message, size_t size, struct cursor *c, char *text)
{
	size_t before = size - c->left, pos = before;

	return !c->failed && name_read(message, size, &pos, text) && cursor_skip(c, pos - before);
}

/* DNS compares without case (RFC 4343). */
static bool same_name(const char *a, const char *b)
{
	return !streq(a, NAME_UNUSABLE) && strcasecmp(a, b) == 0;
}

/* Without an answer it names other servers instead of asking them (RFC 1034 section 4.3.1); with a
 * SOA record it would say that there is nothing (RFC 2308 section 2.2). */
static bool is_referral(const uint8_t *message, size_t size, struct cursor c, unsigned authorities)
{
	char owner[ADDRESS_DOMAIN_MAX + 1];

	return authorities && read_name(message, size, &c, owner) && cursor_be16(&c) == TYPE_NS;
}

/* Header and question must be those of our query. */
static enum dns_verdict read_head(struct dns_answer *ret, const struct dns_query *q,
	const uint8_t *message, size_t size, struct cursor *c, unsigned *ret_records, bool *ret_cut)
{
	char name[ADDRESS_DOMAIN_MAX + 1];
	unsigned id = cursor_be16(c), flags = cursor_be16(c), questions = cursor_be16(c);
	unsigned authorities;

	*ret_records = cursor_be16(c);
	*ret_cut = flags & FLAG_TRUNCATED;
	ret->rcode = flags & RCODE_MASK;
	authorities = cursor_be16(c);
	cursor_skip(c, 2);
	if (c->failed)
		return DNS_BAD;
	if (id != q->id || (flags & (FLAG_RESPONSE | OPCODE_MASK)) != FLAG_RESPONSE ||
		questions != 1)
		return DNS_FOREIGN;
	if (!read_name(message, size, c, name))
		return DNS_BAD;
	if (!same_name(q->name, name) || cursor_be16(c) != q->type || cursor_be16(c) != CLASS_IN)
		return DNS_FOREIGN;
	if (ret->rcode == RCODE_NXDOMAIN)
		return *ret_cut ? DNS_TRUNCATED : DNS_NO_NAME;
	if (!(ret->rcode | *ret_records | (flags & FLAGS_KNOWS)) &&
		is_referral(message, size, *c, authorities))
		ret->rcode = DNS_REFERRAL;
	return ret->rcode ? DNS_REFUSED : DNS_ANSWER;
}

/* Link-local addresses would need a zone, which DNS does not have (RFC 4007 section 6). */
static bool usable(unsigned type, const uint8_t *bytes)
{
	struct in6_addr six;
	struct in_addr four;

	if (type == DNS_TYPE_A) {
		memcpy(&four, bytes, sizeof(four));
		return inet4_is_host(four) && (ntohl(four.s_addr) >> 16) != 0xa9fe; /* RFC 3927 */
	}
	memcpy(&six, bytes, sizeof(six));
	return inet6_is_host(&six) && !IN6_IS_ADDR_LINKLOCAL(&six);
}

static void take_address(struct dns_answer *ret, const uint8_t *bytes, size_t len)
{
	if (usable(ret->type, bytes)) {
		if (ret->n < ADDRESS_RESOLVED_MAX)
			memcpy(ret->addresses[ret->n++], bytes, len);
	} else if (ret->verdict != DNS_UNUSABLE) {
		ret->verdict = DNS_UNUSABLE;
		memcpy(ret->unusable, bytes, len);
	}
}

/* One record: an address of name is taken, an alias moves name on. */
static bool read_record(struct dns_answer *ret, const uint8_t *message, size_t size,
	struct cursor *c, char *name)
{
	size_t want = ret->type == DNS_TYPE_A ? 4 : 16;
	char owner[ADDRESS_DOMAIN_MAX + 1];
	unsigned type, class;
	struct cursor data;

	if (!read_name(message, size, c, owner))
		return false;
	type = cursor_be16(c);
	class = cursor_be16(c);
	cursor_skip(c, 4); /* time to live */
	data = cursor_sub(c, cursor_be16(c));
	if (data.failed)
		return false;
	if (class != CLASS_IN || !same_name(name, owner))
		return true;
	if (type == DNS_TYPE_CNAME) {
		size_t pos = (size_t)(data.at - message);

		return name_read(message, size, &pos, name);
	}
	if (type == ret->type && data.left == want)
		take_address(ret, data.at, want);
	return true;
}

/* One pass over the answer section. What a cut message has before the cut counts. */
static void read_records(struct dns_answer *ret, const uint8_t *message, size_t size,
	struct cursor c, unsigned records, char *name, bool cut)
{
	bool good = true;

	ret->verdict = DNS_NO_DATA;
	for (unsigned i = 0; good && i < records && i < RECORDS_MAX && c.left; i++)
		good = read_record(ret, message, size, &c, name);
	if (!good && !cut) {
		ret->verdict = DNS_BAD;
		ret->n = 0;
	} else if (ret->n) {
		ret->verdict = DNS_ANSWER;
	} else if (cut) {
		ret->verdict = DNS_TRUNCATED;
	}
}

void dns_parse(struct dns_answer *ret, const struct dns_query *q, const void *message, size_t len)
{
	struct cursor c = cursor_make(message, len);
	char name[ADDRESS_DOMAIN_MAX + 1], before[ADDRESS_DOMAIN_MAX + 1];
	unsigned records;
	bool cut;

	memset(ret, 0, sizeof(*ret));
	ret->id = q->id;
	ret->type = q->type;
	ret->verdict = read_head(ret, q, message, len, &c, &records, &cut);
	if (ret->verdict != DNS_ANSWER)
		return;
	strscpy(name, q->name, sizeof(name));
	/* Servers put aliases before what they lead to; another order costs another pass. */
	for (int i = 0; i < CHAIN_MAX; i++) {
		strscpy(before, name, sizeof(before));
		read_records(ret, message, len, c, records, name, cut);
		if (ret->verdict != DNS_NO_DATA || streq(before, name))
			break;
	}
	if (ret->verdict == DNS_NO_DATA && !same_name(q->name, name) &&
		text_valid(TEXT_DOMAIN, name)) {
		ret->verdict = DNS_ALIAS;
		strscpy(ret->alias, name, sizeof(ret->alias));
	}
}

void dns_cut(uint8_t *message, size_t len)
{
	if (len >= HEADER_SIZE)
		message[2] |= FLAG_TRUNCATED >> 8;
}

const char *dns_rcode_name(unsigned rcode)
{
	static const char *const names[] = {[1] = "FORMERR", [2] = "SERVFAIL", [3] = "NXDOMAIN",
		[4] = "NOTIMP", [5] = "REFUSED", [9] = "NOTAUTH",
		[DNS_REFERRAL] = "a referral to others"};

	return rcode < ARRAY_SIZE(names) && names[rcode] ? names[rcode] : "an error";
}

/* An answer without an address would be read beyond n; an alias is asked for. */
bool dns_answer_sane(const struct dns_answer *a)
{
	return a->verdict < DNS_VERDICT_MAX && a->n <= ADDRESS_RESOLVED_MAX &&
		a->rcode <= DNS_REFERRAL && (a->verdict != DNS_ANSWER || a->n > 0) &&
		memchr(a->alias, 0, sizeof(a->alias)) &&
		(a->verdict != DNS_ALIAS || text_valid(TEXT_DOMAIN, a->alias));
}
