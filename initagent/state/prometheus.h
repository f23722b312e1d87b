/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prometheus: this boot as metrics, for the textfile collector of Prometheus' node_exporter. */
#pragma once

#include "base/env.h"

/*
 * prometheus_print: the text exposition format, version 0.0.4, of state.json below env's prefix. 0,
 * or -errno when there is no or no readable state, which is said on standard error.
 */
int prometheus_print(const struct env *env, FILE *out);

/*
 * prometheus_write: the same, to a file that is replaced whole, since the collector may read it at
 * any time. 0 or -errno, likewise reported.
 */
int prometheus_write(const struct env *env, const char *path);
