/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * resolver: finds the addresses of one host name: a literal address is its own answer, then /etc/hosts, then
 * DNS over UDP (RFC 1035). All servers are asked at once, as musl's resolver does, so that a dead one costs
 * nothing; again after 1, 2, 4, 4 ... s until the limit. A truncated answer without an address is asked for over TCP,
 * once a round and server. Names without a dot are tried with the search domains first; a name for which servers had
 * nothing but errors (SERVFAIL, REFUSED ...) does not stop the list, and is tried again when the list is over. A is
 * preferred to AAAA, unless no interface has an IPv4 address: both are asked, the other one counts only if there is none
 * of the preferred kind, and an IPv4 address not at all without such an interface.
 *
 * It does no waiting and no parsing itself: the owner polls resolver_fd(), has packets parsed (guard.h) and
 * gives the answers back.
 */
#pragma once

#include "resolver/dns.h"
#include "address/resolv_conf.h"

struct resolver;

enum resolver_state {
	RESOLVER_ASKING,
	RESOLVER_FOUND,
	RESOLVER_FAILED, /* resolver_reason() says why */
	RESOLVER_STATE_MAX,
};

/*
 * resolver_new: begins. conf may have no servers: then only a literal or /etc/hosts helps, else it waits for
 * resolver_servers(). 0, -EINVAL (not a host name) or -errno.
 */
int resolver_new(struct resolver **ret, const struct env *env, const char *name,
	const struct resolv_conf *conf, uint64_t limit_ns, uint64_t now);
struct resolver *resolver_free(struct resolver *r);
DEFINE_FREEP(struct resolver, resolver_free)

/* resolver_servers: the list of servers has changed; they are asked at once. */
void resolver_servers(struct resolver *r, const struct resolv_conf *conf, uint64_t now);

/* resolver_fd: readable when there may be something to read. */
int resolver_fd(const struct resolver *r);
uint64_t resolver_deadline(const struct resolver *r);

/*
 * resolver_read: the next packet from one of the servers and the query it may answer; tag goes with it to
 * resolver_take(). Its length, 0 when there is none. Others' packets are skipped, each of them and the one that is
 * returned at the cost of one of *budget; at 0 nothing more is read.
 */
size_t resolver_read(struct resolver *r, void *packet, size_t size, struct dns_query *ret, uint32_t *tag, int *budget);

/*
 * resolver_want_all: the addresses of the other family are wanted as well: once those of the preferred one are there, one
 * round of queries (1 s at most in the beginning) waits for them.
 */
void resolver_want_all(struct resolver *r);

void resolver_take(struct resolver *r, const struct dns_answer *a, uint32_t tag, uint64_t now);
void resolver_tick(struct resolver *r, uint64_t now);

enum resolver_state resolver_state(const struct resolver *r);

/*
 * resolver_result: the addresses found, those of the preferred family first, else as the server sent them. Of the
 * other family are only those that were known by then. Their number; 0 unless RESOLVER_FOUND.
 */
size_t resolver_result(const struct resolver *r, struct inet_addr ret[static ADDRESS_RESOLVED_MAX]);

/* resolver_reason: why there is no address; after RESOLVER_FAILED. */
void resolver_reason(const struct resolver *r, char *text, size_t size);
