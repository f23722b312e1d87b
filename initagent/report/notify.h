/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * notify: sd_notify(3) without libsystemd. Owns a socket during the call.
 * In: text such as "READY=1". Out: one datagram to $NOTIFY_SOCKET, or -errno.
 * Callers: boot/. Tests: test_screens.c, base/test_core.c.
 */
#pragma once

#include "base/util.h"

/* notify_send: sends text ("READY=1"), blocking. 1; 0: $NOTIFY_SOCKET is not set; -errno. */
int notify_send(const char *text);

/* notify_status: the line of "systemctl status". -EAGAIN: the manager does not read. */
int notify_status(const char *line);
