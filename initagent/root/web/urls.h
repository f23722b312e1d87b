/* SPDX-License-Identifier: GPL-2.0-or-later */
/* urls: what stands beside a URL on its server, for each mirror. Pure. */
#pragma once

#include "base/util.h"

#define URLS_MAX 16

struct urls {
	char *list[URLS_MAX];
	size_t n;
};

/*
 * urls_add: url itself, with suffix behind its path ("" for none; before a query), or with name in
 * place of its path's last part (NULL: keep it). Further ones than URLS_MAX are left out. 0 or
 * -ENOMEM.
 */
int urls_add(struct urls *u, const char *url, const char *name, const char *suffix);

/* urls_name: the last part of the path of url, *ret_len bytes; 0 if it has none. */
const char *urls_name(const char *url, size_t *ret_len);

/* urls_clear: frees the list. */
void urls_clear(struct urls *u);
