/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * router_list: what routers have said of DNS, with an end for each entry (RFC 8106 section 5.3.1
 * and 6.1): each router adds, prolongs and withdraws its own entries, no other's. Pure.
 */
#pragma once

#include "base/net_limits.h"
#include "value.h"

/* Over all routers of an interface; when full, what is there stays. No single one may fill it:
 * any host can send these. */
#define ROUTER_ENTRIES_MAX 16
#define ROUTER_ENTRIES_EACH 8

struct router_entry {
	uint8_t router[16];
	uint64_t expires; /* CLOCK_BOOTTIME ns; NSEC_NEVER: no end */
	uint8_t len;
	uint8_t value[ADDRESS_DOMAIN_MAX]; /* an IPv6 address, or a domain without terminator */
};

struct router_list {
	struct router_entry entries[ROUTER_ENTRIES_MAX];
	size_t n;
};

/*
 * router_list_put: a router announces a value (at most ADDRESS_DOMAIN_MAX bytes) for lifetime_s
 * seconds. 0: from now on it must not be used; UINT32_MAX: without end.
 */
void router_list_put(struct router_list *l, const uint8_t router[static 16], const void *value,
	size_t len, uint32_t lifetime_s, uint64_t now);

/* router_list_expire: removes what is over; were there such entries? router_list_deadline: when
 * the next one is. */
bool router_list_expire(struct router_list *l, uint64_t now);
uint64_t router_list_deadline(const struct router_list *l);

/* router_list_servers: the first addresses, each once. Their number. */
size_t router_list_servers(const struct router_list *l,
	struct inet_addr ret[static ADDRESS_LIST_MAX]);
/* router_list_domains: as many as there is room for, each once, separated by one space. */
void router_list_domains(const struct router_list *l, char ret[static ADDRESS_SEARCH_MAX + 1]);
