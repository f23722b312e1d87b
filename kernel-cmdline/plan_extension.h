/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan_extension: the part of the plan (plan.h) that is an image for the real root's systemd,
 * fetched beside the root (rd.systemd.pull=, import.pull). It owns nothing: strings are the plan's.
 * In: none. Out: types.
 * Callers: by plan.h all that read a plan. Tests: test_rows.c.
 */
#pragma once

#include "base/util.h"

struct plan_extension {
	const char *kind, *folder; /* "sysext" and where systemd looks, "/run/extensions" */
	const char *name, *url; /* one file's, plain, as systemd shows it; NULL: no origin yet */
	bool raw;	    /* a disk image, NAME.raw; else an archive, unpacked into NAME */
	bool must_prove, sums; /* as plan_image's, by keys alone */
};
