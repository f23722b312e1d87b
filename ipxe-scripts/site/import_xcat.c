// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * import_xcat: "lsdef -a -z" or "lsdef -t node -z": stanzas of nodes, networks, images and the site
 * table, in any order.
 */
#include "site/imported.h"
#include "site/stanza.h"

/* ":PORT" of the site table, or what is usual. */
static const char *port(struct imported *im, const struct value *o, const char *key,
	const char *usual)
{
	const char *text = imported_text(im, o, key);
	uint16_t n;

	if (!text || value_port(text, strlen(text), &n) < 0)
		return usual;
	return must(arena_printf(im->arena, ":%u", n));
}

static void take_site(struct imported *im, const struct value *o)
{
	const char *status = imported_text(im, o, "nodestatus");

	im->address = imported_text(im, o, "master");
	im->domain = imported_text(im, o, "domain");
	im->http = port(im, o, "httpport", im->http);
	im->http = streq(im->http, ":80") ? "" : im->http;
	im->xcatd = port(im, o, "xcatdport", im->xcatd);
	im->status = port(im, o, "xcatiport", im->status);
	im->silent = status && strchr("nN0", status[0]) && !status[1];
}

static void take_network(struct imported *im, const struct value *o)
{
	const char *net = imported_text(im, o, "net"), *router = imported_text(im, o, "gateway"),
		   *mtu = imported_text(im, o, "mtu"), *mask = imported_text(im, o, "mask");
	size_t len = net ? strcspn(net, "/") : 0;
	int prefix = -1;
	struct imported_network *n;
	uint32_t addr;

	if (net && net[len])
		mask = net + len;
	if (mask && *mask == '/')
		(void)value_netmask(mask + 1, strlen(mask + 1), 32, &prefix);
	else
		prefix = imported_prefix(mask);
	if (prefix < 1 || !read_addr(net, len, &addr)) {
		imported_left_out(im, o->at, "IPv4 net= and mask= are needed", "network", o->key);
		return;
	}
	n = imported_network(im, o->key, addr, prefix, o->at);
	if (!n)
		return;
	n->router = router;
	n->mtu = mtu;
}

/* The key of an osimage, or a way to boot, whose nodes have no image to fetch. */
static const char *not_diskless(struct imported *im, const char *method)
{
	return must(arena_printf(im->arena, "not diskless %s", method));
}

/* The kernel arguments of a diskless node: with R:: are those of an installed system. */
static const char *arguments(struct imported *im, const struct value *o)
{
	const char *args = imported_text(im, o, "addkcmdline"), *kept = NULL;
	char *rest = must(arena_printf(im->arena, "%s", args ? args : "")), *word;

	if (!o || !args || !strstr(args, "R::"))
		return args;
	while ((word = strsep(&rest, " \t"))) {
		if (strncmp(word, "R::", 3) == 0)
			imported_left_out(im, o->at, "it is for an installed system", "addkcmdline",
				word);
		else if (*word)
			kept = must(arena_printf(im->arena, "%s%s%s", kept ? kept : "",
				kept ? " " : "", word));
	}
	return kept;
}

static void take_image(struct imported *im, const struct value *o)
{
	const char *key = must(arena_printf(im->arena, "osimage %s", o->key));
	const char *method = imported_text(im, o, "provmethod");

	/* Marked as read: add_image() does, if a node has it. */
	imported_text(im, o, "rootimgdir");
	imported_text(im, o, "addkcmdline");
	if (method && !streq(method, "netboot")) {
		imported_left_out(im, o->at, "its nodes boot as before", "osimage", o->key);
		names_add(im->names, not_diskless(im, o->key), 0);
	} else if (names_add(im->names, key, im->osimages.n) == NAMES_NONE)
		*(const struct value **)must(arena_push(im->arena, &im->osimages, sizeof(o))) = o;
}

static void note_unused(struct imported *im)
{
	for (size_t i = 0; i < im->osimages.n; i++) {
		const struct value *o = ((const struct value *const *)im->osimages.items)[i];
		const char *key = must(arena_printf(im->arena, "image %s", o->key));

		if (names_find(im->names, key) == NAMES_NONE)
			imported_left_out(im, o->at, "no node has it", "osimage", o->key);
	}
}

/* The image of a node, which the list may not tell of. */
static void add_image(struct imported *im, struct imported_node *n, const struct value *o,
	const char *host)
{
	const char *name = imported_text(im, o, "provmethod"), *dir;
	const char *key = must(arena_printf(im->arena, "osimage %s", name ? name : ""));
	size_t i = names_find(im->names, key);
	const struct value *image =
		i == NAMES_NONE ? NULL : ((const struct value *const *)im->osimages.items)[i];

	dir = imported_text(im, image, "rootimgdir");
	imported_image(im, n, name, o->at, dir, arguments(im, image));
	n->root = must(arena_printf(im->arena, "live:http://%s%s%s/<ROOTIMG>",
		host ? host : "{xcat}", im->http, dir ? dir : ""));
}

static void add_master(struct imported *im, struct text *options, const char *master)
{
	imported_item(options, must(arena_printf(im->arena, "XCAT=%s%s", master, im->xcatd)));
	/* XCAT= alone does so with imgurl= only. */
	if (!im->silent)
		imported_item(options,
			must(arena_printf(im->arena, "rd.report=xcat://%s%s", master, im->status)));
}

/* A server of a node, NULL: the list has none, or the word that means the node's master. */
static const char *server(struct imported *im, const struct value *o, const char *key)
{
	const char *text = imported_text(im, o, key);

	return text && !streq(text, "<xcatmaster>") ? text : NULL;
}

/* Of several names or addresses the first; "": none. */
static const char *first_of(struct imported *im, const char *text)
{
	return must(arena_printf(im->arena, "%.*s", (int)strcspn(text, "|"), text));
}

/* KEY.NIC: what is said of an interface. */
static const char *nic_text(struct imported *im, const struct value *o, const char *key,
	const char *nic)
{
	const char *text = imported_text(im, o, must(arena_printf(im->arena, "%s.%s", key, nic)));

	return first_of(im, text ? text : "");
}

/* What the interface says that has the port's name, as makehosts writes it (hosts.pm, donics()). */
static void add_nic(struct imported *im, const struct value *o, struct imported_port *p)
{
	static const char key[] = "nicips.";

	for (struct value *v = o->items; v; v = v->next) {
		const char *nic = v->key + strlen(key), *before, *behind;

		if (strncmp(v->key, key, strlen(key)) != 0 || !*first_of(im, v->text))
			continue;
		before = nic_text(im, o, "nichostnameprefixes", nic);
		behind = nic_text(im, o, "nichostnamesuffixes", nic);
		if (!*before && !*behind)
			behind = must(arena_printf(im->arena, "-%s", nic));
		if (!streq(p->alias,
			must(arena_printf(im->arena, "%s%s%s", before, o->key, behind))))
			continue;
		v->read = true;
		p->address = first_of(im, v->text);
		p->infiniband = strcasecmp(nic_text(im, o, "nictypes", nic), "infiniband") == 0;
		return;
	}
}

/* ADDRESS[!NAME][|...]: one that is not the node's own has the address of its name, or none. */
static void add_ports(struct imported *im, struct imported_node *n, const struct value *o)
{
	const struct value *mac = imported_find(im, o, "mac", VALUE_TEXT);
	const char *ip = imported_text(im, o, "ip");
	char *rest = must(arena_printf(im->arena, "%s", mac ? mac->text : "")), *entry;

	if (ip && strchr(ip, ':')) {
		imported_left_out(im, o->at, "a site file has IPv4 addresses", "ip", ip);
		ip = NULL;
	}
	while ((entry = strsep(&rest, "|"))) {
		char *name = strchr(entry, '!');
		struct imported_port p = {
			.at = mac ? mac->at : o->at, .hardware = entry, .alias = n->name};

		if (name) {
			*name = 0;
			p.alias = name + 1;
		}
		add_nic(im, o, &p);
		if (streq(p.alias, n->name))
			p.address = ip;
		if (!p.address || strchr(p.address, ':'))
			p.address = "<ADDRESS>";
		if (streq(p.alias, "*NOIP*"))
			imported_left_out(im, p.at, "it has no address", "mac", entry);
		else
			imported_port(im, n, &p);
	}
}

/* Installed and statelite nodes have no image to fetch. */
static bool is_diskless(struct imported *im, const struct value *o)
{
	static const char *const others[] = {"install", "statelite", "sysclone"};
	const char *method = imported_text(im, o, "provmethod");
	bool other = method && (str_among(method, others, ARRAY_SIZE(others)) ||
		names_find(im->names, not_diskless(im, method)) != NAMES_NONE);

	for (struct value *v = o->items; other && v; v = v->next)
		v->read = true;
	if (other)
		imported_left_out(im, o->at, "it boots as before: it is not diskless", "node",
			o->key);
	return !other;
}

static void take_node(struct imported *im, const struct value *o)
{
	const char *args = arguments(im, o),
		   *groups = imported_text(im, o, "groups"),
		   *master = server(im, o, "xcatmaster"),
		   *tftp = server(im, o, "tftpserver"),
		   *images = server(im, o, "nfsserver");
	char *rest = must(arena_printf(im->arena, "%s", groups ? groups : "")), *name;
	struct imported_node n = {.name = o->key};
	bool is_new;

	if (!is_diskless(im, o) || !imported_name(im, "node", n.name, o->at, &is_new))
		return;
	if (!is_new)
		error_at(im->report, o->at, NULL, "duplicate node %s", n.name);
	add_image(im, &n, o, images ? images : tftp ? tftp : master);
	while (groups && (name = strsep(&rest, ", ")))
		if (*name)
			imported_group(im, &n, name, o->at);
	add_ports(im, &n, o);
	if (im->masters)
		add_master(im, &n.options, master ? master : "{xcat}");
	imported_item(&n.options, args);
	n.id = must(arena_printf(im->arena, "NODE=%s", n.name));
	imported_node_done(im, &n);
}

/* In this order: a node's image and network have to be known. */
static const struct kind {
	const char *type;
	void (*take)(struct imported *im, const struct value *o);
} kinds[] = {
	{"site", take_site},
	{"network", take_network},
	{"osimage", take_image},
	{"node", take_node},
};

static bool is_read(const char *type)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (streq(type, kinds[i].type))
			return true;
	return false;
}

void import_xcat(struct imported *im, const char *text, size_t len)
{
	const struct value *all = stanza_parse(im->arena, text, len, im->report);

	im->keeps = "xCAT goes on using it; a site file has no place for it";
	im->initrd = "what 'initagent-mkimage --root ROOTIMGDIR/rootimg' wrote";
	im->http = im->status = "";
	im->xcatd = ":3001";
	/* What the first node is given depends on the last one. */
	for (const struct value *o = all ? all->items : NULL; o; o = o->next)
		im->masters |= server(im, o, "xcatmaster") != NULL;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		for (const struct value *o = all ? all->items : NULL; o; o = o->next) {
			const char *type = imported_text(im, o, "objtype");

			if (type && streq(type, kinds[i].type)) {
				kinds[i].take(im, o);
				imported_rest(im, o);
			} else if (!type || !is_read(type)) {
				imported_left_out(im, o->at, im->keeps, "objtype",
					type ? type : "(none)");
			}
		}
	imported_item(&im->options, must(arena_printf(im->arena, "XCATHTTPPORT=%s",
		im->http[0] ? im->http + 1 : "80")));
	if (im->silent)
		imported_item(&im->options, "nonodestatus");
	/* xCAT's scripts in the root take the value of all XCAT= there are: a node has one. */
	if (!im->masters)
		add_master(im, &im->options, "{xcat}");
	note_unused(im);
}
