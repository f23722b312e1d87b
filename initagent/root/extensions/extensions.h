/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * extensions: images for the real root's systemd that are fetched beside the root: sysext, confext,
 * portable (plan_extension). It owns the order, one after the other, and the fetch at hand, which
 * is a root image's (root/web) with another end: a place in /run, where systemd looks and which
 * outlives the initramfs. As with systemd's own units, none of them keeps the node from booting.
 * In: the plan, rails that are up, names resolved. Out: the images there, or CAUSE_EXTENSION_LEFT
 * for each that is not; nothing of that one stays.
 * Callers: boot/. Tests: boot/test_boot_extensions.c, tests/extensions.bats, tests-qemu/web.bats.
 */
#pragma once

#include "rails/rails.h"

struct extensions;

/* extensions_new: all borrowed. 0 or -ENOMEM. extensions_free: what is not there stays out. */
int extensions_new(struct extensions **ret, const struct env *env, const struct boot_plan *plan,
	struct rails *rails);
struct extensions *extensions_free(struct extensions *x);
DEFINE_FREEP(struct extensions, extensions_free)

/* extensions_begin: the root is there, and the network up; later calls do nothing. */
void extensions_begin(struct extensions *x, uint64_t now);
/* extensions_busy: has it begun, and not ended? extensions_stop: ends it, saying what is left out.
 */
bool extensions_busy(const struct extensions *x);
void extensions_stop(struct extensions *x, uint64_t now);

/* The fd changes with each dispatch: ask again after each; -1: none right now. */
int extensions_fd(const struct extensions *x);
uint64_t extensions_deadline(const struct extensions *x);
/* extensions_dispatch: ready: the fd is. */
void extensions_dispatch(struct extensions *x, bool ready, uint64_t now);

/* What happened to the rails. */
void extensions_resolved(struct extensions *x, const struct address_event *ev, uint64_t now);
void extensions_way_lost(struct extensions *x, uint64_t now);
