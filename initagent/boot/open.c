// SPDX-License-Identifier: GPL-2.0-or-later
/* open: makes the objects of a boot and watches what they wait for. */
#include "boot/private.h"

static int watch(struct boot *b, int fd, enum boot_tag tag)
{
	return fd >= 0 ? loop_add(b->loop, fd, tag) : 0;
}

static int watch_all(struct boot *b)
{
	int rails[RAILS_FDS], outbox[OUTBOX_FDS], r;

	rails_fds(b->rails, rails);
	outbox_fds(b->outbox, outbox);
	r = watch(b, modules_fd(drivers_modules(b->drivers)), TAG_MODULES);
	for (size_t i = 0; r >= 0 && i < RAILS_FDS; i++)
		r = watch(b, rails[i], TAG_RAILS);
	for (size_t i = 0; r >= 0 && i < OUTBOX_FDS; i++)
		r = watch(b, outbox[i], TAG_OUTBOX);
	return r < 0 ? r : watch(b, report_fd(b->env.report), TAG_CONSOLE);
}

static int open_drivers(struct boot *b, uint64_t now)
{
	const struct drivers_config cfg = {
		.env = &b->env,
		.plan = b->plan,
		.kver = b->args->seams.kver,
		.ops = b->args->seams.modules,
		.standalone = b->args->standalone,
		.again = b->run.restarts,
	};

	return drivers_new(&b->drivers, &cfg, now);
}

static int open_rails(struct boot *b, uint64_t now)
{
	const struct rails_config cfg = {
		.env = &b->env,
		.plan = b->plan,
		.modules = drivers_modules(b->drivers),
		.start = b->run.start,
		.forget = b->run.failed,
	};

	return rails_new(&b->rails, &cfg, now);
}

static int open_target(struct boot *b)
{
	const struct target_config cfg = {
		.env = &b->env,
		.plan = b->plan,
		.sysroot = b->args->sysroot,
		.rails = b->rails,
		.modules = drivers_modules(b->drivers),
		.reader = &b->reader.task,
		.nfs = b->args->seams.root,
	};

	return target_new(&b->target, &cfg);
}

/* In this order: the first modules load while the rails look at what is there. */
int boot_open(struct boot *b, uint64_t now)
{
	int r = loop_new(&b->loop);

	r = r < 0 ? r : open_drivers(b, now);
	r = r < 0 ? r : open_rails(b, now);
	r = r < 0 ? r : open_target(b);
	r = r < 0 ? r : extensions_new(&b->beside.extensions, &b->env, b->plan, b->rails);
	if (r < 0)
		return r;
	outbox_look(b->outbox, now);
	return watch_all(b);
}
