// SPDX-License-Identifier: GPL-2.0-or-later
/* states: see states.h. */
#include "states.h"

#include "check.h"

void states_keep(const char *json)
{
	const char *folder = getenv("STATE_RENDER");
	_cleanup_fclose_ FILE *f = NULL;
	static unsigned n;
	char path[256];

	if (!folder)
		return;
	/* Each case is a process of its own. */
	snprintf(path, sizeof(path), "%s/%s-%d-%u.json", folder, program_invocation_short_name,
		getpid(), n++);
	f = fopen(path, "w");
	CHECK(f != NULL && fputs(json, f) >= 0);
}
