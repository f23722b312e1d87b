/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hosts: looks a name up in the text of /etc/hosts. Pure. */
#pragma once

#include "base/net_limits.h"
#include "value.h"

/* hosts_find: the first addresses of name (any case), those of IPv4 before the others; their number. */
size_t hosts_find(const char *text, size_t len, const char *name, struct inet_addr ret[static ADDRESS_RESOLVED_MAX]);
