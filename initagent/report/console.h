/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * console: output for the administrator: a screen, a serial line of 9,600 baud (960 bytes a
 * second), a BMC that forwards one, a pipe. It owns a queue of fixed size and its own opening of
 * the device.
 * In: lines, text of any bytes. Out: lines of printable ASCII; what did not fit is left out, which
 * is reported, and is in the log.
 * Callers: boot/, handover/, main.c, report/tell/, root/image/, state/, timeline/. Tests:
 * test_console.c, tests/report.bats.
 *
 * It never delays a boot: what the device does not take at once waits in the queue. No cursor is
 * moved, and nothing but printable ASCII is shown: text may hold bytes from the network.
 */
#pragma once

#include "base/util.h"

#define CONSOLE_QUEUE 8192

struct console;

/*
 * console_new: fd is borrowed; -1: lines are dropped. A terminal or pipe is opened again when it is
 * first used, so that O_NONBLOCK is not forced upon others who have it. 0 or -ENOMEM.
 */
int console_new(struct console **ret, int fd);
struct console *console_free(struct console *c);
DEFINE_FREEP(struct console, console_free)

/*
 * console_put: one line. urgent: it may use the whole queue, others only its first half. It is
 * shown in colour on a screen or terminal, never on a serial line, whose other end is unknown.
 */
void console_put(struct console *c, const char *line, bool urgent);

/* console_fd: readable when the queue may go on. console_flush: lets it. */
int console_fd(struct console *c);
void console_flush(struct console *c);

/* console_drain: empties the queue, for limit_ms at most, or a second without progress. */
void console_drain(struct console *c, int limit_ms);

/* console_clean: copies src to dst[size] with control bytes escaped as \xNN; always terminated. */
void console_clean(char *dst, size_t size, const char *src);

/*
 * console_complain: "initagent: WHAT: WHY" on standard error; what may be a file name of any bytes.
 */
void console_complain(const char *what, const char *why);

/* console_line: "text\n" to fd without a queue, for 0.2 s at most. Errors are ignored. */
void console_line(int fd, const char *text);

/* console_adopt: /dev/console, if it can be opened, becomes the process's standard streams; where
 * there are none, else /dev/null. */
void console_adopt(void);

/* console_settle: until the line driver has sent what it was given, limit_ms at most. */
void console_settle(int fd, int limit_ms);
