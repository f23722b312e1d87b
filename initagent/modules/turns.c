// SPDX-License-Identifier: GPL-2.0-or-later
/* turns: see turns.h. Only modules that a boot waits for are worth a row. */
#include "modules/turns.h"

static const struct {
	const char *module;
	enum turn turn;
} turns[] = {
	{"nfsv4", TURN_LATE},
	{"rpcrdma", TURN_BESIDE},
};

enum turn turn_of(const char *module)
{
	for (size_t i = 0; i < ARRAY_SIZE(turns); i++)
		if (streq(turns[i].module, module))
			return turns[i].turn;
	return TURN_NORMAL;
}
