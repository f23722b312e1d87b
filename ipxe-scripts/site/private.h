/* SPDX-License-Identifier: GPL-2.0-or-later */
/* private: what the files of this folder share. */
#pragma once

#include "plan.h"
#include "must.h"
#include "site/site.h"
#include "site/text.h"

struct tree;

/* The parts of site_check(). check_references() comes first: it fills in every reference. files:
 * also what files hold. */
void check_references(struct site *s, struct faults *report, bool files);
void check_networks(const struct site *s, struct faults *report);
/* check_nodes: identities and addresses; sets the ports' networks. */
void check_nodes(struct site *s, struct faults *report);
/* check_lines: what the agent makes of each command line, and whether the node can do it. */
void check_lines(const struct site *s, struct faults *report);

/* The parts of render(). */
void render_scripts(struct site *s, struct tree *t); /* http/boot.ipxe, http/node/... */
void render_nginx(const struct site *s, struct tree *t);
void render_dnsmasq(const struct site *s, const struct site_server *me, struct tree *t);
void render_dhcpd(const struct site *s, const struct site_server *me, struct tree *t);
void render_kea(const struct site *s, const struct site_server *me, struct tree *t);

/*
 * explain_adapter: the mstconfig settings of the port that boots, each with its reason. Nothing for
 * plain Ethernet, whose cards are of any make. The partition is that of the command line.
 */
void explain_adapter(const struct site *s, const struct site_port *p, const struct boot_plan *plan,
	FILE *out);

/*
 * addr_text: dotted decimal. server_url: "http://10.20.0.1" or with a port that is not 80; without
 * slash. Each in a buffer of its own for four calls in a row.
 */
const char *addr_text(uint32_t addr);
const char *server_url(const struct site_server *v);

/* The longest client identifier: type, IAID, DUID type, UUID. */
#define IDENTITY_BYTES 24

/* read_addr: an IPv4 address in host order. */
bool read_addr(const char *s, size_t len, uint32_t *ret);

/*
 * identity_bytes: the DHCP client identifier (option 61) under which a boot stage of an InfiniBand
 * port (with guid) shows up at a server; docs/dhcp-infiniband.md tells who sends which. Returns its
 * length, 0 for the uuid of a node without one.
 */
size_t identity_bytes(enum site_identity form, const struct site_node *n, const struct site_port *p,
	uint8_t bytes[static IDENTITY_BYTES]);

/*
 * identity_lemac: the 48-bit address that iPXE makes of a port GUID and shows as the port's MAC.
 * FlexBoot's own is the same on adapters whose GUID was made of the MAC.
 */
void identity_lemac(const uint8_t guid[static 8], uint8_t mac[static 6]);

#define OCTETS_MAX 20 /* of an IPoIB address */

/*
 * read_octets: n octets (at most OCTETS_MAX) that may be separated as people and
 * tools do: b8:ce:.., b8-ce-.., b8ce:f603:.., 0xb8ce...
 */
bool read_octets(const char *s, uint8_t *bytes, size_t n);

/* site_inside: the address is one of the network's subnet. */
bool site_inside(const struct site_network *n, uint32_t addr);
/* site_any_loader: a boot loader is served, so stages with other DHCP identities may come. */
bool site_any_loader(const struct site *s);
/* site_netmask: the network's mask, host order. */
uint32_t site_netmask(const struct site_network *n);
/* site_broadcast: the last address of the network's subnet. */
uint32_t site_broadcast(const struct site_network *n);
/* site_in_pool: the network has a pool, and the address is one of it. */
bool site_in_pool(const struct site_network *n, uint32_t addr);
/* site_server_at: the first server with that address, NULL if there is none. */
const struct site_server *site_server_at(const struct site *s, uint32_t addr);
/* uki_machine: whose UEFI starts this UKI; x64 if the file is not there, or is none. */
enum site_loader uki_machine(struct site *s, const char *path);
/* file_digest: "sha256:HEX" of what the file holds; lives as long as the site. It is of zeros where
 * look is false or the file cannot be read, which the check of the files reports. */
const char *file_digest(struct site *s, struct site_file *f, bool look);

/* site_path: a path of the site file as it can be opened; lives as long as the site. */
const char *site_path(struct site *s, const char *path);
bool image_is_signed(const struct site_image *m);

/* initrd_name: of an image's i-th initrd in the tree, into buf: "initrd", or "initrd0" ... */
#define INITRD_NAME_SIZE 32
const char *initrd_name(char buf[static INITRD_NAME_SIZE], const struct site_image *m, size_t i);
/* put_head: the head of every file: which site, and that changes belong elsewhere. */
void put_head(struct text *t, const struct site *s, const char *comment, const char *what);

extern const char *const site_fabric_names[FABRIC_MAX];
extern const char *const site_loader_names[LOADER_MAX];
/* The loaders' file names in the tree. */
extern const char *const site_loader_files[LOADER_MAX];
