/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nbd_nl: the kernel's nbd by generic netlink (drivers/block/nbd.c). A device that was set up so
 * keeps its socket whatever becomes of the process, and tells in /sys/block/nbdN/backend whose it
 * is.
 */
#pragma once

#include "base/util.h"

#define NBD_ERROR_MAX 160

struct nbd_setup {
	int socket;
	uint64_t size;
	uint32_t block_size;
	uint32_t flags;	     /* the server's transmission flags */
	uint32_t timeout_s;  /* for one request; 0: none */
	uint32_t dead_s;     /* how long requests wait for a new connection */
	const char *backend; /* whose it is, for who comes later */
};

/*
 * nbd_connect: makes the next free device one of this setup. Returns its number or -errno with the
 * kernel's words (-ENOENT: the kernel has no nbd; -EBUSY: no device is free).
 */
int nbd_connect(const struct nbd_setup *setup, char text[static NBD_ERROR_MAX]);

/* nbd_disconnect: 0 or -errno. */
int nbd_disconnect(unsigned index);
