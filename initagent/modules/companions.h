/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * companions: what has to be loaded with a module although neither modules.dep nor an alias says
 * so. It owns the table. Pure. On a full system the kernel's request_module or udev rules fill
 * these gaps.
 * In: a module's name. Out: rows: module or alias, before or after, and why.
 * Callers: doctor/, dracut/mkimage/. Tests: test_devices.c, tests/mkimage-modules.bats.
 */
#pragma once

#include "base/util.h"

enum companion_order {
	COMPANION_BEFORE, /* must be there before the module works */
	COMPANION_AFTER,  /* makes sense once the module is there */
};

struct companion {
	const char *module; /* with '_' */
	const char *name;   /* module or alias that belongs to it */
	enum companion_order order;
	bool wanted;	 /* its absence from the image is worth a warning */
	const char *why; /* for the log */
	bool by_kernel;	 /* which asks for it by name, whatever modprobe.d blacklists */
};

/* companion_next: the row after prev (NULL: the first) for this module; NULL at the end. */
const struct companion *companion_next(const char *module, const struct companion *prev);
