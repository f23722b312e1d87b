// SPDX-License-Identifier: GPL-2.0-or-later

#include "handover/profile.h"

#include "bond.h"
#include "inet_text.h"

#include <net/if_arp.h>

#include "address/result.h"

enum profile_six profile_six(const struct profile_rail *rail)
{
	static const enum profile_six of[ADDRESS_METHOD_MAX] = {
		[ADDRESS_STATIC] = SIX_STATIC,
		[ADDRESS_DHCP4] = SIX_NONE,
		[ADDRESS_LINK6] = SIX_LINK,
		[ADDRESS_AUTO6] = SIX_AUTO,
		[ADDRESS_DHCP6] = SIX_DHCP,
		[ADDRESS_EITHER6] = SIX_AUTO,
	};
	const struct address_config *cfg = &rail->cfg;

	if (rail->six)
		return of[rail->six->method];
	if (cfg->second != ADDRESS_STATIC)
		return of[cfg->second];
	if (cfg->addr6.family)
		return SIX_STATIC;
	return cfg->method == ADDRESS_STATIC ? SIX_NONE : of[cfg->method];
}

bool profile_dhcp4(const struct profile_rail *rail)
{
	return rail->four ? rail->four->method == ADDRESS_DHCP4 : rail->cfg.method == ADDRESS_DHCP4;
}

bool profile_ipoib(const struct profile_rail *rail)
{
	return rail->dev.hwtype == ARPHRD_INFINIBAND;
}

bool profile_child(const struct profile_rail *rail)
{
	return *rail->parent;
}

static bool has_rail(const struct profile_rail *rails, size_t n_rails, const char *name)
{
	for (size_t i = 0; i < n_rails; i++)
		if (streq(rails[i].dev.name, name))
			return true;
	return false;
}

const char *profile_absent(const struct plan_link *link, const struct profile_rail *rails,
	size_t n_rails, size_t *at)
{
	if (link->kind == PLAN_LINK_VLAN || !profile_name_ok(link->name) ||
		!has_rail(rails, n_rails, link->name))
		return NULL;
	while (*at < link->n_lower) {
		const char *part = link->lower[(*at)++];

		if (profile_name_ok(part) && !has_rail(rails, n_rails, part))
			return part;
	}
	return NULL;
}

const char *profile_option(const struct plan_bond_option *o, char sep,
	char buf[static PROFILE_OPTION_MAX])
{
	char *to = buf;

	for (const char *at = o->text; *at && to < buf + PROFILE_OPTION_MAX - 1; at++)
		if (*at != '[' && *at != ']')
			*to++ = *at == ';' ? sep
				: *at == '-' && o->option->type == BOND_MAC ? ':' : *at;
	*to = 0;
	return buf;
}

bool profile_name_ok(const char *name)
{
	return *name && *name != '-' && !streq(name, ".") && !streq(name, "..") &&
		strlen(name) < IFNAMSIZ && !name[strspn(name, ALNUM "_.-")];
}

const char *profile_uuid(const struct profile_rail *rail, char buf[static PROFILE_UUID_TEXT])
{
	const struct link_hw *hw = &rail->dev.hw;
	/* Of IPoIB's 20 bytes only the GUID stays. */
	size_t n = hw->len > 8 ? 8 : hw->len;
	uint64_t h = fnv1a(FNV1A_BASIS, rail->dev.name, strlen(rail->dev.name));

	h = fnv1a(h, hw->bytes + hw->len - n, n);
	/* "initag" for the rest, version 8, the variant of RFC 9562. */
	snprintf(buf, PROFILE_UUID_TEXT, "696e6974-6167-8000-%04x-%012llx",
		(unsigned)(h >> 48 & 0x3fff) | 0x8000, (unsigned long long)h & 0xffffffffffff);
	return buf;
}

size_t profile_routes(const struct address_result *r,
	struct address_route ret[static PROFILE_ROUTES_MAX])
{
	size_t n = 0;

	for (; n < r->n_routes; n++)
		ret[n] = r->routes[n];
	if (r->gateway.family)
		ret[n++] = (struct address_route){.dst = {.family = r->gateway.family},
			.gateway = r->gateway};
	return n;
}

void profile_given(struct address_result *ret, const struct profile_rail *rail)
{
	const struct address_config *cfg = &rail->cfg;

	result_begin(ret, cfg, &rail->dev);
	/* Whether a gateway can be reached depends on the subnet. */
	if (rail->four) {
		ret->addr = rail->four->addr;
		ret->prefix = rail->four->prefix;
	}
	result_add_plan_routes(ret, cfg, NULL);
	if (!cfg->no_default_route)
		ret->gateway = cfg->gateway;
}

uint32_t profile_mtu(const struct profile_rail *rail)
{
	bool asked = rail->cfg.mtu || (rail->four && rail->four->mtu) ||
		(rail->six && rail->six->mtu) || (rail->made && rail->made->mtu);

	return asked ? rail->dev.mtu : 0;
}

int profile_begin(struct file_stream *f)
{
	int r = file_begin(f);

	if (r >= 0)
		fputs("# Written by initagent for this boot; see handover.md of its "
		      "documentation.\n",
			f->out);
	return r;
}

int profile_file(const struct profile_set *set, const struct profile_rail *rail,
	const struct profile_file *file)
{
	struct file_stream f;
	char name[96];
	int r = profile_begin(&f);

	if (r < 0)
		return r;
	file->put(f.out, set, rail);
	snprintf(name, sizeof(name), "%s%s%s", file->before, rail->dev.name, file->behind);
	return file_end(&f, set->env, file->dir, name, file->mode ? file->mode : 0644);
}

int profile_write(const struct profile_set *set, const char *dir, const char *name,
	const char *text)
{
	struct file_stream f;
	int r = profile_begin(&f);

	if (r < 0)
		return r;
	fputs(text, f.out);
	return file_end(&f, set->env, dir, name, 0644);
}

const char *profile_domains(const struct address_result *r)
{
	const char *domains = *r->search ? r->search : r->domain;

	return text_valid(TEXT_SEARCH, domains) ? domains : "";
}

struct inet_addr profile_netmask(unsigned prefix)
{
	struct inet_addr mask = {.family = AF_INET};

	mask.v4.s_addr = htonl(prefix ? UINT32_MAX << (32 - prefix) : 0);
	return mask;
}

void profile_addresses(FILE *out, const char *key, const struct inet_addr *list, size_t n,
	const char *between, const char *end)
{
	char text[INET_ADDR_TEXT];

	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s%s", i ? between : key, inet_text(&list[i], text));
	fputs(n ? end : "", out);
}
