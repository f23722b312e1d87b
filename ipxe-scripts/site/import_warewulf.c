// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * import_warewulf: "wwctl node export", "wwctl node list --json" or "--yaml": a map of nodes with
 * the values of their profiles merged in. Nodes go on unpacking Warewulf's layers.
 */
#include "site/imported.h"

static void add_device(struct imported *im, struct imported_node *n, const struct value *d)
{
	const char *type = imported_text(im, d, "type");
	const struct imported_port p = {
		.at = d->key_at,
		.hardware = imported_text(im, d, "hwaddr"),
		.address = imported_text(im, d, "ipaddr"),
		.mask = imported_text(im, d, "netmask"),
		.router = imported_text(im, d, "gateway"),
		.mtu = imported_text(im, d, "mtu"),
		.infiniband = type && strcasecmp(type, "infiniband") == 0,
	};

	imported_rest(im, d);
	if (type && !p.infiniband && strcasecmp(type, "ethernet") != 0)
		imported_left_out(im, p.at, "a site file has ports; vlan= and bond= are options",
			"network device of type", type);
	else if (!p.hardware)
		imported_left_out(im, p.at, "no hwaddr: add the port by hand where it boots",
			"network device", d->key);
	/* The server knows the node by its first address, as it is written there. */
	else if (imported_port(im, n, &p) && !n->id)
		n->id = must(arena_printf(im->arena, "wwid=%s", p.hardware));
}

static void add_devices(struct imported *im, struct imported_node *n, const struct value *v)
{
	const struct value *all = imported_find(im, v, "network devices", VALUE_MAP), *first = NULL;
	const char *primary = imported_text(im, v, "primary network");

	if (primary)
		first = imported_find(im, all, primary, VALUE_MAP);
	if (first)
		add_device(im, n, first);
	for (const struct value *d = all ? all->items : NULL; d; d = d->next)
		if (d != first && !d->null && imported_is(im, d, VALUE_MAP))
			add_device(im, n, d);
}

/* Warewulf 4.5 and before have one text there. */
static void split_args(struct imported *im, struct value *v)
{
	char *rest = must(arena_printf(im->arena, "%s", v->text)), *word;
	struct value **place = &v->items;

	v->kind = VALUE_LIST;
	while ((word = strsep(&rest, " \t"))) {
		if (!*word)
			continue;
		*place = must(arena_alloc(im->arena, sizeof(**place)));
		**place = (struct value){.kind = VALUE_TEXT, .at = v->at, .text = word};
		place = &(*place)->next;
		v->n++;
	}
}

static const struct value *args_of(struct imported *im, const struct value *node)
{
	const struct value *kernel = imported_find(im, node, "kernel", VALUE_MAP), *args;

	for (struct value *v = kernel ? kernel->items : NULL; v; v = v->next)
		if (streq(v->key, "args") && v->kind == VALUE_TEXT && !v->null)
			split_args(im, v);
	args = imported_find(im, kernel, "args", VALUE_LIST);
	return args ? args->items : NULL;
}

/* Words that all nodes have before their others go to the defaults. Returns how many. */
static size_t add_common(struct imported *im, const struct value *nodes)
{
	const struct value *first = args_of(im, nodes), *a, *b;
	size_t common = SIZE_MAX, i;

	for (const struct value *v = nodes; v; v = v->next) {
		for (i = 0, a = first, b = args_of(im, v); i < common && a && b; i++) {
			if (!a->text || !b->text || !streq(a->text, b->text))
				break;
			a = a->next;
			b = b->next;
		}
		common = i;
	}
	for (i = 0, a = first; i < common && a; i++, a = a->next)
		imported_item(&im->options, a->text);
	return common;
}

static void add_args(
	struct imported *im, struct imported_node *n, const struct value *v, size_t common)
{
	size_t i = 0;

	for (const struct value *e = args_of(im, v); e; e = e->next) {
		if (!imported_is(im, e, VALUE_TEXT))
			continue;
		/* The list goes through printf() there. */
		if (strstr(e->text, "%!"))
			error_at(im->report, e->at, "take 'wwctl node export'",
				"'wwctl node list' prints %% in %s as something else", e->text);
		if (i++ >= common)
			imported_item(&n->options, e->text);
	}
}

/* What 4.5 and before have another name for. */
static const char *older(struct imported *im, const struct value *map, const char *now,
	const char *before)
{
	const char *text = imported_text(im, map, now);
	const struct value *v = text ? NULL : imported_find(im, map, before, VALUE_TEXT);

	if (v && names_add(im->names, "Warewulf 4.5", 0) == NAMES_NONE)
		faults_add(im->report, SEVERITY_WARNING, v->at,
			"upgrade the server, run 'wwctl upgrade nodes' and take the list again",
			"a list of Warewulf 4.5 or before: without the values of profiles, and its "
			"server has other URLs than root=wwinit asks for");
	return v ? v->text : text;
}

static void add_node(struct imported *im, const struct value *v, size_t common)
{
	const struct value *profiles = imported_find(im, v, "profiles", VALUE_LIST),
			   *kernel = imported_find(im, v, "kernel", VALUE_MAP);
	const char *root = imported_text(im, v, "root"), *image;
	struct imported_node n = {.name = v->key};
	bool is_new;

	if (!imported_name(im, "node", n.name, v->key_at, &is_new))
		return;
	for (const struct value *e = profiles ? profiles->items : NULL; e; e = e->next)
		if (imported_is(im, e, VALUE_TEXT) && e->text[0] != '~')
			imported_group(im, &n, e->text, e->at);
	n.root = must(arena_printf(im->arena, "wwinit:%s", root ? root : "tmpfs"));
	image = older(im, v, "image name", "container name");
	imported_image(im, &n, image, v->key_at, older(im, kernel, "version", "override"), NULL);
	add_args(im, &n, v, common);
	add_devices(im, &n, v);
	imported_rest(im, kernel);
	imported_rest(im, v);
	imported_node_done(im, &n);
}

void import_warewulf(struct imported *im, const char *text, size_t len)
{
	const struct value *root = document_parse(im->arena, text, len, im->report);
	size_t common;

	im->keeps = "the Warewulf server goes on using it; a site file has no place for it";
	imported_item(&im->options, "wwinit.server=http://{warewulf}:9873");
	imported_item(&im->options, "init=/warewulf/run-init");
	im->initrd = "what 'initagent-mkimage --into' wrote into the node image";
	if (!root || !imported_is(im, root, VALUE_MAP))
		return;
	if (imported_find(im, root, "nodes", VALUE_MAP))
		error_at(im->report, root->at, "take 'wwctl node export'",
			"in nodes.conf the nodes are without the values of their profiles");
	for (struct value *v = root->items; v; v = v->next) {
		/* a node without any value of its own */
		if (v->null)
			v->kind = VALUE_MAP;
		if (!imported_is(im, v, VALUE_MAP))
			return;
		if (imported_find(im, v, "NetDevs", VALUE_MAP))
			error_at(im->report, v->at, "take 'wwctl node export'",
				"'wwctl node list --json' of Warewulf 4.6.0 has other names");
	}
	common = add_common(im, root->items);
	for (const struct value *v = root->items; v; v = v->next)
		add_node(im, v, common);
}
