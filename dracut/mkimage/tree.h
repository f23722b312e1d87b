/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree: the content of an image before it is packed: every entry with its bytes, its mode and the
 * reason it is there. Entries come out sorted by path, parents before children; nothing of the
 * building machine (owner, times, inode numbers) is kept, so equal input gives equal bytes.
 */
#pragma once

#include <sys/stat.h>

#include "base/util.h"

/* Longest path inside an image; far above any module or firmware path in use. */
#define TREE_PATH_MAX 512

struct tree_entry {
	const char *path; /* "sbin/modprobe": relative, no "." or ".." or empty part */
	mode_t mode;	  /* type and permission bits; owner is always 0:0 */
	dev_t rdev;	  /* device nodes */
	const void *data; /* content of a file, target of a link; NULL when empty */
	size_t size;
	const char *why; /* for --explain */
};

struct tree;

struct tree *tree_new(void);
struct tree *tree_free(struct tree *t);
DEFINE_FREEP(struct tree, tree_free)

/* tree_path_safe: path may be an entry: relative, normal form, printable, short enough. */
bool tree_path_safe(const char *path);

/*
 * tree_add: a copy of the entry; missing parent directories are made (mode 0755). Returns 0,
 * -EINVAL for an unsafe path, -EEXIST when another entry has that path (a directory may be added
 * twice), -ENOTDIR when a parent is no directory. The others are short forms.
 */
int tree_add(struct tree *t, const struct tree_entry *e);
int tree_dir(struct tree *t, const char *path, mode_t mode, const char *why);
int tree_link(struct tree *t, const char *path, const char *target, const char *why);
int tree_file(struct tree *t, const char *path, mode_t mode, const void *data, size_t size,
	const char *why);

/* tree_replace: the i-th entry, a file, gets other bytes and another name in its directory. */
void tree_replace(struct tree *t, size_t i, const char *path, const void *data, size_t size);

/* tree_find: the entry of that path or NULL. Valid until the next change. */
const struct tree_entry *tree_find(const struct tree *t, const char *path);

/* tree_sort: must come before tree_at() walks. Returns the number of entries. */
size_t tree_sort(struct tree *t);
const struct tree_entry *tree_at(const struct tree *t, size_t i);
