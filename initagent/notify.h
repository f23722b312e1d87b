/* SPDX-License-Identifier: GPL-2.0-or-later */
/* notify: sd_notify(3) without libsystemd: one datagram to $NOTIFY_SOCKET. */
#pragma once

#include "util.h"

/*
 * notify_send: sends text ("READY=1", "STATUS=waiting for ...") to the service manager. Returns 1
 * when sent, 0 when nobody asked for it ($NOTIFY_SOCKET unset), or -errno.
 */
int notify_send(const char *text);
