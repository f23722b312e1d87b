/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * post: brings one state to one web server, in a process without rights. The process outlives the agent if need be, so
 * that the hand-over to the real root need not wait for a server: the kernel ends it after POST_LIFE. Until then it
 * tries again, at random moments, when the server cannot be reached or is overloaded.
 */
#pragma once

#include "value.h"

#define POST_LIFE_S 10

struct post_order {
	const char *url;
	const char *file;	/* with a URL that ends with "/": name of the file below it (PUT); else POST */
	struct inet_addr address;
	uint16_t port;
	const char *body;
	size_t len;
	const char *ca;		/* PEM text, NULL: no https server is trusted */
	size_t ca_len;
	uint64_t delay;		/* begin at a random moment of this span, in ns */
	int kmsg;		/* /dev/kmsg, where the outcome is written; -1: nowhere */
};

/* How it ended; text says why not. */
struct post_news {
	bool stored;
	char text[192];
};

/*
 * post_start: forks. *ret_fd becomes readable when the process has something for post_read() or has ended. 0 or -errno,
 * -EOPNOTSUPP without http.
 */
int post_start(const struct post_order *o, int *ret_fd);

/* post_read: 1: it ended, *ret says how; 0: not yet. */
int post_read(int fd, struct post_news *ret);
