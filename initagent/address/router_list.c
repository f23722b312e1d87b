// SPDX-License-Identifier: GPL-2.0-or-later

#include "address/router_list.h"

#include "resolver/name.h"

static bool same_value(const struct router_entry *e, const void *value, size_t len)
{
	return e->len == len && !memcmp(e->value, value, len);
}

/* The order is that of arrival: it decides which entries the few places of resolv.conf go to. */
static void remove_entry(struct router_list *l, size_t i)
{
	l->n--;
	memmove(&l->entries[i], &l->entries[i + 1], (l->n - i) * sizeof(l->entries[0]));
}

static size_t find_entry(const struct router_list *l, const uint8_t router[static 16],
	const void *value, size_t len)
{
	size_t i = 0;

	while (i < l->n &&
		!(same_value(&l->entries[i], value, len) &&
		!memcmp(l->entries[i].router, router, 16)))
		i++;
	return i;
}

static size_t count_entries(const struct router_list *l, const uint8_t router[static 16])
{
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++)
		n += !memcmp(l->entries[i].router, router, 16);
	return n;
}

void router_list_put(struct router_list *l, const uint8_t router[static 16], const void *value,
	size_t len, uint32_t lifetime_s, uint64_t now)
{
	size_t i = find_entry(l, router, value, len);
	struct router_entry *e = &l->entries[i];

	if (i == l->n && (lifetime_s == 0 || len > sizeof(e->value) || l->n == ROUTER_ENTRIES_MAX ||
			count_entries(l, router) == ROUTER_ENTRIES_EACH))
		return;
	if (lifetime_s == 0) {
		remove_entry(l, i);
		return;
	}
	if (i == l->n) {
		l->n++;
		memcpy(e->router, router, 16);
		memcpy(e->value, value, len);
		e->len = (uint8_t)len;
	}
	e->expires = lifetime_s == UINT32_MAX ? NSEC_NEVER : now + lifetime_s * NSEC_PER_SEC;
}

bool router_list_expire(struct router_list *l, uint64_t now)
{
	size_t before = l->n;

	for (size_t i = l->n; i-- > 0;)
		if (now >= l->entries[i].expires)
			remove_entry(l, i);
	return l->n != before;
}

uint64_t router_list_deadline(const struct router_list *l)
{
	uint64_t at = NSEC_NEVER;

	for (size_t i = 0; i < l->n; i++)
		at = min_u64(at, l->entries[i].expires);
	return at;
}

/* Two routers may announce the same. */
static bool is_first(const struct router_list *l, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (same_value(&l->entries[k], l->entries[i].value, l->entries[i].len))
			return false;
	return true;
}

size_t router_list_servers(const struct router_list *l,
	struct inet_addr ret[static ADDRESS_LIST_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < l->n && n < ADDRESS_LIST_MAX; i++)
		if (l->entries[i].len == 16 && is_first(l, i)) {
			ret[n] = (struct inet_addr){.family = AF_INET6};
			memcpy(ret[n++].bytes, l->entries[i].value, 16);
		}
	return n;
}

void router_list_domains(const struct router_list *l, char ret[static ADDRESS_SEARCH_MAX + 1])
{
	*ret = 0;
	for (size_t i = 0; i < l->n; i++)
		if (is_first(l, i))
			name_append(ret, (const char *)l->entries[i].value, l->entries[i].len);
}
