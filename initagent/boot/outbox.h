/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * outbox: what of the report goes to the splash screen, to the sinks of rd.report=, over the
 * network and into the next boot. It owns the senders and the record of the last failure.
 * In: the report, names of rails, how the boot ends. Out: messages, the record of an earlier boot.
 * Callers: boot.c alone. Tests: test_boot.c, tests/report.bats.
 */
#pragma once

#include "rails/rails.h"

struct outbox;

/* How a boot ended. */
struct outbox_ending {
	bool done;
	enum cause cause; /* of a failure, and where */
	const char *where;
	uint64_t start;
};

/* outbox_new: nothing is sent before outbox_up(). env and plan are borrowed. 0 or -ENOMEM; what
 * cannot be begun is a cause. */
int outbox_new(struct outbox **ret, const struct env *env, const struct boot_plan *plan,
	uint64_t now);
struct outbox *outbox_free(struct outbox *o);
DEFINE_FREEP(struct outbox, outbox_free)

/* outbox_look: begins to look for the record of an earlier boot's failure. */
void outbox_look(struct outbox *o, uint64_t now);
/* outbox_fds: to watch for outbox_dispatch(); -1: none. */
#define OUTBOX_FDS 2
void outbox_fds(const struct outbox *o, int ret[static OUTBOX_FDS]);
uint64_t outbox_deadline(const struct outbox *o);
/* outbox_dispatch: a connection can go on (ready), or it is time to try one. */
void outbox_dispatch(struct outbox *o, const struct rails *rails, bool ready, uint64_t now);

/* outbox_up: an address is there: sending begins. outbox_resolved: the answer to a name of ours. */
void outbox_up(struct outbox *o, const struct rails *rails, uint64_t now);
void outbox_resolved(struct outbox *o, const struct address_event *ev, uint64_t now);
/* outbox_step: new causes, names to be looked up. outbox_wait: what is waited for was just shown,
 * as line. */
void outbox_step(struct outbox *o, struct rails *rails, uint64_t now);
void outbox_wait(struct outbox *o, const struct rails *rails, const char *line, uint64_t now);

/* outbox_is_empty: there is nothing to send and nothing to keep. */
bool outbox_is_empty(const struct outbox *o);
/* outbox_last: no message on the splash screen, the last one to the sinks, and the record; a boot
 * that failed waits, 2 s at most, until both are gone. */
void outbox_last(struct outbox *o, const struct rails *rails, const struct outbox_ending *end,
	uint64_t now);
/* outbox_state: state.json, once the rooms are closed; a boot that failed waits for what is left of
 * these 2 s. */
void outbox_state(struct outbox *o, const struct outbox_ending *end, uint64_t now);
