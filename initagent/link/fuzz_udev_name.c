// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of the command line, up to what an interface may have: where there is no adapter, none is
 * one of udev's. */
#include "link/udev_name.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint16_t types[] = {1, 32, 772};
	const struct env env = {.prefix = "/nonexistent"};
	char *name = size < IFNAMSIZ ? strndup((const char *)data, size) : NULL;

	for (size_t i = 0; name && i < ARRAY_SIZE(types); i++) {
		const struct netdev dev = {.name = "eth0", .hwtype = types[i]};

		if (udev_name_is(&env, &dev, name))
			abort();
	}
	free(name);
	return 0;
}
