/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mountpoint: one mount by the kernel's file system context. Owns nothing after the call: a mount
 * without a place is the caller's descriptor. Directories are made as needed.
 * In: file system, source, options, target. Out: the mount, or -errno with the kernel's own words.
 * Callers: every folder that mounts. Tests: root/image/test_image.c, tests-qemu/web.bats,
 * tests-qemu/block.bats.
 */
#pragma once

#include "base/env.h"

#define MOUNT_TEXT_MAX 200

struct mount_option {
	/* value NULL: a flag; noatime, nodev and the like are the mount's own */
	const char *key, *value;
};

/* mount_new: mounts at target. options end with a NULL key. 0 or -errno, then with text. */
int mount_new(const char *fstype, const char *source, const struct mount_option *options,
	bool readonly, const char *target, char text[static MOUNT_TEXT_MAX]);

/*
 * mount_make: the same without a place: a descriptor of the mount, which goes with it. Or -errno
 * with text.
 */
int mount_make(const char *fstype, const char *source, const struct mount_option *options,
	bool readonly, char text[static MOUNT_TEXT_MAX]);

/* mount_attach: gives a mount of mount_make() its place. 0 or -errno. */
int mount_attach(int mnt, const char *target);

/* mount_folder: makes path and what is missing above it, mode 0755. 0 or -errno. */
int mount_folder(const char *path);

/* mount_is_point: is another file system mounted there than the folder above is on? */
bool mount_is_point(const char *path);

/*
 * mount_missing: mounts a file system of the kernel's at dir, where the kernel has made that folder
 * and nothing is mounted there yet; systemd has done it, our own image not. A fixture tree mounts
 * nothing. If it fails, what was to be there cannot be opened.
 */
void mount_missing(const struct env *env, const char *type, const char *dir);

/*
 * Where Linux shows the firmware's variables (efivarfs): NAME-GUID, with the attributes in front
 * (UEFI 2.10 section 8.2, a little-endian word).
 */
#define EFI_VARIABLES	   "/sys/firmware/efi/efivars"
#define EFI_ATTRIBUTES_LEN 4

/* mount_drop: takes the topmost mount at path away, if there is one. */
void mount_drop(const char *path);
/* mount_drop_at: the same below env's prefix. */
void mount_drop_at(const struct env *env, const char *path);
