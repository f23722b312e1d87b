// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * networkd: .network and .link files for systemd-networkd. Nothing in them makes networkd touch the
 * link itself: no [IPoIB] section (to set the mode it takes the interface down), the MTU only as it
 * is, no carrier loss acted on.
 */
#include "address/duid.h"
#include "address/result.h"
#include "bond.h"
#include "inet_text.h"
#include "handover/root_facts.h"
#include "base/hex.h"
#include "base/sysmount.h"

#define NETWORK_DIR "/run/systemd/network"

/* From this version on networkd sends a DUID of any type and length (DUIDType= takes a number). */
#define FREE_DUID_VERSION 255

/* --- the version of the real root's systemd ------------------------------------------------- */

/* Each release has its own private library, whose name holds the version. */
unsigned networkd_version(const char *sysroot)
{
	static const char *const dirs[] = {"/usr/lib/systemd", "/usr/lib64/systemd", "/lib/systemd",
		"/usr/lib/x86_64-linux-gnu/systemd", "/usr/lib/aarch64-linux-gnu/systemd",
		"/usr/lib/powerpc64le-linux-gnu/systemd"};
	unsigned version = 0, found;

	for (size_t i = 0; i < ARRAY_SIZE(dirs) && !version; i++) {
		_cleanup_closedir_ DIR *dir = sys_list_beneath(sysroot, dirs[i]);
		const struct dirent *e;

		while ((e = dir_next(dir)))
			if (sscanf(e->d_name, "libsystemd-shared-%u", &found) == 1 && found < 10000)
				version = found;
	}
	return version;
}

/* --- the client identifier ------------------------------------------------------------------- */

/* DUID types (RFC 8415, RFC 6355) by the names that every networkd knows. */
static const struct {
	const char *name;
	size_t least, most; /* octets that follow the type, as older versions insist on */
} duids[] = {
	[1] = {"link-layer-time", 7, 128},
	[2] = {"vendor", 12, 12},
	[3] = {"link-layer", 3, 128},
	[4] = {"uuid", 16, 16},
};

static bool is_mac(const struct profile_rail *rail, const uint8_t *id, size_t len)
{
	const struct link_hw *hw = &rail->dev.hw;
	size_t n = profile_ipoib(rail) ? 8 : hw->len;

	return len == n + 1 && hw->len >= n && id[0] == rail->dev.hwtype &&
		!memcmp(id + 1, hw->bytes + hw->len - n, n);
}

/* DUIDType=, DUIDRawData=, or none of them, as a type alone would be another DUID. false: this
 * version cannot send it. */
static bool put_duid(FILE *out, const uint8_t *duid, size_t len, unsigned version)
{
	char text[3 * ADDRESS_DUID_MAX + 1];
	unsigned type;

	if (len < 3 || len - 2 > 128)
		return false;
	type = (unsigned)(duid[0] << 8 | duid[1]);
	if (version >= FREE_DUID_VERSION)
		fprintf(out, "DUIDType=%u\n", type);
	else if (type < ARRAY_SIZE(duids) && duids[type].name && len - 2 >= duids[type].least &&
		len - 2 <= duids[type].most)
		fprintf(out, "DUIDType=%s\n", duids[type].name);
	else
		return false;
	fprintf(out, "DUIDRawData=%s\n", hex_text(text, sizeof(text), duid + 2, len - 2, ":"));
	return true;
}

/* RFC 4361: ff, 4 octets IAID, DUID. */
static bool put_client_id(FILE *out, const struct profile_rail *rail, unsigned version)
{
	const struct address_result *r = rail->four;
	const uint8_t *id;
	size_t len;

	if (!r || !r->client_id_len || is_mac(rail, r->client_id, r->client_id_len)) {
		fputs("ClientIdentifier=mac\n", out);
		return true;
	}
	id = r->client_id;
	len = r->client_id_len;
	if (len < 8 || id[0] != 0xff)
		return false;
	fprintf(out, "ClientIdentifier=duid\nIAID=%u\n",
		(unsigned)id[1] << 24 | (unsigned)id[2] << 16 | (unsigned)id[3] << 8 | id[4]);
	return put_duid(out, id + 5, len - 5, version);
}

static bool can_send(const struct profile_rail *rail, unsigned version)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	bool can = out && put_client_id(out, rail, version);

	if (out)
		fclose(out);
	free(text);
	return can;
}

/* --- the sections ---------------------------------------------------------------------------- */

static void put_match(FILE *out, const struct profile_rail *rail, const char *name_key)
{
	char hw[3 * LINK_HW_MAX + 1];

	/* networkd's types are udev's DEVTYPE before the hardware's. */
	fprintf(out, "[Match]\n%s=%s\nType=%s\n", name_key, rail->dev.name,
		rail->made ? rail->dev.kind : profile_ipoib(rail) ? "infiniband" : "ether");
	/*
	 * IPoIB's holds the QPN and the subnet prefix; a bond (fail_over_mac=), what is on top of
	 * it and its slaves get the address of another slave: they change. The name stays.
	 */
	if (!profile_ipoib(rail) && !rail->made && !*rail->master && rail->dev.hw.len == 6)
		fprintf(out, "MACAddress=%s\n", hex_text(hw, sizeof(hw), rail->dev.hw.bytes, 6,
			":"));
}

static void put_names(FILE *out, const struct profile_rail *rail, bool dhcp)
{
	const struct address_result *r = rail->four ? rail->four : rail->six;

	if (dhcp || !r) {
		profile_addresses(out, "DNS=", rail->cfg.nameservers, rail->cfg.n_nameservers, " ",
			"\n");
		return;
	}
	profile_addresses(out, "DNS=", r->dns, r->n_dns, " ", "\n");
	if (*profile_domains(r))
		fprintf(out, "Domains=%s\n", profile_domains(r));
}

/* If another rail carries the root, the boot must not wait for this one to be online. */
static bool is_spare(const struct profile_set *set, const struct profile_rail *rail)
{
	bool other = false;

	for (size_t i = 0; i < set->n_rails; i++)
		other |= set->rails[i].carries_root;
	return other && !rail->carries_root;
}

static void put_link(FILE *out, const struct profile_rail *rail, bool spare)
{
	spare = spare || rail->part;
	if (!profile_mtu(rail) && !spare)
		return;
	fputs("\n[Link]\n", out);
	if (profile_mtu(rail))
		fprintf(out, "MTUBytes=%u\n", profile_mtu(rail));
	if (spare)
		fputs("RequiredForOnline=no\n", out);
}

static void put_network(FILE *out, const struct profile_rail *rail, bool dhcp4)
{
	static const char *const words[2][2] = {{"no", "ipv6"}, {"ipv4", "yes"}};
	enum profile_six six = profile_six(rail);

	fprintf(out, "\n[Network]\nKeepConfiguration=yes\nIgnoreCarrierLoss=yes\nDHCP=%s\n",
		words[dhcp4][six == SIX_DHCP]);
	if (six == SIX_AUTO || six == SIX_DHCP)
		fputs("IPv6AcceptRA=yes\n", out);
	if (rail->part)
		fputs("LinkLocalAddressing=no\nIPv6AcceptRA=no\n", out);
	/* It is a part already; Bond= and Bridge= would take it down to join it again. */
	if (*rail->master)
		fputs("KeepMaster=yes\n", out);
	put_names(out, rail, dhcp4 || six == SIX_AUTO || six == SIX_DHCP);
}

static void put_dhcp4(FILE *out, const struct profile_rail *rail, unsigned version)
{
	const struct address_config *cfg = &rail->cfg;

	fputs("\n[DHCPv4]\n", out);
	(void)put_client_id(out, rail, version);
	fputs("SendRelease=no\n", out);
	fprintf(out, cfg->no_peerdns ? "UseDNS=no\n" : "UseDomains=yes\n");
	if (cfg->no_default_route || cfg->gateway.family == AF_INET)
		fputs("UseGateway=no\n", out);
	/* 0, too: otherwise our routes would stay beside networkd's, and before them. */
	fprintf(out, "RouteMetric=%u\n", cfg->metric);
	if (cfg->hostname && text_valid(TEXT_HOSTNAME, cfg->hostname))
		fprintf(out, "Hostname=%s\n", cfg->hostname);
	for (size_t i = 0; i < cfg->n_servers; i++)
		profile_addresses(out, "AllowList=", &cfg->servers[i],
			cfg->servers[i].family == AF_INET, "", "\n");
}

static void put_dhcp6(FILE *out, const struct profile_rail *rail, unsigned version)
{
	const struct address_result *r = rail->six;

	fputs("\n[DHCPv6]\nWithoutRA=solicit\n", out);
	if (r && put_duid(out, r->client_id, r->client_id_len, version))
		fprintf(out, "IAID=%u\n", duid_iaid(&rail->dev));
	if (rail->cfg.no_peerdns)
		fputs("UseDNS=no\n", out);
}

/* Also where only IPv4 was asked for: networkd listens to routers by default. */
static void put_routers(FILE *out, const struct profile_rail *rail)
{
	if (rail->part || (!rail->cfg.no_peerdns && !rail->cfg.no_default_route))
		return;
	fprintf(out, "\n[IPv6AcceptRA]\n%s%s", rail->cfg.no_peerdns ? "UseDNS=no\n" : "",
		rail->cfg.no_default_route ? "UseGateway=no\n" : "");
}

static void put_address(FILE *out, const struct address_result *r, uint32_t metric)
{
	char text[INET_ADDR_TEXT];

	fprintf(out, "\n[Address]\nAddress=%s/%u\n", inet_text(&r->addr, text), r->prefix);
	if (r->peer.family)
		fprintf(out, "Peer=%s/%zu\n", inet_text(&r->peer, text),
			8 * inet_addr_len(r->peer.family));
	if (metric)
		fprintf(out, "RouteMetric=%u\n", metric);
}

/* alone: the address is the lease's; to networkd no subnet of its own holds the gateway then. */
static void put_routes(FILE *out, const struct address_result *r, uint32_t metric, bool alone)
{
	struct address_route routes[PROFILE_ROUTES_MAX];
	size_t n = profile_routes(r, routes);
	char text[INET_ADDR_TEXT];

	for (size_t i = 0; i < n; i++) {
		fprintf(out, "\n[Route]\nDestination=%s/%u\n", inet_text(&routes[i].dst, text),
			routes[i].prefix);
		if (routes[i].gateway.family)
			fprintf(out, "Gateway=%s\n%s", inet_text(&routes[i].gateway, text),
				alone || result_onlink(r, &routes[i].gateway) ?
					"GatewayOnLink=yes\n" : "");
		if (metric)
			fprintf(out, "Metric=%u\n", metric);
	}
}

/* What is set by hand: all of it, or with DHCP what the command line adds. */
static void put_static(FILE *out, const struct profile_rail *rail, bool dhcp4)
{
	const uint32_t metric = rail->cfg.metric;
	struct address_result given;

	if (dhcp4) {
		profile_given(&given, rail);
		put_routes(out, &given, metric, true);
	} else if (rail->four) {
		put_address(out, rail->four, metric);
		put_routes(out, rail->four, metric, false);
	}
	if (rail->six && profile_six(rail) == SIX_STATIC) {
		put_address(out, rail->six, metric);
		put_routes(out, rail->six, metric, false);
	}
}

/* VLANs are created by the file of what they are on. */
static void put_vlans(FILE *out, const struct profile_set *set, const struct profile_rail *rail)
{
	for (size_t i = 0; i < set->n_rails; i++) {
		const struct plan_link *made = set->rails[i].made;

		if (made && made->kind == PLAN_LINK_VLAN && streq(made->lower[0], rail->dev.name))
			fprintf(out, "VLAN=%s\n", made->name);
	}
}

static void put_bond(FILE *out, const struct plan_link *made)
{
	char text[PROFILE_OPTION_MAX];

	fputs("\n[Bond]\n", out);
	for (size_t i = 0; i < made->n_options; i++)
		if (made->options[i].option->networkd)
			fprintf(out, "%s=%s%s\n", made->options[i].option->networkd,
				profile_option(&made->options[i], ' ', text),
				made->options[i].option->type == BOND_MS ? "ms" : "");
}

/* networkd finds the interface made, and takes it as it is. */
static void put_netdev(FILE *out, const struct profile_set *set, const struct profile_rail *rail)
{
	char hw[3 * LINK_HW_MAX + 1];

	(void)set;
	fprintf(out, "[NetDev]\nName=%s\nKind=%s\n", rail->dev.name, rail->dev.kind);
	if (rail->dev.hw.len == 6)
		fprintf(out, "MACAddress=%s\n", hex_text(hw, sizeof(hw), rail->dev.hw.bytes, 6,
			":"));
	if (rail->made->kind == PLAN_LINK_VLAN)
		fprintf(out, "\n[VLAN]\nId=%u\n", rail->made->vlan_id);
	else if (rail->made->kind == PLAN_LINK_BOND)
		put_bond(out, rail->made);
	else
		fputs("\n[Bridge]\nSTP=no\nForwardDelaySec=0\n", out);
}

static void put_all(FILE *out, const struct profile_set *set, const struct profile_rail *rail)
{
	bool dhcp4 = profile_dhcp4(rail) && networkd_renews(set, rail);

	put_match(out, rail, "Name");
	put_link(out, rail, is_spare(set, rail));
	put_network(out, rail, dhcp4);
	put_vlans(out, set, rail);
	if (dhcp4)
		put_dhcp4(out, rail, set->facts->networkd);
	if (profile_six(rail) == SIX_DHCP)
		put_dhcp6(out, rail, set->facts->networkd);
	put_routers(out, rail);
	put_static(out, rail, dhcp4);
}

static void put_name(FILE *out, const struct profile_set *set, const struct profile_rail *rail)
{
	(void)set;
	put_match(out, rail, "OriginalName");
	fprintf(out, "\n[Link]\nName=%s\nAlternativeNamesPolicy=database onboard slot path\n",
		rail->dev.name);
}

static const struct profile_file netdev = {NETWORK_DIR, "05-initagent-", ".netdev", put_netdev, 0},
	network = {NETWORK_DIR, "05-initagent-", ".network", put_all, 0},
	link_name = {NETWORK_DIR, "05-initagent-", ".link", put_name, 0};

int link_write(const struct profile_set *set, const struct profile_rail *rail)
{
	return profile_file(set, rail, &link_name);
}

bool networkd_renews(const struct profile_set *set, const struct profile_rail *rail)
{
	return !profile_dhcp4(rail) || can_send(rail, set->facts->networkd);
}

int networkd_write(const struct profile_set *set, const struct profile_rail *rail)
{
	int r = profile_file(set, rail, &network);

	if (r >= 0 && rail->made)
		r = profile_file(set, rail, &netdev);
	return r < 0 ? r : !networkd_renews(set, rail);
}
