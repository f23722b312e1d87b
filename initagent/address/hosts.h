/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hosts: looks a name up in the text of /etc/hosts. Pure. */
#pragma once

#include "value.h"

/* hosts_find: the first address of name (any case), IPv4 preferred. true and *ret when there is one. */
bool hosts_find(const char *text, size_t len, const char *name, struct inet_addr *ret);
