/* SPDX-License-Identifier: GPL-2.0-or-later */
/* diag: a bounded list of remarks with their own copies of all text. */
#include "diag.h"

#include "arena.h"

struct diag_list {
	struct diag items[DIAG_MAX];
	size_t n, dropped;
	struct arena *arena;
};

int diag_list_new(struct diag_list **ret)
{
	_cleanup_(diag_list_freep) struct diag_list *l = calloc(1, sizeof(*l));
	int r;

	if (!l)
		return -ENOMEM;
	r = arena_new(&l->arena);
	if (r < 0)
		return r;
	*ret = l;
	l = NULL;
	return 0;
}

struct diag_list *diag_list_free(struct diag_list *l)
{
	if (!l)
		return NULL;
	arena_free(l->arena);
	free(l);
	return NULL;
}

size_t diag_list_count(const struct diag_list *l)
{
	return l->n;
}

const struct diag *diag_list_at(const struct diag_list *l, size_t i)
{
	return i < l->n ? &l->items[i] : NULL;
}

size_t diag_list_dropped(const struct diag_list *l)
{
	return l->dropped;
}

int diag_list_worst(const struct diag_list *l)
{
	int worst = -1;

	for (size_t i = 0; i < l->n; i++)
		if ((int)l->items[i].severity > worst)
			worst = (int)l->items[i].severity;
	return worst;
}

const char *diag_severity_name(enum diag_severity s)
{
	static const char *const names[] = {
		[DIAG_NOTE] = "note",
		[DIAG_WARN] = "warning",
		[DIAG_ERROR] = "error",
		[DIAG_FATAL] = "fatal",
	};

	return (size_t)s < ARRAY_SIZE(names) ? names[s] : "?";
}

/* Copies a string that may be NULL; false when out of memory. */
static bool copy(struct arena *a, const char *s, const char **ret)
{
	*ret = s ? arena_text(a, s, strlen(s)) : NULL;
	return !s || *ret;
}

/* Where a remark goes; a full list still takes what is worse than its mildest one. */
static size_t slot_for(const struct diag_list *l, enum diag_severity severity)
{
	size_t mildest = 0;

	if (l->n < DIAG_MAX)
		return l->n;
	for (size_t i = 1; i < l->n; i++)
		if (l->items[i].severity <= l->items[mildest].severity)
			mildest = i;
	return l->items[mildest].severity < severity ? mildest : DIAG_MAX;
}

/* Room is looked for before anything is copied: a flood must not fill the arena. */
void diag_add(struct diag_list *l, const struct diag *d)
{
	struct diag copied = *d;
	size_t slot;

	if (!l)
		return;
	slot = slot_for(l, d->severity);
	if (slot < l->n || slot == DIAG_MAX)
		l->dropped++;
	if (slot == DIAG_MAX)
		return;
	if (!copy(l->arena, d->option, &copied.option) || !copy(l->arena, d->text, &copied.text) ||
		!copy(l->arena, d->remedy, &copied.remedy)) {
		l->dropped++;
		return;
	}
	l->items[slot] = copied;
	if (slot == l->n)
		l->n++;
}

/* What is about the whole line (no length) is read best after the parts. */
static bool before(const struct diag *a, const struct diag *b)
{
	if (!a->len != !b->len)
		return a->len != 0;
	if (a->source != b->source)
		return a->source < b->source;
	return a->word < b->word;
}

void diag_list_sort(struct diag_list *l)
{
	size_t k;

	/* insertion: stable, and at most DIAG_MAX items */
	for (size_t i = 1; i < l->n; i++) {
		struct diag d = l->items[i];

		for (k = i; k > 0 && before(&d, &l->items[k - 1]); k--)
			l->items[k] = l->items[k - 1];
		l->items[k] = d;
	}
}
