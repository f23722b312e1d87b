// SPDX-License-Identifier: GPL-2.0-or-later
#include "boots.h"

#include "look.h"

/* The phase of that name, which is made if need be; NULL when there are too many. */
static struct phase_stats *find(struct phases *p, const char *name)
{
	for (size_t i = 0; i < p->n; i++)
		if (streq(p->list[i].name, name))
			return &p->list[i];
	if (p->n == ARRAY_SIZE(p->list))
		return NULL;
	p->list[p->n].name = name;
	return &p->list[p->n++];
}

static void add(struct phases *p, size_t most, const char *name, double alone, double took)
{
	struct phase_stats *s = find(p, name);

	/* a record that has a phase twice must not take the place of others */
	if (!s || s->n == most)
		return;
	s->alone[s->n] = alone;
	s->took[s->n++] = took;
}

static void add_boot(struct phases *p, size_t most, const struct record *r)
{
	for (size_t i = 0; i < r->n_phases; i++)
		add(p, most, r->phases[i].name, record_alone(r, i),
			r->phases[i].end - r->phases[i].begin);
	add(p, most, "between", record_between(r), record_between(r));
}

static int by_look(const void *a, const void *b)
{
	const struct phase_stats *x = a, *y = b;

	if (look_of_phase(x->name) != look_of_phase(y->name))
		return (int)look_of_phase(x->name) - (int)look_of_phase(y->name);
	return strcmp(x->name, y->name);
}

int phases_make(struct phases **ret, const struct boots *b)
{
	_cleanup_(phases_freep) struct phases *p = calloc(1, sizeof(*p));
	size_t most = b->n_times;

	if (!p)
		return -ENOMEM;
	p->values = calloc(2 * ARRAY_SIZE(p->list), (most + 1) * sizeof(double));
	if (!p->values)
		return -ENOMEM;
	for (size_t i = 0; i < ARRAY_SIZE(p->list); i++) {
		p->list[i].alone = p->values + 2 * i * most;
		p->list[i].took = p->list[i].alone + most;
	}
	for (size_t i = 0; i < most; i++)
		add_boot(p, most, b->list[b->by_time[i]]);
	for (size_t i = 0; i < p->n; i++) {
		rising_sort(p->list[i].alone, p->list[i].n);
		rising_sort(p->list[i].took, p->list[i].n);
	}
	if (p->n)
		qsort(p->list, p->n, sizeof(p->list[0]), by_look);
	*ret = p;
	p = NULL;
	return 0;
}

struct phases *phases_free(struct phases *p)
{
	if (p) {
		free(p->values);
		free(p);
	}
	return NULL;
}
