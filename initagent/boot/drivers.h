/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drivers: the kernel modules of the plan, asked for in dracut's order: pre, hardware, post. It
 * owns the modules room and the list of what is needed.
 * In: the plan, needs of the root once it is named. Out: settled or not, and a vital module that
 * failed.
 * Callers: boot.c alone. Tests: test_boot.c; needs: base/test_core.c.
 */
#pragma once

#include "modules/modules.h"
#include "root/target.h"

struct drivers;

struct drivers_config {
	const struct env *env;
	const struct boot_plan *plan;
	const char *kver;  /* seams for tests; NULL in the product */
	const struct modules_ops *ops;
	bool standalone;   /* the kernel's own requests shall see the blacklist */
	bool again;	   /* an earlier agent was here: most modules are there */
};

/* drivers_new: opens the modules room, asks for the modules and sends the first loads off. All of
 * cfg is borrowed. 0 or -errno. */
int drivers_new(struct drivers **ret, const struct drivers_config *cfg, uint64_t now);
/* drivers_free: loads still in the kernel end by themselves. */
struct drivers *drivers_free(struct drivers *d);
DEFINE_FREEP(struct drivers, drivers_free)

struct modules *drivers_modules(const struct drivers *d);
/* drivers_step: false: a vital module failed; then cause, where and text are set. */
bool drivers_step(struct drivers *d, uint64_t now, enum cause *ret_cause,
	char where[static REPORT_NAME_MAX], char text[static REPORT_TEXT_MAX]);
/* drivers_need: asks for more, unless it was asked for before. */
void drivers_need(struct drivers *d, const struct need *needs, size_t n, uint64_t now);
/* drivers_deadline: call modules_dispatch(), drivers_step() and modules_start() then; NSEC_NEVER:
 * none. */
uint64_t drivers_deadline(const struct drivers *d);
/* drivers_named: all of rd.driver.post has ended, or took too long. drivers_settled: and nothing is
 * queued or loading any more. */
bool drivers_named(const struct drivers *d);
bool drivers_settled(const struct drivers *d);
void drivers_state(const struct drivers *d, struct target_modules *ret);

/* needs_of_plan: the modules of the plan: the root's, which take longest, then drivers of software
 * RDMA links, IPv6. Pure. */
size_t needs_of_plan(const struct boot_plan *plan, struct need ret[static NEEDS_MAX]);
