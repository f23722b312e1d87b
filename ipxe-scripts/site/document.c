// SPDX-License-Identifier: GPL-2.0-or-later
/* document: libyaml's events into values. See document.h. */
#include "site/document.h"

#include <yaml.h>

#include "must.h"
#include "site/names.h"

struct reader {
	struct arena *arena;
	struct faults *report;
	const char *bytes; /* of the file */
	size_t len;
	yaml_parser_t parser;
	size_t n; /* values */
	bool failed;
};

/* What is used of libyaml's event; type YAML_NO_EVENT: reading has failed. */
struct event {
	yaml_event_type_t type;
	struct place at;
	const char *text; /* of a scalar, else NULL */
	bool null;
};

static struct place place_of(const yaml_mark_t *m)
{
	return (struct place){(unsigned int)m->line + 1, (unsigned int)m->column + 1};
}

static void refuse(struct reader *r, struct place at, const char *remedy, const char *what)
{
	error_at(r->report, at, remedy, "%s", what);
	r->failed = true;
}

static bool has_tag(const yaml_event_t *e)
{
	switch (e->type) {
	case YAML_SCALAR_EVENT:
		return e->data.scalar.anchor || e->data.scalar.tag;
	case YAML_SEQUENCE_START_EVENT:
		return e->data.sequence_start.anchor || e->data.sequence_start.tag;
	case YAML_MAPPING_START_EVENT:
		return e->data.mapping_start.anchor || e->data.mapping_start.tag;
	default:
		return false;
	}
}

/* is_tabbed: the line (from 1) is indented with a TAB. */
static bool is_tabbed(const struct reader *r, unsigned int line)
{
	const char *s = r->bytes, *end = r->bytes + r->len;

	for (; s < end && line > 1; s++)
		line -= *s == '\n';
	while (s < end && (*s == ' ' || *s == '-'))
		s++;
	return s < end && *s == '\t';
}

/* odd_space: the last line up to this one (from 1) with what only looks like a space; 0: none. It
 * is a letter for YAML, which finds out on a line behind it. */
static unsigned int odd_space(const struct reader *r, unsigned int line)
{
	unsigned int at = 1, found = 0;

	for (size_t i = 0; i + 1 < r->len && at <= line; i++) {
		if (memcmp(r->bytes + i, "\xc2\xa0", 2) == 0)
			found = at;
		at += r->bytes[i] == '\n';
	}
	return found;
}

static void report_syntax(struct reader *r)
{
	const yaml_parser_t *p = &r->parser;
	struct place at = place_of(&p->problem_mark);
	unsigned int odd = odd_space(r, at.line);
	const char *remedy = "check the indentation, and quote a text that begins with * & ! % @ ` "
			     "{ [ or holds \": \" or \" #\"";

	r->failed = true;
	if (p->error == YAML_READER_ERROR)
		error_at(r->report, (struct place){0}, "the file is UTF-8 text",
			"not readable: %s at byte %zu", p->problem ? p->problem : "invalid byte",
			p->problem_offset);
	else if (is_tabbed(r, at.line))
		error_at(r->report, at, "indent it with spaces",
			"the line is indented with a TAB");
	else if (odd)
		error_at(r->report, (struct place){.line = odd}, "write a space in its place",
			"the line has a no-break space (U+00A0)");
	else
		error_at(r->report, at, remedy, "not YAML: %s%s%s",
			p->problem ? p->problem : "syntax", p->context ? ", " : "",
			p->context ? p->context : "");
}

/* YAML 1.2.2, 10.2.1.1 */
static bool is_null(const yaml_event_t *e, const char *text)
{
	return e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
	       (!*text || streq(text, "null") || streq(text, "~"));
}

static struct event next_event(struct reader *r)
{
	struct event ev = {.type = YAML_NO_EVENT};
	yaml_event_t e;

	if (r->failed)
		return ev;
	if (!yaml_parser_parse(&r->parser, &e)) {
		report_syntax(r);
		return ev;
	}
	ev = (struct event){e.type, place_of(&e.start_mark), NULL, false};
	if (has_tag(&e) || e.type == YAML_ALIAS_EVENT)
		refuse(r, ev.at, "write the value itself, in quotes if it begins with & * or !",
			"anchors, aliases and tags are not supported");
	else if (e.type == YAML_SCALAR_EVENT &&
		 memchr(e.data.scalar.value, 0, e.data.scalar.length))
		refuse(r, ev.at, NULL, "a zero byte is not text");
	else if (e.type == YAML_SCALAR_EVENT)
		ev.text = must(arena_text(r->arena, (const char *)e.data.scalar.value,
			e.data.scalar.length));
	ev.null = ev.text && is_null(&e, ev.text);
	yaml_event_delete(&e);
	if (r->failed)
		ev.type = YAML_NO_EVENT;
	return ev;
}

/* A key that is there twice is reported and marked in *ret_again. */
static void check_key(struct reader *r, struct names *keys, const struct event *key,
	bool *ret_again)
{
	size_t first;

	if (!key->text) {
		refuse(r, key->at, "a name, a colon, a value",
			"a list or map cannot be a key");
		return;
	}
	first = names_add(keys, key->text, key->at.line);
	*ret_again = first != NAMES_NONE;
	if (*ret_again)
		error_at(r->report, key->at, "give it once", "duplicate key %s, first in line %zu",
			key->text, first);
}

static struct value *read_value(struct reader *r, const struct event *e, unsigned int depth);

/* The entries of list or map v, up to its end. */
static void read_items(struct reader *r, struct value *v, yaml_event_type_t end, unsigned int depth)
{
	struct names *keys = names_new();
	struct value **place = &v->items, *item;
	struct event e, key = {0};

	while ((e = next_event(r)).type != end && e.type != YAML_NO_EVENT) {
		bool again = false;

		if (v->kind == VALUE_MAP) {
			key = e;
			check_key(r, keys, &key, &again);
			e = next_event(r);
		}
		item = read_value(r, &e, depth);
		if (!item || again)
			continue;
		item->key = key.text;
		item->key_at = key.at;
		*place = item;
		place = &item->next;
		v->n++;
	}
	names_free(keys);
}

/* The value that begins with e; NULL: it cannot be read. depth: of the lists and maps around it. */
static struct value *read_value(struct reader *r, const struct event *e, unsigned int depth)
{
	struct value *v = must(arena_alloc(r->arena, sizeof(*v)));

	if (e->type == YAML_NO_EVENT)
		return NULL;
	v->kind = e->text ? VALUE_TEXT : e->type == YAML_MAPPING_START_EVENT ? VALUE_MAP
									     : VALUE_LIST;
	v->at = e->at;
	v->text = e->text;
	v->null = e->null;
	if (++r->n > DOCUMENT_VALUES_MAX)
		refuse(r, e->at, "split the site into several", "the file has too many values");
	else if (v->kind != VALUE_TEXT && depth == DOCUMENT_DEPTH_MAX)
		refuse(r, e->at, NULL, "lists and maps are nested too deeply");
	else if (v->kind != VALUE_TEXT)
		read_items(r, v, v->kind == VALUE_MAP ? YAML_MAPPING_END_EVENT
						      : YAML_SEQUENCE_END_EVENT, depth + 1);
	return v;
}

static const struct value *read_document(struct reader *r)
{
	const struct value *root = NULL;
	struct event e;

	while ((e = next_event(r)).type != YAML_STREAM_END_EVENT && e.type != YAML_NO_EVENT)
		if (e.type == YAML_DOCUMENT_START_EVENT && root)
			refuse(r, e.at, "one site file, one document",
				"a second document begins here");
		else if (e.text || e.type == YAML_SEQUENCE_START_EVENT ||
			 e.type == YAML_MAPPING_START_EVENT)
			root = read_value(r, &e, 0);
	if (!r->failed && !root)
		error_at(r->report, (struct place){0},
			"begin with the example of docs/site-file.md", "the file is empty");
	return r->failed ? NULL : root;
}

const struct value *document_parse(
	struct arena *arena, const char *text, size_t len, struct faults *report)
{
	struct reader r = {.arena = arena, .report = report, .bytes = text, .len = len};
	const struct value *root;

	if (len > DOCUMENT_BYTES_MAX) {
		error_at(report, (struct place){0}, "split the site into several",
			"the file is larger than %d MiB", DOCUMENT_BYTES_MAX >> 20);
		return NULL;
	}
	if (!yaml_parser_initialize(&r.parser))
		must(NULL);
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, len);
	root = read_document(&r);
	yaml_parser_delete(&r.parser);
	return root;
}
