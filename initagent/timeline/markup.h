/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * markup: text of state files into XML and HTML. Nothing of a state file gets into a picture or page but
 * through here.
 */
#pragma once

#include "base/util.h"

/*
 * markup_text: s as character data or as the inside of a quoted attribute, good in XML 1.0 and HTML. Control
 * and format characters (those that turn the direction of text, too) and what XML may not hold are shown as
 * \xNN and \u{NNNN}, bytes that are no UTF-8 as \xNN.
 */
void markup_text(FILE *out, const char *s);

/* markup_cut: the same, at most `characters` of them, with an ellipsis for the rest. */
void markup_cut(FILE *out, const char *s, size_t characters);

/* markup_length: how many characters markup_text() shows. */
size_t markup_length(const char *s);
