/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * adopt: is the root mounted already, because an agent before us was killed after the mount? Owns
 * nothing.
 * In: /proc/self/mountinfo, the target. Out: server, path and options of the NFS root there; what a
 * mount is called.
 * Callers: boot/. Tests: test_adopt.c, tests-qemu/nfsrdma.bats.
 */
#pragma once

#include "root/nfs/root.h"

/*
 * root_adopt: looks for target in /proc/self/mountinfo. Returns 1 with ret filled from the mount's
 * own options when an NFS file system is mounted there, or a writable layer over one at
 * /run/rootfsbase; 0 when nothing is, -EBUSY when something else is, or -errno.
 */
int root_adopt(const struct env *env, const char *target, struct root_result *ret);

/*
 * root_source: what is mounted at target, or below a writable layer there, as the kernel names it
 * ("10.0.0.1:/export"); target itself when that cannot be told.
 */
#define ROOT_SOURCE_MAX 256
void root_source(const struct env *env, const char *target, char ret[static ROOT_SOURCE_MAX]);
