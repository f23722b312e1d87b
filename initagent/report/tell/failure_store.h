/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * failure_store: keeps the failure record of this boot for the next one, where it survives a reset:
 * in one EFI variable (rd.report=efi) or in pstore's memory for messages (rd.report=pstore). It
 * owns those two places and the process at work on them.
 * In: how this boot ended. Out: the record of an earlier boot, once.
 * Callers: boot/, state/. Tests: test_failure_store.c, test_failure.c, boot/test_boot.c.
 *
 * The firmware takes its time, for mounting efivarfs as for a write, so each piece of work is done
 * by a process of its own, which the boot does not wait for unless it failed. The flash wears: the
 * variable is written only by a failure that differs from the stored one, and removed by the first
 * boot that succeeds.
 */
#pragma once

#include "base/env.h"
#include "report/tell/failure.h"

struct failure_store;

enum failure_store_places { FAILURE_STORE_EFI = 1 << 0, FAILURE_STORE_PSTORE = 1 << 1 };

/* failure_store_new: begins to look for the record of an earlier boot. 0 or -errno. */
int failure_store_new(struct failure_store **ret, const struct env *env, unsigned places);
/* failure_store_free: the process that looks is ended; one that writes goes on, at most 10 s. */
struct failure_store *failure_store_free(struct failure_store *r);
DEFINE_FREEP(struct failure_store, failure_store_free)

int failure_store_fd(const struct failure_store *r);

/* failure_store_pop: what was found, once. 1: *ret is it; 0: nothing, or not yet. */
int failure_store_pop(struct failure_store *r, struct failure *ret);

/* failure_store_keep: this boot failed. failure_store_clear: it did not; older records go. */
int failure_store_keep(struct failure_store *r, const struct failure *f);
int failure_store_clear(struct failure_store *r);

/* failure_store_done: has the process ended? *ret_error: 0 or the errno of its failure. */
bool failure_store_done(struct failure_store *r, int *ret_error);

/* failure_store_read: the record now, without a process ("status"). 0, -ENOENT, -errno. */
int failure_store_read(const struct env *env, unsigned places, struct failure *ret);
