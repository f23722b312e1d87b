/* SPDX-License-Identifier: GPL-2.0-or-later */
/* explain: what one node will do, stage by stage. */
#pragma once

#include "site/site.h"

/* explain: the site was checked without error. Returns 0 or a negative errno. */
int explain(struct site *s, const struct site_node *n, FILE *out);
