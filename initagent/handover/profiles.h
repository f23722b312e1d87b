/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profiles: network profiles in /run for the real root's network manager, its DNS servers and host
 * name: so that it takes over the root's interface instead of configuring it again.
 */
#pragma once

#include "handover/profile.h"
#include "plan.h"

/*
 * profiles_write: for each rail of the set and the managers that its facts name (chosen); also
 * /run/initagent/resolv.conf and hostname. What cannot be written is reported as a cause, the rest
 * goes on.
 */
void profiles_write(const struct profile_set *set, const struct boot_plan *plan);
