/* SPDX-License-Identifier: GPL-2.0-or-later */
/* private: what web.c (the order of the steps), state.c, cached.c (steps with a cache), listed.c
 * (those with a list of mirrors), streamed.c, transfer.c and view.c (what can be seen of them)
 * share. web.c calls the others, none of which calls it. */
#pragma once

#include "report/causes.h"
#include "root/cache/cache.h"
#include "fetch/fetch.h"
#include "root/image/keys.h"
#include "root/image/proof.h"
#include "root/web/mirror_list.h"
#include "root/web/store.h"
#include "root/web/stream.h"
#include "root/web/urls.h"
#include "root/web/web.h"

enum web_state {
	WEB_IDLE,
	WEB_MIRRORS,	/* the list of mirrors on its way */
	WEB_LISTING,	/* it is read */
	WEB_MANIFEST,	/* the manifest on its way */
	WEB_SIGNATURE,	/* the signature of manifest or image */
	WEB_PROVING,	/* the manifest is judged */
	WEB_CACHE,	/* the local cache is asked for the image */
	WEB_IMAGE,	/* the image on its way */
	WEB_JUDGING,	/* the image's signature is judged */
	WEB_KEEPING,	/* the image on its way into the cache */
	WEB_MODULE,	/* the module of its file system is being loaded */
	WEB_MOUNTING,
	WEB_MOUNTED,
	WEB_STOPPED,
	WEB_STATE_MAX,
};

extern const struct web_state_row {
	const char *name;
	const char *words; /* what the console says that is waited for */
	enum cause cause;
} web_states[WEB_STATE_MAX];

struct web {
	struct source source; /* the first */
	const struct env *env;
	struct web_config cfg;
	enum web_state state;
	struct keys keys;
	struct fetch *mirror_bytes;   /* the list of mirrors, until it is read */
	struct mirror_list *list;
	struct urls listed;	      /* the mirrors it names */
	uint64_t list_end; /* when the boot continues without it; NSEC_NEVER: no wait */
	struct urls urls;	      /* of the transfer at hand */
	struct fetch *fetch;	      /* the transfer at hand */
	struct fetch *manifest_bytes; /* kept until they are judged */
	struct fetch *signature_bytes;
	struct proof *proof;
	struct image *image;
	struct manifest *manifest; /* NULL: none */
	char summed[256];	   /* the image's name in a list of sums; "": none is asked for */
	bool sums_of_folder;	   /* the list is SHA256SUMS; else the image's own, NAME.sha256 */
	int file;		   /* the image, in memory */
	uint64_t have;		   /* bytes of it that were there from an earlier time */
	struct stream *stream;	   /* the image is unpacked on its way */
	unsigned stream_restarts;  /* fetch_progress.restarts when that began */
	enum cause stream_cause;   /* why it cannot be; CAUSE_NONE: it can */
	char stream_text[IMAGE_TEXT_MAX];
	bool has_key;		   /* key is known */
	uint8_t key[SHA256_SIZE];  /* the image's digest, from the command line, a manifest, sums */
	struct cache *cache;
	bool cache_bad;		   /* it cannot be used */
	const char *module;	   /* that the image needs; NULL: none, or it was asked for */
	struct web_result result;
};

/* state: web_stop: for good, with its cause. web_take_fetch: its bytes move out of the way of the
 * next transfer. */
void web_set_state(struct web *w, enum web_state to, uint64_t now);
void web_stop(struct web *w, enum cause cause, const char *text, uint64_t now);
struct fetch *web_take_fetch(struct web *w);

/*
 * cached: web_cache_look and web_cache_keep begin their step if there is one to be done, else they
 * are false. web_cache_step goes on with it: KEPT: as far as that was possible.
 */
enum web_cache_verdict { WEB_CACHE_BUSY, WEB_CACHE_FOUND, WEB_CACHE_MISSED, WEB_CACHE_KEPT };

bool web_cache_look(struct web *w, uint64_t now);
bool web_cache_keep(struct web *w, uint64_t now);
enum web_cache_verdict web_cache_step(struct web *w, uint64_t now);

/*
 * listed: the list of mirrors. web_list_begin: asks for it. web_list_failed: an attempt did.
 * web_list_there: its bytes are. web_list_step: goes on reading it. True: that is over, with a list
 * or without one.
 */
void web_list_begin(struct web *w, uint64_t now);
bool web_list_failed(struct web *w, bool fatal);
bool web_list_there(struct web *w, uint64_t now);
bool web_list_step(struct web *w, uint64_t now);

/* streamed: web_stream_step: after each step of the image's transfer. web_stream_end: from its end
 * until the unpacker has all of it. */
void web_stream_step(struct web *w, uint64_t now);
void web_stream_end(struct web *w, uint64_t now);

/* transfer: web_find_urls: the same thing on every mirror, what stands beside URL and mirrors.
 * web_transfer: begins one. */
int web_find_urls(struct web *w, const char *name, const char *suffix);
void web_transfer(struct web *w, struct fetch_config *cfg, enum web_state state, uint64_t now);
/* web_begin_note: a transfer into memory. */
void web_begin_note(struct web *w, enum web_state state, const char *name, const uint8_t *sha256,
	uint64_t now);
/* web_sums_begin: the sums beside the image, where nothing proves more than its server does: in the
 * order of systemd's importd (pull-common.h, VerificationStyle). */
void web_sums_begin(struct web *w, uint64_t now);
/* web_sums_absent: the server does not have what was asked for. True: the other is asked for. */
bool web_sums_absent(struct web *w, uint64_t now);
/* web_room: what the kernel can give to an image less what must stay free; 1 stands for none. */
uint64_t web_room(const struct web *w);
