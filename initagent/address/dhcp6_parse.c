// SPDX-License-Identifier: GPL-2.0-or-later
/* dhcp6_parse: reading a server's answer; see dhcp6_message.h. Runs in the parser process. */
#include "address/dhcp6_message.h"
#include "base/host.h"
#include "address/nd_option.h"
#include "inet_text.h"

#define DUID_MIN	3 /* a type and something */
#define NTP_SERVER_ADDR 1 /* suboption, RFC 5908 section 4.1 */
#define SOL_MAX_LEAST	60 /* RFC 8415 section 21.24: other values are to be ignored */
#define SOL_MAX_MOST	86400

static void drop(struct dhcp6_reply *r, enum dhcp6_field f)
{
	r->dropped |= UINT32_C(1) << f;
}

/* A second identifier contradicts the first (RFC 8415 section 21: a singleton option). */
static enum dhcp6_defect take_duid(struct duid *d, struct cursor c)
{
	if (d->len || c.left < DUID_MIN || c.left > ADDRESS_DUID_MAX)
		return DHCP6_OPTION_SIZE;
	d->len = (uint16_t)c.left;
	cursor_copy(&c, d->bytes, c.left);
	return DHCP6_GOOD;
}

/* The text behind the code is UTF-8 of unknown origin: not read. */
static enum dhcp6_defect take_status(uint32_t *status, struct cursor c)
{
	*status = cursor_be16(&c);
	return c.failed ? DHCP6_OPTION_SIZE : DHCP6_GOOD;
}

/* Addresses unusable for a host, and those behind the first ones, are left out. */
static void take_addresses(struct dhcp6_reply *r, enum dhcp6_field field, struct in6_addr *list,
	uint32_t *n, struct cursor c)
{
	bool whole = c.left && c.left % 16 == 0, usable = false;

	while (c.left >= 16) {
		struct in6_addr a;

		cursor_copy(&c, &a, sizeof(a));
		if (inet6_is_host(&a) && *n < ADDRESS_LIST_MAX)
			list[(*n)++] = a;
		else
			whole = false;
		usable |= inet6_is_host(&a);
	}
	if (!usable)
		drop(r, field);
	else if (!whole)
		r->partly |= UINT32_C(1) << field;
}

/* One option: its code, its content; false at the end or when it is cut (c->failed). */
static bool next_option(struct cursor *c, unsigned *ret_code, struct cursor *ret)
{
	if (c->failed || c->left == 0)
		return false;
	*ret_code = cursor_be16(c);
	*ret = cursor_sub(c, cursor_be16(c));
	return !ret->failed;
}

/* Several forms of servers; only addresses are of use here. */
static void take_ntp(struct dhcp6_reply *r, struct cursor c)
{
	struct cursor value;
	unsigned code;

	while (next_option(&c, &code, &value))
		if (code == NTP_SERVER_ADDR)
			take_addresses(r, FIELD6_NTP, r->ntp, &r->n_ntp, value);
	if (c.failed)
		drop(r, FIELD6_NTP);
}

/* Whether it is of use is judged where the state is known. More than fit are left out, but read
 * to their end. */
static enum dhcp6_defect take_address(struct dhcp6_reply *r, struct cursor c)
{
	struct dhcp6_address a = {.status = DHCP6_SUCCESS};
	struct cursor value;
	unsigned code;

	cursor_copy(&c, &a.address, sizeof(a.address));
	a.preferred_s = cursor_be32(&c);
	a.valid_s = cursor_be32(&c);
	if (c.failed)
		return DHCP6_OPTION_SIZE;
	while (next_option(&c, &code, &value))
		if (code == OPTION6_STATUS && take_status(&a.status, value) != DHCP6_GOOD)
			return DHCP6_OPTION_SIZE;
	if (c.failed)
		return DHCP6_OPTION_CUT;
	if (r->n_addresses < DHCP6_ADDRESSES_MAX)
		r->addresses[r->n_addresses++] = a;
	return DHCP6_GOOD;
}

static enum dhcp6_defect take_ia(struct dhcp6_reply *r, struct cursor c, uint32_t wanted)
{
	enum dhcp6_defect d = DHCP6_GOOD;
	uint32_t iaid = cursor_be32(&c), t1 = cursor_be32(&c), t2 = cursor_be32(&c);
	struct cursor value;
	unsigned code;

	if (c.failed)
		return DHCP6_OPTION_SIZE;
	if (iaid != wanted) {
		r->other_ia = 1;
		r->other_iaid = iaid;
		return DHCP6_GOOD;
	}
	if (r->has_ia)
		return DHCP6_GOOD;
	r->has_ia = 1;
	r->t1_s = t1;
	r->t2_s = t2;
	while (d == DHCP6_GOOD && next_option(&c, &code, &value)) {
		if (code == OPTION6_IAADDR)
			d = take_address(r, value);
		else if (code == OPTION6_STATUS)
			d = take_status(&r->ia_status, value);
	}
	return d == DHCP6_GOOD && c.failed ? DHCP6_OPTION_CUT : d;
}

static void take_sol_max(struct dhcp6_reply *r, struct cursor c)
{
	uint32_t s = cursor_be32(&c);

	if (!c.failed && s >= SOL_MAX_LEAST && s <= SOL_MAX_MOST)
		r->sol_max_s = s;
}

struct reader {
	uint32_t iaid; /* ours */
	uint64_t seen; /* 1 << option code */
};

/* The second of an option that may come once? An NTP option holds one server each (RFC 5908
 * section 4). */
static bool is_repeated(struct reader *rd, unsigned code)
{
	uint64_t bit = code < 64 ? UINT64_C(1) << code : 0;
	bool before = rd->seen & bit;

	if (code == OPTION6_CLIENT_ID || code == OPTION6_SERVER_ID || code == OPTION6_IA_NA ||
		code == OPTION6_NTP)
		return false;
	rd->seen |= bit;
	return before;
}

/* What a boot can do without: a bad one is left out and told. */
static void take_extra(struct dhcp6_reply *r, unsigned code, struct cursor c)
{
	switch (code) {
	case OPTION6_DNS: take_addresses(r, FIELD6_DNS, r->dns, &r->n_dns, c); break;
	case OPTION6_SEARCH:
		if (!names_take(r->search, c) || !*r->search)
			drop(r, FIELD6_SEARCH);
		break;
	case OPTION6_SNTP: take_addresses(r, FIELD6_NTP, r->ntp, &r->n_ntp, c); break;
	case OPTION6_NTP: take_ntp(r, c); break;
	case OPTION6_BOOT_FILE:
		if (!text_take(TEXT_BOOT, r->boot_file, sizeof(r->boot_file), c.at, c.left))
			drop(r, FIELD6_BOOT_FILE);
		break;
	case OPTION6_SOL_MAX_RT: take_sol_max(r, c); break;
	}
}

/* What decides whether the answer is ours and what it gives. */
static enum dhcp6_defect take_option(struct dhcp6_reply *r, struct reader *rd, unsigned code,
	struct cursor c)
{
	if (is_repeated(rd, code))
		return DHCP6_GOOD;
	switch (code) {
	case OPTION6_CLIENT_ID: return take_duid(&r->client, c);
	case OPTION6_SERVER_ID: return take_duid(&r->server, c);
	case OPTION6_IA_NA: return take_ia(r, c, rd->iaid);
	case OPTION6_STATUS: return take_status(&r->status, c);
	case OPTION6_PREFERENCE:
		r->preference = cursor_u8(&c);
		return c.failed ? DHCP6_OPTION_SIZE : DHCP6_GOOD;
	case OPTION6_RAPID: r->rapid = 1; return DHCP6_GOOD;
	default: take_extra(r, code, c); return DHCP6_GOOD;
	}
}

/* Options we do not know are passed over, however many: the packet's length bounds the work. */
static enum dhcp6_defect read_options(struct dhcp6_reply *r, struct cursor c, uint32_t iaid)
{
	struct reader rd = {.iaid = iaid};
	enum dhcp6_defect d = DHCP6_GOOD;
	struct cursor value;
	unsigned code;

	while (d == DHCP6_GOOD && next_option(&c, &code, &value))
		d = take_option(r, &rd, code, value);
	return d == DHCP6_GOOD && c.failed ? DHCP6_OPTION_CUT : d;
}

void dhcp6_parse(struct dhcp6_reply *ret, const void *message, size_t len, uint32_t iaid)
{
	struct cursor c = cursor_make(message, len);
	uint32_t head = cursor_be32(&c);

	memset(ret, 0, sizeof(*ret));
	ret->type = head >> 24;
	ret->xid = head & 0xffffff;
	if (c.failed)
		ret->defect = DHCP6_SHORT;
	else if (ret->type != DHCP6_ADVERTISE && ret->type != DHCP6_REPLY)
		ret->defect = DHCP6_NOT_ANSWER;
	else
		ret->defect = read_options(ret, c, iaid);
}

static bool ia_sane(const struct dhcp6_reply *r)
{
	return r->ia_status <= UINT16_MAX && r->has_ia <= 1 && r->other_ia <= 1 &&
		!r->has_address &&
		r->n_addresses <= DHCP6_ADDRESSES_MAX;
}

bool dhcp6_reply_sane(const struct dhcp6_reply *r)
{
	return r->defect < DHCP6_DEFECT_MAX && (r->dropped | r->partly) >> FIELD6_MAX == 0 &&
		r->xid <= 0xffffff &&
		r->client.len <= ADDRESS_DUID_MAX && r->server.len <= ADDRESS_DUID_MAX &&
		r->preference <= 255 && r->rapid <= 1 && r->status <= UINT16_MAX &&
		ia_sane(r) && r->n_dns <= ADDRESS_LIST_MAX && r->n_ntp <= ADDRESS_LIST_MAX &&
		text_sane(TEXT_SEARCH, r->search, sizeof(r->search)) &&
		text_sane(TEXT_BOOT, r->boot_file, sizeof(r->boot_file));
}
