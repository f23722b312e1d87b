/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source: where modules and firmware are taken from: a root directory (the machine's own or an
 * unpacked one). Every path is resolved inside that root (openat2, RESOLVE_IN_ROOT), so links of a
 * foreign root never lead into the building machine. Compressed files (.xz, .zst, .gz) come out
 * unpacked.
 */
#pragma once

#include "host.h"

struct source;

struct source_config {
	const char *root;	  /* "/" or an unpacked root */
	const char *modules_dir;  /* instead of ROOT/lib/modules/KVER; may be NULL */
	const char *firmware_dir; /* instead of ROOT/lib/firmware; may be NULL */
	const char *kver;	  /* NULL: the last part of modules_dir */
	bool bare;		  /* a kernel without modules */
};

/*
 * source_new: opens the directories; lives until the end. Returns 0, -EINVAL for a version that
 * cannot be one, -ENOENT when there are no modules of that version, or -errno.
 */
int source_new(struct source **ret, const struct source_config *cfg);

const char *source_kver(const struct source *s);

/* source_modules_dir: the modules' directory as a path of this machine, for libkmod and depmod.
 * NULL: there is none. */
const char *source_modules_dir(const struct source *s);

/* What a path is relative to. Modules given without a root have no SOURCE_ROOT: -ENOENT. */
enum source_place { SOURCE_MODULES, SOURCE_FIRMWARE, SOURCE_ROOT, SOURCE_PLACES };

/* source_open: a file or directory (O_PATH to learn what it is). fd or -errno. */
int source_open(const struct source *s, enum source_place place, const char *path, int flags);

/* source_read: the unpacked bytes of a file. 0 or -errno; -ENOENT when it is not there. */
int source_read(
	const struct source *s, enum source_place place, const char *path, struct bytes *ret);

/* source_read_any: likewise, of the file of that name, or else of it with a compression suffix. */
int source_read_any(
	const struct source *s, enum source_place place, const char *path, struct bytes *ret);

/* source_strip: cuts a compression suffix off path. Returns true when there was one. */
bool source_strip(char *path);

/* source_suffix: the i-th compression suffix (".xz"), NULL after the last. */
enum { SOURCE_PACKINGS = 3 };
const char *source_suffix(size_t i);
