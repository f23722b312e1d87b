/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dnsserver: a DNS server for tests in the namespace of another process, over UDP and TCP, which
 * answers as the test wants: right, late, never, or wrong. It runs as a child and dies with the
 * test.
 */
#pragma once

#include <sys/types.h>

#include "base/util.h"

/* A query as the server got it. */
struct dnsserver_query {
	char name[256]; /* lower case, dots between labels */
	unsigned type;	/* 1 A, 28 AAAA */
	bool tcp;
	unsigned n; /* the n-th query of this server, from 1 */
	const uint8_t *message;
	size_t len;
};

struct dnsserver_reply {
	uint8_t bytes[8192];
	size_t len;
	unsigned times; /* how often it is sent, 1 unless the behaviour says otherwise */
};

/* A behaviour: fills m, whose len is 0: no answer. */
typedef void (*dnsserver_fn)(struct dnsserver_reply *m, const struct dnsserver_query *q);

/* dnsserver_start: serves on port 53 of address (IPv4, or IPv6 and maybe "%" and an interface) in
 * the namespace of pid. The server's pid. */
pid_t dnsserver_start(pid_t pid, const char *address, dnsserver_fn fn);

/* Flags of a header, to be or-ed with an RCODE. */
#define DNSSERVER_PLAIN	    0x8180 /* response, recursion desired and available */
#define DNSSERVER_TRUNCATED 0x8380

/* dnsserver_begin: header and question of the query, no record yet. */
void dnsserver_begin(struct dnsserver_reply *m, const struct dnsserver_query *q, unsigned flags);
/* dnsserver_record: adds one to the answer section; owner as text. */
void dnsserver_record(
	struct dnsserver_reply *m, const char *owner, unsigned type, const void *data, size_t len);
/* dnsserver_address: an A or AAAA record, if that is what was asked for. */
void dnsserver_address(struct dnsserver_reply *m, const struct dnsserver_query *q,
	const char *owner, const char *address);
void dnsserver_alias(struct dnsserver_reply *m, const char *owner, const char *target);
