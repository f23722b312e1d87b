/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lost: modules that the index names but the image does not hold. libkmod then gives no
 * dependencies at all, so the module is tried without and the kernel says "Unknown symbol", which
 * sounds like a wrong build. Looked at only after such a failure.
 */
#pragma once

#include "modules/catalog.h"

/*
 * lost_need: the first dependency of module name whose file is not there, as the path in the index.
 * Returns 1 with ret filled, 0 when all are there, or -errno.
 */
int lost_need(const struct catalog *c, const char *name, char *ret, size_t size);
