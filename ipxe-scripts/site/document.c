// SPDX-License-Identifier: GPL-2.0-or-later
/* document: libyaml's events into values. See document.h. */
#include "site/document.h"

#include <yaml.h>

#include "must.h"
#include "site/names.h"

/* A list or map that is still open. */
struct open_value {
	struct value *value, *last;
	const char *key; /* of the entry whose value comes next */
	struct place key_at;
	struct names *keys; /* of a map */
	bool skip;	/* that entry is there already */
};

struct reader {
	struct arena *arena;
	struct faults *report;
	struct value *root;
	struct open_value open[DOCUMENT_DEPTH_MAX];
	size_t depth, n;
	bool failed;
};

static struct place place_of(const yaml_mark_t *m)
{
	return (struct place){(unsigned int)m->line + 1, (unsigned int)m->column + 1};
}

static void refuse(struct reader *r, const yaml_event_t *e, const char *remedy, const char *what)
{
	error_at(r->report, place_of(&e->start_mark), remedy, "%s", what);
	r->failed = true;
}

static struct value *value_new(struct reader *r, enum value_kind kind, const yaml_event_t *e)
{
	struct value *v = must(arena_alloc(r->arena, sizeof(*v)));

	v->kind = kind;
	v->at = place_of(&e->start_mark);
	if (++r->n > DOCUMENT_VALUES_MAX)
		refuse(r, e, "split the site", "the file has too many values");
	return v;
}

/* Hangs v where the next value belongs. */
static void attach(struct reader *r, struct value *v)
{
	struct open_value *o;

	if (r->depth == 0) {
		r->root = v;
		return;
	}
	o = &r->open[r->depth - 1];
	v->key = o->key;
	v->key_at = o->key_at;
	o->key = NULL;
	if (o->skip) {
		o->skip = false;
		return;
	}
	if (o->last)
		o->last->next = v;
	else
		o->value->items = v;
	o->last = v;
	o->value->n++;
}

static void take_key(
	struct reader *r, struct open_value *o, const yaml_event_t *e, const char *text)
{
	struct place at = place_of(&e->start_mark);
	size_t first = names_add(o->keys, text, at.line);

	if (first != NAMES_NONE)
		error_at(r->report, at, "give it once", "duplicate key %s, first in line %zu", text,
			first);
	o->key = text;
	o->key_at = at;
	o->skip = first != NAMES_NONE;
}

static void take_scalar(struct reader *r, const yaml_event_t *e)
{
	struct open_value *o = r->depth ? &r->open[r->depth - 1] : NULL;
	const char *s = (const char *)e->data.scalar.value;
	size_t len = e->data.scalar.length;
	struct value *v;

	if (memchr(s, 0, len)) {
		refuse(r, e, NULL, "a zero byte is not text");
		return;
	}
	s = must(arena_text(r->arena, s, len));
	if (o && o->value->kind == VALUE_MAP && !o->key) {
		take_key(r, o, e, s);
		return;
	}
	v = value_new(r, VALUE_TEXT, e);
	v->text = s;
	attach(r, v);
}

static void take_start(struct reader *r, const yaml_event_t *e, enum value_kind kind)
{
	struct open_value *o = r->depth ? &r->open[r->depth - 1] : NULL;
	struct value *v;

	if (o && o->value->kind == VALUE_MAP && !o->key) {
		refuse(r, e, "a name, a colon, a value",
			"a list or map cannot be the name of something");
		return;
	}
	if (r->depth == DOCUMENT_DEPTH_MAX) {
		refuse(r, e, NULL, "lists and maps are nested too deeply");
		return;
	}
	v = value_new(r, kind, e);
	attach(r, v);
	r->open[r->depth++] =
		(struct open_value){.value = v, .keys = kind == VALUE_MAP ? names_new() : NULL};
}

static void take_end(struct reader *r)
{
	struct open_value *o = &r->open[--r->depth];

	o->keys = names_free(o->keys);
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

/* False at the end, or after a fault that ends the reading. */
static bool take_event(struct reader *r, const yaml_event_t *e)
{
	if (has_tag(e) || e->type == YAML_ALIAS_EVENT)
		refuse(r, e, "write the value itself, in quotes if it begins with & * or !",
			"anchors, aliases and tags have no meaning here");
	else if (e->type == YAML_SCALAR_EVENT)
		take_scalar(r, e);
	else if (e->type == YAML_SEQUENCE_START_EVENT || e->type == YAML_MAPPING_START_EVENT)
		take_start(r, e, e->type == YAML_MAPPING_START_EVENT ? VALUE_MAP : VALUE_LIST);
	else if (e->type == YAML_SEQUENCE_END_EVENT || e->type == YAML_MAPPING_END_EVENT)
		take_end(r);
	else if (e->type == YAML_DOCUMENT_START_EVENT && r->root)
		refuse(r, e, "one site file, one document", "a second document begins here");
	return !r->failed && e->type != YAML_STREAM_END_EVENT;
}

static void report_syntax(struct reader *r, const yaml_parser_t *p)
{
	struct place at = place_of(&p->problem_mark);
	const char *remedy = "check the indentation, and quote a text that begins with * & ! % @ ` "
			     "{ [ or holds \": \" or \" #\"";

	r->failed = true;
	if (p->error == YAML_READER_ERROR)
		error_at(r->report, (struct place){0}, "the file is UTF-8 text",
			"not readable: %s at byte %zu", p->problem ? p->problem : "invalid byte",
			p->problem_offset);
	else
		error_at(r->report, at, remedy, "not YAML: %s%s%s",
			p->problem ? p->problem : "syntax", p->context ? ", " : "",
			p->context ? p->context : "");
}

static void read_events(struct reader *r, yaml_parser_t *p)
{
	bool more = true;

	while (more) {
		yaml_event_t event;

		if (!yaml_parser_parse(p, &event)) {
			report_syntax(r, p);
			return;
		}
		more = take_event(r, &event);
		yaml_event_delete(&event);
	}
}

const struct value *document_parse(
	struct arena *arena, const char *text, size_t len, struct faults *report)
{
	struct reader r = {.arena = arena, .report = report};
	yaml_parser_t parser;

	if (len > DOCUMENT_BYTES_MAX) {
		error_at(report, (struct place){0}, "split the site",
			"the file is larger than %d MiB", DOCUMENT_BYTES_MAX >> 20);
		return NULL;
	}
	if (!yaml_parser_initialize(&parser))
		must(NULL);
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, len);
	read_events(&r, &parser);
	yaml_parser_delete(&parser);
	while (r.depth)
		take_end(&r);
	if (!r.failed && !r.root)
		error_at(report, (struct place){0}, "begin with the example of docs/site-file.md",
			"the file is empty");
	return r.failed ? NULL : r.root;
}
