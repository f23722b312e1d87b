// SPDX-License-Identifier: GPL-2.0-or-later
#include "fail.h"

#include <stdarg.h>

int fail(int error, const char *fmt, ...)
{
	va_list ap;

	fputs("initagent-mkimage: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, ": %s\n", strerror(-error));
	return error;
}

int refuse(const char *fmt, ...)
{
	va_list ap;

	fputs("initagent-mkimage: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return -EINVAL;
}
