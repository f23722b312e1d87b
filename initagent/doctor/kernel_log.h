/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kernel_log: what the kernel's log holds about a module, from its first line on. */
#pragma once

#include "modules/kmsg.h"

/* kernel_log_search: cause CAUSE_NONE when there is nothing telling, or the log is unreadable. */
void kernel_log_search(
	const struct env *env, const char *module, bool failed, struct kmsg_finding *ret);
