/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * labels: what SELinux needs of a root that was unpacked in memory. A tmpfs forgets the labels that
 * its files had before a policy was loaded (it has fs_use_trans in every policy), and init, loaded
 * from such a file, has no domain of its own. So the root's own load_policy and restorecon are run
 * before init is executed. Owns nothing.
 * In: "/", the real root, with /proc, /sys and /run. Out: labels; lines on the console.
 * Callers: switch_root.c. Tests: tests/pid1.bats, tests-qemu/handover/selinux.bats.
 */
#pragma once

#include "base/util.h"

/*
 * labels_wanted: not where the kernel has no SELinux or the root's /etc/selinux/config has no
 * SELINUX=enforcing or permissive; where it is no tmpfs; and where Warewulf's
 * /warewulf/init.d/90-selinux does it. Looks at the root, whose server may not answer.
 */
bool labels_wanted(void);

/* labels_set: blocks. What fails is said (ROOT_LABELS), and init is executed all the same: its
 * policy decides. */
void labels_set(void);
