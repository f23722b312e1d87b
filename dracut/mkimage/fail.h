/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fail: the builder's messages. */
#pragma once

#include "base/util.h"

/* fail: prints the message with the error's text and returns it, for "return fail(...)". */
int fail(int error, const char *fmt, ...) _printf_(2, 3);

/* refuse: prints the message, which says all there is to say, and returns -EINVAL. */
int refuse(const char *fmt, ...) _printf_(1, 2);
