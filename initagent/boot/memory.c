// SPDX-License-Identifier: GPL-2.0-or-later
/* last_failure: what an earlier boot left in the machine (rd.report=efi, pstore), and what this one leaves. */
#include "boot_private.h"

#include "base/file.h"
#include "report/report.h"

static unsigned places(const struct boot_plan *plan)
{
	unsigned all = 0;

	for (size_t i = 0; i < plan->n_reports; i++) {
		all |= plan->reports[i].kind == PLAN_REPORT_EFI ? REMEMBER_EFI : 0;
		all |= plan->reports[i].kind == PLAN_REPORT_PSTORE ? REMEMBER_PSTORE : 0;
	}
	return all;
}

static void not_kept(struct boot *b, int error, uint64_t now)
{
	report_cause(b->report, CAUSE_FAILURE_NOT_KEPT, "rd.report", now, "%s", strerror(error));
}

void last_failure_begin(struct boot *b, uint64_t now)
{
	unsigned where = places(b->plan);
	int r = where ? remember_new(&b->memory, &b->env, where) : 0;

	if (r >= 0 && b->memory)
		r = loop_add(b->loop, remember_fd(b->memory), TAG_TELL);
	if (r < 0)
		not_kept(b, -r, now);
}

/* The file is for the real root, where the variable is gone once this boot has succeeded. */
static void pass_on(struct boot *b, const struct failure *f, uint64_t now)
{
	char text[FAILURE_RECORD_MAX];

	report_log(b->report, REPORT_WARN, NULL, now, "the last boot failed: %s %s%s%s", cause_info(f->cause)->code,
		cause_info(f->cause)->text, *f->where ? ": " : "", f->where);
	failure_write(text, f);
	if (file_write(&b->env, STATE_DIR, "last-failure", text, sizeof(text), 0644) < 0)
		report_log(b->report, REPORT_WARN, NULL, now, "its record could not be passed on");
	telling_before(b, f, now);
}

void last_failure_step(struct boot *b, uint64_t now)
{
	struct failure f;

	if (b->memory && remember_pop(b->memory, &f))
		pass_on(b, &f, now);
}

/* The words that go with the cause of the failure. */
static const char *words_of(const struct report_view *v, enum cause cause)
{
	const char *text = "";

	for (size_t i = 0; i < v->n_causes; i++)
		if (v->causes[i].cause == cause)
			text = v->causes[i].text;
	return text;
}

void last_failure_end(struct boot *b, uint64_t now)
{
	struct failure f = {.cause = b->cause, .uptime = now / NSEC_PER_SEC};
	struct report_view v;
	int r;

	if (!b->memory)
		return;
	last_failure_step(b, now);
	report_view(b->report, &v);
	f.wall = wall_ns() / NSEC_PER_SEC;
	strscpy(f.where, b->where, sizeof(f.where));
	strscpy(f.text, words_of(&v, b->cause), sizeof(f.text));
	r = b->outcome == BOOT_DONE ? remember_clear(b->memory) : remember_keep(b->memory, &f);
	if (r < 0)
		not_kept(b, -r, now);
}

bool last_failure_idle(struct boot *b, uint64_t now)
{
	int error = 0;

	if (!b->memory)
		return true;
	if (!remember_done(b->memory, &error))
		return false;
	if (error)
		not_kept(b, error, now);
	b->memory = remember_free(b->memory);
	return true;
}
