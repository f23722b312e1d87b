// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * klibc: /run/net-IF.conf as klibc's ipconfig leaves it in an initramfs of initramfs-tools, and
 * net6-IF.conf as Ubuntu's DHCPv6 client does there; the scripts of other packages and the real
 * root's cloud-init read them. Scripts source them: every value is in single quotes, as ipconfig's
 * write_option() has it, and is text of its own kind (inet_text.h) besides.
 */
#include "inet_text.h"
#include "handover/profile.h"

static void put(FILE *out, const char *key, const char *value)
{
	fprintf(out, "%s='", key);
	for (; *value; value++)
		fprintf(out, *value == '\'' || *value == '!' ? "'\\%c'" : "%c", *value);
	fputs("'\n", out);
}

static void put_text(FILE *out, const char *key, enum text_kind kind, const char *value)
{
	put(out, key, text_valid(kind, value) ? value : "");
}

static void put_number(FILE *out, const char *key, uint64_t value)
{
	fprintf(out, "%s='%llu'\n", key, (unsigned long long)value);
}

static void put_address(FILE *out, const char *key, const struct inet_addr *a)
{
	char text[INET_ADDR_TEXT];

	put(out, key, a->family ? inet_text(a, text) : "0.0.0.0");
}

/* The first two of a family; ipconfig has two lines whatever there is. */
static void put_dns(FILE *out, const char *key, int family, const struct address_result *r)
{
	static const struct inet_addr none = {0};
	char name[16];
	unsigned k = 0;

	for (size_t i = 0; i < r->n_dns && k < 2; i++) {
		if (r->dns[i].family != family)
			continue;
		snprintf(name, sizeof(name), "%s%u", key, k++);
		put_address(out, name, &r->dns[i]);
	}
	for (; family == AF_INET && k < 2; k++) {
		snprintf(name, sizeof(name), "%s%u", key, k);
		put_address(out, name, &none);
	}
}

/*
 * Where there are routes ipconfig leaves the gateway out, but most readers know nothing else. Where
 * there is none it writes 0.0.0.0, of which cloud-init and cloud-initramfs-dyn-netconf make a
 * default route; open-iscsi's script has the empty string.
 */
static void put_routes(FILE *out, const struct address_result *r)
{
	struct address_route routes[PROFILE_ROUTES_MAX];
	size_t n = r->n_routes ? profile_routes(r, routes) : 0;
	char key[40], value[INET_ADDR_TEXT + 4], text[INET_ADDR_TEXT];

	for (size_t i = 0; i < n; i++) {
		snprintf(key, sizeof(key), "IPV4ROUTE%zuSUBNET", i);
		snprintf(value, sizeof(value), "%s/%u", inet_text(&routes[i].dst, text),
			routes[i].prefix);
		put(out, key, value);
		snprintf(key, sizeof(key), "IPV4ROUTE%zuGATEWAY", i);
		put_address(out, key, &routes[i].gateway);
	}
	put(out, "IPV4GATEWAY", r->gateway.family ? inet_text(&r->gateway, text) : "");
}

static void put_subnet(FILE *out, const struct address_result *r)
{
	const struct inet_addr mask = profile_netmask(r->prefix);
	struct inet_addr all = {.family = AF_INET};

	all.v4.s_addr = r->addr.v4.s_addr | ~mask.v4.s_addr;
	put_address(out, "IPV4ADDR", &r->addr);
	put_address(out, "IPV4BROADCAST", r->broadcast.family ? &r->broadcast : &all);
	put_address(out, "IPV4NETMASK", &mask);
}

static void put_four(FILE *out, const struct profile_set *set, const struct profile_rail *rail)
{
	const struct address_result *r = rail->four;

	put(out, "DEVICE", rail->dev.name);
	put(out, "PROTO", r->method == ADDRESS_DHCP4 ? "dhcp" : "none");
	put_subnet(out, r);
	put_routes(out, r);
	put_dns(out, "IPV4DNS", AF_INET, r);
	put_text(out, "HOSTNAME", TEXT_HOSTNAME, r->hostname);
	put_text(out, "DNSDOMAIN", TEXT_DOMAIN, r->domain);
	put(out, "NISDOMAIN", "");
	put_address(out, "ROOTSERVER", r->next_server.family ? &r->next_server : &r->server_id);
	put_text(out, "ROOTPATH", TEXT_BOOT, r->root_path);
	put_text(out, "filename", TEXT_BOOT, r->boot_file);
	put_number(out, "UPTIME", (r->obtained ? r->obtained : set->now) / NSEC_PER_SEC);
	put_number(out, "DHCPLEASETIME", r->lease_s);
	put_text(out, "DOMAINSEARCH", TEXT_SEARCH, r->search);
}

/* cloud-init knows none, dhcp and dhcp6; its "dhcp6" listens to routers, too. Sourced after the
 * other file, it must not make that one's names empty. */
static void put_six(FILE *out, const struct profile_set *set, const struct profile_rail *rail)
{
	const struct address_result *r = rail->six;

	(void)set;
	put(out, "DEVICE6", rail->dev.name);
	put(out, "IPV6PROTO", r->method == ADDRESS_STATIC ? "none" : "dhcp6");
	put_address(out, "IPV6ADDR", &r->addr);
	put_number(out, "IPV6NETMASK", r->prefix);
	if (r->gateway.family)
		put_address(out, "IPV6GATEWAY", &r->gateway);
	put_dns(out, "IPV6DNS", AF_INET6, r);
	put_text(out, "IPV6DOMAINSEARCH", TEXT_SEARCH, r->search);
	if (*r->hostname)
		put_text(out, "HOSTNAME", TEXT_HOSTNAME, r->hostname);
	if (*r->domain)
		put_text(out, "DNSDOMAIN", TEXT_DOMAIN, r->domain);
}

int klibc_write(const struct profile_set *set, const struct profile_rail *rail)
{
	static const struct profile_file four = {"/run", "net-", ".conf", put_four, 0},
		six = {"/run", "net6-", ".conf", put_six, 0};
	int r = profile_name_ok(rail->dev.name) ? 0 : -EINVAL;

	if (r >= 0 && rail->four)
		r = profile_file(set, rail, &four);
	/* a link-local address is no configuration */
	if (r >= 0 && rail->six && rail->six->method != ADDRESS_LINK6)
		r = profile_file(set, rail, &six);
	return r;
}
