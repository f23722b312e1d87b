// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as a preset file: a verdict stays the same with more text behind it. */
#include "handover/managers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Of the text, which ends at a 0, with a tail. */
static int verdict_of(const uint8_t *data, size_t size, const char *tail)
{
	_cleanup_free_ char *text = NULL;

	return asprintf(&text, "%.*s%s", (int)size, (const char *)data, tail) < 0 ? -1 :
		preset_verdict(text, "networking.service");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int verdict = verdict_of(data, size, "");

	if (verdict < -1 || verdict > 1)
		__builtin_trap();
	if (verdict_of(data, size, "\ndisable *\n") != (verdict < 0 ? 0 : verdict))
		__builtin_trap();
	return 0;
}
