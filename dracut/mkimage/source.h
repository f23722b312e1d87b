/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source: where modules and firmware are taken from: a root directory (the machine's own or an
 * unpacked one). Every path is resolved inside that root (openat2, RESOLVE_IN_ROOT), so links of a
 * foreign root never lead into the building machine. Compressed files (.xz, .zst, .gz) come out
 * unpacked.
 */
#pragma once

#include "base/util.h"

#define SOURCE_PATH_MAX 4096

struct source;

struct source_config {
	const char *root;	  /* "/" or an unpacked root */
	const char *modules_dir;  /* instead of ROOT/lib/modules/KVER; may be NULL */
	const char *firmware_dir; /* instead of ROOT/lib/firmware; may be NULL */
	const char *kver;	  /* NULL: the last part of modules_dir */
};

/*
 * source_new: opens the directories. Returns 0, -EINVAL for a version that cannot be one, -ENOENT
 * when there are no modules of that version, or -errno.
 */
int source_new(struct source **ret, const struct source_config *cfg);
struct source *source_free(struct source *s);
DEFINE_FREEP(struct source, source_free)

const char *source_kver(const struct source *s);

/* source_modules_dir: the modules' directory as a path of this machine, for libkmod and depmod. */
const char *source_modules_dir(const struct source *s);

/*
 * source_read_module, source_read_firmware: the unpacked bytes of a file below the modules' or the
 * firmware directory; *data belongs to the caller. 0 or -errno; -ENOENT when it is not there.
 */
int source_read_module(const struct source *s, const char *path, void **data, size_t *size);
int source_read_firmware(const struct source *s, const char *path, void **data, size_t *size);

/* source_open_firmware: a directory below the firmware directory, for patterns. fd or -errno. */
int source_open_firmware(const struct source *s, const char *path);

/*
 * source_open_module: a file or directory below the modules' directory, opened with these flags
 * (O_PATH to learn what it is). source_open_root: likewise below the root the modules belong to;
 * -ENOENT for modules that were given without a root. fd or -errno.
 */
int source_open_module(const struct source *s, const char *path, int flags);
int source_open_root(const struct source *s, const char *path, int flags);

/* source_read_root: as source_read_module, below the root. */
int source_read_root(const struct source *s, const char *path, void **data, size_t *size);

/* source_strip: cuts a compression suffix off path. Returns true when there was one. */
bool source_strip(char *path);

/* source_suffix: the i-th compression suffix (".xz"), NULL after the last. */
const char *source_suffix(size_t i);
