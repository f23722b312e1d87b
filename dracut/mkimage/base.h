/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base: the drivers every image holds, from dracut/70initagent/drivers.list (the dracut module
 * reads it too).
 */
#pragma once

#include "closure.h"

struct base_driver {
	enum closure_need need;
	const char *name;
	const char *why;
};

extern const struct base_driver base_drivers[];
extern const size_t n_base_drivers;
