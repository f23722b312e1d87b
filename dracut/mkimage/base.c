// SPDX-License-Identifier: GPL-2.0-or-later
#include "base.h"

const struct base_driver base_drivers[] = {
#include "drivers.inc"
};

const size_t n_base_drivers = ARRAY_SIZE(base_drivers);
