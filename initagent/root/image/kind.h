/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kind: what a root image is, told from its first bytes and never from its name. It owns the table
 * of kinds. Pure but for image_kind_read().
 * In: untrusted bytes. Out: the kind, how it becomes a root, its file system and modules; what it
 * is instead.
 * Callers: root/block/. Tests: test_kind.c, fuzz_probe.c.
 */
#pragma once

#include "base/util.h"

enum image_kind {
	IMAGE_UNKNOWN,
	IMAGE_SQUASHFS,
	IMAGE_EROFS,
	IMAGE_EXT4, /* ext2 and ext3 as well: the same driver mounts them */
	IMAGE_XFS,
	IMAGE_ISO,
	IMAGE_DISK, /* a disk with a GPT */
	IMAGE_CPIO, /* newc and crc, as the kernel's initramfs */
	IMAGE_TAR,
	IMAGE_GZIP, /* these three hold one of the above; unpacking tells which */
	IMAGE_XZ,
	IMAGE_ZSTD,
	IMAGE_KIND_MAX,
};

/* So many first bytes are looked at: an ISO's descriptor stands at 32 KiB. */
#define IMAGE_HEAD_MAX 36864

/*
 * image_kind_judge: the kind of an image that begins with head. IMAGE_UNKNOWN: none that this agent
 * knows; *ret_what (may be NULL) then says what it is instead, in words, as far as that can be told
 * ("an HTML page"), else "".
 */
enum image_kind image_kind_judge(const void *head, size_t len, const char **ret_what);

/* image_kind_read: the same of what an open file has from offset on. The kind, or -errno. */
int image_kind_read(int fd, uint64_t offset, const char **ret_what);

/* image_kind_name: "squashfs", as in a manifest. image_kind_from_name: IMAGE_UNKNOWN if there is
 * none. */
const char *image_kind_name(enum image_kind kind);
enum image_kind image_kind_from_name(const char *name);

/* How an image of a kind becomes a root. */
enum image_way {
	IMAGE_WAY_NONE,
	IMAGE_WAY_MOUNT,  /* loop device */
	IMAGE_WAY_INSIDE, /* loop device over a part of it: a file, a partition */
	IMAGE_WAY_UNPACK, /* into a tmpfs */
};
enum image_way image_kind_way(enum image_kind kind);

/* image_kind_fstype: the driver that mounts it; NULL if none does. */
const char *image_kind_fstype(enum image_kind kind);

/*
 * image_modules: the i-th kernel module that images need beyond the network, NULL after the last.
 * Before the image is there its kind is not known: image_modules() names those that are worth
 * loading at once; image_kind_module() the one more of a kind, NULL if none.
 */
const char *image_modules(size_t i);
const char *image_kind_module(enum image_kind kind);
