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
