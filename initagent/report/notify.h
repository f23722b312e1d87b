/* SPDX-License-Identifier: GPL-2.0-or-later */
/* notify: sd_notify(3) without libsystemd: one datagram to $NOTIFY_SOCKET. */
#pragma once

#include "base/util.h"

/*
 * notify_send: sends text ("READY=1") to the service manager, and waits until it takes it. Returns
 * 1 when sent, 0 when $NOTIFY_SOCKET is not set, or -errno.
 */
int notify_send(const char *text);

/* notify_status: the line of "systemctl status". -EAGAIN: the manager does not read. */
int notify_status(const char *line);
