// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * overlay_config: whatever the file holds, values are short and fit for a URL; mounts are in their
 * order, and below the root.
 */
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

static void mounts(const uint8_t *data, size_t size)
{
	static struct overlay_mount m[OVERLAY_MOUNTS_MAX];
	bool odd;
	size_t n = overlay_mounts_parse((const char *)data, size, m, &odd);

	for (size_t i = 0; i < n; i++) {
		char inside[sizeof(m->path) + 2];

		plain(m[i].device, sizeof(m[i].device));
		plain(m[i].fstype, sizeof(m[i].fstype));
		plain(m[i].path, sizeof(m[i].path));
		snprintf(inside, sizeof(inside), "%s/", m[i].path);
		if (!*m[i].device || m[i].path[0] != '/' || strstr(inside, "/../") ||
			(i && strcmp(m[i - 1].path, m[i].path) > 0))
			__builtin_trap();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct overlay_config c;

	overlay_config_parse((const char *)data, size, &c);
	plain(c.tls, sizeof(c.tls));
	plain(c.address, sizeof(c.address));
	plain(c.port, sizeof(c.port));
	mounts(data, size);
	return 0;
}
