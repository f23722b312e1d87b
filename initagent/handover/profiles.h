/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profiles: network profiles in /run for the real root's network manager, its DNS servers and host name: so that it takes
 * over what the root hangs on instead of configuring it anew.
 */
#pragma once

#include "handover/managers.h"
#include "handover/profile.h"

/*
 * profiles_write: for each rail of the set and the managers that the plan or the real root names; also
 * /run/initagent/resolv.conf and hostname. What cannot be written is reported as a cause, the rest goes on. *ret gets
 * the managers that were found and those that were written for (ret->chosen).
 */
void profiles_write(const struct profile_set *set, const struct boot_plan *plan, struct managers *ret);
