// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel's RCU setting: changed, put back, and left alone when it is not ours. */
#include "check.h"

#include "files.h"
#include "rcu.h"

#define SETTING "/sys/kernel/rcu_expedited"

static char dir[] = "/tmp/ia-rcu-XXXXXX";
static const struct env env = {.prefix = dir};

TEST(changed_and_put_back)
{
	files_text(check_dir(dir), SETTING, "0");
	CHECK(rcu_expedite(&env, false));
	files_is(dir, SETTING, "1");
	rcu_restore(&env);
	files_is(dir, SETTING, "0");
}

TEST(somebody_elses_setting_stays)
{
	files_text(check_dir(dir), SETTING, "1");
	CHECK(!rcu_expedite(&env, false));
	files_is(dir, SETTING, "1");
}

TEST(a_killed_agents_setting_is_put_back)
{
	files_text(check_dir(dir), SETTING, "1");
	CHECK(rcu_expedite(&env, true));
	rcu_restore(&env);
	files_is(dir, SETTING, "0");
}

TEST(a_kernel_without_it)
{
	check_dir(dir);
	CHECK(!rcu_expedite(&env, false));
	CHECK(!rcu_expedite(&env, true));
}
