// SPDX-License-Identifier: GPL-2.0-or-later

#include "state/commands.h"

#include "report/report.h"
#include "state/cmdline.h"
#include "state/state.h"
#include "report/console.h"
#include "report/tell/failure_store.h"

enum { STATUS_GOOD = 0, STATUS_FAILED = 1, STATUS_UNKNOWN = 4 };

/* 0; -ENOENT: there was none; -EBADMSG: the file is not what the agent wrote. */
static int passed_on(const struct env *env, struct failure *ret)
{
	char buf[4 * FAILURE_RECORD_MAX];
	int n = env_read(env, buf, sizeof(buf), STATE_DIR "/last-failure");

	if (n < 0)
		return n;
	return failure_read(buf, (size_t)n, ret) < 0 ? -EBADMSG : 0;
}

/* Did this boot look for a record? Then there was none. */
static bool was_looked_for(const struct env *env)
{
	struct cmdline c = {0};
	bool looked = false;

	if (cmdline_load(env, &c) < 0)
		return false;
	for (size_t i = 0; i < c.plan->n_reports; i++)
		looked |= c.plan->reports[i].kind == PLAN_REPORT_EFI ||
			c.plan->reports[i].kind == PLAN_REPORT_PSTORE;
	cmdline_done(&c);
	return looked;
}

static void print(FILE *out, const struct failure *f)
{
	const struct cause_info *info = cause_info(f->cause);
	time_t wall = (time_t)f->wall;
	struct tm tm;

	fprintf(out, "failed     %s %s%s%s\n", info->code, info->text, *f->text ? ": " : "",
		f->text);
	if (*f->where)
		fprintf(out, "  where    %s\n", f->where);
	if (f->wall && gmtime_r(&wall, &tm))
		fprintf(out, "  when     %04d-%02d-%02d %02d:%02d:%02d UTC, ", tm.tm_year + 1900,
			tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
	else
		fprintf(out, "  when     the clock was not set, ");
	fprintf(out, "%llu s after the kernel's start\n", (unsigned long long)f->uptime);
	fprintf(out, "  check    %s\n", info->check);
}

int last_failure_print(const struct env *env, FILE *out)
{
	struct failure f;
	int r = passed_on(env, &f);

	if (r < 0 && r != -ENOENT) {
		console_complain(STATE_DIR "/last-failure",
			r == -EBADMSG ? "damaged" : strerror(-r));
		return STATUS_UNKNOWN;
	}
	if (r == 0 || failure_store_read(env, FAILURE_STORE_EFI | FAILURE_STORE_PSTORE, &f) == 0) {
		print(out, &f);
		return STATUS_FAILED;
	}
	if (was_looked_for(env)) {
		fprintf(out, "the previous boot left no failure record\n");
		return STATUS_GOOD;
	}
	fprintf(out, "not known: rd.report=efi or rd.report=pstore keeps a failure record\n");
	return STATUS_UNKNOWN;
}
