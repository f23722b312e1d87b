// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as a manager's file of an interface: a comment behind it changes nothing, and text
 * behind a match does not undo it. */
#include "handover/own.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Of the text, which ends at a 0, with a tail. */
static bool names(const uint8_t *data, size_t size, const char *tail)
{
	_cleanup_free_ char *text = NULL;

	return asprintf(&text, "%.*s%s", (int)size, (const char *)data, tail) < 0 ? false :
		own_text_names(text, "ib0.8001", "e4:1d:2d:03:00:0c:d5:a1");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	bool named = names(data, size, "");

	if (names(data, size, "\n # Name=ib0.8001\n;Name=ib0.8001\n") != named ||
		!names(data, size, "\nName=IB0.8001 # the root's\n") ||
		!names(data, size, "\n  macaddress: E4:1D:2D:03:00:0C:D5:A1"))
		__builtin_trap();
	return 0;
}
