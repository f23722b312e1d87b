// SPDX-License-Identifier: GPL-2.0-or-later
/* What the process that fetches sends, in two parts: no piece goes beyond the limits, and nothing
 * is final that changes. */
#include <sys/mman.h>
#include <sys/stat.h>

#include "fetch/pieces.h"

#define LIMIT 5000
#define CHUNK 1000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* As the process does. False: nothing more may follow. */
static bool take(struct pieces *p, const uint8_t *data, size_t size, struct verified *last)
{
	struct cursor c = cursor_make(data, size);
	struct verified v;
	int r;

	while ((r = pieces_next(p, &c, &v)) > 0) {
		if (v.kind >= VERIFIED_KIND_MAX || v.verdict >= VERDICT_MAX || v.at > LIMIT ||
			v.final > v.at)
			__builtin_trap();
		if (v.kind != VERIFIED_RESTART && v.final < last->final)
			__builtin_trap();
		*last = v;
		if (v.kind == VERIFIED_END && v.whole)
			return false;
	}
	return r == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t digests[5][SHA256_SIZE] = {{0}};
	struct pieces p;
	_cleanup_close_ int file = memfd_create("file", MFD_CLOEXEC);
	struct fetch_setup setup = {.file = file, .want = {.limit = LIMIT}};
	struct verified last = {0};
	struct stat st;

	if (size < 2 || file < 0)
		return 0;
	if (data[0] & 1)
		setup.want = (struct intake_want){.size = LIMIT, .sha256 = digests[0]};
	if (data[0] & 2)
		setup.want = (struct intake_want){
			.size = LIMIT, .chunk_size = CHUNK, .chunks = digests, .n_chunks = 5};
	pieces_init(&p, &setup, NULL);
	if (take(&p, data + 2, min_u64(data[1], size - 2), &last) && size - 2 > data[1])
		take(&p, data + 2 + data[1], size - 2 - data[1], &last);
	if (fstat(file, &st) < 0 || st.st_size > LIMIT)
		__builtin_trap();
	return 0;
}
