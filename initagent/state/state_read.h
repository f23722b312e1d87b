/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * state_read: this boot's state.json for those who look at it later. Owns nothing: text and object
 * are the caller's.
 * In: the file. It is ours, but it is read like network data: bounded, and every member may be
 * missing or odd. Out: the object, its members by key; what is wrong, on standard error.
 * Callers: boot/, doctor/. Tests: test_status.c, test_prometheus.c.
 */
#pragma once

#include <cjson/cJSON.h>

#include "base/env.h"

/* state_read: the text, which the caller frees. Its length, -errno, or -EFBIG: too large. */
int state_read(const struct env *env, char **ret);

/* state_parse: the object, which the caller deletes. 0, -EBADMSG, -EPROTONOSUPPORT: schema. */
int state_parse(const char *text, cJSON **ret);

/* state_load: both; what is wrong is also said on standard error. 0 or as above. */
int state_load(const struct env *env, char **ret_text, cJSON **ret);

/* state_text: a text member, or "". state_number: a number of less than 16 digits, or 0. */
const char *state_text(const cJSON *o, const char *key);
double state_number(const cJSON *o, const char *key);
/* state_true: is the member there, and true? */
bool state_true(const cJSON *o, const char *key);
