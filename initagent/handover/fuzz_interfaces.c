// SPDX-License-Identifier: GPL-2.0-or-later
/* /etc/network/interfaces of a real root: any bytes. What names an interface still does so with more text behind it. */
#include "handover/interfaces.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool names(const uint8_t *data, size_t size, const char *tail)
{
	char *text = malloc(size + strlen(tail) + 1);
	bool r;

	if (!text)
		return false;
	memcpy(text, data, size);
	strcpy(text + size, tail);
	r = interfaces_text_names(text, "ib0.8001");
	free(text);
	return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	bool named = names(data, size, "");

	/* A NUL byte ends the text; the last line may go on with the next. */
	if (memchr(data, 0, size))
		return 0;
	if (names(data, size, "\n\n# auto ib0.8001\n") != named || !names(data, size, "\n\nallow-hotplug eth0 ib*\n"))
		__builtin_trap();
	return 0;
}
