/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * resolv_conf: the DNS servers and search domains of the node. It owns /etc/resolv.conf of the
 * initramfs.
 * In: servers with the interface they were learnt on, domains. Out: the file, or its text.
 * Callers: address/. Tests: address/test_result.c, handover/test_profiles.c.
 */
#pragma once

#include <net/if.h>

#include "base/env.h"
#include "base/net_limits.h"
#include "value.h"

#define RESOLV_SERVERS_MAX 3 /* the C library uses no more (MAXNS) */

struct resolv_conf {
	struct inet_addr servers[RESOLV_SERVERS_MAX];
	/* The interface of a link-local server (RFC 4007 section 6); 0 and "": any. */
	int zones[RESOLV_SERVERS_MAX];
	char ifnames[RESOLV_SERVERS_MAX][IFNAMSIZ];
	size_t n_servers;
	char search[ADDRESS_SEARCH_MAX + 1]; /* domains, separated by one space */
	bool only_v6; /* no interface has an IPv4 address: IPv4 addresses are of no use */
};

/* resolv_conf_add_server: unless it is known or there are RESOLV_SERVERS_MAX; the interface it
 * was learnt on. */
void resolv_conf_add_server(struct resolv_conf *c, const struct inet_addr *server, int ifindex,
	const char *ifname);

/* resolv_conf_text: the file's text; its length, 0 without servers. */
#define RESOLV_TEXT_MAX \
	(ADDRESS_SEARCH_MAX + RESOLV_SERVERS_MAX * (INET_ADDR_TEXT + IFNAMSIZ + 13) + 16)
size_t resolv_conf_text(const struct resolv_conf *c, char text[static RESOLV_TEXT_MAX]);

/* resolv_conf_write: replaces the file below env's prefix; removes it without servers. 0 or
 * -errno. */
int resolv_conf_write(const struct resolv_conf *c, const struct env *env);
