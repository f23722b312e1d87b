/* SPDX-License-Identifier: GPL-2.0-or-later */
/* render: a site that was checked without error into the files that its servers serve. */
#pragma once

#include "site/site.h"
#include "site/text.h"
#include "site/tree.h"

/* render: all of it. Equal site files give equal bytes. */
void render(struct site *s, struct tree *t);

/* The parts, each with a file of its own. */
void render_scripts(struct site *s, struct tree *t);	/* scripts.c: http/boot.ipxe, http/node/... */
void render_images(struct site *s, struct tree *t);	/* render.c: http/images/, http/files/, http/loaders/, tftp/ */
void render_nginx(const struct site *s, struct tree *t);	/* nginx.c */
void render_dnsmasq(const struct site *s, struct tree *t);	/* flexboot/dhcp/ */
void render_dhcpd(const struct site *s, struct tree *t);
void render_kea(const struct site *s, struct tree *t);

/* server_url: "http://10.20.0.1" or with a port that is not 80; without slash. */
void server_url(struct text *t, const struct site_server *v);

/* first_url: where a DHCP server sends nodes: itself if it serves the tree, else the first that does. */
void first_url(struct text *t, const struct site *s, const struct site_server *dhcp);

/* serves_tree: is the server in boot.servers? */
bool serves_tree(const struct site *s, const struct site_server *v);

/* Names in the tree of an image's i-th initrd: "initrd", or "initrd0" and so on. */
void initrd_name(struct text *t, const struct site_image *m, size_t i);

/* The head of every file: which site, and that changes belong elsewhere; comment is '#' or "//". */
void put_head(struct text *t, const struct site *s, const char *comment, const char *what);
