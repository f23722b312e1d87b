/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * root_facts: all that the hand-over has to know of the real root's files, read in one go. Each look may take as long as the root's
 * server likes, for ever if it is gone: whoever may not wait so long has it done by a process of its own.
 */
#pragma once

#include "handover/managers.h"
#include "handover/profile.h"

struct root_facts {
	struct managers managers; /* chosen: by the plan, where that says so */
	unsigned networkd;	  /* networkd_version(); 0: not known, or nothing is written for it */
	bool dhclient;		  /* ISC's is there */
	bool networkd_masked, networkd_files; /* the administrator's, of a networkd that is not in use */
	char resolv[256];	  /* where in /run its /etc/resolv.conf leads; "": it does not */
};

/* root_facts_read: of the root at sysroot, for these rails. Looks at nothing that decides nothing: each look is a round trip. */
void root_facts_read(const char *sysroot, const struct profile_set *set, const struct boot_plan *plan, struct root_facts *ret);
