/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * print: text from a command line may hold any byte; this is how it reaches a terminal or a test's
 * expectations. Owns nothing.
 * In: a piece of text. Out: printable ASCII on a stream, other bytes escaped; its width.
 * Callers: ipxe-scripts/site/. Tests: test_rows.c.
 */
#pragma once

#include "base/util.h"

/* escaped_width: how many columns put_escaped() takes for s[0..len). */
size_t escaped_width(const char *s, size_t len);

/* put_escaped: printable ASCII as it is, every other byte as \xNN. */
void put_escaped(FILE *out, const char *s, size_t len);
