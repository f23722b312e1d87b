// SPDX-License-Identifier: GPL-2.0-or-later
/* result_inet6: results of IPv6 rails; see result.h. */
#include "address/result.h"

static const char *const method_names[ADDRESS_METHOD_MAX] = {
	[ADDRESS_STATIC] = "static", [ADDRESS_DHCP4] = "dhcp",	[ADDRESS_LINK6] = "link6",
	[ADDRESS_AUTO6] = "auto6",   [ADDRESS_DHCP6] = "dhcp6", [ADDRESS_EITHER6] = "either6",
};

const char *address_method_name(enum address_method m)
{
	return (unsigned)m < ADDRESS_METHOD_MAX ? method_names[m] : "?";
}

static bool has(const struct inet_addr *list, size_t n, const struct inet_addr *a)
{
	for (size_t i = 0; i < n; i++)
		if (inet_equal(&list[i], a))
			return true;
	return false;
}

static void add_dns(struct address_result *r, const struct inet_addr *a)
{
	if (r->n_dns < ADDRESS_LIST_MAX && !has(r->dns, r->n_dns, a))
		r->dns[r->n_dns++] = *a;
}

/* Not the node itself: what answers on its own address is not what the name server's admin meant. */
static void add_raw_dns(struct address_result *r, const uint8_t bytes[static 16])
{
	struct inet_addr a = {.family = AF_INET6};

	memcpy(a.bytes, bytes, sizeof(a.bytes));
	if (!inet_equal(&a, &r->addr))
		add_dns(r, &a);
}

static void take_reply(struct address_result *r, const struct address_config *cfg, const struct dhcp6_reply *reply)
{
	for (uint32_t i = 0; i < reply->n_dns && !cfg->no_peerdns; i++)
		add_raw_dns(r, reply->dns[i]);
	for (uint32_t i = 0; i < reply->n_ntp; i++) {
		r->ntp[i].family = AF_INET6;
		memcpy(r->ntp[i].bytes, reply->ntp[i], sizeof(reply->ntp[i]));
		r->n_ntp = i + 1;
	}
	if (!cfg->no_peerdns)
		memcpy(r->search, reply->search, sizeof(r->search));
	memcpy(r->boot_file, reply->boot_file, sizeof(r->boot_file));
}

static void take_lease(struct address_result *r, const struct result_inet6 *from)
{
	const struct dhcp6_lease *l = from->lease;

	r->lease_s = l->reply.valid_s;
	r->obtained = l->obtained;
	r->renew = l->renew;
	r->rebind = l->rebind;
	r->expires = l->expires;
	memcpy(r->server_duid, l->reply.server.bytes, l->reply.server.len);
	r->server_duid_len = l->reply.server.len;
	if (from->client->len <= sizeof(r->client_id)) {
		memcpy(r->client_id, from->client->bytes, from->client->len);
		r->client_id_len = from->client->len;
	}
}

void result_inet6(struct address_result *ret, const struct address_config *cfg, const struct netdev *dev,
	const struct result_inet6 *from)
{
	result_begin(ret, cfg, dev);
	ret->method = from->method;
	ret->addr = from->addr;
	ret->prefix = from->prefix;
	ret->gateway = from->gateway;
	ret->probe = cfg->probe;
	result_add_plan_routes(ret, cfg);
	if (from->lease)
		take_reply(ret, cfg, &from->lease->reply);
	if (from->lease && from->method == ADDRESS_DHCP6)
		take_lease(ret, from);
	for (size_t i = 0; i < from->n_dns && !cfg->no_peerdns; i++)
		add_raw_dns(ret, from->dns[i].bytes);
	if (!*ret->search && from->search && !cfg->no_peerdns)
		strscpy(ret->search, from->search, sizeof(ret->search));
}
