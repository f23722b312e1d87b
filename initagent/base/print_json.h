/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * print_json: how the commands' --json output ends. Owns the object from the call on.
 * In: an object, a stream. Out: the text, and a newline.
 * Callers: doctor/, flexboot/. Tests: doctor/test_doctor.c, tests/flexboot.bats.
 */
#pragma once

#include <cjson/cJSON.h>

#include "util.h"

/*
 * print_json: writes top to out as one line, or with pretty indented over several, and frees it.
 * Returns 0 or -ENOMEM; whether out took it is told by ferror() and fclose().
 */
static inline int print_json(cJSON *top, bool pretty, FILE *out)
{
	char *text = pretty ? cJSON_Print(top) : cJSON_PrintUnformatted(top);

	cJSON_Delete(top);
	if (!text)
		return -ENOMEM;
	fprintf(out, "%s\n", text);
	free(text);
	return 0;
}
