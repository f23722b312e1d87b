/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rcu: asks the kernel to hurry its RCU grace periods while the agent works. It owns
 * /sys/kernel/rcu_expedited in between, unless an administrator has set it.
 * In: whether an earlier agent may have left it set. Out: whether it is to be put back.
 * Callers: boot/. Tests: base/test_rcu.c.
 *
 * A boot registers and removes things all the time (netdevs, protocol modules, packet sockets),
 * each waits for a grace period: 8-20 ms a piece when idle CPUs are left alone, 30 us when they are
 * interrupted. The kernel does the same until it starts init (rcu_end_inkernel_boot()).
 */
#pragma once

#include "env.h"

/*
 * rcu_expedite: true when the kernel's setting was changed and is to be put back by rcu_restore().
 * restarted: an earlier agent may have been killed before it put it back.
 */
bool rcu_expedite(const struct env *env, bool restarted);
void rcu_restore(const struct env *env);
