/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * root_facts: all that the hand-over has to know of the real root's files, read in one go. Owns
 * nothing.
 * In: the mounted root, the plan, the rails' names. Out: struct root_facts, plain data: managers,
 * networkd's version and files, where resolv.conf leads.
 * Callers: boot/. Tests: test_profiles.c, test_managers.c, tests/handover.bats.
 *
 * Each look may take as long as the root's server likes, for ever if it is gone: call it from a
 * process that may be killed.
 */
#pragma once

#include <net/if.h>

#include "base/net_limits.h"
#include "handover/managers.h"
#include "handover/profile.h"

struct root_facts {
	struct managers managers; /* chosen: by the plan, where that says so */
	unsigned networkd; /* networkd_version(); 0: not known, or nothing is written for it */
	bool dhclient;		  /* ISC's is there */
	bool systemd; /* it is init: units are read. Looked at for ifupdown alone */
	/* the administrator's, of a networkd that is not in use */
	bool networkd_masked, networkd_files;
	char resolv[256];	  /* where in /run its /etc/resolv.conf leads; "": it does not */
	/* of each rail: the root, which is in memory, has a configuration of its own */
	bool own[ADDRESS_IFACES_MAX];
};

/* The interfaces that profiles are written for. */
struct root_facts_rails {
	uint32_t n;
	char names[ADDRESS_IFACES_MAX][IFNAMSIZ];
	struct link_hw hw[ADDRESS_IFACES_MAX];
};

/* root_facts_begin: what counts whichever rails are kept. */
void root_facts_begin(const char *sysroot, struct root_facts *ret);
/* root_facts_end: what is left, for these rails; reads only what decides. */
void root_facts_end(const char *sysroot, const struct root_facts_rails *rails,
	const struct boot_plan *plan, struct root_facts *facts);
