/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * order: what the agent and the process that fetches tell each other: structs of fixed size over a SOCK_SEQPACKET
 * socket, so that the size of each can be checked.
 */
#pragma once

#include "fetch/sink.h"
#include "url.h"

#define NEWS_TEXT_MAX 320

enum order_kind {
	ORDER_GET,  /* transfer, going on where the last one stopped */
	ORDER_STOP, /* end the transfer at hand */
	ORDER_KIND_MAX,
};

struct fetch_order {
	uint32_t kind;	   /* enum order_kind */
	uint32_t serial;   /* comes back with the news */
	uint32_t origin;   /* which mirror, counted from 1 */
	uint32_t restart;  /* begin the file anew */
	uint32_t proxied;  /* address and port are the proxy's */
	uint32_t port;
	struct inet_addr address;
	char url[URL_TEXT_MAX];
};

enum news_kind {
	NEWS_HEAD,   /* the answer is one that is taken; size */
	NEWS_BYTES,  /* at */
	NEWS_HELD,   /* the reader of the stream takes nothing */
	NEWS_FLOWS,  /* it does again */
	NEWS_END,    /* verdict, status, at, size, retry, text, location */
	NEWS_KIND_MAX,
};

struct fetch_news {
	uint32_t kind;	  /* enum news_kind */
	uint32_t serial;  /* of the order it belongs to */
	uint32_t verdict; /* enum fetch_verdict */
	uint32_t status;  /* HTTP status or 0 */
	uint64_t at;	  /* bytes of the file that are there */
	uint64_t free_to; /* those before are not read again */
	uint64_t size;	  /* of the file; 0: unknown */
	uint64_t retry;	  /* seconds, 0: not said */
	char text[NEWS_TEXT_MAX];
	char location[URL_TEXT_MAX]; /* VERDICT_REDIRECT: a whole URL */
};

/* What the process is given at its start; all of it is borrowed from the agent, whose memory it has a copy of. */
struct fetch_setup {
	struct sink_want want;
	int sink;	     /* where to write */
	bool stream;
	uint64_t have;	     /* bytes of a file that are there from an earlier time */
	const void *ca;	     /* PEM, or NULL */
	size_t ca_len;
	bool any_certificate;
	uint64_t link;	     /* what the way to the servers can carry, bits a second; 0: unknown */
	int64_t clock_floor; /* Unix time before which the clock cannot be right */
};
