/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree: the folder that is rendered. It is written beside its place and moved there whole, so that
 * servers see the old tree or the new one. The same calls compare instead of writing, for "diff".
 */
#pragma once

#include "site/text.h"

enum tree_mode { TREE_WRITE, TREE_COMPARE };

/* In every tree; a folder without it is never replaced. */
#define TREE_MARK ".initagent-site"

struct tree;

/*
 * tree_begin: dir need not exist (TREE_WRITE). What is wrong is written to err, differences to out.
 * Returns 0 or a negative errno.
 */
int tree_begin(struct tree **ret, const char *dir, enum tree_mode mode, FILE *out, FILE *err);

/* Add a file; folders on the way are made. Errors are kept until tree_end(). */
void tree_file(struct tree *t, const char *path, const void *data, size_t len);
/* tree_text: the same with a text, and a path by printf. */
void tree_text(struct tree *t, const struct text *content, const char *path, ...) _printf_(3, 4);
/* tree_copy: a file of this host. */
void tree_copy(struct tree *t, const char *path, const char *source);
/* tree_link: another name of a file that was added. */
void tree_link(struct tree *t, const char *path, const char *target);

/*
 * tree_end: moves the tree into its place; or tells what is too much there. Returns the number of
 * differences (TREE_COMPARE), 0, or a negative errno. tree_free() without it leaves no trace.
 */
int tree_end(struct tree *t);

size_t tree_count(const struct tree *t);

struct tree *tree_free(struct tree *t);
DEFINE_FREEP(struct tree, tree_free)
