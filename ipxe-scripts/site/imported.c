// SPDX-License-Identifier: GPL-2.0-or-later
/* imported: see imported.h; imported_port(), imported_network() are in import_port.c. */
#include "site/imported.h"

#include "site/fields.h"

void imported_put(struct text *t, const char *before, const char *value, const char *after)
{
	size_t n = value ? strspn(value, "<>./:=_@%+~-" ALNUM) : 0;

	if (!value)
		return;
	text_put(t, before);
	if (n && !value[n] && strchr("<./" ALNUM, value[0]) && value[n - 1] != ':') {
		text_printf(t, "%s%s", value, after);
		return;
	}
	text_put(t, "\"");
	for (; *value; value++)
		if (*value == '"' || *value == '\\')
			text_printf(t, "\\%c", *value);
		else if ((unsigned char)*value < ' ' || (unsigned char)*value >= 0x7f)
			text_printf(t, "\\x%02x", (unsigned char)*value);
		else
			text_printf(t, "%c", *value);
	text_printf(t, "\"%s", after);
}

void imported_item(struct text *t, const char *value)
{
	imported_put(t, t->len ? ", " : "", value, "");
}

void imported_left_out(
	struct imported *im, struct place at, const char *why, const char *what, const char *name)
{
	const char *key = must(arena_printf(im->arena, "left out %s %s", what, name));

	if (names_add(im->names, key, 0) == NAMES_NONE)
		faults_add(im->report, SEVERITY_NOTE, at, why, "%s %s is left out", what, name);
}

bool imported_is(struct imported *im, const struct value *v, enum value_kind kind)
{
	static const char *const names[] = {"a text", "a list", "a map"};

	if (v->kind != kind)
		error_at(im->report, v->at, NULL, "column %u: expected %s, found %s", v->at.column,
			names[kind], names[v->kind]);
	return v->kind == kind;
}

const struct value *imported_find(
	struct imported *im, const struct value *map, const char *key, enum value_kind kind)
{
	struct value *v = map ? map->items : NULL;

	while (v && !streq(v->key, key))
		v = v->next;
	if (!v || v->null || !imported_is(im, v, kind))
		return NULL;
	v->read = true;
	return v;
}

const char *imported_text(struct imported *im, const struct value *map, const char *key)
{
	const struct value *v = imported_find(im, map, key, VALUE_TEXT);

	return v && v->text[0] ? v->text : NULL;
}

void imported_rest(struct imported *im, const struct value *map)
{
	for (const struct value *v = map ? map->items : NULL; v; v = v->next)
		if (!v->read && !v->null)
			imported_left_out(im, v->key_at, im->keeps, "key", v->key);
}

bool imported_name(
	struct imported *im, const char *kind, const char *name, struct place at, bool *ret_new)
{
	const char *key = must(arena_printf(im->arena, "%s %s", kind, name));
	bool valid = is_name(name) &&
		     (!streq(kind, "node") || value_hostname(name, strlen(name)));

	*ret_new = valid && names_add(im->names, key, 0) == NAMES_NONE;
	if (!valid)
		faults_add(im->report, SEVERITY_WARNING, at, "see docs/site-file.md",
			"%s is left out: not a name in a site file", key);
	return valid;
}

void imported_image(struct imported *im, struct imported_node *n, const char *image,
	struct place at, const char *where, const char *options)
{
	bool is_new;

	n->image = image && imported_name(im, "image", image, at, &is_new) ? image : "default";
	if (n->image != image)
		imported_name(im, "image", n->image, at, &is_new);
	if (!is_new)
		return;
	text_printf(&im->images, "  %s:\n    kernel: <KERNEL>", n->image);
	imported_put(&im->images, "  # ", where, "");
	text_printf(&im->images, "\n    initrd: <INITRD>  # %s\n", im->initrd);
	imported_put(&im->images, "    options: ", options, "\n");
}

void imported_group(
	struct imported *im, struct imported_node *n, const char *group, struct place at)
{
	bool is_new;

	if (imported_name(im, "group", group, at, &is_new))
		imported_item(&n->groups, group);
	if (is_new)
		text_printf(&im->groups, "  %s: {}\n", group);
}
