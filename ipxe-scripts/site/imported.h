/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * imported: what the readers of provisioners' lists share: the parts of a site file as they are
 * found. All strings live in the arena.
 */
#pragma once

#include "site/document.h"
#include "site/import.h"
#include "site/names.h"
#include "site/private.h"

struct imported {
	struct arena *arena;
	struct faults *report;
	struct names *names;	 /* "group NAME" and so on; "left out NAME" */
	const char *provisioner; /* also the name of its server */
	const char *keeps;	 /* what becomes of keys that are not read */
	const char *initrd;	 /* comment: how the initrd is made */
	const char *address;	 /* of the server, NULL: not known */
	const char *domain;	 /* NULL: not known */
	const char *http, *xcatd, *status; /* of xCAT's servers: ":PORT"; "": the usual one */
	bool masters;		 /* of xCAT: some node has one of its own; then each has it */
	bool silent;		 /* the status of the nodes is not kept */
	const char *image, *root; /* the defaults: those of the first node */
	struct text options;	 /* of all nodes */
	struct text images, groups, nodes;
	struct arena_list networks; /* struct imported_network */
	struct arena_list osimages; /* of xCAT: const struct value * */
};

struct imported_network {
	const char *name;
	struct place at;
	uint32_t subnet; /* host order */
	int prefix;	 /* -1: not known */
	bool used;	 /* by a port, the first of which sets the fabric */
	enum site_fabric fabric;
	const char *router, *mtu; /* NULL: not known */
};

struct imported_node {
	const char *name, *image, *root;
	const char *id; /* the option that names it to the server, NULL: none */
	struct text hints, ports, groups, options;
	size_t n_ports;
};

/* A port as a provisioner has it; what is NULL is not known. */
struct imported_port {
	struct place at;
	const char *hardware, *address, *mask, *router, *mtu;
	const char *alias; /* the host name of an address that is a placeholder */
	bool infiniband;
};

/* imported_put: before, value (quoted if YAML needs it), after; nothing if value is NULL. */
void imported_put(struct text *t, const char *before, const char *value, const char *after);

/* imported_item: imported_put() into a list whose items have commas between them. */
void imported_item(struct text *t, const char *value);

/* imported_left_out: notes the first such thing that is not in the site file. */
void imported_left_out(
	struct imported *im, struct place at, const char *why, const char *what, const char *name);

/* imported_is: v is of that kind; another one is an error. */
bool imported_is(struct imported *im, const struct value *v, enum value_kind kind);

/* imported_find: the value of key in a map; NULL: none, or (an error) of another kind. */
const struct value *imported_find(
	struct imported *im, const struct value *map, const char *key, enum value_kind kind);

/* imported_text: the same for a text that is not empty. */
const char *imported_text(struct imported *im, const struct value *map, const char *key);

/* imported_rest: notes the keys of a map (or NULL) that were not found. */
void imported_rest(struct imported *im, const struct value *map);

/*
 * imported_name: can a site file have this name? If not, there is a warning. *ret_new: it is the
 * first time that something of the kind has it.
 */
bool imported_name(
	struct imported *im, const char *kind, const char *name, struct place at, bool *ret_new);

/* imported_image: n boots it (NULL: "default"). where, options: what is known of it, or NULL. */
void imported_image(struct imported *im, struct imported_node *n, const char *image,
	struct place at, const char *where, const char *options);

/* imported_group: n is one of it. */
void imported_group(
	struct imported *im, struct imported_node *n, const char *group, struct place at);

/* imported_node_done: writes n, which has an image and a root. */
void imported_node_done(struct imported *im, struct imported_node *n);

/* imported_prefix: the length of a netmask, -1 if it is none or NULL. */
int imported_prefix(const char *mask);

/*
 * imported_network: a new one with this address (prefix -1: its length is not known). NULL: there
 * is one of that name, or cannot be (a warning); too many are an error. Valid until the next one.
 */
struct imported_network *imported_network(
	struct imported *im, const char *name, uint32_t addr, int prefix, struct place at);

/* imported_port: adds it and its network. False: there is no valid hardware address. */
bool imported_port(struct imported *im, struct imported_node *n, const struct imported_port *p);

/* The readers. */
void import_warewulf(struct imported *im, const char *text, size_t len);
void import_xcat(struct imported *im, const char *text, size_t len);
