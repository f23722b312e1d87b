/* SPDX-License-Identifier: GPL-2.0-or-later */
/* limited: a call of the kernel that knows no limit of its own, made by a process that nobody has to wait for. */
#pragma once

/*
 * limited_run: calls f(arg) in a child and waits for its end, limit_ms milliseconds at most; then it is killed, and left to itself
 * if the kernel does not let it go. Nothing is told of how it ended.
 */
void limited_run(void (*f)(int arg), int arg, int limit_ms);
