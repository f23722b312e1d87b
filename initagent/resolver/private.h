/* SPDX-License-Identifier: GPL-2.0-or-later */
/* private: the parts of the resolver: names.c, dns_stream.c, lookup.c. */
#pragma once

#include <sys/socket.h>

#include "base/env.h"
#include "base/wire.h"
#include "resolver/dns.h"
#include "resolver/resolv_conf.h"

/* --- names.c: what a name stands for without asking a server ------------------------------- */

#define NAME_LIST_MAX 8

/* The names that a host name may stand for, in the order they are looked up in. */
struct name_list {
	char names[NAME_LIST_MAX][ADDRESS_DOMAIN_MAX + 1];
	size_t n;
};

/*
 * name_list_make: as with "options ndots:1": a name with a dot comes as it is first, then with the
 * domains of search (separated by one space); one without a dot the other way round. At least the
 * name itself is there.
 */
void name_list_make(struct name_list *ret, const char *name, const char *search);

/* hosts_find: looks a name (any case) up in the text of /etc/hosts: its first addresses, those of
 * IPv4 before the others; their number. */
size_t hosts_find(const char *text, size_t len, const char *name,
	struct inet_addr ret[static ADDRESS_RESOLVED_MAX]);

/* hosts_read: hosts_find in the file. */
size_t hosts_read(const struct env *env, const char *name,
	struct inet_addr ret[static ADDRESS_RESOLVED_MAX], uint64_t now);

/* --- dns_stream.c: one query over TCP (RFC 7766), for an answer that UDP truncated ---------- */

struct dns_stream {
	int fd;	   /* -1: none */
	int epoll; /* that fd is part of */
	uint8_t query[2 + DNS_MESSAGE_MAX];
	size_t len, sent;
	uint8_t answer[2 + WIRE_PACKET_MAX];
	size_t got;
};

/* dns_stream_open: connects; its fd becomes part of epoll, which is borrowed. 0 or -errno: still
 * closed. */
int dns_stream_open(struct dns_stream *s, int epoll, const struct sockaddr *server, socklen_t size,
	const void *message, size_t len);
void dns_stream_close(struct dns_stream *s);

/*
 * dns_stream_read: goes on as far as it can. The length of the answer, which is copied to packet
 * and ends the stream; 0: not there yet; -errno: over. Of one longer than size the beginning,
 * marked as truncated.
 */
ssize_t dns_stream_read(struct dns_stream *s, void *packet, size_t size);

/* --- lookup.c: one name ------------------------------------------------------------------- */

struct lookup;

enum lookup_state { LOOKUP_ASKING, LOOKUP_FOUND, LOOKUP_FAILED };

/*
 * lookup_new: begins; a literal address or a name in /etc/hosts is found at once. conf, which
 * lookup_restart() tells of changes of, and epoll, which its sockets become part of, are borrowed.
 * 0, -EINVAL (not a host name) or -errno.
 */
int lookup_new(struct lookup **ret, const struct env *env, int epoll,
	const struct resolv_conf *conf, const char *name, uint64_t limit_ns, uint64_t now);
struct lookup *lookup_free(struct lookup *l);
DEFINE_FREEP(struct lookup, lookup_free)
void lookup_restart(struct lookup *l, uint64_t now);
void lookup_want_all(struct lookup *l);

/*
 * lookup_read: the next packet from one of the servers and the query it may answer; tag goes with
 * it to lookup_take(). Its length, 0 when there is none. Foreign packets are skipped, each of them
 * and the one that is returned at the cost of one of *budget; at 0 nothing more is read.
 */
size_t lookup_read(struct lookup *l, void *packet, size_t size, struct dns_query *ret,
	uint32_t *tag, int *budget);
void lookup_take(struct lookup *l, const struct dns_answer *a, uint32_t tag, uint64_t now);
uint64_t lookup_deadline(const struct lookup *l);
void lookup_tick(struct lookup *l, uint64_t now);

enum lookup_state lookup_state(const struct lookup *l);
/* lookup_result: the addresses found, those of the preferred family first; their number. */
size_t lookup_result(const struct lookup *l, struct inet_addr ret[static ADDRESS_RESOLVED_MAX]);
/* lookup_reason: why there is no address; after LOOKUP_FAILED. */
void lookup_reason(const struct lookup *l, char *text, size_t size);
