/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * params: do the options in the image's modprobe.d reach anything? The kernel ignores an option its
 * module does not know, with one line in the log.
 */
#pragma once

#include "host.h"
#include "tree.h"

/* The modules of an image and their options; zero-initialise, lives until the end. */
struct params {
	struct arena_list names; /* "module" and "module.option" */
};

/* params_add: a module of the image, and the options its .modinfo (info, size) declares. */
void params_add(struct params *p, const char *module, const char *info, size_t size);

/*
 * params_explain: one line to out for every "options" of the etc/modprobe.d files in the tree; with
 * only_unknown those alone that a module in the image does not know.
 */
void params_explain(const struct params *p, struct tree *t, bool only_unknown, FILE *out);
