// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/wait.h"

#define QUIET_FIRST  NSEC_PER_SEC
#define QUIET_CHANGE NSEC_PER_SEC
#define QUIET_SAME   (5 * NSEC_PER_SEC)

static struct wait_slot *find_slot(struct wait_line *w, const char *rail)
{
	for (size_t i = 0; i < w->n; i++)
		if (streq(w->slots[i].rail, rail))
			return &w->slots[i];
	return NULL;
}

static void drop_slot(struct wait_line *w, struct wait_slot *slot)
{
	size_t after = w->n - (size_t)(slot - w->slots) - 1;

	memmove(slot, slot + 1, after * sizeof(*slot));
	w->n--;
}

bool wait_line_set(struct wait_line *w, enum cause cause, const char *rail, const char *text,
	uint64_t now)
{
	struct wait_slot *slot = find_slot(w, rail);

	if (!*text) {
		if (slot)
			drop_slot(w, slot);
		return true;
	}
	if (!slot) {
		if (w->n >= (streq(rail, "root") ? WAIT_SLOTS : WAIT_SLOTS - 1U))
			return false;
		slot = &w->slots[w->n++];
		*slot = (struct wait_slot){.since = now};
		strscpy(slot->rail, rail, sizeof(slot->rail));
	}
	if (slot->cause == cause && streq(slot->text, text))
		return true;
	if (slot->cause != cause)
		slot->since = now;
	slot->cause = cause;
	strscpy(slot->text, text, sizeof(slot->text));
	w->changed = true;
	return true;
}

/* The wait that has lasted longest is the one worth naming. */
const struct wait_slot *wait_line_oldest(const struct wait_line *w)
{
	const struct wait_slot *best = NULL;

	for (size_t i = 0; i < w->n; i++)
		if (!best || w->slots[i].since < best->since)
			best = &w->slots[i];
	return best;
}

/*
 * A text that changes is shown within a second; one that goes on changing while nothing is wrong
 * (bytes that come) only at first, then as seldom as one that stays: a serial console takes
 * milliseconds a line.
 */
static uint64_t pause_of(const struct wait_line *w, const struct wait_slot *slot)
{
	bool progress = slot->cause == CAUSE_NONE && w->printed >= slot->since + QUIET_SAME;

	return w->changed && !progress ? QUIET_CHANGE : QUIET_SAME;
}

uint64_t wait_line_deadline(const struct wait_line *w)
{
	const struct wait_slot *slot = wait_line_oldest(w);
	uint64_t first, next;

	if (!slot)
		return NSEC_NEVER;
	first = slot->since + QUIET_FIRST;
	next = w->printed ? w->printed + pause_of(w, slot) : 0;
	return first > next ? first : next;
}

const char *wait_line_tick(struct wait_line *w, uint64_t now, uint64_t start, uint64_t end)
{
	const struct wait_slot *slot = wait_line_oldest(w);
	unsigned past = (unsigned)((now - start) / NSEC_PER_SEC);
	char budget[48] = "no limit";

	if (!slot || now < wait_line_deadline(w))
		return NULL;
	/* While nothing is wrong the budget's end moves along. */
	if (slot->cause == CAUSE_NONE)
		snprintf(budget, sizeof(budget), "%u s", past);
	else if (end != NSEC_NEVER)
		snprintf(budget, sizeof(budget), "%u s of %u s", past,
			(unsigned)((end - start) / NSEC_PER_SEC));
	snprintf(w->line, sizeof(w->line), "%s%s%s (%s%s%s)", slot->rail, *slot->rail ? ": " : "",
		slot->text,
		budget, slot->cause ? ", " : "", slot->cause ? cause_info(slot->cause)->code : "");
	w->printed = now;
	w->changed = false;
	return w->line;
}
