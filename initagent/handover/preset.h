/* SPDX-License-Identifier: GPL-2.0-or-later */
/* preset: what systemd's preset files say of a unit (systemd.preset(5)). Pure. */
#pragma once

#include "base/util.h"

/* preset_verdict: of the first line about the unit: 1 enable, 0 disable, -1 none. Changes text. */
int preset_verdict(char *text, const char *unit);
