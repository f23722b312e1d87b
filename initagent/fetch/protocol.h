/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * protocol: what the three processes of a transfer tell each other. The agent sends requests to the
 * process that fetches and gets replies, structs of fixed size over a SOCK_SEQPACKET socket, so
 * that the size of each can be checked. The process that fetches sends pieces of the file to the
 * one that verifies, through a pipe; that one tells the agent what became of them (verifier.h).
 */
#pragma once

#include "fetch/intake.h"
#include "url.h"

#define REPLY_TEXT_MAX 320

enum request_kind {
	REQUEST_GET,  /* transfer, from byte at on */
	REQUEST_STOP, /* end the transfer at hand */
};

struct fetch_request {
	uint32_t kind;	   /* enum request_kind */
	uint32_t serial;   /* comes back with the reply */
	uint32_t origin;   /* which mirror, counted from 1 */
	uint16_t proxied;  /* address and port are the proxy's */
	uint16_t privileged; /* from a port below 1024 */
	uint64_t at;	   /* bytes of the file that are there */
	uint32_t port;
	uint32_t scope;	   /* the interface of a link-local address; 0: none */
	struct inet_addr address;
	char url[URL_TEXT_MAX];
};

/* How a request ended. The end of its pieces is PIECE_END, which comes first. */
struct fetch_reply {
	uint32_t serial;  /* of the request it belongs to */
	uint32_t verdict; /* enum fetch_verdict */
	uint64_t retry;	  /* seconds, 0: not said */
	char text[REPLY_TEXT_MAX];
	char location[URL_TEXT_MAX]; /* VERDICT_REDIRECT: a whole URL */
};

enum piece_kind {
	PIECE_BYTES,   /* len bytes follow, the file's from at on */
	PIECE_RESTART, /* the file starts again */
	PIECE_SIZE,    /* at: the size of the file, if known */
	PIECE_TELL,    /* tell the agent how far it is; at: bytes of the request that came again */
	PIECE_END,     /* of the request serial; whole: that was all of the file */
	PIECE_KIND_MAX,
};

struct piece {
	uint32_t kind; /* enum piece_kind */
	uint32_t len;
	uint64_t at;
	uint32_t serial;
	uint32_t whole;
};

/* What the processes are given at their start; all of it is borrowed from the agent, whose memory
 * they have a copy of. */
struct fetch_setup {
	struct intake_want want;
	int file;	     /* where the process that verifies writes */
	uint64_t have;	     /* bytes of a file that are there from an earlier time */
	const void *ca;	     /* PEM, or NULL */
	size_t ca_len;
	bool any_certificate;
	bool privileged;     /* requests come from a port below 1024 */
	uint64_t link;	     /* what the way to the servers can carry, bits a second; 0: unknown */
	int64_t clock_floor; /* Unix time before which the clock cannot be right */
};
