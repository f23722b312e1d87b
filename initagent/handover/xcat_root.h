/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xcat_root: what xCAT's own initramfs leaves in the root of a stateless node, which is in memory:
 * genimage's /etc/resolv.conf names no server. It owns nothing.
 * In: what profiles_write() has left in STATE_DIR, the mounted root. Out: files of the root.
 * Callers: boot/. Tests: test_profiles.c.
 */
#pragma once

#include "base/env.h"

/*
 * xcat_root_fill: the node's resolv.conf, and in a root of Debian's family its host name, in
 * place of the files of these names. A resolv.conf that is a link belongs to the program that it
 * leads to, and is left alone. 0 or -errno.
 */
int xcat_root_fill(const struct env *env, const char *sysroot);
