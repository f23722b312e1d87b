/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wwinit: a root of Warewulf's layers, image, system overlay and runtime overlay, unpacked in this
 * order into one tmpfs or onto a disk; the system overlay once more before, by itself, for what has
 * to be done first (disks.h). It owns the order, and what follows when a layer cannot be had. Each
 * layer is fetched and unpacked as an image of its own (root/web).
 * In: the plan, addresses. Out: events, the mounted root, or a cause.
 * Callers: the row, which target.c calls. Tests: test_*.c here, tests/wwinit.bats,
 * tests-qemu/wwinit.bats, tests-qemu/wwinit-ib.bats.
 */
#pragma once

#include "root/source/source.h"

/* For the console and state.json. */
struct wwinit_result {
	char server[SOURCE_SITE_MAX];
	uint8_t layers;	  /* unpacked */
	bool runtime;	  /* the runtime overlay is one of them */
	uint64_t bytes, unpacked;
	unsigned attempts;
	char init[256];
};
