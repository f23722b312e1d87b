/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * document: the site file as a tree of maps, lists and texts, each with its place. YAML is read by
 * libyaml; what makes YAML surprising is left out and said: anchors, aliases, tags, several
 * documents, and any meaning of a bare word beyond its letters.
 */
#pragma once

#include "arena.h"
#include "site/faults.h"

/* Limits of a site file: 16 times what 10,000 nodes need. */
#define DOCUMENT_BYTES_MAX  (32 * 1024 * 1024)
#define DOCUMENT_VALUES_MAX 4000000
#define DOCUMENT_DEPTH_MAX  12

enum value_kind { VALUE_TEXT, VALUE_LIST, VALUE_MAP };

struct value {
	enum value_kind kind;
	struct place at;
	const char *text;	/* VALUE_TEXT: without any NUL */
	const char *key;	/* of an entry of a map, else NULL */
	struct place key_at;
	struct value *items;	/* first of a list or map */
	struct value *next;	/* in the list or map this is in */
	size_t n;		/* items */
	bool read;		/* set by a reader that reports what it does not use */
	bool null;		/* a bare null, ~ or nothing: no value to readers of JSON */
};

/*
 * document_parse: text[0..len) into values that live in arena. NULL if it is no document (said in
 * the report). Keys that are there twice are reported, and the first one counts.
 */
const struct value *document_parse(
	struct arena *arena, const char *text, size_t len, struct faults *report);
