/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * console: where lines for people go. Text may hold bytes from the network: everything but printable
 * ASCII is shown as \xNN.
 */
#pragma once

#include "util.h"

/* console_clean: copies src to dst[size] with control bytes escaped; always terminated. */
void console_clean(char *dst, size_t size, const char *src);

/* console_line: writes "text\n" to fd in one write; errors are ignored, a dead console must not stop a boot. */
void console_line(int fd, const char *text);
