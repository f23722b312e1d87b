/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * meminfo: how much memory is left. Owns nothing; reads /proc/meminfo at each call.
 * In: what must stay free, MiB. Out: bytes.
 * Callers: root/image/, root/web/, root/wwinit/. Tests: root/web/test_web.c.
 */
#pragma once

#include "env.h"

/* meminfo_available: MemAvailable of /proc/meminfo, in bytes; 0 when it cannot be read. */
uint64_t meminfo_available(const struct env *env);

/* meminfo_left: the same less what must stay free; 0: nothing. */
uint64_t meminfo_left(const struct env *env, uint32_t spare_mib);
