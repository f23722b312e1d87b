// SPDX-License-Identifier: GPL-2.0-or-later
/* overlay_config: whatever the file holds, values are short and fit for a URL. */
#include "root/wwinit/overlay_config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void plain(const char *s, size_t size)
{
	if (!memchr(s, 0, size))
		__builtin_trap();
	for (; *s; s++)
		if (*s <= ' ' || *s >= 0x7f)
			__builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct overlay_config c;

	overlay_config_parse((const char *)data, size, &c);
	plain(c.tls, sizeof(c.tls));
	plain(c.address, sizeof(c.address));
	plain(c.port, sizeof(c.port));
	return 0;
}
