// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel's RCU setting: changed, put back, and left alone when it is not ours. */
#include "check.h"

#include "rcu.h"

struct fixture {
	char dir[32];
	struct env env;
};

static void begin(struct fixture *f, const char *value)
{
	char command[128];

	*f = (struct fixture){.dir = "/tmp/ia-rcu-XXXXXX"};
	check_dir(f->dir);
	f->env.prefix = f->dir;
	snprintf(command, sizeof(command), "mkdir -p %s/sys/kernel && echo %s >%s/sys/kernel/rcu_expedited", f->dir,
		value, f->dir);
	CHECK_INT(system(command), 0);
}

static void end(struct fixture *f)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", f->dir);
	CHECK_INT(system(command), 0);
}

static void is(const struct fixture *f, const char *want)
{
	char value[16];

	CHECK(env_read(&f->env, value, sizeof(value), "/sys/kernel/rcu_expedited") > 0);
	CHECK_STR(value, want);
}

TEST(changed_and_put_back)
{
	_cleanup_(end) struct fixture f;

	begin(&f, "0");
	CHECK(rcu_expedite(&f.env, false));
	is(&f, "1");
	rcu_restore(&f.env);
	is(&f, "0");
}

TEST(somebody_elses_setting_stays)
{
	_cleanup_(end) struct fixture f;

	begin(&f, "1");
	CHECK(!rcu_expedite(&f.env, false));
	is(&f, "1");
}

TEST(a_killed_agents_setting_is_put_back)
{
	_cleanup_(end) struct fixture f;

	begin(&f, "1");
	CHECK(rcu_expedite(&f.env, true));
	rcu_restore(&f.env);
	is(&f, "0");
}

TEST(a_kernel_without_it)
{
	struct env env = {.prefix = "/nonexistent"};

	CHECK(!rcu_expedite(&env, false));
	CHECK(!rcu_expedite(&env, true));
}
