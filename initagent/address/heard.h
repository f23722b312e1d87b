/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * heard: a segment on which nothing at all is received (VLAN, P_Key, switch port) is another matter than one without
 * a DHCP server. Counted by the interface's driver (Documentation/ABI/testing/sysfs-class-net-statistics).
 */
#pragma once

#include "base/env.h"

#define HEARD_TEXT 64

/* heard_packets: received so far, of any kind; UINT64_MAX: unknown. */
uint64_t heard_packets(const struct env *env, const char *netdev);

/* heard_since: ", 3 packets of any kind received" since the count was "then"; "" when that is unknown. In buf or static. */
const char *heard_since(const struct env *env, const char *netdev, uint64_t then, char buf[static HEARD_TEXT]);
