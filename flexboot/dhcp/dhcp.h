/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dhcp: what the configurations of the three DHCP servers have in common. */
#pragma once

#include "site/render.h"

/* A client architecture (option 93): RFC 4578, and IANA's "Processor Architecture Types" for the later ones. */
struct boot_arch {
	const char *tag;
	unsigned int number;
	bool http; /* UEFI HTTP Boot */
	enum site_loader loader;
};

extern const struct boot_arch boot_arches[];
extern const size_t n_boot_arches;

bool is_dhcp_server(const struct site *s, const struct site_server *v);
bool serves_network(const struct site_network *n, const struct site *s, const struct site_server *me);
/* serves_pool: one server gives addresses away, the others only those that are reserved. */
bool serves_pool(const struct site *s, const struct site_network *n, const struct site_server *me);

/* http_boot_url: what UEFI HTTP Boot of this architecture gets; nothing when there is no such file. */
void http_boot_url(struct text *t, const struct site *s, const struct site_server *me, enum site_loader loader);

/* All ports with a reserved address in the networks that a server serves. Zero-initialise. */
struct dhcp_cursor {
	const struct site_node *node;
	const struct site_port *port;
	size_t next_node, next_port;
};
bool dhcp_next(struct dhcp_cursor *c, const struct site *s, const struct site_server *me);
