// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ledger: modules the agent could not load in this boot. The file is ours, but read like any other:
 * bounded, and every field may be missing.
 */
#include <cjson/cJSON.h>

#include "doctor/finding.h"
#include "handover/state.h"

#define STATE_FILE_MAX (512 * 1024)

static const char *text(const cJSON *o, const char *key)
{
	const char *s = cJSON_GetStringValue(cJSON_GetObjectItem(o, key));

	return s ? s : "";
}

static void check_row(struct findings *f, const cJSON *row)
{
	enum cause cause = cause_from_code(text(row, "cause"));

	if (cause != CAUSE_NONE && *text(row, "name"))
		findings_add(f, cause, false, text(row, "name"), NULL, "in this boot: %s",
			text(row, "text"));
}

void check_ledger(struct findings *f, const struct env *env)
{
	_cleanup_free_ char *buf = malloc(STATE_FILE_MAX);
	const cJSON *row;
	cJSON *top;

	if (!buf || env_read(env, buf, STATE_FILE_MAX, STATE_DIR "/state.json") <= 0)
		return;
	top = cJSON_Parse(buf);
	cJSON_ArrayForEach(row, cJSON_GetObjectItem(top, "modules")) check_row(f, row);
	cJSON_Delete(top);
}
