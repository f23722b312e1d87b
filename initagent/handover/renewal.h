/* SPDX-License-Identifier: GPL-2.0-or-later */
/* renewal: units that renew leases in a root that ifupdown runs, with the root's programs. */
#pragma once

#include "handover/managers.h"
#include "handover/profile.h"

/* What of the real root decides (root_facts.h). */
#define RENEWAL_DHCLIENT_FILE "/sbin/dhclient"
#define RENEWAL_NETWORKD_DIR  "/etc/systemd/network"

/*
 * renewal_choose: fills renewal and lapse of rails (those of set) by what there is in the real
 * root: a systemd-networkd that is not enabled, for our interfaces alone, if this version of it can
 * send the client identifier; else ISC dhclient, which knows neither InfiniBand nor our DHCPv6
 * lease. Nothing where m has another manager for that.
 */
void renewal_choose(const struct profile_set *set, const struct managers *m,
	struct profile_rail *rails);

/* renewal_write: units and files for all rails. 0 or -errno. */
int renewal_write(const struct profile_set *set);

/* renewal_wants: lines for a unit's [Unit] section that start what renewal_write() writes. */
void renewal_wants(FILE *out, const struct profile_set *set);
