/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compat: what dracut's network back ends make of the same command line, where it differs. It owns
 * compat.def; the dracut column of options.def counts as well. Pure.
 * In: a back end, a word of the line. Out: texts for "initagent lint --compat", one at a time.
 * Callers: main.c. Tests: test_compat.c, tests-qemu/kernel-cmdline.bats.
 */
#pragma once

#include "plan.h"

enum compat_backend {
	COMPAT_NONE,
	COMPAT_LEGACY,	 /* dracut's network-legacy */
	COMPAT_NETWORKD, /* systemd-network-generator */
	COMPAT_NM,	 /* nm-initrd-generator */
	COMPAT_INITRAMFS_TOOLS, /* the init of Debian's and Ubuntu's images */
	COMPAT_LIVE_BOOT,	/* that init with boot=live */
	COMPAT_BACKEND_MAX,
};

#define COMPAT_NAMES "dracut-legacy, networkd, nm, initramfs-tools or live-boot"

/* compat_find: "networkd" -> COMPAT_NETWORKD; COMPAT_NONE if there is no such one. */
enum compat_backend compat_find(const char *name);

/* compat_text: the next text about a word, and whose it is; *at begins at 0. NULL: no more. */
const char *compat_text(enum compat_backend b, const struct plan_word *w, size_t *at,
	const char **ret_program);
