// SPDX-License-Identifier: GPL-2.0-or-later

#include "root/source/source.h"

#include "base/random.h"
#include "base/worker.h"

/*
 * There is no event that says "the server is up now": a failure is followed by a pause, of 0.25 s
 * first, twice as long after each, 4 s at most.
 */
#define BACKOFF_FIRST (NSEC_PER_SEC / 4)
#define BACKOFF_STEPS 4

void source_raise(struct source *s, enum source_event e)
{
	s->events |= 1U << e;
}

enum source_event source_pop_event(struct source *s)
{
	for (enum source_event e = SOURCE_NONE + 1; e < SOURCE_EVENT_MAX; e++)
		if (s->events & 1U << e) {
			s->events &= ~(1U << e);
			return e;
		}
	return SOURCE_NONE;
}

int source_worker_fd(const struct source *s)
{
	return worker_fd(s->worker);
}

uint64_t source_worker_deadline(const struct source *s)
{
	return min_u64(s->deadline, worker_deadline(s->worker));
}

/* Up to a quarter of jitter, so that a rack does not knock in step. */
void source_back_off(struct source *s, unsigned ways, bool another, uint64_t now)
{
	unsigned round = s->rounds / ways, doublings = round ? round - 1 : 0;
	uint64_t pause = BACKOFF_FIRST << (doublings < BACKOFF_STEPS ? doublings : BACKOFF_STEPS);

	s->deadline = another ? now : now + pause + random_part(pause / 4);
}

void source_go_on(struct source *s, const struct worker_task *task)
{
	if (task) {
		worker_go_on(s->worker, task);
		s->reader = s->worker;
		s->worker = NULL;
	}
	s->worker = worker_free(s->worker);
}
