/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dhcp: what the configurations of the three DHCP servers have in common. */
#pragma once

#include "site/private.h"
#include "site/tree.h"

/*
 * A client architecture (option 93): RFC 4578, and IANA's "Processor Architecture Types" for the
 * later ones.
 */
struct boot_arch {
	const char *tag;
	unsigned int number;
	bool http; /* UEFI HTTP Boot */
	enum site_loader loader;
};

#define BOOT_ARCHES 6

extern const struct boot_arch boot_arches[BOOT_ARCHES];

bool is_dhcp_server(const struct site *s, const struct site_server *v);
bool serves_network(
	const struct site_network *n, const struct site *s, const struct site_server *me);
/* serves_pool: one server hands out the pool's addresses, the others only the reserved ones. */
bool serves_pool(const struct site *s, const struct site_network *n, const struct site_server *me);

/* first_url: the web server for clients of me: itself if it serves the tree, else the first. */
const char *first_url(const struct site *s, const struct site_server *me);

/* boot_file: what a client of this architecture boots; adds nothing if there is no such file. */
void boot_file(struct text *t, const struct site *s, const struct site_server *me,
	const struct boot_arch *a);

/* All ports with a reserved address in the networks that a server serves. Zero-initialise. */
struct dhcp_cursor {
	const struct site_node *node;
	const struct site_port *port;
	size_t next_node, next_port;
};
bool dhcp_next(struct dhcp_cursor *c, const struct site *s, const struct site_server *me);

/* One of the addresses or client identifiers under which a port may ask. */
struct dhcp_match {
	const char *form; /* "mac", "lemac", or a name of site_identity_names */
	bool by_id;	  /* a client identifier, else a hardware address */
	size_t len;
	uint8_t bytes[IDENTITY_BYTES];
};

#define DHCP_MATCHES_MAX (2 + IDENTITY_MAX)

/* dhcp_matches: all of the port's, for servers that take any number of them. Returns how many. */
size_t dhcp_matches(const struct site *s, const struct dhcp_cursor *c,
	struct dhcp_match list[static DHCP_MATCHES_MAX]);
