/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * phase_table: one boot in the terminal: its phases, what it waited for, its slowest modules. Owns
 * nothing.
 * In: a record, untrusted; the terminal's width and characters. Out: the table, escaped to
 * printable ASCII.
 * Callers: timeline/. Tests: test_record.c, timeline/fuzz_report.c.
 */
#pragma once

#include "state/record.h"

struct phase_style {
	unsigned int columns; /* of the terminal */
	bool blocks;	      /* draw with Unicode's block elements; ASCII otherwise */
};

/*
 * phase_style_of: what fits the terminal at fd: its width (80 when unknown), blocks only on a
 * terminal whose locale is UTF-8. On serial consoles of rescue shells that is plain ASCII.
 */
struct phase_style phase_style_of(int fd);

/* phase_table_print: texts of the record are escaped to printable ASCII. */
void phase_table_print(FILE *out, const struct record *r, const struct phase_style *style);
