// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dhcp_option: see dhcp_option.h. Runs in the parser process. All values are read through the
 * joined buffer, even those with one instance: one way through the code instead of two.
 */
#include "address/dhcp_option.h"

#include "resolver/name.h"
#include "inet_text.h"

#define ADDRESS_SIZE 4

/* Pads and the end option have no length octet (RFC 2132 section 2). */
enum dhcp_defect option_index_add(struct option_index *x, struct cursor field)
{
	while (field.left) {
		uint8_t code = cursor_u8(&field), len;
		const uint8_t *value;

		if (code == DHCP_OPT_PAD)
			continue;
		if (code == DHCP_OPT_END)
			break;
		len = cursor_u8(&field);
		value = cursor_take(&field, len);
		if (!value) {
			if (x->n_cut < sizeof(x->cut))
				x->cut[x->n_cut++] = code;
			return DHCP_OPTION_CUT;
		}
		if (x->n == OPTION_SPANS_MAX)
			return DHCP_TOO_MANY;
		x->spans[x->n++] = (struct option_span){.code = code, .len = len, .value = value};
	}
	/* A missing end option is harmless: every option was complete. */
	return DHCP_GOOD;
}

/* Appends one more instance to what was joined so far. */
static bool join(struct option_index *x, size_t *len, const struct option_span *s)
{
	if (s->len > sizeof(x->joined) - *len)
		return false;
	memcpy(x->joined + *len, s->value, s->len);
	*len += s->len;
	return true;
}

/* The index is small, a scan a lookup: 20 lookups of 30 entries in all. */
bool option_get(struct option_index *x, uint8_t code, struct cursor *ret)
{
	size_t len = 0, found = 0;

	if (memchr(x->cut, code, x->n_cut)) {
		*ret = (struct cursor){.failed = true};
		return true;
	}
	for (size_t i = 0; i < x->n; i++) {
		if (x->spans[i].code != code)
			continue;
		found++;
		if (!join(x, &len, &x->spans[i])) {
			*ret = (struct cursor){.failed = true};
			return true;
		}
	}
	*ret = cursor_make(x->joined, len);
	return found > 0;
}

/* Two instances joined have another size, which is refused: it is unclear which one counts. */
int option_exact(struct option_index *x, uint8_t code, void *ret, size_t size)
{
	struct cursor c;

	if (!option_get(x, code, &c))
		return -ENOENT;
	if (c.failed || c.left != size)
		return -EINVAL;
	memcpy(ret, c.at, size);
	return 0;
}

/* Addresses no host can have are skipped; a list of nothing else is malformed. */
int option_addresses(struct cursor c, struct in_addr *ret, size_t max, bool *partly)
{
	size_t n = 0;

	if (c.failed || c.left == 0 || c.left % ADDRESS_SIZE)
		return -EINVAL;
	while (c.left) {
		struct in_addr a;

		cursor_copy(&c, &a, sizeof(a));
		if (inet4_is_host(a) && n < max)
			ret[n++] = a;
		else
			*partly = true;
	}
	return n ? (int)n : -EINVAL;
}

/* A shift by 32 is undefined in C, hence the extra case. */
static struct in_addr masked(struct in_addr a, uint32_t prefix)
{
	a.s_addr &= prefix ? htonl(UINT32_MAX << (32 - prefix)) : 0;
	return a;
}

/* One route: prefix length, as many octets of the destination as it needs, router. */
static bool classless_route(struct cursor *c, struct dhcp_route *r)
{
	*r = (struct dhcp_route){.prefix = cursor_u8(c)};
	if (r->prefix > 32 || !cursor_copy(c, &r->dst, (r->prefix + 7) / 8) ||
		!cursor_copy(c, &r->gateway, ADDRESS_SIZE))
		return false;
	r->dst = masked(r->dst, r->prefix);
	return r->gateway.s_addr == 0 || inet4_is_host(r->gateway);
}

/* Not where a route from the network may lead to: loopback, multicast and beyond. */
static bool route_allowed(const struct dhcp_route *r)
{
	uint32_t h = ntohl(r->dst.s_addr);

	return r->prefix == 0 || (h >> 24 != 127 && h < 0xe0000000);
}

/* First into a buffer of our own: a value that breaks off half way leaves no routes behind. */
int option_classless_routes(struct cursor c, struct dhcp_route *ret, size_t max, bool *partly)
{
	struct dhcp_route found[ADDRESS_ROUTES_MAX];
	size_t n = 0, all = 0;

	if (c.failed || c.left == 0)
		return -EINVAL;
	while (c.left) {
		struct dhcp_route r;

		if (!classless_route(&c, &r) || !route_allowed(&r))
			return -EINVAL;
		all++;
		if (n < max && n < ADDRESS_ROUTES_MAX)
			found[n++] = r;
		else if (r.prefix == 0 && n)
			/* servers may send it last, and no node boots without it */
			found[n - 1] = r;
	}
	*partly = *partly || n < all;
	memcpy(ret, found, n * sizeof(*found));
	return (int)n;
}

/* The prefix a classful destination stands for; 32 when it has host bits (RFC 2132 section 5.8). */
static uint32_t classful_prefix(struct in_addr dst)
{
	uint32_t prefix = inet4_class_prefix(dst);

	return masked(dst, prefix).s_addr == dst.s_addr ? prefix : 32;
}

/* Pairs that cannot be routes, such as a default route (forbidden in option 33), are skipped. */
int option_static_routes(struct cursor c, struct dhcp_route *ret, size_t max, bool *partly)
{
	size_t n = 0;

	if (c.failed || c.left == 0 || c.left % (2 * ADDRESS_SIZE))
		return -EINVAL;
	while (c.left) {
		struct dhcp_route r = {0};

		cursor_copy(&c, &r.dst, ADDRESS_SIZE);
		cursor_copy(&c, &r.gateway, ADDRESS_SIZE);
		r.prefix = classful_prefix(r.dst);
		if (inet4_is_host(r.dst) && inet4_is_host(r.gateway) && n < max)
			ret[n++] = r;
		else
			*partly = true;
	}
	return n ? (int)n : -EINVAL;
}

/* A single name that is malformed spoils the rest: where it ends is not known. */
int option_search(struct cursor c, char dst[static ADDRESS_SEARCH_MAX + 1])
{
	char name[ADDRESS_DOMAIN_MAX + 1];
	bool good = true;
	size_t pos = 0;

	memset(dst, 0, ADDRESS_SEARCH_MAX + 1);
	while (good && !c.failed && pos < c.left) {
		good = name_read(c.at, c.left, &pos, name) && text_valid(TEXT_DOMAIN, name);
		/* What does not fit is left out: the first domains count most. */
		if (good)
			name_append(dst, name, strlen(name));
	}
	if (!good)
		memset(dst, 0, ADDRESS_SEARCH_MAX + 1);
	return *dst ? 0 : -EINVAL;
}
