/* SPDX-License-Identifier: GPL-2.0-or-later */
/* umad: whether libibumad may be called at all. */
#pragma once

#include "base/env.h"

/*
 * umad_is_there: ib_umad is loaded. libibumad remembers its first look for the rest of the process,
 * and complains on the console, so it must not look earlier.
 */
bool umad_is_there(const struct env *env);
