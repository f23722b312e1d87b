// SPDX-License-Identifier: GPL-2.0-or-later
/* preset: see preset.h. */
#include "handover/preset.h"

#include <fnmatch.h>

/* One line: "enable GLOB" or "disable GLOB". */
static int line_verdict(char *line, const char *unit)
{
	char *save = NULL, *word = strtok_r(line, " \t", &save),
		*glob = word ? strtok_r(NULL, " \t", &save) : NULL;

	if (!glob || fnmatch(glob, unit, FNM_NOESCAPE) != 0)
		return -1;
	return streq(word, "enable") ? 1 : streq(word, "disable") ? 0 : -1;
}

int preset_verdict(char *text, const char *unit)
{
	char *line;
	int verdict = -1;

	while (verdict < 0 && (line = strsep(&text, "\n")))
		verdict = line_verdict(line, unit);
	return verdict;
}
