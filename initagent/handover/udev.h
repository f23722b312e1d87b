/* SPDX-License-Identifier: GPL-2.0-or-later */
/* udev: names of interfaces that the real root's udev has to keep. */
#pragma once

#include "base/env.h"
#include "plan.h"

#define UDEV_RULES_DIR  "/run/udev/rules.d"
#define UDEV_RULES_FILE "70-initagent-net.rules"

/*
 * udev_rules: the rules for the plan's ifname= options as text, "" when there are none; the caller
 * frees it. NULL: out of memory. IPoIB interfaces are matched by port GUID, the only part of their
 * address that stays, and partition children not at all: they are named after their parent.
 */
char *udev_rules(const struct boot_plan *plan);

/* udev_write: writes them for the real root's udev, if ifname= is given. 0 or -errno. */
int udev_write(const struct env *env, const struct boot_plan *plan);
