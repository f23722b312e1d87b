/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * meminfo: how much memory is left. Owns nothing; reads /proc/meminfo at each call.
 * In: what must stay free, MiB. Out: bytes.
 * Callers: root/image/, root/web/, root/wwinit/. Tests: root/web/test_web.c.
 */
#pragma once

#include "env.h"

/* meminfo_left: MemAvailable less what must stay free, in bytes; 0: nothing, or not known. */
uint64_t meminfo_left(const struct env *env, uint32_t spare_mib);
