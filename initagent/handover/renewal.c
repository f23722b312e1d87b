// SPDX-License-Identifier: GPL-2.0-or-later

#include "handover/renewal.h"

#include "handover/root_facts.h"

#define UNIT_DIR    "/run/systemd/system"
#define NETWORK_DIR "/run/systemd/network"
#define DHCLIENT    RENEWAL_DHCLIENT_FILE
/* networkd's own folder of the administrator. */
#define ADMIN_DIR RENEWAL_NETWORKD_DIR

/* The value of dhclient's options is the interface's name; %i is systemd's word for it. Its files
 * have names that its profile of AppArmor in Debian and Ubuntu lets it open. */
#define DHCLIENT_DIR "/run"
#define CONF	     "nm-dhclient-"
#define LEASES	     "dhclient-"
static const char dhclient_unit[] = "[Unit]\n"
				    "Description=Renewal of the DHCP lease of %i\n"
				    "DefaultDependencies=no\n"
				    "After=local-fs.target systemd-remount-fs.service\n"
				    "Before=network-online.target shutdown.target\n"
				    "Conflicts=shutdown.target\n"
				    "IgnoreOnIsolate=yes\n"
				    "\n"
				    "[Service]\n"
				    "ExecStart=" DHCLIENT " -4 -d -q -cf "
				    DHCLIENT_DIR "/" CONF "%i.conf -lf "
				    DHCLIENT_DIR "/" LEASES "%i.leases "
				    "-pf /run/dhclient.%i.pid %i\n"
				    "# Asked to end, it would take the address off the interface.\n"
				    "KillSignal=SIGKILL\n"
				    "Restart=on-failure\n"
				    "RestartSec=5\n";

/* --- who ------------------------------------------------------------------------------------- */

static bool leased4(const struct profile_rail *rail)
{
	return rail->four && profile_dhcp4(rail);
}

static bool leased6(const struct profile_rail *rail)
{
	return profile_six(rail) == SIX_DHCP;
}

/* Renewal bits of what may be used. */
static unsigned clients_of(const struct profile_set *set, const struct managers *m)
{
	const unsigned networkd = PLAN_HANDOVER_NETWORKD;
	unsigned clients = set->facts->dhclient ? RENEWAL_DHCLIENT : 0;

	if (!set->facts->systemd)
		return 0;
	/* One that the administrator starts has work of its own. */
	if (m->installed & networkd && !((m->enabled | m->chosen) & networkd) &&
		!set->facts->networkd_masked)
		clients |= RENEWAL_NETWORKD;
	return clients;
}

/*
 * dhclient takes the address away when a lease ends or another address is given, and then has no
 * root to read its script from; networkd keeps the one and changes over to the other.
 */
static unsigned choose(const struct profile_set *set, const struct profile_rail *rail,
	unsigned clients)
{
	if (clients & RENEWAL_NETWORKD && networkd_renews(set, rail))
		return RENEWAL_NETWORKD;
	return leased4(rail) && !profile_ipoib(rail) ? clients & RENEWAL_DHCLIENT : 0;
}

/* Why no client can renew a lease of the rail; NULL: one does. */
static const char *lapse_of(const struct profile_set *set, const struct profile_rail *rail,
	unsigned clients)
{
	/* [there is a networkd that may be used][on InfiniBand] */
	static const char *const leases4[2][2] = {
		{"no dhclient in the real root",
			"ISC dhclient does not support InfiniBand, and the real root has no "
			"systemd-networkd"},
		{"no dhclient in the real root, and this systemd-networkd cannot send the lease's "
			"client identifier",
			"ISC dhclient does not support InfiniBand, and this systemd-networkd "
			"cannot send the lease's client identifier"},
	};

	if (!set->facts->systemd)
		return "ifupdown does not, and the real root's init is not systemd, which would "
			"start a client";
	if (leased4(rail) && !rail->renewal)
		return leases4[!!(clients & RENEWAL_NETWORKD)][profile_ipoib(rail)];
	return leased6(rail) && rail->renewal != RENEWAL_NETWORKD
		? "no client renews a DHCPv6 lease under ifupdown" : NULL;
}

void renewal_choose(const struct profile_set *set, const struct managers *m,
	struct profile_rail *rails)
{
	unsigned clients = 0;
	bool any = false;

	for (size_t i = 0; i < set->n_rails; i++)
		any |= leased4(&rails[i]) || leased6(&rails[i]);
	/* Where networkd runs too, it renews the lease; a second client would do no good. */
	if (!any || (m->chosen != PLAN_HANDOVER_IFUPDOWN && m->enabled & PLAN_HANDOVER_NETWORKD))
		return;
	clients = clients_of(set, m);
	for (size_t i = 0; i < set->n_rails; i++) {
		if (!leased4(&rails[i]) && !leased6(&rails[i]))
			continue;
		rails[i].renewal = choose(set, &rails[i], clients);
		rails[i].lapse = lapse_of(set, &rails[i], clients);
	}
}

/* --- networkd -------------------------------------------------------------------------------- */

/* Sorts behind our other files ('.' behind '-'), before those of distributions and netplan. */
static const char hands_off[] = "[Match]\nName=*\n\n[Link]\nUnmanaged=yes\n";

/* Unused files of a networkd that is not enabled must not take effect. */
static const char drop_in[] = "[Service]\nTemporaryFileSystem=" ADMIN_DIR ":ro\n";

static int write_networkd(const struct profile_set *set)
{
	int r = profile_write(set, NETWORK_DIR, "05-initagent.network", hands_off);

	return r < 0 || !set->facts->networkd_files ? r
		: profile_write(set, UNIT_DIR "/systemd-networkd.service.d", "10-initagent.conf",
			drop_in);
}

/* --- all ------------------------------------------------------------------------------------- */

static unsigned in_use(const struct profile_set *set)
{
	unsigned bits = 0;

	for (size_t i = 0; i < set->n_rails; i++)
		bits |= set->rails[i].renewal;
	return bits;
}

static int write_rail(const struct profile_set *set, const struct profile_rail *rail)
{
	int r = 0;

	if (rail->renewal == RENEWAL_NETWORKD)
		r = networkd_write(set, rail);
	else if (rail->renewal)
		r = dhclient_write(set, rail,
			(struct profile_file){DHCLIENT_DIR, CONF, ".conf", NULL, 0},
			(struct profile_file){DHCLIENT_DIR, LEASES, ".leases", NULL, 0});
	return r < 0 ? r : 0;
}

int renewal_write(const struct profile_set *set)
{
	unsigned used = in_use(set);
	int r = 0;

	if (used & RENEWAL_DHCLIENT)
		r = profile_write(set, UNIT_DIR, "initagent-dhclient@.service", dhclient_unit);
	if (r >= 0 && used & RENEWAL_NETWORKD)
		r = write_networkd(set);
	for (size_t i = 0; r >= 0 && i < set->n_rails; i++)
		r = write_rail(set, &set->rails[i]);
	return r;
}

void renewal_wants(FILE *out, const struct profile_set *set)
{
	unsigned used = in_use(set);

	fputs(used ? "[Unit]\n" : "", out);
	fputs(used & RENEWAL_NETWORKD ? "Wants=systemd-networkd.service\n" : "", out);
	for (size_t i = 0; i < set->n_rails; i++)
		if (set->rails[i].renewal == RENEWAL_DHCLIENT)
			fprintf(out, "Wants=initagent-dhclient@%s.service\n",
				set->rails[i].dev.name);
}
