// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ledger: modules the agent could not load in this boot. The file is ours, but read like any other:
 * bounded, and every field may be missing.
 */
#include "doctor/finding.h"
#include "state/state_read.h"

static void check_row(struct findings *f, const cJSON *row)
{
	enum cause cause = cause_from_code(state_text(row, "cause"));

	if (cause != CAUSE_NONE && *state_text(row, "name"))
		findings_add(f, cause, false, state_text(row, "name"), NULL, "in this boot: %s",
			state_text(row, "text"));
}

void check_ledger(struct findings *f, const struct env *env)
{
	_cleanup_free_ char *buf = NULL;
	const cJSON *row;
	cJSON *top = NULL;

	if (state_read(env, &buf) < 0 || state_parse(buf, &top) < 0)
		return;
	cJSON_ArrayForEach(row, cJSON_GetObjectItem(top, "modules")) check_row(f, row);
	cJSON_Delete(top);
}
