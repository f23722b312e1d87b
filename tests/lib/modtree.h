/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * modtree: a folder tree that looks like a system with kernel modules: object files with the
 * sections depmod reads (.modinfo, exported and needed symbols), indexed by the real depmod, below
 * a fresh temporary folder that serves as env prefix.
 */
#pragma once

#include "base/env.h"
#include "base/util.h"

#define MODTREE_KVER "6.1.0-test"

struct modtree_module {
	const char *name;     /* file name without .ko, '-' allowed */
	const char *needs[4]; /* symbols it needs; a module NAME exports the symbol NAME_symbol */
	const char *alias[4]; /* MODULE_ALIAS() */
	const char *softdep;  /* MODULE_SOFTDEP(): "pre: a b post: c" */
};

struct modtree {
	char root[64];
	struct env env; /* prefix = root, no report */
};

/* modtree_make: writes n modules and runs depmod. Anything that fails ends the test case. */
void modtree_make(struct modtree *t, const struct modtree_module *modules, size_t n);

/* modtree_bare: the folder only, without /lib/modules. Both: removed when the case ends. */
void modtree_bare(struct modtree *t);

/* modtree_file: writes a text file below the root, folders included. */
void modtree_file(const struct modtree *t, const char *path, const char *text);
