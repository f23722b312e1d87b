/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text: many boots in the terminal. */
#pragma once

#include "boots.h"

/* text_report: what the page says, in a screen of plain ASCII. Returns 0 or -ENOMEM. */
int text_report(FILE *out, const struct boots *b);
