// SPDX-License-Identifier: GPL-2.0-or-later
/* Text or JSON that claims to be from mstconfig: read and judged. */
#include "flexboot/advice.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct query q;
	struct setting list[SETTINGS_MAX];
	struct advice rows[SETTINGS_MAX];
	_cleanup_fclose_ FILE *sink = fopen("/dev/null", "we");
	struct intent in = INTENT_DEFAULT;
	size_t n = settings_want(&in, list);

	if (!sink)
		return 0;
	if (query_read(&q, (const char *)data, size) < 0) {
		if (!q.fault[0])
			__builtin_trap();
		return 0;
	}
	for (size_t i = 0; i < q.n_devices; i++) {
		advise(&q, i, list, n, rows);
		advice_print(q.devices[i].name, q.devices[i].type, rows, n, sink);
		advice_json(q.devices[i].name, rows, n, sink);
	}
	return 0;
}
