/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plymouth: the splash screen hides the console, so what is waited for is shown on it, if it runs:
 * by its own protocol, over an abstract socket of the network namespace. It owns the connection and
 * the message that is shown.
 * In: a line. Out: that message on the splash screen. Nothing is waited for: what plymouth does not
 * take at once it does not get.
 * Callers: boot/. Tests: test_screens.c.
 */
#pragma once

#include "base/util.h"

struct plymouth {
	int fd; /* -1: not connected */
	char shown[128];
};

/* plymouth_show: replaces the message that was shown before; "" only takes that away. */
void plymouth_show(struct plymouth *p, const char *text);
void plymouth_done(struct plymouth *p);
