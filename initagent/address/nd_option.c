// SPDX-License-Identifier: GPL-2.0-or-later

#include "address/nd_option.h"

#include <linux/rtnetlink.h>

#include "base/host.h"
#include "resolver/name.h"
#include "inet_text.h"

#define HEADER_SIZE 16 /* struct nduseroptmsg: family, length, ifindex, type, code */
#define LENGTH_AT   2
#define OPTION_RDNSS 25 /* RFC 8106 section 5 */
#define OPTION_DNSSL 31
#define OPTION_UNIT  8	/* lengths count in octets of eight, RFC 4861 section 4.6 */

/*
 * Options of a router are padded with zeroes: names without a label. A name that is no host name is
 * left out; the others count.
 */
bool names_take(char dst[static ADDRESS_SEARCH_MAX + 1], struct cursor c)
{
	const uint8_t *start = c.at;
	size_t size = c.left, pos = 0;
	char name[ADDRESS_DOMAIN_MAX + 1];

	while (pos < size) {
		if (!name_read_plain(start, size, &pos, name))
			return false;
		if (text_valid(TEXT_DOMAIN, name))
			name_append(dst, name, strlen(name));
	}
	return true;
}

/* RFC 8106 section 5.3.1: whole addresses, at least one. */
static bool take_servers(struct nd_options *o, struct cursor c)
{
	bool good = c.left >= 16 && c.left % 16 == 0;

	while (good && c.left && o->n_dns < ND_SERVERS_MAX) {
		struct in6_addr a;

		cursor_copy(&c, &a, sizeof(a));
		if (inet6_is_host(&a))
			o->dns[o->n_dns++] = a;
	}
	return good;
}

/* RFC 8106: both begin with two reserved octets and the lifetime. A length of zero is none (RFC
 * 4861 section 4.6). */
static bool take_option(struct nd_options *o, struct cursor *c)
{
	uint8_t type = cursor_u8(c);
	size_t len = (size_t)cursor_u8(c) * OPTION_UNIT;
	struct cursor value;

	if (c->failed || len == 0)
		return false;
	value = cursor_sub(c, len - 2);
	if (type != OPTION_RDNSS && type != OPTION_DNSSL)
		return !value.failed;
	cursor_skip(&value, 2);
	o->lifetime_s = cursor_be32(&value);
	if (value.failed)
		return false;
	return type == OPTION_RDNSS ? take_servers(o, value) : names_take(o->search, value);
}

/* An attribute of the kernel's: length and type in host byte order, then the address. */
static bool take_router(struct nd_options *o, struct cursor *c)
{
	uint16_t head[2] = {0};

	cursor_copy(c, head, sizeof(head));
	return head[0] == sizeof(head) + 16 && head[1] == NDUSEROPT_SRCADDR &&
		cursor_copy(c, o->router, 16);
}

/* The length field is in host byte order: the kernel's own, but compared with what is there all
 * the same. */
void nd_options_parse(struct nd_options *ret, const void *payload, size_t len)
{
	struct cursor c = cursor_make(payload, len), option;
	uint16_t size = 0;

	memset(ret, 0, sizeof(*ret));
	if (len >= HEADER_SIZE)
		memcpy(&size, (const uint8_t *)payload + LENGTH_AT, sizeof(size));
	cursor_skip(&c, HEADER_SIZE);
	option = cursor_sub(&c, size);
	ret->malformed = option.failed || !take_router(ret, &c) || !take_option(ret, &option);
}

bool nd_options_sane(const struct nd_options *o)
{
	return o->malformed <= 1 && o->n_dns <= ND_SERVERS_MAX &&
		text_sane(TEXT_SEARCH, o->search, sizeof(o->search));
}
