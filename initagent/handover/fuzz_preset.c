// SPDX-License-Identifier: GPL-2.0-or-later
/* Preset files of a real root: any bytes. A verdict is one, and adding to what speaks of a unit does not change it. */
#include "handover/preset.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int verdict_of(const uint8_t *data, size_t size, const char *tail)
{
	char *text = malloc(size + strlen(tail) + 1);
	int r;

	if (!text)
		return -1;
	memcpy(text, data, size);
	strcpy(text + size, tail);
	r = preset_verdict(text, "networking.service");
	free(text);
	return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int verdict = verdict_of(data, size, "");

	if (verdict < -1 || verdict > 1)
		__builtin_trap();
	/* A NUL byte ends the text. */
	if (memchr(data, 0, size))
		return 0;
	if (verdict_of(data, size, "\ndisable *\n") != (verdict < 0 ? 0 : verdict))
		__builtin_trap();
	return 0;
}
