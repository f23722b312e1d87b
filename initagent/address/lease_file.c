// SPDX-License-Identifier: GPL-2.0-or-later

#include "address/lease_file.h"

#include <inttypes.h>

#include "address/dhcp4_lease.h"
#include "address/dhcp6_offer.h"
#include "address/result.h"
#include "inet_text.h"
#include "base/file.h"
#include "base/hex.h"

#define HEAD "initagent-lease=1" /* raised when the format changes */

enum field_type { F_U8, F_U32, F_U64, F_ADDRESS, F_ADDRESSES, F_TEXT, F_ROUTES, F_ID };

/* One key of the file. Lists have one line an entry. */
static const struct field {
	const char *key;
	enum field_type type;
	size_t offset;
	size_t count; /* offset of the number of entries (F_ADDRESSES) or bytes (F_ID) */
	size_t size;  /* of a text or identifier */
	enum text_kind kind;
} fields[] = {
#define AT(m)	     offsetof(struct address_result, m)
#define FIELD(k, t, m) {.key = k, .type = t, .offset = AT(m)}
#define LIST(k, m, n)  {.key = k, .type = F_ADDRESSES, .offset = AT(m), .count = AT(n)}
#define SIZE(m)	       sizeof(((struct address_result *)0)->m)
#define ID(k, m, n)    {.key = k, .type = F_ID, .offset = AT(m), .count = AT(n), .size = SIZE(m)}
#define TEXT(k, m, t)  {.key = k, .type = F_TEXT, .offset = AT(m), .size = SIZE(m), .kind = t}
	FIELD("address", F_ADDRESS, addr),
	FIELD("prefix", F_U8, prefix),
	FIELD("broadcast", F_ADDRESS, broadcast),
	FIELD("gateway", F_ADDRESS, gateway),
	FIELD("mtu", F_U32, mtu),
	FIELD("route", F_ROUTES, routes),
	LIST("dns", dns, n_dns),
	LIST("ntp", ntp, n_ntp),
	TEXT("hostname", hostname, TEXT_HOSTNAME),
	TEXT("domain", domain, TEXT_DOMAIN),
	TEXT("search", search, TEXT_SEARCH),
	TEXT("root-path", root_path, TEXT_BOOT),
	TEXT("boot-file", boot_file, TEXT_BOOT),
	TEXT("tftp-server", tftp_server, TEXT_PATH),
	FIELD("next-server", F_ADDRESS, next_server),
	FIELD("server", F_ADDRESS, server_id),
	ID("client-id", client_id, client_id_len),
	ID("server-duid", server_duid, server_duid_len),
	FIELD("lease", F_U32, lease_s),
	FIELD("obtained", F_U64, obtained),
	FIELD("renew", F_U64, renew),
	FIELD("rebind", F_U64, rebind),
	FIELD("expires", F_U64, expires),
};

/* --- writing: behind what out, of LEASE_FILE_MAX octets, holds already --------------------- */

/* An address that is not there has no line. */
static void put_address(char *out, const char *key, const struct inet_addr *a)
{
	char text[INET_ADDR_TEXT];

	if (a->family)
		str_add(out, LEASE_FILE_MAX, "%s=%s\n", key, inet_text(a, text));
}

static void put_hex(char *out, const char *key, const uint8_t *bytes, size_t len)
{
	char text[2 * ADDRESS_DUID_MAX + 1];

	str_add(out, LEASE_FILE_MAX, "%s=%s\n", key, hex_text(text, sizeof(text), bytes, len, ""));
}

/* "DST/PREFIX GATEWAY", without gateway when it is on-link. */
static void put_routes(char *out, const char *key, const struct address_result *r)
{
	for (size_t i = 0; i < r->n_routes; i++) {
		const struct address_route *a = &r->routes[i];
		char dst[INET_ADDR_TEXT], hop[INET_ADDR_TEXT];

		str_add(out, LEASE_FILE_MAX, "%s=%s/%u", key, inet_text(&a->dst, dst), a->prefix);
		str_add(out, LEASE_FILE_MAX, "%s%s\n", a->gateway.family ? " " : "",
			inet_text(&a->gateway, hop));
	}
}

static void put_field(char *out, const struct field *f, const struct address_result *r)
{
	const void *at = (const char *)r + f->offset;
	const size_t *count;
	uint64_t wide;

	switch (f->type) {
	case F_U8: str_add(out, LEASE_FILE_MAX, "%s=%u\n", f->key, *(const uint8_t *)at); break;
	case F_U32: str_add(out, LEASE_FILE_MAX, "%s=%u\n", f->key, *(const uint32_t *)at); break;
	case F_U64:
		memcpy(&wide, at, sizeof(wide));
		str_add(out, LEASE_FILE_MAX, "%s=%" PRIu64 "\n", f->key, wide);
		break;
	case F_ADDRESS: put_address(out, f->key, at); break;
	case F_ADDRESSES:
		for (size_t i = 0; i < *(const size_t *)(const void *)((const char *)r + f->count);
			i++)
			put_address(out, f->key, (const struct inet_addr *)at + i);
		break;
	case F_TEXT:
		if (text_valid(f->kind, at))
			str_add(out, LEASE_FILE_MAX, "%s=%s\n", f->key, (const char *)at);
		break;
	case F_ROUTES: put_routes(out, f->key, r); break;
	case F_ID:
		count = (const size_t *)(const void *)((const char *)r + f->count);
		if (*count)
			put_hex(out, f->key, at, *count);
		break;
	}
}

int lease_text_write(const struct address_result *r, const struct link_hw *hw,
	char ret[static LEASE_FILE_MAX])
{
	snprintf(ret, LEASE_FILE_MAX, "%s\n", HEAD);
	put_hex(ret, "hardware", hw->bytes, hw->len);
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		put_field(ret, &fields[i], r);
	return (int)strlen(ret);
}

/* --- reading ------------------------------------------------------------------------------- */

/* The number of bytes or -EINVAL. */
static int take_hex(const char *s, size_t len, uint8_t *bytes, size_t max)
{
	if (len / 2 > max || value_hex(s, len, bytes, len / 2) < 0)
		return -EINVAL;
	return (int)(len / 2);
}

/* "DST/PREFIX[ GATEWAY]" */
static int take_route(const char *s, size_t len, struct address_result *r)
{
	struct address_route a = {0};
	const char *space = memchr(s, ' ', len);
	size_t head = space ? (size_t)(space - s) : len;
	int prefix;

	if (r->n_routes == ADDRESS_ROUTES_MAX)
		return -EINVAL;
	if (value_inet_prefix(s, head, &a.dst, &prefix) < 0 || prefix < 0)
		return -EINVAL;
	if (space && value_inet(space + 1, len - head - 1, &a.gateway) < 0)
		return -EINVAL;
	a.prefix = (uint8_t)prefix;
	r->routes[r->n_routes++] = a;
	return 0;
}

/* The type says how large it may be. */
static int take_number(const struct field *f, const char *s, size_t len, void *at)
{
	static const uint64_t max[] = {
		[F_U8] = UINT8_MAX, [F_U32] = UINT32_MAX, [F_U64] = UINT64_MAX};
	uint64_t value;
	int e = value_u64(s, len, max[f->type], &value);

	if (e < 0)
		return e;
	if (f->type == F_U8)
		*(uint8_t *)at = (uint8_t)value;
	else if (f->type == F_U32)
		*(uint32_t *)at = (uint32_t)value;
	else
		memcpy(at, &value, sizeof(value));
	return 0;
}

/* One more entry of a list; the writer never writes more than fit. */
static int take_listed(const struct field *f, const char *s, size_t len, struct address_result *r)
{
	size_t *n = (size_t *)(void *)((char *)r + f->count);
	struct inet_addr *list = (struct inet_addr *)(void *)((char *)r + f->offset);

	if (*n == ADDRESS_LIST_MAX || value_inet(s, len, &list[*n]) < 0)
		return -EINVAL;
	++*n;
	return 0;
}

/* 0 or -EINVAL, whatever the field's own reader said. */
static int take_field(const struct field *f, const char *s, size_t len, struct address_result *r)
{
	void *at = (char *)r + f->offset;
	int n;

	switch (f->type) {
	case F_U8:
	case F_U32:
	case F_U64: return take_number(f, s, len, at);
	case F_ADDRESS: return value_inet(s, len, at);
	case F_ADDRESSES: return take_listed(f, s, len, r);
	case F_TEXT:
		return text_take(f->kind, at, f->size, (const uint8_t *)s, len) ? 0 : -EINVAL;
	case F_ROUTES: return take_route(s, len, r);
	case F_ID:
		n = take_hex(s, len, at, f->size);
		*(size_t *)(void *)((char *)r + f->count) = n < 0 ? 0 : (size_t)n;
		return n < 0 ? n : 0;
	}
	return -EINVAL;
}

struct reader {
	struct address_result r;
	struct link_hw hw;
	uint32_t seen; /* 1 << index of the fields that may come once */
};

/* Not part of the result: it says which adapter the lease was for. */
static int take_hardware(const char *s, size_t len, struct link_hw *hw)
{
	int n = hw->len ? -EINVAL : take_hex(s, len, hw->bytes, sizeof(hw->bytes));

	hw->len = n < 0 ? 0 : (uint8_t)n;
	return n < 0 ? n : 0;
}

/* A scalar may come once: what a second one overwrites would leave traces in the padding of the
 * first. */
static int take_value(struct reader *rd, size_t index, const char *s, size_t len)
{
	const struct field *f = &fields[index];
	bool list = f->type == F_ADDRESSES || f->type == F_ROUTES;

	if (!list && rd->seen & UINT32_C(1) << index)
		return -EINVAL;
	rd->seen |= UINT32_C(1) << index;
	return take_field(f, s, len, &rd->r);
}

/* "key=value"; the value may hold '='. */
static int take_line(struct reader *rd, const char *s, size_t len)
{
	const char *equals = memchr(s, '=', len);
	size_t key = equals ? (size_t)(equals - s) : len;

	if (!equals)
		return -EINVAL;
	if (key == 8 && !memcmp(s, "hardware", 8))
		return take_hardware(equals + 1, len - key - 1, &rd->hw);
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (strlen(fields[i].key) == key && !memcmp(s, fields[i].key, key))
			return take_value(rd, i, equals + 1, len - key - 1);
	return -EINVAL;
}

/* The rules of dhcp4_lease_fault() and result_lease(), which an agent of another version may not
 * have had. */
static bool address_sane(const struct address_result *r)
{
	struct dhcp_reply as = {
		.yiaddr = r->addr.v4, .prefix = r->prefix, .server_id = r->server_id.v4};
	struct dhcp4_fault ignored;

	if (r->prefix == 0 || r->prefix > 32 || r->server_id.family != AF_INET ||
		dhcp4_server_fault(&as, &ignored) || dhcp4_lease_fault(&as, &ignored))
		return false;
	for (size_t i = 0; i < r->n_routes; i++) {
		const struct address_route *a = &r->routes[i];
		const struct dhcp_route route = {
			.dst = a->dst.v4, .gateway = a->gateway.v4, .prefix = a->prefix};

		if (a->dst.family == AF_INET && lease_route(&as, &route) == LEASE_ROUTE_SUBNET)
			return false;
	}
	return !r->gateway.family ||
		(r->gateway.family == AF_INET && lease_router(&as, r->gateway.v4));
}

/* What no lease is without, and what else would be nonsense to the kernel. */
static bool lease_sane(const struct address_result *r, const struct link_hw *hw)
{
	bool sane = r->addr.family == AF_INET
			    ? address_sane(r) && !r->server_duid_len
			    : r->addr.family == AF_INET6 && r->prefix <= 128 &&
				      r->server_duid_len && dhcp6_leasable(&r->addr.v6);

	return sane && hw->len && r->client_id_len && r->obtained <= r->renew &&
		r->renew <= r->rebind &&
		r->rebind <= r->expires;
}

/* All or nothing: ret is written when every line was good and the whole makes sense. */
int lease_text_parse(const char *text, size_t len, struct address_result *ret,
	struct link_hw *ret_hw)
{
	struct reader rd = {.r.method = ADDRESS_DHCP4};
	bool first = true;

	while (len) {
		const char *end = memchr(text, '\n', len);
		size_t line = end ? (size_t)(end - text) : len;

		if (first ? line != strlen(HEAD) || memcmp(text, HEAD, line)
			  : take_line(&rd, text, line) < 0)
			return -EINVAL;
		first = false;
		line += end != NULL;
		text += line;
		len -= line;
	}
	if (!lease_sane(&rd.r, &rd.hw))
		return -EINVAL;
	*ret = rd.r;
	ret->method = rd.r.addr.family == AF_INET6 ? ADDRESS_DHCP6 : ADDRESS_DHCP4;
	*ret_hw = rd.hw;
	return 0;
}

/* --- files --------------------------------------------------------------------------------- */

#define NAME_SIZE 24

static const char *file_name(char buf[static NAME_SIZE], int family, int ifindex)
{
	snprintf(buf, NAME_SIZE, "%s.%d", family == AF_INET6 ? "lease6" : "lease", ifindex);
	return buf;
}

int lease_file_save(const struct env *env, const struct address_result *r, const struct link_hw *hw)
{
	char text[LEASE_FILE_MAX], name[NAME_SIZE];
	int len = lease_text_write(r, hw, text);

	return file_write(env, STATE_DIR, file_name(name, r->addr.family, r->ifindex), text,
		(size_t)len, 0600);
}

int lease_file_load(const struct env *env, int family, const struct netdev *dev,
	struct address_result *ret)
{
	char text[LEASE_FILE_MAX], name[NAME_SIZE];
	struct address_result r;
	struct hw_addr same = {0};
	struct link_hw hw;
	int len = env_read(env, text, sizeof(text), STATE_DIR "/%s",
		file_name(name, family, dev->ifindex));

	if (len < 0)
		return len;
	if (lease_text_parse(text, (size_t)len, &r, &hw) < 0 || r.addr.family != family ||
		hw.len > HW_ADDR_MAX)
		return -EINVAL;
	/* Of a 20-byte address only the port GUID must be the same: the QPN changes at every
	 * ifup. */
	same.len = hw.len;
	memcpy(same.bytes, hw.bytes, hw.len);
	if (!netdev_matches(dev, &same))
		return -EINVAL;
	r.ifindex = dev->ifindex;
	memcpy(r.ifname, dev->name, sizeof(r.ifname));
	*ret = r;
	return 0;
}

void lease_file_remove(const struct env *env, int family, int ifindex)
{
	char name[NAME_SIZE];

	file_remove(env, STATE_DIR, file_name(name, family, ifindex));
}
