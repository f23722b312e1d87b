/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hostid: how this node calls itself to NVMe targets: the same in each boot, and the same as in the
 * real root where nvme-cli makes it: /etc/nvme/hostnqn and hostid, else the machine's UUID in the
 * firmware's tables.
 */
#pragma once

#include "base/env.h"
#include "value.h"

#define HOSTID_MAX VALUE_UUID

struct hostid {
	char nqn[NQN_SIZE];
	char id[HOSTID_MAX];
};

/*
 * hostid_find: nqn and id from the command line (NULL: not given) count first. node: a number of
 * this node's own, for a machine without UUID.
 */
void hostid_find(const struct env *env, const char *nqn, const char *id, uint64_t node,
	struct hostid *ret);
