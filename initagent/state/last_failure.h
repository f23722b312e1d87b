/* SPDX-License-Identifier: GPL-2.0-or-later */
/* last_failure: "initagent status --last-failure". */
#pragma once

#include "base/env.h"

/*
 * last_failure_print: why the boot before this one failed: as this boot's agent has found it, or
 * else as the machine keeps it. Returns the exit status: 0 it did not fail, 1 it did, 4 not known:
 * no record was to be kept, or it cannot be read (said on standard error).
 */
int last_failure_print(const struct env *env, FILE *out);
