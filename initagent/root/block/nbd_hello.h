/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nbd_hello: how NBD begins (proto.md of the NBD project, fixed newstyle): the two sides agree on
 * an export, and the server tells its size and what may be done with it. What comes after is the
 * kernel's. The server's bytes are read in a process without rights.
 */
#pragma once

#include "base/util.h"

#define NBD_TEXT_MAX 200
#define NBD_NAME_MAX 256

/* How it went. */
enum nbd_hello {
	NBD_HELLO_DONE,
	NBD_HELLO_NO_EXPORT,
	NBD_HELLO_DENIED,   /* the server's policy */
	NBD_HELLO_TLS,	    /* only with TLS */
	NBD_HELLO_SHUTDOWN, /* it is shutting down */
	NBD_HELLO_CLOSED,   /* it hung up, or a read failed, before its greeting */
	NBD_HELLO_CUT,	    /* the same, after it */
	NBD_HELLO_PROTOCOL, /* no NBD, or too old */
	NBD_HELLO_DIED,	    /* the process that reads did */
	NBD_HELLO_MAX,
};

/* Of fixed size: what that process says. */
struct nbd_export {
	int32_t how;	     /* enum nbd_hello */
	uint32_t flags;	     /* transmission flags, the same as in linux/nbd.h */
	uint64_t size;
	uint32_t block_min;  /* smallest request; 0: not told */
	uint32_t block_max;  /* largest request; 0: not told */
	char text[NBD_TEXT_MAX]; /* the server's words, printable, or ours */
};

/*
 * nbd_hello_ask: agrees with the server at the other end of the connected socket on export name.
 * Waits for it as long as its caller lives. ret->how says how it went; only after NBD_HELLO_DONE
 * may the socket be given to the kernel.
 */
void nbd_hello_ask(int socket, const char *name, struct nbd_export *ret);

/* nbd_hello_talk: what the process does; also for the fuzz target. */
void nbd_hello_talk(int socket, const char *name, struct nbd_export *ret);

/*
 * nbd_block_size: the block size that the kernel is told. asked: bs=, 0: the smallest that the
 * server takes, a sector at least; page: the kernel's largest (drivers/block/nbd.c,
 * nbd_set_size()). 0: none will do, text says why. Pure.
 */
uint32_t nbd_block_size(const struct nbd_export *e, uint32_t asked, uint32_t page,
	char text[static NBD_TEXT_MAX]);
