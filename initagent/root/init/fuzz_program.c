// SPDX-License-Identifier: GPL-2.0-or-later
/* A file of a real root that is to be executed: any bytes. What the parser names lies where it
 * may. */
#include "root/init/program.h"

#include <limits.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The table from where the header says it is, or, so that the fuzzer gets there, from behind the
 * header. */
static void segments_of(const struct program *p, const uint8_t *data, size_t size)
{
	struct program_segments s;
	uint64_t at = p->table < size ? p->table : 0;

	if (size - at < p->table_size || program_segments(p, data + at, p->table_size, &s) < 0)
		return;
	if (!s.end || s.interp + s.interp_size > s.end || s.interp_size == 1 ||
		s.interp_size > PATH_MAX)
		__builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct program p;

	program_head(data, size, &p);
	if ((p.kind == PROGRAM_SCRIPT) != (p.interpreter[0] != 0) ||
		!memchr(p.interpreter, 0, sizeof(p.interpreter)))
		__builtin_trap();
	if (p.kind == PROGRAM_ELF && (!p.table_size || p.table_size > PROGRAM_TABLE_MAX))
		__builtin_trap();
	segments_of(&p, data, size);
	return 0;
}
