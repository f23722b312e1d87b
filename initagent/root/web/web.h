/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * web: a root image from web servers. Owns: the order of its steps: list of mirrors, manifest,
 * signature, the image into memory, its proof, the mount. In: the plan, addresses, loaded modules.
 * Out: events, the mounted root, or a cause. Nothing is mounted before it is proved.
 * Called by: image_source.c. Tests: test_*.c here, tests/web.bats, tests-qemu/web.bats.
 */
#pragma once

#include "report/causes.h"
#include "root/image/image.h"

#define WEB_SITE_MAX 300

struct web;

enum web_event {
	WEB_EVENT_NONE,
	WEB_EVENT_LOOKUP,   /* find an address for web_lookup() and call web_resolved() */
	WEB_EVENT_MODULE,   /* load web_module() and call web_module_settled(), loaded or not */
	WEB_EVENT_PROGRESS, /* web_describe() has something new to say */
	WEB_EVENT_RETRY,    /* a transfer failed, web_failure() says how; it goes on by itself */
	WEB_EVENT_MOUNTED,
	WEB_EVENT_FATAL,    /* web_failure() says why */
	WEB_EVENT_MAX,
};

/* Everything borrowed until web_free(). */
struct web_config {
	const struct plan_image *plan; /* with url */
	const char *target;	       /* where to mount, e.g. "/sysroot" */
	const char *init;	       /* wanted init or NULL */
	uint64_t node;		       /* port GUID or the like: decides the order of the mirrors */
	uint64_t link; /* what the way to the servers can carry, bits a second; 0: unknown */
};

/* For the console and state.json. */
struct web_result {
	char url[PLAN_URL_MAX + 1];    /* of the image */
	char site[WEB_SITE_MAX];       /* the mirror that gave its last bytes */
	uint64_t bytes;		       /* of the image as fetched */
	char sha256[65]; /* "" if it was not compared: none was asked for, or chunks prove the image
			  */
	char proof[24];		       /* "signature", "digest", "certificate" or "none" */
	struct inet_addr server;       /* its address; family 0: not known */
	unsigned attempts;
	bool cached;		       /* from the local cache; site is then its place */
	uint64_t began, fetched;       /* of the image's transfer */
	struct image_result image;
};

/* How far it is. */
struct web_progress {
	const char *step;	 /* "manifest", "image", "mounting" ...; static */
	char site[WEB_SITE_MAX]; /* the mirror at hand; "" none */
	uint64_t bytes, size;	 /* there (unpacked, when mounting), of all; size 0: not known */
	uint64_t rate, left;	 /* bytes a second; seconds, UINT64_MAX: not known */
	unsigned attempts;
};

/*
 * web_adopt: an earlier agent mounted the root: what it said of it, into ret, whose image is there
 * already; and what it left of the transfer goes.
 */
void web_adopt(const struct env *env, struct web_result *ret);

/* web_new: 0, -EOPNOTSUPP (build without HTTP), -ENOMEM or another -errno. Nothing is started. */
int web_new(struct web **ret, const struct env *env, const struct web_config *cfg);

/* web_free: work under way is ended. What is mounted stays mounted. */
struct web *web_free(struct web *w);
DEFINE_FREEP(struct web, web_free)

/* web_start: begins. What is wrong from the beginning is an event WEB_EVENT_FATAL. */
void web_start(struct web *w, uint64_t now);

/* web_fd: changes with each dispatch; -1: none right now. */
int web_fd(const struct web *w);
uint64_t web_deadline(const struct web *w);
void web_dispatch(struct web *w, uint64_t now);
/* web_pop_event: several may be there: until it is WEB_EVENT_NONE. */
enum web_event web_pop_event(struct web *w);

/* web_lookup: the name to be looked up, or NULL. web_resolved: its address, or NULL and why not. */
const char *web_lookup(const struct web *w);
void web_resolved(struct web *w, const struct inet_addr *addr, const char *why, uint64_t now);

/*
 * web_module: the kernel module that the image's file system needs, while it is waited for; else
 * NULL. web_module_settled: it is there, or will never be; the mount then says so.
 */
const char *web_module(const struct web *w);
void web_module_settled(struct web *w, uint64_t now);

/* web_way_lost: the interface under the transfer is of no use any more: the attempt at hand is not
 * waited for. */
void web_way_lost(struct web *w, uint64_t now);

/* web_describe: what is going on, in words: "image: 120 of 512 MiB, 98 MiB/s, 4 s left, from
 * http://10.0.0.1". */
void web_describe(const struct web *w, char *buf, size_t size);

/* web_progress: of the step at hand, right now. */
void web_progress(const struct web *w, struct web_progress *ret);

/* web_waits_for: the cause that the time is spent on now; CAUSE_NONE: all is well. */
enum cause web_waits_for(const struct web *w);

/* web_failure: cause and words of the last failed step; valid until the next dispatch. */
enum cause web_failure(const struct web *w, const char **ret_text);

/* web_result: complete after WEB_EVENT_MOUNTED. */
const struct web_result *web_result(const struct web *w);
