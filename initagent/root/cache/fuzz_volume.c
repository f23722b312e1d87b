// SPDX-License-Identifier: GPL-2.0-or-later
/* Fuzz target: what stands on a disk. The first byte says which part of it the rest is. */
#include "root/cache/volume.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct volume_table t;
	struct volume_part p;
	struct volume v;

	if (!size)
		return 0;
	if (data[0] == 'p') {
		volume_part_gpt(data + 1, size - 1, &p);
		return 0;
	}
	if (volume_judge(data + 1, size - 1, &v) && (!v.fstype || !v.uuid[0]))
		abort();
	if (volume_table(data + 1, size - 1, data[0] & 1 ? 4096 : 512, &t) && t.gpt &&
		t.size < VOLUME_ENTRY)
		abort();
	if (!t.gpt)
		volume_part_mbr(&t, data[0], &p);
	return 0;
}
