// SPDX-License-Identifier: GPL-2.0-or-later

#include "rcu.h"

#define SETTING "/sys/kernel/rcu_expedited" /* Documentation/admin-guide: a count, 0 or more */

static bool set(const struct env *env, char value)
{
	_cleanup_close_ int fd = -1;
	char path[256];

	if (env_path(env, path, sizeof(path), SETTING) < 0)
		return false;
	fd = open(path, O_WRONLY | O_CLOEXEC);
	return fd >= 0 && write(fd, &value, 1) == 1;
}

bool rcu_expedite(const struct env *env, bool restarted)
{
	char value[16];

	/* An administrator's own setting (rcupdate.rcu_expedited=1) stays. */
	if (env_read(env, value, sizeof(value), SETTING) <= 0)
		return false;
	return streq(value, "0") ? set(env, '1') : restarted;
}

void rcu_restore(const struct env *env)
{
	set(env, '0');
}
