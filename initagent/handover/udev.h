/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * udev: names of interfaces that the real root's udev has to keep, and the bond or bridge that a
 * part belongs to. It owns the rules file named below.
 * In: ifname= of the plan, the rails' names and hardware addresses. Out: rules, as text or written.
 * Callers: boot/. Tests: test_udev.c, tests/handover.bats.
 */
#pragma once

#include "base/env.h"
#include "handover/profile.h"
#include "plan.h"

#define UDEV_RULES_DIR  "/run/udev/rules.d"
#define UDEV_RULES_FILE "70-initagent-net.rules"

/*
 * udev_rules: the rules for the plan's ifname= options and for the names that the rails have now,
 * as text, "" when there are none; the caller frees it. NULL: out of memory. No later rule changes
 * such a name. IPoIB interfaces of ifname= are matched by port GUID, the only part of their address
 * that stays, and partition children not at all: they are named after their parent.
 */
char *udev_rules(const struct boot_plan *plan, const struct profile_rail *rails, size_t n_rails);

/* udev_write: writes them for the real root's udev, if there are any. 0 or -errno. */
int udev_write(const struct profile_set *set, const struct boot_plan *plan);
