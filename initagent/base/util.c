// SPDX-License-Identifier: GPL-2.0-or-later

#include "util.h"

#include <stdarg.h>

void str_add(char *buf, size_t size, const char *fmt, ...)
{
	size_t n = strlen(buf);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf + n, size - n, fmt, ap);
	va_end(ap);
}

const char *pair_value(const char *pairs, const char *key)
{
	size_t len = strlen(key);

	for (const char *at = pairs; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (strncmp(at, key, len) == 0 && at[len] == '=')
			return at + len + 1;
	}
	return NULL;
}
