/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * commands: the sub-commands that read the record of this boot back: status (--json,
 * --last-failure, --prometheus) and timeline. Owns nothing.
 * In: state.json, the kept failure; the time. Out: text on a stream or in a file, an exit status.
 * Callers: main.c. Tests: test_status.c, test_prometheus.c, tests/state.bats.
 */
#pragma once

#include "base/env.h"

/*
 * status_print: prints the state for people, or as it is with json; now tells when leases end.
 * Returns the exit status, with json too: 0 the root was reached, 1 it was not, 2 still running, 4
 * there is no or no readable state (said on standard error).
 */
int status_print(const struct env *env, FILE *out, uint64_t now, bool json);

/*
 * last_failure_print: why the boot before this one failed: as this boot's agent has found it, or
 * else as the machine keeps it. Returns the exit status: 0 it did not fail, 1 it did, 4 not known:
 * no record was to be kept, or it cannot be read (said on standard error).
 */
int last_failure_print(const struct env *env, FILE *out);

/*
 * boot_options_print: what an image for this machine alone needs of the options it was booted with
 * (plan_image_options()), in one line. 0; -ENOENT: this boot was not the agent's.
 */
int boot_options_print(const struct env *env, FILE *out);

/* prometheus_print: text format 0.0.4. 0, or -errno: no readable state, said on stderr. */
int prometheus_print(const struct env *env, FILE *out);

/* prometheus_write: the same to a file, replaced as a whole. 0 or -errno, also said. */
int prometheus_write(const struct env *env, const char *path);

/* timeline_command: argv[0] is "timeline". The exit status; or becomes initagent-timeline. */
int timeline_command(int argc, char **argv);
