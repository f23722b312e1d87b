// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dhclient: what ISC dhclient needs to go on with a lease of ours: the same client identifier, and
 * the lease itself, so that it asks for the address it finds (INIT-REBOOT, RFC 2131 section 4.4.2).
 * Ethernet only: it knows no InfiniBand.
 */
#include "inet_text.h"
#include "handover/profile.h"
#include "base/hex.h"

static void put_conf(FILE *out, const struct profile_set *set, const struct profile_rail *rail)
{
	const struct address_config *cfg = &rail->cfg;
	const struct address_result *r = rail->four;
	char text[3 * ADDRESS_CLIENT_ID_MAX + 1];

	(void)set;
	fputs("option rfc3442-classless-static-routes code 121 = array of unsigned integer 8;\n",
		out);
	if (r && r->client_id_len)
		fprintf(out, "send dhcp-client-identifier %s;\n",
			hex_text(text, sizeof(text), r->client_id, r->client_id_len, ":"));
	if (cfg->hostname && text_valid(TEXT_HOSTNAME, cfg->hostname))
		fprintf(out, "send host-name \"%s\";\n", cfg->hostname);
	profile_addresses(out, "supersede routers ", &cfg->gateway,
		cfg->gateway.family == AF_INET && !cfg->no_default_route, "", ";\n");
	fprintf(out,
		"request subnet-mask, broadcast-address, %shost-name, interface-mtu, "
		"ntp-servers%s;\n",
		cfg->no_default_route ? "" : "rfc3442-classless-static-routes, routers, ",
		cfg->no_peerdns ? "" : ", domain-name, domain-name-servers, domain-search");
}

static void put_time(FILE *out, const char *key, const struct profile_set *set, uint64_t at)
{
	if (at == NSEC_NEVER)
		fprintf(out, "  %s never;\n", key);
	else
		fprintf(out, "  %s epoch %lld;\n", key,
			(long long)address_wall(at, set->now, set->wall));
}

static void put_lease(FILE *out, const struct profile_set *set, const struct profile_rail *rail)
{
	const struct address_result *r = rail->four;
	const struct inet_addr mask = profile_netmask(r->prefix);
	char text[INET_ADDR_TEXT];

	fprintf(out, "lease {\n  interface \"%s\";\n  fixed-address %s;\n", rail->dev.name,
		inet_text(&r->addr, text));
	fprintf(out, "  option subnet-mask %s;\n", inet_text(&mask, text));
	profile_addresses(out, "  option routers ", &r->gateway, r->gateway.family == AF_INET, "",
		";\n");
	profile_addresses(out, "  option domain-name-servers ", r->dns, r->n_dns, ", ", ";\n");
	if (text_valid(TEXT_DOMAIN, r->domain))
		fprintf(out, "  option domain-name \"%s\";\n", r->domain);
	fprintf(out, "  option dhcp-lease-time %u;\n  option dhcp-message-type 5;\n", r->lease_s);
	profile_addresses(out, "  option dhcp-server-identifier ", &r->server_id,
		r->server_id.family == AF_INET, "", ";\n");
	put_time(out, "renew", set, r->renew);
	put_time(out, "rebind", set, r->rebind);
	put_time(out, "expire", set, r->expires);
	fputs("}\n", out);
}

int dhclient_write(const struct profile_set *set, const struct profile_rail *rail,
	struct profile_file conf, struct profile_file lease)
{
	int r;

	conf.put = put_conf;
	lease.put = put_lease;
	r = profile_file(set, rail, &conf);
	return r < 0 ? r : profile_file(set, rail, &lease);
}
