// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ifcfg: files in the form of RHEL's initscripts, where dracut leaves them and import-state.service
 * (RHEL 8; before, rhel-import-state.service) finds them. The initscripts run them as shell text:
 * only numbers, addresses, interface names and checked domains are written, each in double quotes.
 */
#include "bond.h"
#include "handover/profile.h"
#include "base/hex.h"

#define IFCFG_DIR  "/run/initramfs/state/etc/sysconfig/network-scripts"
#define DHCP_DIR   "/run/initramfs/state/etc/dhcp"
#define LEASES_DIR "/run/initramfs/state/var/lib/dhclient"

static void put_made(FILE *out, const struct plan_link *made)
{
	char text[PROFILE_OPTION_MAX];

	if (made->kind == PLAN_LINK_VLAN)
		fprintf(out, "VLAN=\"yes\"\nPHYSDEV=\"%s\"\nVLAN_ID=\"%u\"\n", made->lower[0],
			made->vlan_id);
	if (made->kind == PLAN_LINK_BRIDGE)
		fputs("STP=\"no\"\nDELAY=\"0\"\n", out);
	if (made->kind != PLAN_LINK_BOND)
		return;
	fputs("BONDING_MASTER=\"yes\"\nBONDING_OPTS=\"", out);
	for (size_t i = 0; i < made->n_options; i++)
		fprintf(out, "%s%s=%s", i ? " " : "", made->options[i].option->name,
			profile_option(&made->options[i], ',', text));
	fputs("\"\n", out);
}

static void put_link(FILE *out, const struct profile_rail *rail)
{
	static const char *const kinds[] = {[PLAN_LINK_VLAN] = "Vlan", [PLAN_LINK_BOND] = "Bond",
		[PLAN_LINK_BRIDGE] = "Bridge"};
	char uuid[PROFILE_UUID_TEXT];

	fprintf(out,
		"NAME=\"initagent-%s\"\nDEVICE=\"%s\"\nUUID=\"%s\"\nONBOOT=\"yes\"\n"
		"NETBOOT=\"yes\"\nTYPE=\"%s\"\n",
		rail->dev.name, rail->dev.name, profile_uuid(rail, uuid),
		rail->made ? kinds[rail->made->kind]
		: profile_ipoib(rail) ? "InfiniBand" : "Ethernet");
	if (rail->made)
		put_made(out, rail->made);
	if (*rail->master && streq(rail->master_kind, "bridge"))
		fprintf(out, "BRIDGE=\"%s\"\n", rail->master);
	else if (*rail->master)
		fprintf(out, "MASTER=\"%s\"\nSLAVE=\"yes\"\n", rail->master);
	if (profile_ipoib(rail) && !rail->made)
		fprintf(out, "CONNECTED_MODE=\"%s\"\n", rail->connected ? "yes" : "no");
	if (profile_child(rail))
		fprintf(out, "PKEY=\"yes\"\nPKEY_ID=\"0x%04x\"\nPHYSDEV=\"%s\"\n",
			netdev_pkey(&rail->dev), rail->parent);
	if (profile_mtu(rail))
		fprintf(out, "MTU=\"%u\"\n", profile_mtu(rail));
}

/* With DHCP only what the command line gives: the rest comes with the lease. */
static void put_names(FILE *out, const struct profile_rail *rail)
{
	const struct address_result *r = rail->four ? rail->four : rail->six;
	bool dhcp = !r || profile_dhcp4(rail);
	size_t n = dhcp ? rail->cfg.n_nameservers : r->n_dns;
	const struct inet_addr *dns = dhcp ? rail->cfg.nameservers : r->dns;
	const char *domains = dhcp ? "" : profile_domains(r);
	char text[INET_ADDR_TEXT];

	for (size_t i = 0; i < n; i++)
		fprintf(out, "DNS%zu=\"%s\"\n", i + 1, inet_text(&dns[i], text));
	if (*domains)
		fprintf(out, "DOMAIN=\"%s\"\n", domains);
}

static void put_four(FILE *out, const struct profile_rail *rail)
{
	const struct address_result *r = rail->four;
	char text[INET_ADDR_TEXT], id[3 * ADDRESS_CLIENT_ID_MAX + 1];
	struct address_result given;

	fprintf(out, "BOOTPROTO=\"%s\"\n", profile_dhcp4(rail) ? "dhcp" : "none");
	if (profile_dhcp4(rail)) {
		/* Goes on asking, and keeps the address when no server answers. */
		fputs("PERSISTENT_DHCLIENT=\"yes\"\n", out);
		if (r && r->client_id_len)
			fprintf(out, "DHCP_CLIENT_ID=\"%s\"\n",
				hex_text(id, sizeof(id), r->client_id, r->client_id_len, ":"));
		/* instead of the lease's, as dhclient-script has it */
		profile_given(&given, rail);
		profile_addresses(out, "GATEWAY=\"", &given.gateway,
			given.gateway.family == AF_INET, "", "\"\n");
	} else if (r) {
		fprintf(out, "IPADDR=\"%s\"\nPREFIX=\"%u\"\n", inet_text(&r->addr, text),
			r->prefix);
		if (r->gateway.family)
			fprintf(out, "GATEWAY=\"%s\"\n", inet_text(&r->gateway, text));
	}
	if (rail->cfg.no_default_route)
		fputs("DEFROUTE=\"no\"\nIPV6_DEFROUTE=\"no\"\n", out);
	if (rail->cfg.no_peerdns)
		fputs("PEERDNS=\"no\"\nIPV6_PEERDNS=\"no\"\n", out);
}

static void put_six(FILE *out, const struct profile_rail *rail)
{
	static const char *const lines[] = {
		[SIX_NONE] = "",
		[SIX_STATIC] = "IPV6INIT=\"yes\"\nIPV6_AUTOCONF=\"no\"\n",
		[SIX_LINK] = "IPV6INIT=\"yes\"\nIPV6_AUTOCONF=\"no\"\n",
		[SIX_AUTO] = "IPV6INIT=\"yes\"\nIPV6_AUTOCONF=\"yes\"\n",
		[SIX_DHCP] = "IPV6INIT=\"yes\"\nDHCPV6C=\"yes\"\n",
	};
	const struct address_result *r = rail->six;
	char text[INET_ADDR_TEXT];

	fputs(lines[profile_six(rail)], out);
	if (profile_six(rail) != SIX_STATIC || !r)
		return;
	fprintf(out, "IPV6ADDR=\"%s/%u\"\n", inet_text(&r->addr, text), r->prefix);
	if (r->gateway.family)
		fprintf(out, "IPV6_DEFAULTGW=\"%s\"\n", inet_text(&r->gateway, text));
}

/* route-IF and route6-IF: arguments of "ip route add", one route a line. */
static int write_routes(const struct profile_set *set, const struct profile_rail *rail,
	const char *file, const struct address_result *r)
{
	char dst[INET_ADDR_TEXT], gateway[INET_ADDR_TEXT], name[32];
	struct file_stream f;
	int e;

	if (!r->n_routes)
		return 0;
	e = profile_begin(&f);
	if (e < 0)
		return e;
	for (size_t i = 0; i < r->n_routes; i++) {
		const struct address_route *a = &r->routes[i];

		fprintf(f.out, "%s/%u%s%s dev %s\n", inet_text(&a->dst, dst), a->prefix,
			a->gateway.family ? " via " : "",
			inet_text(&a->gateway, gateway), rail->dev.name);
	}
	snprintf(name, sizeof(name), "%s-%s", file, rail->dev.name);
	return file_end(&f, set->env, IFCFG_DIR, name, 0644);
}

static int write_all_routes(const struct profile_set *set, const struct profile_rail *rail)
{
	struct address_result given;
	int r = 0;

	profile_given(&given, rail);
	if (profile_dhcp4(rail))
		r = write_routes(set, rail, "route", &given);
	else if (rail->four)
		r = write_routes(set, rail, "route", rail->four);
	if (r >= 0 && rail->six && profile_six(rail) == SIX_STATIC)
		r = write_routes(set, rail, "route6", rail->six);
	return r;
}

/* The client of the initscripts: the lease is under the name ifup gives the file. */
static int write_dhclient(const struct profile_set *set, const struct profile_rail *rail)
{
	char before[64], uuid[PROFILE_UUID_TEXT];

	snprintf(before, sizeof(before), "dhclient-%s-", profile_uuid(rail, uuid));
	return dhclient_write(set, rail,
		(struct profile_file){DHCP_DIR, "dhclient-", ".conf", NULL, 0},
		(struct profile_file){LEASES_DIR, before, ".lease", NULL, 0});
}

static void put_ifcfg(FILE *out, const struct profile_set *set, const struct profile_rail *rail)
{
	(void)set;
	put_link(out, rail);
	put_four(out, rail);
	put_six(out, rail);
	put_names(out, rail);
}

int ifcfg_write(const struct profile_set *set, const struct profile_rail *rail)
{
	static const struct profile_file file = {IFCFG_DIR, "ifcfg-", "", put_ifcfg, 0};
	int r = profile_file(set, rail, &file);

	if (r >= 0)
		r = write_all_routes(set, rail);
	if (r >= 0 && rail->four && profile_dhcp4(rail))
		r = write_dhclient(set, rail);
	return r;
}
