/* SPDX-License-Identifier: GPL-2.0-or-later */
/* status: "initagent status": what happened in this boot, read back from state.json. */
#pragma once

#include "base/env.h"

/*
 * status_print: prints the state for people, or as it is with json; now tells when leases end.
 * Returns the exit status, with json too: 0 the root was reached, 1 it was not, 2 still at work, 4
 * there is no or no readable state (said on standard error).
 */
int status_print(const struct env *env, FILE *out, uint64_t now, bool json);
