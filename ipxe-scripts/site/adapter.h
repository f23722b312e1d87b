/* SPDX-License-Identifier: GPL-2.0-or-later */
/* adapter: how the adapter of a node has to be set, so that its ROM boots what the site file says. */
#pragma once

#include "plan.h"
#include "site/site.h"

/*
 * adapter_explain: the mstconfig settings of the port that boots, each with its reason. Nothing for plain Ethernet,
 * whose cards are anybody's. The partition is that of the command line.
 */
void adapter_explain(const struct site *s, const struct site_port *p, const struct boot_plan *plan, FILE *out);
