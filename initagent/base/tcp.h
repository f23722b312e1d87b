/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tcp: connects to a numeric address. In: an address, of a link-local one with "%IFNAME". Out: a
 * socket.
 * Callers: root/block/, root/nfs/. Tests: base/test_tcp.c.
 */
#pragma once

#include "base/util.h"

/* tcp_connect: blocks for so many seconds, 0: as long as the kernel repeats its SYN. The limit is
 * one of what is sent later, too. Returns the socket or -errno. */
int tcp_connect(const char *address, uint16_t port, unsigned seconds);
