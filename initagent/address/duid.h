/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * duid: who we are for DHCPv6 (RFC 8415 section 11). Owns nothing.
 * In: the machine's SMBIOS UUID in sysfs, an interface's hardware address. Out: DUID and IAID; the
 * UUID.
 * Callers: handover/. Tests: test_client_id.c, test_inet6.c.
 *
 * DUID-UUID (RFC 6355) when the machine has a UUID: UEFI firmware and iPXE use the same, so the
 * server sees one client from power-on to the root. Otherwise DUID-LL of the interface; on
 * InfiniBand (hardware type 32) of the port GUID, the 8 bytes of the 20 that never change.
 */
#pragma once

#include "address/dhcp6_message.h"
#include "base/env.h"
#include "link/link.h"

/* duid_make: 0, or -EINVAL (no UUID, and an interface without a usable hardware address). */
int duid_make(struct duid *ret, const struct env *env, const struct netdev *dev);

/* duid_iaid: the interface's identity association: the last 4 bytes of its stable hardware
 * address. */
uint32_t duid_iaid(const struct netdev *dev);

/* The machine's SMBIOS UUID, of which DHCPv4's and DHCPv6's identifiers are made. */
#define UUID_SIZE 16

/*
 * machine_uuid: in the order of its text form (RFC 4122), which is the one of SMBIOS 2.6. -ENODATA
 * when the firmware has none of its own (all zeroes or ones, or one that makers put on every
 * board), -EINVAL when it is no UUID, or another -errno.
 */
int machine_uuid(const struct env *env, uint8_t ret[static UUID_SIZE]);
