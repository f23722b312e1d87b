/* SPDX-License-Identifier: GPL-2.0-or-later */
/* name_list: the names that a host name may stand for, in the order they are looked up in. Pure. */
#pragma once

#include "base/net_limits.h"
#include "base/util.h"

#define NAME_LIST_MAX 8

struct name_list {
	char names[NAME_LIST_MAX][ADDRESS_DOMAIN_MAX + 1];
	size_t n;
};

/*
 * name_list_make: as with "options ndots:1": a name with a dot comes as it is first, then with the domains of search
 * (separated by one space); one without a dot the other way round. At least the name itself is there.
 */
void name_list_make(struct name_list *ret, const char *name, const char *search);
