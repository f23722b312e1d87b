/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * modroom: the modules room on a modtree, with a loader that follows a script instead of calling
 * the kernel, and a socket pair in place of the uevent netlink.
 */
#pragma once

#include "check.h"
#include "modtree.h"
#include "modules/modules.h"

/* What the loader does with one module; by default it succeeds at once. */
struct modroom_act {
	const char *module;   /* file name without .ko */
	int result;	      /* negative errno */
	const char *kmsg;     /* appended to /dev/kmsg of the tree during the load */
	const char *wait_for; /* blocks until this module's load has begun (60 s at most) */
	const char *uevent;   /* sent during the load; '|' stands for the NULs */
	int signal;	      /* the worker kills itself with it */
	bool once;	      /* only the first time */
};

struct modroom {
	struct modtree tree;
	struct modules_ops ops;
	struct modules_config cfg;
	struct modules *modules;
	const struct modroom_act *acts;
	size_t n_acts;
	/* The room's clock stands still: no worker takes long, so none is added to cfg's. */
	bool still;
	int uevent[2]; /* [0]: the room's end */
	char log[4096];
};

/* modroom_open: makes a tree in the shape of the real one (see modroom.c) and the seams. */
void modroom_open(struct modroom *r, const struct modroom_act *acts, size_t n_acts);

/* modroom_start: creates the room from r->cfg, which the case may have changed. */
void modroom_start(struct modroom *r);

/* modroom_begin: both, with a loader that always succeeds. */
void modroom_begin(struct modroom *r);

/* modroom_run: dispatches until the room has settled; 60 s at most. */
void modroom_run(struct modroom *r);

/* modroom_load: request, run, and the row that came of it. */
const struct module_entry *modroom_load(struct modroom *r, const char *name);

/* modroom_before: does the log have both, and the first one first? */
bool modroom_before(const char *log, const char *first, const char *second);

/* modroom_log: what the loader was asked to load so far: "a b[opt=1] c", in the order of begin. */
const char *modroom_log(struct modroom *r);

/* modroom_send: a uevent; '|' stands for the NULs. */
void modroom_send(struct modroom *r, const char *text);

void modroom_close(struct modroom *r);
