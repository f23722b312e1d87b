// SPDX-License-Identifier: GPL-2.0-or-later

#include "meminfo.h"

static uint64_t available_bytes(const struct env *env)
{
	static const char key[] = "MemAvailable:";
	char text[2048];
	const char *at;

	if (env_read(env, text, sizeof(text), "/proc/meminfo") < 0)
		return 0;
	at = strstr(text, key);
	return at ? strtoull(at + sizeof(key) - 1, NULL, 10) * 1024 : 0;
}

uint64_t meminfo_left(const struct env *env, uint32_t spare_mib)
{
	uint64_t available = available_bytes(env), spare = (uint64_t)spare_mib << 20;

	return available > spare ? available - spare : 0;
}
