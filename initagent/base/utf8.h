/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * utf8: characters of text that may hold any byte. Pure.
 * In: terminated text. Out: the first character and its length, or that it is none.
 * Callers: timeline/. Tests: state/test_state.c, timeline/test_report.c.
 */
#pragma once

#include "util.h"

/*
 * utf8_decode: the code point at s and, unless ret is NULL, its value. Returns how many bytes it
 * has; 0: they are no UTF-8 (RFC 3629: cut, longer than need be, half of a surrogate pair, behind
 * Unicode's end).
 */
size_t utf8_decode(const char *s, uint32_t *ret);
