// SPDX-License-Identifier: GPL-2.0-or-later
/* fuzz_stanza: any bytes as xCAT's stanzas: maps of texts, in the order of their lines. */
#include "must.h"
#include "site/stanza.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_text(const char *s)
{
	if (strpbrk(s, "\n") || strchr(" \t\r", s[0]))
		__builtin_trap();
}

/* Returns the last line of map and of what is in it. */
static unsigned int check_map(const struct value *map, unsigned int line, unsigned int depth)
{
	for (const struct value *v = map->items; v; v = v->next) {
		if (v->at.line <= line || !v->key[0] || strchr(v->key, '=') ||
			v->kind != (depth ? VALUE_TEXT : VALUE_MAP))
			__builtin_trap();
		line = v->at.line;
		check_text(v->key);
		if (depth && v->text[0])
			check_text(v->text);
		if (!depth)
			line = check_map(v, line, 1);
	}
	return line;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct faults *report = faults_new();
	struct arena *arena = must_arena();
	const struct value *root = stanza_parse(arena, (const char *)data, size, report);
	size_t lines = 1;

	for (size_t i = 0; i < size; i++)
		lines += data[i] == '\n';
	if (!root != (faults_total(report, SEVERITY_ERROR) == 1) ||
		(root && check_map(root, 0, 0) > lines))
		__builtin_trap();
	arena_free(arena);
	faults_free(report);
	return 0;
}
