// SPDX-License-Identifier: GPL-2.0-or-later

#include "plan_nfs.h"

#include <stdio.h>
#include <string.h>

char *nfs_source_text(char *buf, size_t size, const char *server, const char *path)
{
	bool bare6 = strchr(server, ':') && *server != '[';
	int n = snprintf(buf, size, bare6 ? "[%s]:%s" : "%s:%s", server, path);

	return n < 0 || (size_t)n >= size ? NULL : buf;
}
