// SPDX-License-Identifier: GPL-2.0-or-later
#include "site/text.h"

#include "base/hex.h"
#include "must.h"

void text_done(struct text *t)
{
	free(t->data);
	*t = (struct text){0};
}

void text_clear(struct text *t)
{
	t->len = 0;
	if (t->data)
		t->data[0] = 0;
}

static void reserve(struct text *t, size_t more)
{
	size_t cap = t->cap ? t->cap : 1024;

	while (cap - t->len <= more)
		cap *= 2;
	if (cap == t->cap)
		return;
	t->data = must(realloc(t->data, cap));
	t->cap = cap;
}

void text_put(struct text *t, const char *s)
{
	size_t len = strlen(s);

	reserve(t, len);
	memcpy(t->data + t->len, s, len + 1);
	t->len += len;
}

void text_printf(struct text *t, const char *fmt, ...)
{
	va_list ap, again;
	int n;

	va_start(ap, fmt);
	va_copy(again, ap);
	reserve(t, 256);
	n = vsnprintf(t->data + t->len, t->cap - t->len, fmt, ap);
	if (n >= 0 && (size_t)n >= t->cap - t->len) {
		reserve(t, (size_t)n);
		n = vsnprintf(t->data + t->len, t->cap - t->len, fmt, again);
	}
	va_end(again);
	va_end(ap);
	t->len += n > 0 ? (size_t)n : 0;
}

void text_hex(struct text *t, const uint8_t *bytes, size_t n, char separator)
{
	char hex[3 * 32 + 1];

	text_put(t, hex_text(hex, sizeof(hex), bytes, n, (const char[]){separator, 0}));
}
