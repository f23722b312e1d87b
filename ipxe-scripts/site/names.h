/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * names: a set of texts, each with a number: finds duplicates and what a reference means among
 * thousands of nodes. The texts are not copied.
 */
#pragma once

#include "base/util.h"

struct names;

struct names *names_new(void);
struct names *names_free(struct names *n);
DEFINE_FREEP(struct names, names_free)

#define NAMES_NONE SIZE_MAX

/* names_add: NAMES_NONE when key is new; else the number of the earlier one, which stays. */
size_t names_add(struct names *n, const char *key, size_t number);

/* names_find: the number, or NAMES_NONE. */
size_t names_find(const struct names *n, const char *key);

/*
 * names_nearest: the candidate that was probably meant, NULL if none is near. All of its letters
 * wrong is never near.
 */
const char *names_nearest(const char *key, const char *const *candidates, size_t n);
