/* SPDX-License-Identifier: GPL-2.0-or-later */
/* resolv_conf: /etc/resolv.conf for the tools of the rescue shell and whoever reads it in the initramfs. */
#pragma once

#include "address/address.h"

/* The C library looks at no more (MAXNS). */
#define RESOLV_SERVERS_MAX 3

struct resolv_conf {
	struct inet_addr servers[RESOLV_SERVERS_MAX];
	/* The interface of a link-local one (RFC 4007 section 6); 0 and "": any. */
	int zones[RESOLV_SERVERS_MAX];
	char ifnames[RESOLV_SERVERS_MAX][IFNAMSIZ];
	size_t n_servers;
	char search[ADDRESS_SEARCH_MAX + 1]; /* domains, separated by one space */
	bool only_v6; /* no interface has an IPv4 address: one of a name would lead nowhere */
};

/* resolv_conf_add: servers not yet known, and domains if there are none yet, from a rail's result. */
void resolv_conf_add(struct resolv_conf *c, const struct address_result *r);

/* resolv_conf_text: the file's text; its length, 0 without servers. */
#define RESOLV_TEXT_MAX (ADDRESS_SEARCH_MAX + RESOLV_SERVERS_MAX * (INET_ADDR_TEXT + IFNAMSIZ + 13) + 16)
size_t resolv_conf_text(const struct resolv_conf *c, char text[static RESOLV_TEXT_MAX]);

/* resolv_conf_write: writes the file below env's prefix, replacing it whole; removes it without servers. 0 or -errno. */
int resolv_conf_write(const struct resolv_conf *c, const struct env *env);
