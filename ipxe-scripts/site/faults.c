// SPDX-License-Identifier: GPL-2.0-or-later
/* faults: texts quote the site file, which may hold any byte: they are printed escaped. */
#include "site/faults.h"

#include "print.h"
#include "must.h"

struct faults {
	struct arena *arena;
	struct fault items[FAULTS_MAX];
	size_t n;
	size_t totals[SEVERITY_MAX];
};

static const char *const names[SEVERITY_MAX] = {"note", "warning", "error"};

struct faults *faults_new(void)
{
	struct faults *r = must(calloc(1, sizeof(*r)));

	r->arena = must_arena();
	return r;
}

struct faults *faults_free(struct faults *r)
{
	if (r)
		arena_free(r->arena);
	free(r);
	return NULL;
}

void faults_add(struct faults *r, enum severity severity, struct place at, const char *remedy,
	const char *fmt, ...)
{
	struct fault *f;
	va_list ap;

	r->totals[severity]++;
	if (r->n == FAULTS_MAX)
		return;
	f = &r->items[r->n++];
	*f = (struct fault){.severity = severity, .at = at};
	va_start(ap, fmt);
	f->text = must(arena_vprintf(r->arena, fmt, ap));
	va_end(ap);
	f->remedy = must(arena_text(r->arena, remedy ? remedy : "", remedy ? strlen(remedy) : 0));
}

static int by_place(const void *a, const void *b)
{
	const struct fault *x = a, *y = b;

	if (x->at.line != y->at.line)
		return x->at.line < y->at.line ? -1 : 1;
	if (x->at.column != y->at.column)
		return x->at.column < y->at.column ? -1 : 1;
	return strcmp(x->text, y->text);
}

static bool same_fault(const struct fault *a, const struct fault *b)
{
	return a->severity == b->severity && by_place(a, b) == 0;
}

void faults_sort(struct faults *r)
{
	size_t i, kept = 0;

	qsort(r->items, r->n, sizeof(*r->items), by_place);
	/* One value of a row of nodes may be reported for each of them. */
	for (i = 0; i < r->n; i++) {
		if (kept && same_fault(&r->items[kept - 1], &r->items[i]))
			r->totals[r->items[i].severity]--;
		else
			r->items[kept++] = r->items[i];
	}
	r->n = kept;
}

size_t faults_count(const struct faults *r)
{
	return r->n;
}

const struct fault *faults_at(const struct faults *r, size_t i)
{
	return &r->items[i];
}

size_t faults_total(const struct faults *r, enum severity severity)
{
	return r->totals[severity];
}

static void print_fault(const struct fault *f, const char *file, FILE *out)
{
	fputs(file, out);
	if (f->at.line)
		fprintf(out, ":%u", f->at.line);
	fprintf(out, ": %s: ", names[f->severity]);
	put_escaped(out, f->text, strlen(f->text));
	if (*f->remedy)
		fputs("\n    ", out);
	put_escaped(out, f->remedy, strlen(f->remedy));
	fputc('\n', out);
}

void faults_print(struct faults *r, const char *file, enum severity least, FILE *out)
{
	size_t i, all = 0;
	const char *comma = "";

	faults_sort(r);
	for (i = 0; i < r->n; i++)
		if (r->items[i].severity >= least)
			print_fault(&r->items[i], file, out);
	for (i = SEVERITY_MAX; i-- > (size_t)least;) {
		all += r->totals[i];
		if (!r->totals[i])
			continue;
		fprintf(out, "%s%zu %s%s", comma, r->totals[i], names[i],
			r->totals[i] == 1 ? "" : "s");
		comma = ", ";
	}
	if (r->n == FAULTS_MAX)
		fprintf(out, ", the first %d are shown", FAULTS_MAX);
	if (all)
		fputc('\n', out);
}
