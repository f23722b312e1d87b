/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * layers: from an image file to a mounted root: loop device, file system, the file system in it
 * that some live images have, and the writable layer. Owns nothing after the call; layers_drop()
 * takes away what was made. Runs in the child of a kind of root; blocks.
 * In: the image's file or what is mounted at /run/rootfsbase, the plan's overlay. Out: the root at
 * target, or a cause and text; a tmpfs for files.
 * Callers: root/, root/block/, root/nfs/, root/wwinit/. Tests: test_image.c, tests-qemu/web.bats,
 * tests-qemu/nfsrdma.bats.
 *
 * Places are those of dracut's live images, where a distribution's tools look for them, and stay
 * reachable after switch-root, because /run does. A squashfs around the root needs no place:
 *
 *	/run/rootfsbase			the root's file system, read-only
 *	/run/initramfs/overlay		tmpfs of the writable layer: overlayfs/ and ovlwork/
 *	/run/overlayfs, /run/ovlwork	links to those
 */
#pragma once

#include "base/env.h"
#include "root/image/kind.h"
#include "base/mountpoint.h"
#include "plan.h"
#include "report/causes.h"

#define LAYERS_TEXT_MAX 300
#define LAYERS_BASE	"/run/rootfsbase"

/* What is to be mounted. */
struct layers_config {
	const struct env *env;
	const char *target;
	const struct plan_overlay *overlay;
	int file;	      /* the image */
	uint64_t offset, size; /* the part of it; size 0: all of it */
	enum image_kind kind;
};

struct layers_result {
	enum cause cause; /* when it failed */
	bool inside;	  /* the root was a file in the squashfs */
	char text[LAYERS_TEXT_MAX];
};

/* layers_mount: 0 or -errno with cause and text; nothing stays mounted then. */
int layers_mount(const struct layers_config *cfg, struct layers_result *ret);

/*
 * layers_space: a tmpfs for files that are unpacked, without a place: at most limit bytes, or given
 * as the kernel takes a size. The source is what scripts of the real root look for: "rootfs" is
 * xCAT's name, and with it Warewulf's init.d/90-selinux leaves SELinux out. An extension is
 * mounted as /run is. Its descriptor, or -errno with text.
 */
#define LAYERS_ROOT	 "rootfs"
#define LAYERS_WAREWULF	 "tmpfs"
#define LAYERS_EXTENSION "extension"
int layers_space(uint64_t limit, const char *given, const char *source,
	char text[static MOUNT_TEXT_MAX]);

/* layers_drop: takes away what layers_mount() made, also what an agent that was killed left. */
void layers_drop(const struct env *env, const char *target);

/* layers_drop_limited: the same in a process of its own, which is not waited for longer than a
 * second: the kernel takes leave of a server of the root, and waits for its answer. */
void layers_drop_limited(const struct env *env, const char *target);

/*
 * layers_overlay: the writable layer alone, over what is mounted at /run/rootfsbase, at target. For
 * a root of another kind.
 */
int layers_overlay(const struct env *env, const struct plan_overlay *o, const char *target,
	struct layers_result *ret);
