// SPDX-License-Identifier: GPL-2.0-or-later
#include "boots.h"

#include "arena.h"

static int by_name(const void *a, const void *b)
{
	const struct record *x = *(struct record *const *)a, *y = *(struct record *const *)b;
	int r = strcmp(x->node, y->node);

	return r ? r : strcmp(x->file, y->file);
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The slowest boot first; the list's order decides a draw. */
struct timed {
	double took;
	size_t place;
};

static int by_slowness(const void *a, const void *b)
{
	const struct timed *x = a, *y = b;

	if (x->took < y->took || x->took > y->took)
		return x->took < y->took ? 1 : -1;
	return (x->place > y->place) - (x->place < y->place);
}

void rising_sort(double *values, size_t n)
{
	if (n)
		qsort(values, n, sizeof(*values), by_value);
}

double percentile(const double *rising, size_t n, unsigned int percent)
{
	size_t rank = (n * percent + 99) / 100;

	return n ? rising[rank ? rank - 1 : 0] : 0;
}

double median(const double *rising, size_t n)
{
	return n ? (rising[(n - 1) / 2] + rising[n / 2]) / 2 : 0;
}

/* As the agent writes it: such texts are in the order of the times. */
static bool is_date(const char *s)
{
	static const char form[] = "0000-00-00T00:00:00Z";
	size_t i = 0;

	while (form[i] && (form[i] == '0' ? s[i] >= '0' && s[i] <= '9' : s[i] == form[i]))
		i++;
	return !form[i] && !s[i];
}

void boots_dates(const struct boots *b, char buf[static BOOTS_DATES])
{
	const char *first = "", *last = "";

	for (size_t i = 0; i < b->n; i++) {
		const char *at = b->list[i]->now_at;

		if (!is_date(at))
			continue;
		first = !*first || strcmp(at, first) < 0 ? at : first;
		last = strcmp(at, last) > 0 ? at : last;
	}
	snprintf(buf, BOOTS_DATES, "%s%s%s", first, streq(first, last) ? "" : " to ",
		streq(first, last) ? "" : last);
}

double boots_tail(const struct boots *b)
{
	return 2 * percentile(b->times, b->n_times, 95);
}

static int count_times(struct boots *b)
{
	_cleanup_free_ struct timed *timed = calloc(b->n + 1, sizeof(*timed));

	b->times = calloc(b->n + 1, sizeof(*b->times));
	b->by_time = calloc(b->n + 1, sizeof(*b->by_time));
	if (!timed || !b->times || !b->by_time)
		return -ENOMEM;
	for (size_t i = 0; i < b->n; i++) {
		b->outcomes[b->list[i]->outcome]++;
		if (b->list[i]->outcome == RECORD_DONE)
			timed[b->n_times++] = (struct timed){record_total(b->list[i]), i};
	}
	if (b->n_times)
		qsort(timed, b->n_times, sizeof(*timed), by_slowness);
	for (size_t i = 0; i < b->n_times; i++) {
		b->by_time[i] = timed[i].place;
		b->times[b->n_times - 1 - i] = timed[i].took;
	}
	return 0;
}

int boots_of(struct boots **ret, struct record **list, size_t n)
{
	_cleanup_(boots_freep) struct boots *b = calloc(1, sizeof(*b));
	int r;

	if (!b) {
		for (size_t i = 0; i < n; i++)
			record_free(list[i]);
		free(list);
		return -ENOMEM;
	}
	b->list = list;
	b->n = n;
	if (n)
		qsort(list, n, sizeof(struct record *), by_name);
	r = count_times(b);
	if (r < 0)
		return r;
	*ret = b;
	b = NULL;
	return 0;
}

struct boots *boots_free(struct boots *b)
{
	if (!b)
		return NULL;
	for (size_t i = 0; i < b->n; i++)
		record_free(b->list[i]);
	free(b->list);
	arena_free(b->arena);
	free(b->times);
	free(b->by_time);
	free(b);
	return NULL;
}

const struct record_rail *boot_rail(const struct record *r)
{
	for (size_t i = 0; i < r->n_rails; i++)
		if (r->rails[i].carries_root)
			return &r->rails[i];
	for (size_t i = 0; i < r->n_rails; i++)
		if (*r->rails[i].far_name || *r->rails[i].far_guid)
			return &r->rails[i];
	return r->n_rails ? &r->rails[0] : NULL;
}

const char *boot_switch(const struct record *r)
{
	const struct record_rail *rail = boot_rail(r);

	if (!rail)
		return "";
	return *rail->far_name ? rail->far_name : rail->far_guid;
}

const char *boot_switch_key(const struct record *r)
{
	const struct record_rail *rail = boot_rail(r);

	if (!rail)
		return "";
	return *rail->far_guid ? rail->far_guid : rail->far_name;
}

const struct record_cause *boot_last_cause(const struct record *r)
{
	const struct record_cause *last = NULL;

	for (size_t i = 0; i < r->n_causes; i++)
		if (!last || r->causes[i].last >= last->last)
			last = &r->causes[i];
	return last;
}

const char *boot_cause_key(const struct record *r, size_t i)
{
	if (i == 0 && !r->n_causes && r->outcome == RECORD_FAILED)
		return "";
	return i < r->n_causes ? r->causes[i].code : NULL;
}
