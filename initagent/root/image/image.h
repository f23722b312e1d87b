/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image: makes a root of an image that is there. It owns a process that mounts it under a writable
 * layer or unpacks it into memory, and one with hardly any rights that reads its bytes.
 * In: a file or a stream, the plan. Out: the mounted root with its init, or a cause.
 * Callers: root/web/, root/extensions/. Tests: test_*.c here, tests/manifest.bats.
 *
 * Nothing is tried again: an image that is the one meant and cannot be used stays so.
 */
#pragma once

#include "base/env.h"
#include "report/causes.h"
#include "root/image/kind.h"
#include "root/image/writer.h"
#include "root/init/init_check.h"
#include "plan.h"

#define IMAGE_TEXT_MAX 360

struct image;

enum image_event {
	IMAGE_EVENT_NONE,
	IMAGE_EVENT_PROGRESS, /* image_progress() has moved */
	IMAGE_EVENT_MOUNTED,
	IMAGE_EVENT_FAILED,   /* for good */
};

/* An archive that is a part of a root, as Warewulf has them; init is not looked for then. */
struct image_layer {
	bool part;
	bool over;	  /* unpacked over what is mounted at target, which stays in any case */
	bool whole;	  /* not before all of it is there: the root may do without it */
	bool on_disk;	  /* which is no memory */
	bool plain;	  /* set-user-id and set-group-id bits are left out */
	const char *size; /* of the tmpfs, as the kernel takes it; NULL: what memory there is */
	/* An extension image of systemd's, a part (root/extensions): proved by keys and sums, of
	 * itself; target is a folder in a tmpfs of its own, or with file one file, whose packing is
	 * taken off, and what it mounts there is all that it undoes. */
	bool beside, file;
};

/* Strings and plan are borrowed as long as the object lives; fd is the caller's. */
struct image_config {
	const char *target;	/* where to mount, e.g. "/sysroot" */
	const struct plan_image *plan;
	int fd;			/* the image: a file or a stream */
	enum image_kind kind;	/* what its manifest says it is, or a stream's first bytes;
				   IMAGE_UNKNOWN: nothing */
	/*
	 * An archive may be unpacked while it is still being proved: nothing of it is seen at
	 * target, and no file system in it is mounted, before a byte comes out of this pipe. Its
	 * end without one: it is not what it should be. 0: the image is proved already.
	 */
	int proved;
	bool consume; /* fd is a file in memory that is not needed again: freed while it is unpacked
		       */
	uint64_t memory;	/* what unpacking may take, bytes; 0: MemAvailable less rd.minmem */
	const char *init;	/* wanted init or NULL */
	struct image_layer layer;
};

/* For the console, state.json and the tests. */
struct image_result {
	enum image_kind kind;	/* of the image as it came */
	enum image_kind root;	/* of the root in it; IMAGE_TAR and IMAGE_CPIO: unpacked */
	bool overlay;		/* a writable layer is above it */
	char inside[256];	/* the root's file in an ISO image; "" */
	char init[INIT_CHECK_MAX];
	struct writer_counts unpacked;
};

/* image_start: keeps a copy of the configuration. 0 or -errno. */
int image_start(struct image **ret, const struct env *env, const struct image_config *cfg,
	uint64_t now);

/* image_free: work under way is ended, and what it made is gone. A root that is done stays
 * mounted. */
struct image *image_free(struct image *m);
DEFINE_FREEP(struct image, image_free)

/* image_fd: -1: none. There is no deadline of its own: reading and unpacking take what they take */
int image_fd(const struct image *m);
void image_dispatch(struct image *m, uint64_t now);
enum image_event image_pop_event(struct image *m);

/* image_progress: bytes unpacked so far. */
uint64_t image_progress(const struct image *m);

/* image_failure: cause and words, after IMAGE_EVENT_FAILED. */
enum cause image_failure(const struct image *m, const char **ret_text);

/* image_result: valid after IMAGE_EVENT_MOUNTED. */
const struct image_result *image_result(const struct image *m);
