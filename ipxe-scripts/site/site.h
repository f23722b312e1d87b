/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * site: one file that describes a site's nodes (docs/site-file.md), read, checked and rendered.
 * Owns: struct site; all strings and arrays live until site_free(). In: the file's bytes. Out: a
 * report of faults (faults.h), iPXE scripts and server configurations (tree.h), an explanation.
 * Callers: ipxe-scripts/ (initagent-site.c). Tests: test_site.c, fuzz_site.c, tests/site.bats,
 * tests/site-dhcp.bats, tests-qemu/ipxe.bats.
 *
 * Every reference by name has an index beside it, which is valid when the report has no error.
 */
#pragma once

#include "arena.h"
#include "site/faults.h"
#include "value.h"

struct tree;

#define SITE_NONE SIZE_MAX

/* A text of the file and its place; text NULL: not given, or, with a place, refused. */
struct said {
	const char *text;
	struct place at;
};

/* A reference: what was written, and the index of what it means, SITE_NONE if nothing. */
struct reference {
	struct said name;
	size_t index;
};

struct said_list {
	const struct said *items;
	size_t n;
};

struct reference_list {
	struct reference *items;
	size_t n;
};

/* IPv4 in host order: ROMs and iPXE know no IPv6 over IPoIB. */
struct said_addr {
	uint32_t addr;
	struct place at; /* line 0: not given */
};

struct said_number {
	uint32_t value;
	struct place at;
};

enum site_fabric { FABRIC_ETHERNET, FABRIC_ROCE, FABRIC_INFINIBAND, FABRIC_MAX };

/* The DHCP client identifier that boot stages before the agent send, and the agent after them. */
enum site_identity {
	IDENTITY_FLEXBOOT,
	IDENTITY_IPXE,
	IDENTITY_HW,
	IDENTITY_RFC4361,
	IDENTITY_UUID,
	IDENTITY_MAX
};

struct site_server {
	const char *name;
	struct place at;
	struct said_addr address;
	struct said_number port; /* HTTP; 80 */
};

struct site_network {
	const char *name;
	struct place at;
	enum site_fabric fabric;
	enum site_identity identity; /* InfiniBand only */
	struct place identity_at;
	uint32_t subnet; /* host order */
	int prefix;
	struct place subnet_at;
	struct said_addr router;
	struct said_addr *dns;
	size_t n_dns;
	uint32_t pool_first, pool_last;
	struct place pool_at; /* line 0: no pool */
	struct said_number lease, mtu;
	struct said interface; /* on the DHCP servers */
	struct reference_list dhcp; /* servers that run DHCP; default: boot.servers */
};

struct site_image {
	const char *name;
	struct place at;
	struct said kernel, uki;
	struct said_list initrds, options;
	struct said signing;	 /* off, try, require */
	struct reference_list servers; /* instead of boot.servers */
};

/* Set for the site, a group or a node; the later wins, options add up. */
struct site_profile {
	struct reference image;
	struct said root;
	struct said_list options;
};

struct site_group {
	const char *name;
	struct place at;
	struct site_profile profile;
};

struct site_file {
	const char *name;
	struct place at;
	struct said path;
	const char *digest; /* of its content, once {digest:NAME} has asked */
};

struct site_port {
	struct place at;
	bool has_guid, has_mac;
	bool faulty; /* a value of it was refused: what it lacks is no fault of its own */
	uint8_t guid[8], mac[6];
	struct place guid_at, mac_at;
	struct said_addr address;
	size_t network; /* by address */
};

struct site_node {
	const char *name;
	struct place at;
	struct site_profile profile;
	struct reference_list groups;
	struct site_port *ports;
	size_t n_ports;
	bool has_uuid;
	uint8_t uuid[16];
	struct place uuid_at;
};

/* How the iPXE scripts go on when something fails; times in the unit of the name. */
struct site_boot {
	struct place at;
	struct reference_list servers; /* fall-back order; default: all */
	struct said_number tries, wait_s, link_wait_s, timeout_s, script_timeout_s, reboot_after_s,
		menu_wait_ms;
	struct said menu_key, http_boot;
	struct reference unknown; /* group of nodes that are not in the file */
};

enum site_loader { LOADER_BIOS, LOADER_EFI_X64, LOADER_EFI_ARM64, LOADER_MAX };

struct site {
	struct arena *arena;
	const char *dir; /* of the site file: paths are relative to it */
	struct said name, domain, tree;
	struct site_profile defaults;
	struct site_boot boot;
	struct said loaders[LOADER_MAX];
	struct site_server *servers;
	struct site_network *networks;
	struct site_image *images;
	struct site_group *groups;
	struct site_file *files;
	struct site_node *nodes;
	size_t n_servers, n_networks, n_images, n_groups, n_files, n_nodes;
	struct names *node_names;
	size_t http_boot; /* image whose UKI UEFI HTTP Boot gets; SITE_NONE: the loader */
	enum site_loader http_boot_for; /* the machines that it is for */
};

/* site_read: the file's bytes into a site; all faults go into the report. Never NULL. */
struct site *site_read(const char *text, size_t len, const char *dir, struct faults *report);

/* site_check: what only the whole can tell; files: also whether the named files are there. */
void site_check(struct site *s, struct faults *report, bool files);

struct site *site_free(struct site *s);
DEFINE_FREEP(struct site, site_free)

/* site_node_find: the node of that name, NULL if there is none. */
const struct site_node *site_node_find(const struct site *s, const char *name);

/* A port of a node, or (node and port NULL) one not in the file, known by GUID or MAC alone. */
struct site_found {
	const struct site_node *node;
	const struct site_port *port;
	uint8_t id[8];
	size_t id_len; /* 8, 6, or 0: not asked for by GUID or MAC */
};

/*
 * site_find: whom text means: the name of a node (then its first port), or the GUID, MAC or IPv4
 * address of a port, GUID and MAC written in any way. False if there is no such node and text is no
 * GUID or MAC.
 */
bool site_find(const struct site *s, const char *text, struct site_found *ret);

/* render: all files that the servers of a site without error serve. Equal input, equal bytes. */
void render(struct site *s, struct tree *t);

/*
 * explain: writes to out what happens when this port asks to boot, or a port that no node has. The
 * site was checked without error. Returns 0 or a negative errno.
 */
int explain(struct site *s, const struct site_found *found, FILE *out);

/*
 * explain_address: likewise of an IPv4 address that no node has: a server's, or one of a pool.
 * False if it is neither.
 */
bool explain_address(const struct site *s, const char *text, FILE *out);

extern const char *const site_identity_names[IDENTITY_MAX];
