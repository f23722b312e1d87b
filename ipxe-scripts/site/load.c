// SPDX-License-Identifier: GPL-2.0-or-later
/* load: the sections of a site file except nodes, and the way from bytes to a site. See site.h. */
#include "site/fields.h"

/* How the structs of servers, networks, images, groups and files begin. */
struct head {
	const char *name;
	struct place at;
};

/*
 * take_named: the entries of a map as an array of copies of *initial (size bytes), filled by the
 * fields; one field without key takes the entry's value itself. kind is for messages. NULL
 * (reported) for what is no map.
 */
static void *take_named(struct loader *l, const struct value *v, const char *kind,
	const struct field *fields, size_t n_fields, const void *initial, size_t size,
	size_t *ret_n)
{
	char *items, *item;

	*ret_n = 0;
	if (!is_kind(l, v, VALUE_MAP))
		return NULL;
	items = item = must(arena_alloc(l->site->arena, size * (v->n ? v->n : 1)));
	for (const struct value *e = v->items; e; e = e->next, item += size) {
		const struct head head = {e->key, e->key_at};

		memcpy(item, initial, size);
		memcpy(item, &head, sizeof(head));
		if (!is_name(e->key))
			error_at(l->report, e->key_at,
				"letters, digits, '.', '_' and '-', at most 63",
				"%s cannot be the name of a %s", e->key, kind);
		if (fields->key)
			take_fields(l, e,
				must(arena_printf(l->site->arena, "%s %s", kind, e->key)), fields,
				n_fields, item);
		else
			fields->take(l, e, item + fields->offset);
	}
	*ret_n = v->n;
	return items;
}

#define TAKE_NAMED(l, v, kind, fields, initial, ret_n)                            \
	take_named(l, v, kind, fields, ARRAY_SIZE(fields), &(initial), sizeof(initial), ret_n)

static int index_of(const char *word, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (streq(words[i], word))
			return (int)i;
	return -1;
}

/*
 * One of a few words as its number in an enum, -1 if it is none. A misspelt word is one fault:
 * the rest of the file is checked as if the nearest word were given.
 */
static int word_index(struct loader *l, const struct value *v, const char *const *words, size_t n)
{
	_cleanup_free_ char *remedy = NULL;
	const char *near;

	if (!is_kind(l, v, VALUE_TEXT))
		return -1;
	if (index_of(v->text, words, n) >= 0)
		return index_of(v->text, words, n);
	near = names_nearest(v->text, words, n);
	remedy = nearest_remedy(v->text, words, n);
	report_value(l, v, remedy, "%s is not known here", v->text);
	return near ? index_of(near, words, n) : -1;
}

static void take_servers(struct loader *l, const struct value *v, void *member)
{
	static const struct field fields[] = {
		REQUIRED("address", take_addr, struct site_server, address),
		FIELD("port", take_port_number, struct site_server, port),
	};
	static const struct site_server initial = {.port.value = 80};

	(void)member;
	l->site->servers = TAKE_NAMED(l, v, "server", fields, initial, &l->site->n_servers);
}

static void take_fabric(struct loader *l, const struct value *v, void *member)
{
	int i = word_index(l, v, site_fabric_names, FABRIC_MAX);

	if (i >= 0)
		((struct site_network *)member)->fabric = (enum site_fabric)i;
}

static void take_identity(struct loader *l, const struct value *v, void *member)
{
	struct site_network *net = member;
	int i = word_index(l, v, site_identity_names, IDENTITY_MAX);

	if (i < 0)
		return;
	net->identity = (enum site_identity)i;
	net->identity_at = v->at;
}

static void take_subnet(struct loader *l, const struct value *v, void *member)
{
	struct site_network *net = member;
	struct inet_addr a;
	int prefix = -1;

	if (!is_kind(l, v, VALUE_TEXT))
		return;
	if (value_inet_prefix(v->text, strlen(v->text), &a, &prefix) < 0 || a.family != AF_INET ||
		prefix < 8 || prefix > 30) {
		report_value(l, v,
			"such as 10.20.0.0/22; IPv4 only: boot ROMs know no other address on "
			"InfiniBand",
			"%s is not an IPv4 subnet", v->text);
		return;
	}
	net->prefix = prefix;
	net->subnet_at = v->at;
	net->subnet = ntohl(a.v4.s_addr) & site_netmask(net);
	if (net->subnet != ntohl(a.v4.s_addr))
		report_value(l, v, "write the first address of the subnet",
			"%s is an address inside of a subnet", v->text);
}

static void take_pool(struct loader *l, const struct value *v, void *member)
{
	struct site_network *net = member;
	const char *dash;

	if (!is_kind(l, v, VALUE_TEXT))
		return;
	dash = strchr(v->text, '-');
	if (!dash || !read_addr(v->text, (size_t)(dash - v->text), &net->pool_first) ||
		!read_addr(dash + 1, strlen(dash + 1), &net->pool_last) ||
		net->pool_first > net->pool_last) {
		report_value(l, v, "FIRST-LAST without spaces, such as 10.20.3.1-10.20.3.200",
			"%s is not a range of addresses", v->text);
		return;
	}
	net->pool_at = v->at;
}

static void take_dns(struct loader *l, const struct value *v, void *member)
{
	struct site_network *net = member;
	const struct value *e;
	size_t n;

	e = items_of(l, v, &n);
	net->dns = must(arena_alloc(l->site->arena, (n ? n : 1) * sizeof(*net->dns)));
	for (; n-- > 0; e = e->next) {
		struct said_addr *a = &net->dns[net->n_dns];

		*a = (struct said_addr){0};
		take_addr(l, e, a);
		net->n_dns += a->at.line != 0;
	}
}

static void take_networks(struct loader *l, const struct value *v, void *member)
{
	static const struct field fields[] = {
		{"fabric", take_fabric, 0, true},
		{"client-id", take_identity, 0, false},
		{"subnet", take_subnet, 0, true},
		{"pool", take_pool, 0, false},
		{"dns", take_dns, 0, false},
		FIELD("router", take_addr, struct site_network, router),
		FIELD("interface", take_ifname, struct site_network, interface),
		FIELD("lease", take_number, struct site_network, lease),
		FIELD("mtu", take_number, struct site_network, mtu),
		FIELD("dhcp", take_references, struct site_network, dhcp),
	};
	static const struct site_network initial = {.lease.value = 3600};

	(void)member;
	l->site->networks = TAKE_NAMED(l, v, "network", fields, initial, &l->site->n_networks);
}

static void take_images(struct loader *l, const struct value *v, void *member)
{
	static const struct field fields[] = {
		FIELD("kernel", take_path, struct site_image, kernel),
		FIELD("initrd", take_paths, struct site_image, initrds),
		FIELD("uki", take_path, struct site_image, uki),
		FIELD("options", take_words, struct site_image, options),
		FIELD("signed", take_signing, struct site_image, signing),
		FIELD("servers", take_references, struct site_image, servers),
	};
	static const struct site_image initial = {0};

	(void)member;
	l->site->images = TAKE_NAMED(l, v, "image", fields, initial, &l->site->n_images);
}

static void take_files(struct loader *l, const struct value *v, void *member)
{
	static const struct field fields[] = {FIELD(NULL, take_path, struct site_file, path)};
	static const struct site_file initial = {0};

	(void)member;
	l->site->files = TAKE_NAMED(l, v, "file", fields, initial, &l->site->n_files);
}

static void take_loaders(struct loader *l, const struct value *v, void *member)
{
	static const struct field fields[] = {
		{"bios", take_path, LOADER_BIOS * sizeof(struct said), false},
		{"efi-x64", take_path, LOADER_EFI_X64 * sizeof(struct said), false},
		{"efi-arm64", take_path, LOADER_EFI_ARM64 * sizeof(struct said), false},
	};

	take_fields(l, v, "loaders", fields, ARRAY_SIZE(fields), member);
}

static void take_boot(struct loader *l, const struct value *v, void *member)
{
	static const struct field fields[] = {
		FIELD("servers", take_references, struct site_boot, servers),
		FIELD("tries", take_port_number, struct site_boot, tries),
		FIELD("wait", take_number, struct site_boot, wait_s),
		FIELD("link-wait", take_number, struct site_boot, link_wait_s),
		FIELD("timeout", take_port_number, struct site_boot, timeout_s),
		FIELD("script-timeout", take_port_number, struct site_boot, script_timeout_s),
		FIELD("reboot-after", take_number, struct site_boot, reboot_after_s),
		FIELD("menu-key", take_key_letter, struct site_boot, menu_key),
		FIELD("menu-wait-ms", take_number, struct site_boot, menu_wait_ms),
		FIELD("http-boot", take_name, struct site_boot, http_boot),
		FIELD("unknown", take_reference, struct site_boot, unknown),
	};

	l->site->boot.at = v->key_at;
	take_fields(l, v, "boot", fields, ARRAY_SIZE(fields), member);
}

static void take_defaults(struct loader *l, const struct value *v, void *member)
{
	static const struct field fields[] = {PROFILE_FIELDS(struct site, defaults)};

	(void)member;
	take_fields(l, v, "defaults", fields, ARRAY_SIZE(fields), l->site);
}

static void take_groups(struct loader *l, const struct value *v, void *member)
{
	static const struct field fields[] = {PROFILE_FIELDS(struct site_group, profile)};
	static const struct site_group initial = {.profile.image.index = SITE_NONE};

	(void)member;
	l->site->groups = TAKE_NAMED(l, v, "group", fields, initial, &l->site->n_groups);
}

static const struct field sections[] = {
	REQUIRED("site", take_name, struct site, name),
	FIELD("domain", take_domain, struct site, domain),
	FIELD("tree", take_tree, struct site, tree),
	{"servers", take_servers, 0, true},
	{"networks", take_networks, 0, true},
	FIELD("boot", take_boot, struct site, boot),
	FIELD("loaders", take_loaders, struct site, loaders),
	{"images", take_images, 0, true},
	{"files", take_files, 0, false},
	{"defaults", take_defaults, 0, false},
	{"groups", take_groups, 0, false},
	{"nodes", take_nodes, 0, true},
};

static void set_defaults(struct site *s, const char *dir)
{
	s->dir = must(arena_text(s->arena, dir, strlen(dir)));
	s->tree.text = "/srv/initagent";
	s->http_boot = SITE_NONE;
	s->http_boot_for = LOADER_EFI_X64;
	s->defaults.image.index = SITE_NONE;
	s->boot = (struct site_boot){
		.tries.value = 6,
		.wait_s.value = 5,
		.link_wait_s.value = 120,
		.timeout_s.value = 60,
		.script_timeout_s.value = 5,
		.reboot_after_s.value = 30,
		.menu_wait_ms.value = 500,
		.menu_key.text = "m",
		.http_boot.text = "loader",
		.unknown.index = SITE_NONE,
	};
}

struct site *site_read(const char *text, size_t len, const char *dir, struct faults *report)
{
	struct site *s = must(calloc(1, sizeof(*s)));
	struct loader l = {.site = s, .report = report};
	const struct value *root;

	s->arena = must_arena();
	s->node_names = names_new();
	set_defaults(s, dir);
	/* The site points into the document, so they live together. */
	root = document_parse(s->arena, text, len, report);
	if (root)
		take_fields(&l, root, "the site file", sections, ARRAY_SIZE(sections), s);
	return s;
}
