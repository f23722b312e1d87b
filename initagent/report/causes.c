// SPDX-License-Identifier: GPL-2.0-or-later
/* causes: the rows of causes.def as a table. */
#include "report/causes.h"

#include "base/util.h"

static const struct cause_info table[CAUSE_MAX] = {
	[CAUSE_NONE] = {"NONE", "IA-E000", "no cause", ""},
#define CAUSE(name, number, line, what) \
	[CAUSE_##name] = {.id = #name, .code = "IA-E" #number, .text = line, .check = what},
#include "report/causes.def"
#undef CAUSE
};

const struct cause_info *cause_info(enum cause cause)
{
	if ((unsigned)cause >= CAUSE_MAX)
		cause = CAUSE_INTERNAL;
	return &table[cause];
}

enum cause cause_from_code(const char *code)
{
	for (unsigned i = 1; i < CAUSE_MAX; i++)
		if (streq(table[i].code, code))
			return (enum cause)i;
	return CAUSE_NONE;
}
