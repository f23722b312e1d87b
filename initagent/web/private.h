/* SPDX-License-Identifier: GPL-2.0-or-later */
/* private: what web.c (the steps) and view.c (what can be seen of them) share. */
#pragma once

#include "fetch/fetch.h"
#include "image/keys.h"
#include "image/proof.h"
#include "web/urls.h"
#include "web/web.h"

enum web_state {
	WEB_IDLE,
	WEB_MANIFEST,	/* the manifest on its way */
	WEB_SIGNATURE,	/* the signature of manifest or image */
	WEB_PROVING,	/* the manifest is judged */
	WEB_IMAGE,	/* the image on its way */
	WEB_JUDGING,	/* the image's signature is judged */
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
	const struct env *env;
	struct web_config cfg;
	enum web_state state;
	unsigned events; /* bit: enum web_event, not yet popped */
	struct keys keys;
	struct urls urls;	      /* of the transfer at hand */
	struct fetch *fetch;	      /* the transfer at hand */
	struct fetch *manifest_bytes; /* kept until they are judged */
	struct fetch *signature_bytes;
	struct proof *proof;
	struct image *image;
	struct manifest *manifest; /* NULL: none */
	int file;		   /* the image, in memory */
	const char *module;	   /* that the image needs; NULL: none, or it was asked for */
	enum cause cause;
	char text[IMAGE_TEXT_MAX];
	struct web_result result;
};
