/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text: a buffer that grows, for what is rendered. Zero-initialise; free with text_done(). */
#pragma once

#include "base/util.h"

struct text {
	char *data; /* terminated; NULL while empty */
	size_t len, cap;
};

void text_done(struct text *t);
#define _cleanup_text_ _cleanup_(text_done)

/* text_clear: empty again, the memory kept. */
void text_clear(struct text *t);
void text_put(struct text *t, const char *s);
void text_printf(struct text *t, const char *fmt, ...) _printf_(2, 3);
/* text_hex: at most 32 octets as lower-case hex, with separator between them unless it is 0. */
void text_hex(struct text *t, const uint8_t *bytes, size_t n, char separator);
