// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as /etc/network/interfaces: text behind a match does not undo it. */
#include "handover/interfaces.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Of the text, which ends at a 0, with a tail. */
static bool names(const uint8_t *data, size_t size, const char *tail)
{
	_cleanup_free_ char *text = NULL;

	return asprintf(&text, "%.*s%s", (int)size, (const char *)data, tail) < 0 ? false :
		interfaces_text_names(text, "ib0.8001");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	bool named = names(data, size, "");

	/* The last line may go on with the next. */
	if (names(data, size, "\n\n# auto ib0.8001\n") != named ||
		!names(data, size, "\n\nallow-hotplug eth0 ib*\n"))
		__builtin_trap();
	return 0;
}
