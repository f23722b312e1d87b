// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * networkmanager: a keyfile for each rail, and the device state by which a NetworkManager that
 * starts takes the interface over with that profile as it is. Without the state it would activate
 * the profile again, and an IPoIB interface is taken down for that.
 */
#include "address/duid.h"
#include "bond.h"
#include "inet_text.h"
#include "handover/profile.h"
#include "base/hex.h"

#define DEVICES_DIR "/run/NetworkManager/devices"

/* Of a virtual interface NetworkManager insists on a name made of the parent's. */
static bool is_partition(const struct profile_rail *rail)
{
	char name[IFNAMSIZ + 8];

	if (!profile_child(rail))
		return false;
	snprintf(name, sizeof(name), "%s.%04x", rail->parent, netdev_pkey(&rail->dev));
	return streq(name, rail->dev.name);
}

static void put_connection(FILE *out, const struct profile_rail *rail)
{
	char uuid[PROFILE_UUID_TEXT];

	/* Above every profile of the real root for this interface, which carries the root; below
	 * them where it has nothing yet. */
	fprintf(out,
		"[connection]\nid=initagent-%s\nuuid=%s\ntype=%s\ninterface-name=%s\n"
		"autoconnect-priority=%d\nautoconnect-retries=0\n",
		rail->dev.name, profile_uuid(rail, uuid),
			rail->made ? rail->dev.kind
			: profile_ipoib(rail) ? "infiniband" : "ethernet", rail->dev.name,
			rail->awaited ? -100 : 999);
	if (*rail->master)
		fprintf(out, "master=%s\nslave-type=%s\n", rail->master, rail->master_kind);
}

/* The options that NetworkManager 1.42 knows. */
#define OPTIONS_KNOWN 28

static const struct plan_bond_option *find_option(const struct plan_link *made,
	unsigned int attribute)
{
	for (size_t i = 0; i < made->n_options; i++)
		if (made->options[i].option->attribute == attribute)
			return &made->options[i];
	return NULL;
}

/*
 * For an option that it does not know, and for one of two without the other, it would refuse the
 * whole profile (its nm-setting-bond.c); the bond, which is there, has them all.
 */
static bool is_taken(const struct plan_link *made, const struct plan_bond_option *o)
{
	const struct plan_bond_option *mii = find_option(made, BOND_MIIMON);
	const struct plan_bond_option *arp = find_option(made, BOND_INTERVAL);

	if (o->option->attribute >= OPTIONS_KNOWN)
		return false;
	if (o->option->attribute == BOND_INTERVAL || o->option->monitor == BOND_ARP)
		return arp && arp->number && find_option(made, BOND_TARGET);
	if (o->option->monitor == BOND_MII)
		return mii && mii->number;
	/* num_grat_arp and num_unsol_na are one option of the kernel's */
	return find_option(made, o->option->attribute) == o;
}

static void put_made(FILE *out, const struct plan_link *made)
{
	char text[PROFILE_OPTION_MAX];

	fprintf(out, "\n[%s]\n", plan_link_kind_name(made->kind));
	if (made->kind == PLAN_LINK_VLAN)
		fprintf(out, "id=%u\nparent=%s\n", made->vlan_id, made->lower[0]);
	if (made->kind == PLAN_LINK_BRIDGE)
		fputs("stp=false\n", out);
	for (size_t i = 0; i < made->n_options; i++)
		if (is_taken(made, &made->options[i]))
			fprintf(out, "%s=%s\n", made->options[i].option->name,
				profile_option(&made->options[i], ',', text));
}

static void put_link(FILE *out, const struct profile_rail *rail)
{
	if (rail->made)
		put_made(out, rail->made);
	if (profile_ipoib(rail) && !rail->made)
		fprintf(out, "\n[infiniband]\ntransport-mode=%s\n",
			rail->connected ? "connected" : "datagram");
	else
		fputs("\n[ethernet]\ncloned-mac-address=preserve\n", out);
	if (is_partition(rail))
		fprintf(out, "p-key=%u\nparent=%s\n", netdev_pkey(&rail->dev), rail->parent);
	if (profile_mtu(rail))
		fprintf(out, "mtu=%u\n", profile_mtu(rail));
}

static void put_address(FILE *out, const struct address_result *r)
{
	char text[INET_ADDR_TEXT];

	fprintf(out, "address1=%s/%u\n", inet_text(&r->addr, text), r->prefix);
}

/* Addresses and routes of one family. */
static void put_fixed(FILE *out, const struct address_result *r, bool address, uint32_t metric)
{
	struct address_route routes[PROFILE_ROUTES_MAX];
	size_t n = profile_routes(r, routes), k = 0;
	char text[INET_ADDR_TEXT];

	if (address)
		put_address(out, r);
	/* There are no point-to-point addresses in a keyfile. */
	if (address && r->peer.family)
		fprintf(out, "route%zu=%s/%zu\n", ++k, inet_text(&r->peer, text),
			8 * inet_addr_len(r->peer.family));
	for (size_t i = 0; i < n; i++) {
		const char *none = routes[i].dst.family == AF_INET6 ? "::" : "0.0.0.0";

		fprintf(out, "route%zu=%s/%u", ++k, inet_text(&routes[i].dst, text),
			routes[i].prefix);
		fprintf(out, ",%s", routes[i].gateway.family ? inet_text(&routes[i].gateway, text) :
			none);
		if (metric)
			fprintf(out, ",%u", metric);
		fputc('\n', out);
	}
}

static void put_names(FILE *out, const struct address_result *r, int family)
{
	const char *domains = profile_domains(r);
	char text[INET_ADDR_TEXT];
	bool any = false;

	for (size_t i = 0; i < r->n_dns; i++) {
		if (r->dns[i].family != family)
			continue;
		fprintf(out, "%s%s;", any ? "" : "dns=", inet_text(&r->dns[i], text));
		any = true;
	}
	fputs(any ? "\n" : "", out);
	if (!*domains)
		return;
	fputs("dns-search=", out);
	for (const char *c = domains; *c; c++)
		fputc(*c == ' ' ? ';' : *c, out);
	fputs(";\n", out);
}

/* The metric also if it is 0: otherwise our routes would stay beside NetworkManager's, and before
 * them. */
static void put_common(FILE *out, const struct address_config *cfg, bool metric, bool no_default)
{
	if (metric)
		fprintf(out, "route-metric=%u\n", cfg->metric);
	if (no_default)
		fputs("never-default=true\n", out);
	if (cfg->no_peerdns)
		fputs("ignore-auto-dns=true\n", out);
}

static void put_dhcp4(FILE *out, const struct profile_rail *rail)
{
	const struct address_config *cfg = &rail->cfg;
	const struct address_result *r = rail->four;
	char text[3 * ADDRESS_CLIENT_ID_MAX + 1];
	bool address = r && rail->carries_root;
	struct address_result given;

	fputs("method=auto\n", out);
	if (r && r->client_id_len)
		fprintf(out, "dhcp-client-id=%s\n",
			hex_text(text, sizeof(text), r->client_id, r->client_id_len, ":"));
	/* A server that is away must not cost the connection. */
	fputs(rail->awaited ? "" : "dhcp-timeout=2147483647\n", out);
	if (cfg->hostname && text_valid(TEXT_HOSTNAME, cfg->hostname))
		fprintf(out, "dhcp-hostname=%s\n", cfg->hostname);
	/* It removes a leased address when the lease ends without an answer. From then on it waits
	 * for its own root, and asks no more. */
	if (address)
		put_address(out, r);
	profile_given(&given, rail);
	/* As a route the gateway would stand beside the lease's; without an address there may be no
	 * other form. */
	if (address && given.gateway.family) {
		fprintf(out, "gateway=%s\n", inet_text(&given.gateway, text));
		given.gateway.family = 0;
	}
	put_fixed(out, &given, false, cfg->metric);
	put_names(out, &given, AF_INET);
	put_common(out, cfg, true, cfg->no_default_route || given.gateway.family);
}

static void put_four(FILE *out, const struct profile_rail *rail)
{
	fputs("\n[ipv4]\n", out);
	if (profile_dhcp4(rail)) {
		put_dhcp4(out, rail);
		return;
	}
	if (!rail->four) {
		fputs("method=disabled\n", out);
		return;
	}
	fputs("method=manual\n", out);
	put_fixed(out, rail->four, true, rail->cfg.metric);
	put_names(out, rail->four, AF_INET);
	put_common(out, &rail->cfg, true, rail->cfg.no_default_route);
}

static void put_six(FILE *out, const struct profile_rail *rail)
{
	/* Nothing requested: NetworkManager's default; the interface keeps what it has. */
	static const char *const methods[] = {
		[SIX_NONE] = "auto", [SIX_STATIC] = "manual", [SIX_LINK] = "link-local",
			[SIX_AUTO] = "auto", [SIX_DHCP] = "dhcp",
	};
	enum profile_six six = profile_six(rail);
	const struct address_result *r = rail->six;
	char text[3 * ADDRESS_CLIENT_ID_MAX + 1];
	struct address_result given;

	/* EUI-64 is how the kernel has made the addresses that are there. */
	fprintf(out, "\n[ipv6]\nmethod=%s\naddr-gen-mode=eui64\n",
		six == SIX_STATIC && !r ? "auto" : methods[six]);
	if (six == SIX_STATIC && r)
		put_fixed(out, r, true, rail->cfg.metric);
	if (six == SIX_DHCP && r && r->client_id_len)
		fprintf(out, "dhcp-duid=%s\ndhcp-iaid=%u\n",
			hex_text(text, sizeof(text), r->client_id, r->client_id_len, ":"),
			duid_iaid(&rail->dev));
	if (!rail->awaited && (six == SIX_DHCP || six == SIX_AUTO))
		fputs("dhcp-timeout=2147483647\nra-timeout=2147483647\n", out);
	profile_given(&given, rail);
	/* Beside method=link-local it would refuse the whole profile for them. */
	if (six != SIX_LINK)
		put_names(out, six == SIX_STATIC && r ? r : &given, AF_INET6);
	put_common(out, &rail->cfg, rail->cfg.metric != 0, rail->cfg.no_default_route);
}

static int write_state(const struct profile_set *set, int ifindex, const char *uuid)
{
	char name[16], text[64 + PROFILE_UUID_TEXT] = "[device]\nmanaged=false\n";

	if (uuid)
		snprintf(text, sizeof(text), "[device]\nmanaged=true\nconnection-uuid=%s\n", uuid);
	snprintf(name, sizeof(name), "%d", ifindex);
	return profile_write(set, DEVICES_DIR, name, text);
}

/* Is the parent a rail itself? Then it has a profile of its own. */
static bool parent_is_rail(const struct profile_set *set, const struct profile_rail *rail)
{
	for (size_t i = 0; i < set->n_rails; i++)
		if (set->rails[i].dev.ifindex == rail->parent_ifindex)
			return true;
	return false;
}

static void put_keyfile(FILE *out, const struct profile_set *set, const struct profile_rail *rail)
{
	(void)set;
	put_connection(out, rail);
	put_link(out, rail);
	if (rail->part && !*rail->master)
		fputs("\n[ipv4]\nmethod=disabled\n\n[ipv6]\nmethod=disabled\n", out);
	if (rail->part)
		return;
	put_four(out, rail);
	put_six(out, rail);
}

int networkmanager_write(const struct profile_set *set, const struct profile_rail *rail)
{
	static const struct profile_file file = {NETWORKMANAGER_DIR, NETWORKMANAGER_BEFORE,
		NETWORKMANAGER_BEHIND, put_keyfile, 0600};
	char uuid[PROFILE_UUID_TEXT];
	int r = profile_file(set, rail, &file);

	if (r >= 0 && !rail->awaited)
		r = write_state(set, rail->dev.ifindex, profile_uuid(rail, uuid));
	/* With the parent the kernel takes its partitions down. */
	if (r >= 0 && profile_child(rail) && rail->parent_ifindex > 0 && !parent_is_rail(set, rail))
		r = write_state(set, rail->parent_ifindex, NULL);
	return r;
}
