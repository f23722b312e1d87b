/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * resolver: names to addresses, many questions at once. It owns the lookups under way, their
 * sockets, and the process that parses the answers.
 * In: names, each with an id of the caller's; DNS servers. Out: one event a name.
 * Callers: address/ owns it; rails/ asks for all that have names (target, report sinks). Tests:
 * resolver/test_*.c, address/test_resolve_room.c, tests/address*.bats.
 *
 * A literal address is its own answer, then comes /etc/hosts, then DNS over UDP (RFC 1035). All
 * servers are asked at once, as musl's resolver does, so that a dead one costs nothing; again after
 * 1, 2, 4, 4 ... s until the limit. A truncated answer without an address is asked for over TCP,
 * once a round and server. Names without a dot are tried with the search domains first; a name for
 * which servers had nothing but errors (SERVFAIL, REFUSED ...) does not stop the list, and is tried
 * again when the list is over. A is preferred to AAAA, unless no interface has an IPv4 address:
 * both are asked, the other one counts only if there is none of the preferred kind, and an IPv4
 * address not at all without such an interface.
 */
#pragma once

#include "resolver/resolv_conf.h"

#define RESOLVER_LOOKUPS_MAX 32 /* at one time */

struct resolver;

/* The outcome of a question: addresses, those of the preferred family first, or why there are
 * none. */
struct resolver_event {
	uint32_t id;
	struct inet_addr addrs[ADDRESS_RESOLVED_MAX];
	size_t n_addrs; /* 0: text says why */
	char text[192];
};

/* resolver_new: asks no server before resolver_servers() named some. env is borrowed. 0 or
 * -errno. */
int resolver_new(struct resolver **ret, const struct env *env);
struct resolver *resolver_free(struct resolver *r);
DEFINE_FREEP(struct resolver, resolver_free)

/* resolver_servers: the present DNS servers; when they have changed every open question is asked
 * again. */
void resolver_servers(struct resolver *r, const struct resolv_conf *conf, uint64_t now);

/*
 * resolver_ask: begins a lookup, which ends in one event by limit_ns after now at the latest. An
 * id that is in use begins again: no event comes of the earlier question. 0, -EINVAL (not a host
 * name), -ENOSPC (RESOLVER_LOOKUPS_MAX) or -errno: then no event comes.
 */
int resolver_ask(struct resolver *r, uint32_t id, const char *name, uint64_t limit_ns,
	uint64_t now);

/*
 * resolver_want_all: the addresses of the other family are wanted as well: once those of the
 * preferred one are there, one round of queries (1 s at most in the beginning) waits for them.
 */
void resolver_want_all(struct resolver *r, uint32_t id);

/* resolver_cancel: no event comes of this question. */
void resolver_cancel(struct resolver *r, uint32_t id);

int resolver_fd(const struct resolver *r);
/* resolver_deadline: call resolver_dispatch() then; 0 while an event waits to be popped. */
uint64_t resolver_deadline(const struct resolver *r);
void resolver_dispatch(struct resolver *r, uint64_t now);
bool resolver_pop_event(struct resolver *r, struct resolver_event *ret);
