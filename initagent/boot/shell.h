/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shell: an interactive shell on the console, for rd.break and for the emergency policy. */
#pragma once

#include "base/util.h"

/*
 * shell_run: starts /bin/sh with a controlling terminal on /dev/console and waits for its end. why
 * is printed first, and what leaving it does ("tries the boot again"). Returns 0 when it was left,
 * -ENOENT when the image holds no shell, or -errno.
 */
int shell_run(const char *why, const char *leaving);
