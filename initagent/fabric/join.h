/* SPDX-License-Identifier: GPL-2.0-or-later */
/* join: why IPoIB is not in its broadcast group, from the kernel's log. */
#pragma once

#include "base/env.h"

/*
 * fabric_join_failure: the newest status (negative errno) with which the kernel says netdev's join was
 * refused since that time (CLOCK_BOOTTIME ns; the log's own clock may differ by ms); 0: it says none.
 */
int fabric_join_failure(const struct env *env, const char *netdev, uint64_t since);

/* join_failure_in: is this record (any bytes) such a failure of netdev's broadcast group? Pure. */
bool join_failure_in(const char *record, size_t len, const char *netdev, uint64_t *ret_us, int *ret_status);
