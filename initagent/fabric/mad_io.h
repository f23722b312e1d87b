/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mad_io: the door through which MADs leave: a port of ib_umad, opened by libibumad. The only file
 * that knows the library; unit tests put their own table of functions in its place.
 *
 * An open port does not keep its device from going (the kernel unregisters our agents and answers
 * no more), but holds the ib_umad module; a client keeps it open only while an answer is due.
 */
#pragma once

#include "base/env.h"
#include "fabric/mad.h"

/* Room for an answer: Omni-Path's MADs have 2048 bytes (OPA_MGMT_MAD_SIZE). */
#define MAD_IO_SIZE 2048

struct mad_to {
	enum mad_class class;
	uint16_t lid; /* 0xffff: by the route in the MAD */
	uint8_t sl;
	uint16_t pkey_index;
};

struct mad_ops {
	/*
	 * Opens a port: 0 with a handle for the others; -ENODEV when ib_umad or the port's node is
	 * not there (yet), -EACCES without rights, or another negative errno.
	 */
	int (*open)(void *data, const struct env *env, const char *device, unsigned port,
		void **ret_io);
	/* To poll for reading. May be one that epoll does not take (ibsim's preload library). */
	int (*fd)(void *io);
	/*
	 * Sends one MAD; the kernel waits timeout_ms for the answer to let it through. 0 or
	 * negative errno, -EPERM when the port may not send this class (virtual functions and queue
	 * pair 0).
	 */
	int (*send)(void *io, const struct mad_to *to, const uint8_t mad[static MAD_SIZE],
		unsigned timeout_ms);
	/*
	 * The next datagram: its length, 0 when there is none, or negative errno. Never blocks.
	 * *ret_error: 0, or the errno with which the kernel gives a request back: buf then holds
	 * its header as it was sent.
	 */
	int (*recv)(void *io, uint8_t buf[static MAD_IO_SIZE], int *ret_error);
	void (*close)(void *io);
	void *data; /* for open() */
};

/* mad_real_ops: libibumad. Opens nothing below a prefix: the library knows only the real /sys. */
extern const struct mad_ops mad_real_ops;
