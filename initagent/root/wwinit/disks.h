/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * disks: what Warewulf's system overlay does before the image is unpacked: the scripts of
 * /warewulf/wwinit.d (which partition and format), the root's place, the file systems of
 * /warewulf/mounts; and what it does when all layers are there (kept.h). It owns the process that
 * does it.
 * In: the overlay, unpacked for itself; the plan. Out: events, a place for the root where something
 * is to be mounted, or a cause.
 * Callers: wwinit.c. Tests: tests/wwinit.bats, tests-qemu/wwinit.bats.
 */
#pragma once

#include "base/env.h"
#include "plan.h"
#include "report/causes.h"

struct disks;

/* Everything borrowed until disks_free(). */
struct disks_config {
	const char *overlay; /* where the system overlay is unpacked */
	const char *target;  /* where the root will be, e.g. "/sysroot" */
	const struct plan_wwinit *plan;
	uint64_t memory;     /* what a root in memory may take, bytes */
	bool late;	     /* all layers are unpacked: what the scripts left is copied */
};

enum disks_event {
	DISKS_NONE,
	DISKS_MODULE, /* load disks_module() and call disks_module_settled(), loaded or not */
	DISKS_STEP,   /* disks_text() has something new to say */
	DISKS_DONE,   /* the target is mounted, if disks_mount() */
	DISKS_FAILED, /* disks_text() and disks_cause() */
};

/* disks_needed: has the overlay, or the plan, anything of this? */
bool disks_needed(const struct disks_config *cfg);

/*
 * disks_mount: is the target mounted with it? Else its place is made by what unpacks the root.
 * Scripts may change the answer.
 */
bool disks_mount(const struct disks_config *cfg);

/* disks_start: 0 or -errno. */
int disks_start(struct disks **ret, const struct env *env, const struct disks_config *cfg,
	uint64_t now);

/* disks_free: what is mounted stays. */
struct disks *disks_free(struct disks *d);

int disks_fd(const struct disks *d);
uint64_t disks_deadline(const struct disks *d);
enum disks_event disks_dispatch(struct disks *d, uint64_t now);
const char *disks_module(const struct disks *d);
void disks_module_settled(struct disks *d);
const char *disks_text(const struct disks *d);
enum cause disks_cause(const struct disks *d);
