/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rdma_link: software RDMA devices (rxe, siw) by RDMA netlink, the kernel's own interface for it
 * (include/uapi/rdma/rdma_netlink.h, client NLDEV). Owns nothing: every call opens its own socket
 * and is done when it returns; the kernel answers at once.
 * In: name, type and netdev. Out: the device in the kernel, or its words on a refusal; a device's
 * netdev.
 * Callers: rails/. Tests: test_rdma_link.c, tests-qemu/rooms.bats, tests-qemu/siw.bats.
 */
#pragma once

#include <net/if.h>

#include "base/util.h"

/*
 * rdma_link_add: creates device name of type on netdev. If name exists already with the same type
 * and netdev it is adopted (returns 1). Returns 0 when created, -errno otherwise with one line in
 * errtext (never NULL, size > 0): the kernel's extended answer when it gave one, else ours. The
 * driver must be loaded, for rxe on kernels before 6.15 also crypto-crc32 (modules room).
 */
int rdma_link_add(
	const char *name, const char *type, const char *netdev, char *errtext, size_t size);

/* rdma_link_netdev: the netdev below port 1 of a device; false and "" when it has none. */
bool rdma_link_netdev(const char *device, char netdev[static IFNAMSIZ]);
