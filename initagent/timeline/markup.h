/* SPDX-License-Identifier: GPL-2.0-or-later */
/* markup: the only way for text of state files into pictures and pages (XML, HTML). */
#pragma once

#include "base/util.h"

/*
 * markup_printf: writes the format as it is and the text of each %s as character data, which is
 * also good inside of a quoted attribute, in XML 1.0 and HTML. Control and format characters (those
 * that turn the direction of text, too) and what XML may not hold are shown as \xNN and \u{NNNN},
 * bytes that are no UTF-8 as \xNN. A precision ("%.20s", "%.*s") is in characters shown; an
 * ellipsis stands for the rest. Further conversions: %c %u %zu %%, and %f with a precision.
 */
void markup_printf(FILE *out, const char *fmt, ...) _printf_(2, 3);

/* markup_length: how many characters are shown of s. */
size_t markup_length(const char *s);
