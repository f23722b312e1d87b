// SPDX-License-Identifier: GPL-2.0-or-later
#include "site/stanza.h"

#include "must.h"

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* A copy of s[0..end) without the spaces around it. */
static const char *trimmed(struct arena *arena, const char *s, const char *end)
{
	while (s < end && is_space(*s))
		s++;
	while (end > s && is_space(end[-1]))
		end--;
	return must(arena_text(arena, s, (size_t)(end - s)));
}

/* The line s[0..end) as "NAME:" (a map) or "ATTRIBUTE=VALUE" (a text). NULL: neither. */
static struct value *read_line(struct arena *arena, const char *s, const char *end)
{
	struct value *v = must(arena_alloc(arena, sizeof(*v)));
	const char *equals = memchr(s, '=', (size_t)(end - s));

	while (is_space(end[-1]))
		end--;
	if ((!equals && end[-1] != ':') || memchr(s, 0, (size_t)(end - s)))
		return NULL;
	v->kind = equals ? VALUE_TEXT : VALUE_MAP;
	v->key = trimmed(arena, s, equals ? equals : end - 1);
	v->text = equals ? trimmed(arena, equals + 1, end) : NULL;
	return v->key[0] ? v : NULL;
}

/* last: what is in map, so far, at its end; NULL: nothing. */
static void add_value(struct value *map, struct value *last, struct value *v)
{
	*(last ? &last->next : &map->items) = v;
}

static const char *line_end(const char *s, const char *limit)
{
	const char *end = memchr(s, '\n', (size_t)(limit - s));

	return end ? end : limit;
}

/* lsdef writes a value's line ends as they are; nothing that is imported has any. */
static bool continues(const struct value *last, const char *s, const char *end, struct place at,
	struct faults *report)
{
	if (!last || memchr(s, 0, (size_t)(end - s)))
		return false;
	faults_add(report, SEVERITY_WARNING, at, NULL,
		"left out: a further line of %s=, or no ATTRIBUTE=VALUE", last->key);
	return true;
}

const struct value *stanza_parse(
	struct arena *arena, const char *text, size_t len, struct faults *report)
{
	struct value *root = must(arena_alloc(arena, sizeof(*root))), *object = NULL, *last = NULL;
	const char *s, *end, *next, *limit = text + len;
	struct place at = {0, 1};

	root->kind = VALUE_MAP;
	for (s = text; s < limit; s = next) {
		struct value *v;

		end = line_end(s, limit);
		next = end < limit ? end + 1 : limit;
		at.line++;
		while (s < end && is_space(*s))
			s++;
		if (s == end || *s == '#')
			continue;
		v = read_line(arena, s, end);
		if (!v && continues(last, s, end, at, report))
			continue;
		if (!v || ++root->n > DOCUMENT_VALUES_MAX || (v->kind == VALUE_TEXT && !object)) {
			error_at(report, at, "as 'lsdef -z' prints it",
				"neither NAME: nor, below one, ATTRIBUTE=VALUE");
			return NULL;
		}
		v->at = v->key_at = at;
		if (v->kind == VALUE_MAP) {
			add_value(root, object, v);
			object = v;
			last = NULL;
		} else {
			add_value(object, last, v);
			last = v;
		}
	}
	return root;
}
