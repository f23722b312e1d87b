/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * web: a root image from web servers. It owns the order of its steps: list of mirrors, manifest,
 * signature, the image into memory, its proof, the mount. Nothing is mounted before it is proved.
 * In: the plan, addresses, loaded modules. Out: events, the mounted root, or a cause.
 * Callers: image_source.c, in whose row its functions stand; root/wwinit/ for each layer. Tests:
 * test_*.c here, tests/web.bats, tests-qemu/web.bats.
 */
#pragma once

#include "root/image/image.h"
#include "root/source/source.h"

/* Everything borrowed until web_end(). */
struct web_config {
	const struct plan_image *plan; /* with url */
	const char *target;	       /* where to mount, e.g. "/sysroot" */
	const char *init;	       /* wanted init or NULL */
	uint64_t node;		       /* port GUID or the like: decides the order of the mirrors */
	uint64_t link; /* what the way to the servers can carry, bits a second; 0: unknown */
	/* A part of a root (root/wwinit): plan->url as it is, without list of mirrors, manifest and
	 * signature; the record below /run is the caller's. */
	struct image_layer layer;
	bool privileged; /* as in struct fetch_config */
	const char *ca;	 /* certificates, below env's prefix; NULL: the plan's */
};

/* For the console and state.json. */
struct web_result {
	char url[PLAN_URL_MAX + 1];    /* of the image */
	char site[SOURCE_SITE_MAX];    /* the mirror that gave its last bytes */
	uint64_t bytes;		       /* of the image as fetched */
	/* Compared with the image; where chunks prove it, what a manifest that is proved itself
	 * says of the whole. "": neither. */
	char sha256[65];
	char proof[24];		       /* "signature", "digest", "certificate" or "none" */
	unsigned attempts;
	bool cached;		       /* from the local cache; site is then its place */
	uint64_t began;		       /* of the image's transfer; it ends at source.phase_end */
	struct image_result image;
};

/* web_link_rate: bits a second of the fastest interface with an address, as its driver reports it;
 * 0: none does (virtio, often). */
uint64_t web_link_rate(const struct source_config *cfg);
/* web_is_root: is a root with a usable init mounted there? Writes it to init. */
bool web_is_root(const char *sysroot, const char *wanted, char init[static INIT_CHECK_MAX]);

/* web_unpacks: has unpacking begun? */
bool web_unpacks(const struct source *s);

/* web_start: 0 or -ENOMEM. What is wrong from the beginning is SOURCE_FATAL. */
int web_start(struct source **ret, const struct env *env, const struct web_config *cfg,
	uint64_t now);

/* web_server: the one whose URL the choice has; there is no other, and each turn is its. */
int web_server(const struct root_choice *c, unsigned turn, const struct source_hint *hint,
	struct source_server *ret);

/* Of the row. web_take: what an earlier agent left of the transfer goes. web_describe: "image: 120
 * of 512 MiB, 98 MiB/s, 4 s left, from http://10.0.0.1". */
int web_take(struct source **ret, const struct env *env, const char *sysroot, const char *init);
void web_end(struct source *s);
int web_fd(const struct source *s);
uint64_t web_deadline(const struct source *s);
void web_dispatch(struct source *s, uint64_t now);
enum cause web_describe(const struct source *s, char *buf, size_t size);
const char *web_lookup(const struct source *s);
void web_resolved(struct source *s, const struct inet_addr *addr, const char *why, uint64_t now);
const char *web_module(const struct source *s);
void web_module_settled(struct source *s, uint64_t now);
void web_way_lost(struct source *s, uint64_t now);
void web_progress(const struct source *s, struct source_progress *ret);
