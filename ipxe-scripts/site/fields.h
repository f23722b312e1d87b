/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fields: from values of the document to typed members of a struct, by tables: a row a key. Each
 * taker says what it wanted and leaves the member alone when it does not get it.
 */
#pragma once

#include "site/document.h"
#include "site/names.h"
#include "site/private.h"

struct loader {
	struct site *site;
	struct faults *report;
};

/* A taker: value v of a key into *member. */
typedef void (*taker)(struct loader *l, const struct value *v, void *member);

struct field {
	const char *key;
	taker take;
	size_t offset;
	bool required;
};

#define FIELD(key, take, type, member)	  {key, take, offsetof(type, member), false}
#define REQUIRED(key, take, type, member) {key, take, offsetof(type, member), true}

/*
 * take_fields: the entries of map v by the table, into object. Unknown and missing keys are said;
 * what names the object in messages ("network ib").
 */
void take_fields(struct loader *l, const struct value *v, const char *what,
	const struct field *fields, size_t n, void *object);

/* report_value: an error at v, its key before the text; remedy may be NULL. */
void report_value(struct loader *l, const struct value *v, const char *remedy, const char *fmt, ...)
	_printf_(4, 5);

/* is_kind: true if v is of that kind; else an error is reported. */
bool is_kind(struct loader *l, const struct value *v, enum value_kind kind);

/* nearest_remedy: "did you mean X?", or all of the words; the caller's to free. */
char *nearest_remedy(const char *word, const char *const *words, size_t n);

/* List items of a list, or the one text itself. */
const struct value *items_of(struct loader *l, const struct value *v, size_t *n);

/* is_name: [A-Za-z0-9][A-Za-z0-9._-]{0,62}: safe in file names, scripts, configurations. */
bool is_name(const char *s);

/* Into struct said */
void take_text(struct loader *l, const struct value *v, void *member);
void take_name(struct loader *l, const struct value *v, void *member);
void take_domain(struct loader *l, const struct value *v, void *member);
void take_ifname(struct loader *l, const struct value *v, void *member);
void take_path(struct loader *l, const struct value *v, void *member);
void take_tree(struct loader *l, const struct value *v, void *member);
void take_signing(struct loader *l, const struct value *v, void *member);
void take_key_letter(struct loader *l, const struct value *v, void *member);
/* Into struct said_list: the words of a text, or of the texts of a list. */
void take_words(struct loader *l, const struct value *v, void *member);
void take_paths(struct loader *l, const struct value *v, void *member);
/* Into struct reference, struct reference_list */
void take_reference(struct loader *l, const struct value *v, void *member);
void take_references(struct loader *l, const struct value *v, void *member);
/* Into struct said_addr, struct said_number */
void take_addr(struct loader *l, const struct value *v, void *member);
void take_number(struct loader *l, const struct value *v, void *member);
void take_port_number(struct loader *l, const struct value *v, void *member);

/* The section "nodes" (nodes.c). */
void take_nodes(struct loader *l, const struct value *v, void *member);

/* The keys that defaults, groups and nodes have in common. */
#define PROFILE_FIELDS(type, member)                        \
	FIELD("image", take_reference, type, member.image), \
	FIELD("root", take_text, type, member.root),        \
	FIELD("options", take_words, type, member.options)
