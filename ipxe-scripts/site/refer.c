// SPDX-License-Identifier: GPL-2.0-or-later
/* refer: what names mean: references to servers, images and groups; {SERVER} and {digest:FILE} in
 * options. */
#include "site/private.h"
#include "site/names.h"

/* The names of one section, to find and to be near to. */
struct section {
	const char *kind;
	struct names *index;
	const char **names;
	size_t n;
};

struct refer {
	struct site *s;
	struct faults *report;
	struct section servers, images, groups, files;
	bool look; /* into files */
};

static struct section section_new(const char *kind, const void *items, size_t n, size_t size)
{
	struct section s = {.kind = kind, .index = names_new(), .n = n};

	s.names = must(calloc(n ? n : 1, sizeof(*s.names)));
	for (size_t i = 0; i < n; i++) {
		/* The name is the first member of all of them. */
		s.names[i] = *(const char *const *)((const char *)items + i * size);
		names_add(s.index, s.names[i], i);
	}
	return s;
}

static void section_done(struct section *s)
{
	names_free(s->index);
	free(s->names);
}

static void report_unknown(
	const struct refer *r, const struct section *in, struct place at, const char *name)
{
	const char *near = names_nearest(name, in->names, in->n);
	char remedy[100] = "";

	if (near)
		snprintf(remedy, sizeof(remedy), "did you mean %.64s?", near);
	else
		snprintf(remedy, sizeof(remedy), "the section %ss: has no %.64s", in->kind, name);
	error_at(r->report, at, remedy, "there is no %s %s", in->kind, name);
}

static void refer_one(const struct refer *r, const struct section *in, struct reference *ref)
{
	size_t i;

	ref->index = SITE_NONE;
	if (!ref->name.text)
		return;
	i = names_find(in->index, ref->name.text);
	if (i == NAMES_NONE)
		report_unknown(r, in, ref->name.at, ref->name.text);
	else
		ref->index = i;
}

static void refer_list(const struct refer *r, const struct section *in, struct reference_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		struct reference *ref = &list->items[i];

		/* The nodes of a row share their list: report once. */
		if (ref->index == SITE_NONE)
			refer_one(r, in, ref);
		for (size_t k = 0; k < i; k++)
			if (ref->index != SITE_NONE && list->items[k].index == ref->index)
				faults_add(r->report, SEVERITY_WARNING, ref->name.at,
					"name it once", "%s %s is named twice", in->kind,
					ref->name.text);
	}
}

static bool in_url(const char *text, const char *open, const char *close)
{
	static const char scheme[] = "http://";
	size_t n = sizeof(scheme) - 1;

	return (size_t)(open - text) >= n && memcmp(open - n, scheme, n) == 0 && close[1] != ':';
}

/* What stands between braces: digest:FILE is its SHA-256, NAME the address of that server; where a
 * URL of HTTP has no port of its own, with the server's. False: the server's address was refused,
 * which is reported there. */
static bool put_braced(const struct refer *r, struct text *out, const struct said *word,
	const char *name, bool url)
{
	static const char prefix[] = "digest:";
	bool digest = strncmp(name, prefix, sizeof(prefix) - 1) == 0;
	const struct section *in = digest ? &r->files : &r->servers;
	size_t i;

	name += digest ? sizeof(prefix) - 1 : 0;
	i = names_find(in->index, name);
	if (i == NAMES_NONE) {
		report_unknown(r, in, word->at, name);
		return true;
	}
	if (digest) {
		text_put(out, file_digest(r->s, &r->s->files[i], r->look));
		return true;
	}
	if (!r->s->servers[i].address.at.line)
		return false;
	text_put(out, addr_text(r->s->servers[i].address.addr));
	if (r->s->servers[i].port.value != 80 && url)
		text_printf(out, ":%u", r->s->servers[i].port.value);
	return true;
}

/* NULL: what it means is refused elsewhere. */
static const char *expand(const struct refer *r, const struct said *word)
{
	_cleanup_text_ struct text out = {0};
	const char *s = word->text, *open, *close;

	if (!strchr(s, '{'))
		return s;
	while ((open = strchr(s, '{')) && (close = strchr(open, '}'))) {
		_cleanup_free_ char *name = must(strndup(open + 1, (size_t)(close - open - 1)));

		text_printf(&out, "%.*s", (int)(open - s), s);
		if (!put_braced(r, &out, word, name, in_url(word->text, open, close)))
			return NULL;
		s = close + 1;
	}
	text_put(&out, s);
	return must(arena_text(r->s->arena, out.data, out.len));
}

/* What an iPXE script would take for its own syntax. It cuts at each space, quotes or not. */
static void check_script_word(const struct refer *r, const struct said *word)
{
	static const char *const syntax[] = {"||", "&&", ";"};
	char *copy = must(arena_text(r->s->arena, word->text, strlen(word->text))), *token;

	if (strstr(word->text, "${"))
		error_at(r->report, word->at, "$ and { cannot stand side by side in an iPXE script",
			"iPXE would replace ${...} in %s", word->text);
	while ((token = strsep(&copy, " ")))
		if (*token == '#' || str_among(token, syntax, ARRAY_SIZE(syntax)))
			error_at(r->report, word->at, "leave it out",
				"iPXE takes %s for its own syntax", token);
}

static void expand_list(const struct refer *r, struct said_list *list)
{
	struct said *items = (struct said *)(uintptr_t)list->items;

	for (size_t i = 0; i < list->n; i++) {
		check_script_word(r, &items[i]);
		items[i].text = expand(r, &items[i]);
	}
}

static void refer_profile(const struct refer *r, struct site_profile *p)
{
	refer_one(r, &r->images, &p->image);
	expand_list(r, &p->options);
	if (!p->root.text)
		return;
	if (strchr(p->root.text, ' '))
		error_at(r->report, p->root.at, "options go to options:", "root: holds a space");
	if (strncmp(p->root.text, "root=", 5) == 0)
		error_at(r->report, p->root.at, "leave root= out, the key says it",
			"root: begins with root=");
	check_script_word(r, &p->root);
	p->root.text = expand(r, &p->root);
}

static void refer_all(struct refer *r)
{
	struct site *s = r->s;

	refer_list(r, &r->servers, &s->boot.servers);
	refer_one(r, &r->groups, &s->boot.unknown);
	for (size_t i = 0; i < s->n_networks; i++)
		refer_list(r, &r->servers, &s->networks[i].dhcp);
	for (size_t i = 0; i < s->n_images; i++) {
		refer_list(r, &r->servers, &s->images[i].servers);
		expand_list(r, &s->images[i].options);
	}
	refer_profile(r, &s->defaults);
	for (size_t i = 0; i < s->n_groups; i++)
		refer_profile(r, &s->groups[i].profile);
	for (size_t i = 0; i < s->n_nodes; i++) {
		refer_list(r, &r->groups, &s->nodes[i].groups);
		refer_profile(r, &s->nodes[i].profile);
	}
}

/* boot: http-boot: names an image with a UKI, or the loader. */
static void refer_http_boot(const struct refer *r)
{
	struct reference ref = {.name = r->s->boot.http_boot};

	if (streq(ref.name.text, "loader"))
		return;
	refer_one(r, &r->images, &ref);
	r->s->http_boot = ref.index;
	if (ref.index != SITE_NONE && !r->s->images[ref.index].uki.text)
		error_at(r->report, ref.name.at, "give it uki:, or write http-boot: loader",
			"image %s has no UKI", ref.name.text);
	else if (ref.index != SITE_NONE && r->look)
		r->s->http_boot_for = uki_machine(r->s, r->s->images[ref.index].uki.text);
}

/* Without lists of its own every server serves the tree, and DHCP. */
static void fill_in(struct site *s)
{
	if (!s->boot.servers.n) {
		s->boot.servers.items = must(arena_alloc(
			s->arena, (s->n_servers ? s->n_servers : 1) * sizeof(struct reference)));
		s->boot.servers.n = s->n_servers;
		for (size_t i = 0; i < s->n_servers; i++)
			s->boot.servers.items[i] = (struct reference){
				.name = {s->servers[i].name, s->servers[i].at}, .index = i};
	}
	for (size_t i = 0; i < s->n_networks; i++)
		if (!s->networks[i].dhcp.n)
			s->networks[i].dhcp = s->boot.servers;
}

void check_references(struct site *s, struct faults *report, bool files)
{
	struct refer r = {
		.s = s,
		.report = report,
		.servers = section_new("server", s->servers, s->n_servers, sizeof(*s->servers)),
		.images = section_new("image", s->images, s->n_images, sizeof(*s->images)),
		.groups = section_new("group", s->groups, s->n_groups, sizeof(*s->groups)),
		.files = section_new("file", s->files, s->n_files, sizeof(*s->files)),
		.look = files,
	};

	refer_all(&r);
	refer_http_boot(&r);
	fill_in(s);
	section_done(&r.servers);
	section_done(&r.images);
	section_done(&r.groups);
	section_done(&r.files);
}
