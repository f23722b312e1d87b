/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * params: do the options in the image's modprobe.d reach anything? The kernel ignores an option its
 * module does not know, with one line in the log of a node nobody looks at.
 */
#pragma once

#include "tree.h"

struct params;

/* params_new: 0 or -ENOMEM. */
int params_new(struct params **ret);
struct params *params_free(struct params *p);
DEFINE_FREEP(struct params, params_free)

/* params_add: a module of the image, and the options its .modinfo (info, size) declares. 0 or -ENOMEM. */
int params_add(struct params *p, const char *module, const char *info, size_t size);

enum param_verdict {
	PARAM_INSIDE,	 /* the module is in the image and knows the option */
	PARAM_UNKNOWN,	 /* the module is in the image and does not */
	PARAM_NO_MODULE, /* no such module in the image */
	PARAM_MAX,
};

/*
 * params_explain: one line to out for every "options" of the etc/modprobe.d files in the tree; with
 * only_unknown those alone that a module in the image does not know. Returns how many of these
 * there are, or -ENOMEM.
 */
int params_explain(const struct params *p, struct tree *t, bool only_unknown, FILE *out);
