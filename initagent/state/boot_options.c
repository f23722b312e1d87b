// SPDX-License-Identifier: GPL-2.0-or-later

#include "state/commands.h"

#include "state/state_read.h"

int boot_options_print(const struct env *env, FILE *out)
{
	_cleanup_free_ char *text = NULL;
	cJSON *top = NULL;
	int r = -ENOENT;

	if (state_read(env, &text) < 0 || state_parse(text, &top) < 0)
		return r;
	if (streq(state_text(top, "outcome"), "done") && *state_text(top, "options")) {
		fprintf(out, "%s\n", state_text(top, "options"));
		r = 0;
	}
	cJSON_Delete(top);
	return r;
}
