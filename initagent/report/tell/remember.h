/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * remember: what the next boot shall know of this one's failure, where a reset does not reach: in one EFI variable
 * (rd.report=efi) or in pstore's memory for messages (rd.report=pstore).
 *
 * The firmware takes its time, for mounting efivarfs as for a write, so each piece of work is done by a process of its own,
 * which nobody waits for while the boot goes well. The flash wears: the variable is written only by a failure that differs from
 * the one it holds, and removed by the first boot that succeeds.
 */
#pragma once

#include "base/env.h"
#include "report/tell/failure.h"

struct remember;

enum remember_places { REMEMBER_EFI = 1 << 0, REMEMBER_PSTORE = 1 << 1 };

/* remember_new: begins to look for the record of an earlier boot. 0 or -errno. */
int remember_new(struct remember **ret, const struct env *env, unsigned places);
/* remember_free: the process that looks is ended; one that writes goes on, at most 10 s. */
struct remember *remember_free(struct remember *r);
DEFINE_FREEP(struct remember, remember_free)

int remember_fd(const struct remember *r);

/* remember_pop: what was found, once. 1: *ret is it; 0: nothing, or not yet. */
int remember_pop(struct remember *r, struct failure *ret);

/* remember_keep: this boot failed. remember_clear: it did not, and what is kept of others is done with. */
int remember_keep(struct remember *r, const struct failure *f);
int remember_clear(struct remember *r);

/* remember_done: has the process ended? Then *ret_error is 0 or why it could not do it, as errno. */
bool remember_done(struct remember *r, int *ret_error);

/*
 * remember_read: the record as it is now, without any process: for "initagent status". 0, -ENOENT, or -errno when it
 * cannot be looked at.
 */
int remember_read(const struct env *env, unsigned places, struct failure *ret);
