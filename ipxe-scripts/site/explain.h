/* SPDX-License-Identifier: GPL-2.0-or-later */
/* explain: what one node will do through one of its ports, stage by stage. */
#pragma once

#include "site/site.h"

/*
 * explain: writes to out what happens when this port asks to boot, or a port that nobody has. The site was checked without
 * error. Returns 0 or a negative errno.
 */
int explain(struct site *s, const struct site_found *found, FILE *out);
