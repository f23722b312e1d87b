// SPDX-License-Identifier: GPL-2.0-or-later
/* import: the parts of a site file as the readers find them. See import.h, imported.h. */
#include "site/import.h"

#include "site/fields.h"
#include "site/imported.h"

#define LETTERS "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

void imported_put(struct text *t, const char *before, const char *value, const char *after)
{
	size_t n = value ? strspn(value, "<>./:=_@%+~-" LETTERS) : 0;

	if (!value)
		return;
	text_put(t, before);
	if (n && !value[n] && strchr("<./" LETTERS, value[0]) && value[n - 1] != ':') {
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

void imported_node_done(struct imported *im, struct imported_node *n)
{
	struct text *t = &im->nodes;

	if (!n->n_ports)
		imported_port(im, n, &(struct imported_port){0});
	if (!t->len) {
		im->image = n->image;
		im->root = n->root;
	}
	text_put(t, n->hints.len ? n->hints.data : "");
	text_printf(t, n->n_ports == 1 ? "  %s: {%s" : "  %s: {ports: [{%s}]", n->name,
		n->ports.data);
	if (n->groups.len)
		text_printf(t, ", groups: [%s]", n->groups.data);
	imported_put(t, ", image: ", streq(n->image, im->image) ? NULL : n->image, "");
	imported_put(t, ", root: ", streq(n->root, im->root) ? NULL : n->root, "");
	imported_item(&n->options, n->id);
	if (n->options.len)
		text_printf(t, ", options: [%s]", n->options.data);
	text_put(t, "}\n");
	text_done(&n->hints);
	text_done(&n->ports);
	text_done(&n->groups);
	text_done(&n->options);
}

static void put_networks(struct imported *im, struct text *t)
{
	const struct imported_network *n = im->networks.items;
	size_t begin;

	text_put(t, "\nnetworks:\n");
	begin = t->len;
	for (size_t i = 0; i < im->networks.n; i++, n++) {
		if (!n->used) {
			imported_left_out(im, n->at, "no port is in it", "network", n->name);
			continue;
		}
		text_printf(t, "  %s:\n    fabric: %s\n", n->name,
			n->fabric == FABRIC_ETHERNET ? "ethernet  # or roce" : "infiniband");
		if (n->prefix < 0)
			text_put(t, "    subnet: <SUBNET>  # such as 10.20.0.0/22\n");
		else
			text_printf(t, "    subnet: %s/%d\n", addr_text(n->subnet), n->prefix);
		imported_put(t, "    router: ", n->router, "\n");
		imported_put(t, "    mtu: ", n->mtu, "\n");
	}
	if (t->len == begin)
		text_put(t, "  network: {fabric: ethernet, subnet: <SUBNET>}\n");
}

static void put_site(struct imported *im, struct text *t)
{
	const char *who = im->provisioner;

	text_printf(t, "# Nodes of %s. 'initagent-site check' names every word in <> that has to "
		"be\n# filled in, docs/site-file.md explains the keys.\nsite: %s\n", who, who);
	imported_put(t, "domain: ", im->domain, "\n");
	text_printf(t, "\nservers:\n  %s:\n", who);
	imported_put(t, "    address: ", im->address ? im->address : "<ADDRESS>", "\n");
	put_networks(im, t);
	text_printf(t, "\nboot:\n  servers: [%s]\n\nimages:\n%s", who, im->images.data);
	imported_put(t, "\ndefaults:\n  image: ", im->image, "\n");
	imported_put(t, "  root: ", im->root, "\n");
	text_printf(t, "  options: [%s]\n", im->options.data);
	if (im->groups.len)
		text_printf(t, "\ngroups:\n%s", im->groups.data);
	text_printf(t, "\nnodes:\n%s", im->nodes.data);
}

bool import_run(const char *provisioner, const char *text, size_t len, struct faults *report,
	struct text *out)
{
	bool warewulf = streq(provisioner, "warewulf");
	struct imported im = {.report = report, .provisioner = provisioner};

	if (!warewulf && !streq(provisioner, "xcat"))
		return false;
	if (len > DOCUMENT_BYTES_MAX) {
		error_at(report, (struct place){0}, "give fewer nodes at a time",
			"the file is larger than %d MiB", DOCUMENT_BYTES_MAX >> 20);
		return true;
	}
	im.arena = must_arena();
	im.names = names_new();
	(warewulf ? import_warewulf : import_xcat)(&im, text, len);
	if (!im.nodes.len && !faults_total(report, SEVERITY_ERROR))
		error_at(report, (struct place){0}, NULL, "there is no node in it");
	if (!faults_total(report, SEVERITY_ERROR))
		put_site(&im, out);
	text_done(&im.options);
	text_done(&im.images);
	text_done(&im.groups);
	text_done(&im.nodes);
	names_free(im.names);
	arena_free(im.arena);
	return true;
}
