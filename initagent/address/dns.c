// SPDX-License-Identifier: GPL-2.0-or-later
/* dns: see dns.h. */
#include "address/dns.h"

#include "address/name.h"
#include "address/text.h"

#define HEADER_SIZE    12
#define FLAGS_QUERY    0x0100 /* recursion desired */
#define FLAG_RESPONSE  0x8000
#define RCODE_MASK     15
#define RCODE_NXDOMAIN 3
#define CLASS_IN       1
#define TYPE_A	       1
#define TYPE_CNAME     5
#define TYPE_AAAA      28
#define RECORDS_MAX    64 /* more do not fit into 512 bytes anyway */
#define CHAIN_MAX      8  /* aliases followed */

/* Network byte order; where the next field goes. */
static uint8_t *put_be16(uint8_t *at, unsigned value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
	return at + 2;
}

/* One question, recursion desired, no EDNS: what we ask for fits into 512 bytes. */
int dns_encode(const struct dns_query *q, uint8_t message[static DNS_MESSAGE_MAX])
{
	const char *label = q->name;
	uint8_t *at = message;

	/* At most 253 characters in labels of at most 63: header + 255 + 4 always fit. */
	if (!text_valid(TEXT_DOMAIN, q->name))
		return -EINVAL;
	memset(message, 0, HEADER_SIZE);
	put_be16(put_be16(put_be16(at, q->id), FLAGS_QUERY), 1);
	at += HEADER_SIZE;
	while (*label) {
		size_t len = strcspn(label, ".");

		*at++ = (uint8_t)len;
		memcpy(at, label, len);
		at += len;
		label += len + (label[len] == '.');
	}
	*at++ = 0;
	return (int)(put_be16(put_be16(at, q->type), CLASS_IN) - message);
}

/* The name at the cursor, which is moved behind it. message is what the cursor ends with. */
static bool read_name(const uint8_t *message, size_t size, struct cursor *c, char *text)
{
	size_t before = size - c->left, pos = before;

	return !c->failed && name_read(message, size, &pos, text) && cursor_skip(c, pos - before);
}

/* DNS compares without case (RFC 4343); both ends must be reached together. */
static bool same_name(const char *a, const char *b)
{
	while (*a && name_lower(*a) == name_lower(*b)) {
		a++;
		b++;
	}
	return *a == *b;
}

/* Header and question must be those of our query. */
static enum dns_verdict read_head(const struct dns_query *q, const uint8_t *message, size_t size,
	struct cursor *c, unsigned *ret_records)
{
	char name[ADDRESS_DOMAIN_MAX + 1];
	unsigned id = cursor_be16(c), flags = cursor_be16(c), questions = cursor_be16(c);

	*ret_records = cursor_be16(c);
	cursor_skip(c, 4);
	if (c->failed)
		return DNS_BAD;
	if (id != q->id || !(flags & FLAG_RESPONSE) || questions != 1)
		return DNS_FOREIGN;
	if (!read_name(message, size, c, name))
		return DNS_BAD;
	if (!same_name(q->name, name) || cursor_be16(c) != q->type || cursor_be16(c) != CLASS_IN)
		return DNS_FOREIGN;
	if ((flags & RCODE_MASK) == RCODE_NXDOMAIN)
		return DNS_NO_NAME;
	return flags & RCODE_MASK ? DNS_REFUSED : DNS_ANSWER;
}

/* One record: an address of name is taken, an alias moves name on. */
static bool read_record(struct dns_answer *ret, const uint8_t *message, size_t size, struct cursor *c,
	char *name)
{
	size_t want = ret->type == TYPE_A ? 4 : 16;
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
	if (type == TYPE_CNAME) {
		size_t pos = (size_t)(data.at - message);

		return name_read(message, size, &pos, name);
	}
	if (type == ret->type && data.left == want && ret->n < ADDRESS_RESOLVED_MAX)
		memcpy(ret->addresses[ret->n++], data.at, want);
	return true;
}

/* One pass over the answer section. */
static enum dns_verdict read_records(struct dns_answer *ret, const uint8_t *message, size_t size,
	struct cursor c, unsigned records, char *name)
{
	for (unsigned i = 0; i < records && i < RECORDS_MAX && c.left; i++)
		if (!read_record(ret, message, size, &c, name))
			return DNS_BAD;
	return ret->n ? DNS_ANSWER : DNS_NO_DATA;
}

void dns_parse(struct dns_answer *ret, const struct dns_query *q, const void *message, size_t len)
{
	struct cursor c = cursor_make(message, len);
	char name[ADDRESS_DOMAIN_MAX + 1], before[ADDRESS_DOMAIN_MAX + 1];
	unsigned records;

	memset(ret, 0, sizeof(*ret));
	ret->id = q->id;
	ret->type = q->type;
	ret->verdict = read_head(q, message, len, &c, &records);
	if (ret->verdict != DNS_ANSWER)
		return;
	strscpy(name, q->name, sizeof(name));
	/* Servers put aliases before what they lead to; another order costs another pass. */
	for (int i = 0; i < CHAIN_MAX; i++) {
		strscpy(before, name, sizeof(before));
		ret->verdict = read_records(ret, message, len, c, records, name);
		if (ret->verdict != DNS_NO_DATA || streq(before, name))
			return;
	}
}

/* An answer without an address would be read beyond n. */
bool dns_answer_sane(const struct dns_answer *a)
{
	return a->verdict < DNS_VERDICT_MAX && a->n <= ADDRESS_RESOLVED_MAX &&
		(a->verdict != DNS_ANSWER || a->n > 0);
}
