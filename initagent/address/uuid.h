/* SPDX-License-Identifier: GPL-2.0-or-later */
/* uuid: the machine's SMBIOS UUID, of which both DHCPv4's and DHCPv6's identifiers are made (RFC 6355). */
#pragma once

#include "base/env.h"

#define UUID_SIZE 16

/*
 * machine_uuid: in the order of its text form (RFC 4122), which is the one of SMBIOS 2.6. -ENODATA when the
 * firmware has none of its own (all zeroes or ones, or one that makers put on every board), -EINVAL when it is
 * no UUID, or another -errno.
 */
int machine_uuid(const struct env *env, uint8_t ret[static UUID_SIZE]);
