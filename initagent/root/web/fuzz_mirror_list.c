// SPDX-License-Identifier: GPL-2.0-or-later
/* Fuzz target: the URL as configured in the first line, the file of mirrors behind it. */
#include "url.h"
#include "root/web/mirror_list.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct mirror_list_result r;
	const uint8_t *end = size ? memchr(data, '\n', size) : NULL;
	char base[PLAN_URL_MAX + 1];
	struct url u;

	if (!end || (size_t)(end - data) >= sizeof(base))
		return 0;
	memcpy(base, data, (size_t)(end - data));
	base[end - data] = 0;
	if (url_parse(&u, base, strlen(base)) < 0)
		return 0;
	mirror_list_parse((const char *)end + 1, size - (size_t)(end + 1 - data), base, 1, &r);
	for (size_t i = 0; i < r.n; i++) {
		struct url m;

		if (url_parse(&m, r.urls[i], strlen(r.urls[i])) < 0 || (u.https && !m.https))
			abort();
	}
	return 0;
}
