/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profiles: the hand-over of the network to the real root's network manager, without going down. It
 * owns files below /run: profiles, udev rules, units for renewal, resolv.conf, hostname.
 * In: rails with their addresses, what the real root's files say (root_facts.h). Out: files,
 * causes.
 * Callers: boot/ once the root is mounted. Tests: test_profile*.c, test_managers.c, test_renewal.c,
 * test_udev.c, tests/handover.bats.
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
