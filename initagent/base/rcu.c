// SPDX-License-Identifier: GPL-2.0-or-later

#include "rcu.h"

#define SETTING "/sys/kernel/rcu_expedited" /* Documentation/admin-guide: a count, 0 or more */

bool rcu_expedite(const struct env *env, bool restarted)
{
	char value[16];

	/* An administrator's own setting (rcupdate.rcu_expedited=1) stays. */
	if (env_read(env, value, sizeof(value), SETTING) <= 0)
		return false;
	return streq(value, "0") ? env_write(env, "1", SETTING) == 0 : restarted;
}

void rcu_restore(const struct env *env)
{
	(void)env_write(env, "0", SETTING);
}
