/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * udev_name: is a name the one that udev gives an interface by where it is: eno1, ens1f0np0,
 * enp65s0f1, ibp65s0, enp0s20f0u1, end0 (systemd.net-naming-scheme(7))? Boot lines have these
 * names, as the running node shows them; where no udev has named an interface yet, the kernel's
 * eth0 is meant by it. It owns nothing.
 * In: an interface, a name of the command line, sysfs. Out: whether that is a name of its.
 * Callers: rails/. Tests: test_udev_name.c, fuzz_udev_name.c, boot/test_boot_named.c,
 * tests-qemu/links.bats.
 */
#pragma once

#include "base/env.h"
#include "link/link.h"

/*
 * udev_name_is: true for each of the names of NamePolicy=onboard slot path mac, of any naming
 * scheme from v239 on: with and without f0 of a first function, and the port's name (n..., or r...
 * of one to a virtual function). A virtual function has its physical one's and v..., where that is
 * there.
 */
bool udev_name_is(const struct env *env, const struct netdev *dev, const char *name);
