// SPDX-License-Identifier: GPL-2.0-or-later
#include "closure.h"

#include <fnmatch.h>
#include <libkmod.h>
#include <stdarg.h>

#include "elf.h"
#include "firmware.h"
#include "pack.h"
#include "params.h"
#include "symbols.h"
#include "modules/companions.h"

#define ABSENT "not in this kernel"

/* One name somebody asked for, and what became of it. The list doubles as the work queue. */
struct want {
	char *name;
	char *why;
	enum closure_need need;
	char *found; /* "lib/modules/.../x.ko", "built into the kernel", ABSENT; NULL: not looked up
		      */
};

struct strings {
	char **list;
	size_t n;
};

struct closure {
	struct tree *tree;
	const struct source *source;
	struct kmod_ctx *kmod;
	char *index;
	struct symbols *symbols;
	struct params *params;
	struct want *wants;
	size_t n_wants;
	size_t n_modules;
	uint16_t machine; /* of the first module */
	struct strings left_out;
	struct strings accepted;
	struct strings without; /* firmware left out, in words */
	int n_missing;
};

/*
 * Needs that neither modules.dep nor a softdep lists, and which only hold for kernels whose module
 * names the symbol. Without it the module loads but does not work.
 */
struct hidden_need {
	const char *module;
	const char *symbol;
	const char *alias;
	const char *why;
};

static const struct hidden_need hidden_needs[] = {
	{"rdma_rxe", "crypto_alloc_shash", "crypto-crc32",
		"rdma_rxe asks the crypto layer for crc32 when a link is made"},
	{"libcrc32c", "crypto_alloc_shash", "crypto-crc32c",
		"libcrc32c asks the crypto layer for crc32c when it is loaded"},
};

static int strings_add(struct strings *s, const char *text)
{
	char **more = reallocarray(s->list, s->n + 1, sizeof(*more));

	if (!more)
		return -ENOMEM;
	s->list = more;
	s->list[s->n] = strdup(text);
	return s->list[s->n] ? (s->n++, 0) : -ENOMEM;
}

static void strings_done(struct strings *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->list[i]);
	free(s->list);
}

/* same_module: module names compare with '-' equal to '_'. */
static bool same_module(const char *a, const char *b)
{
	for (; *a && *b; a++, b++)
		if (*a != *b && !(strchr("-_", *a) && strchr("-_", *b)))
			return false;
	return *a == *b;
}

int closure_new(struct closure **ret, struct tree *t, const struct source *s, const char *index)
{
	_cleanup_(closure_freep) struct closure *c = calloc(1, sizeof(*c));
	const char *no_config = NULL;

	if (!c)
		return -ENOMEM;
	c->tree = t;
	c->source = s;
	c->index = strdup(index);
	/* The building machine's modprobe.d says nothing about the node. */
	c->kmod = kmod_new(index, &no_config);
	if (!c->index || !c->kmod || symbols_new(&c->symbols, source_kver(s)) < 0 ||
		params_new(&c->params) < 0)
		return -ENOMEM;
	if (kmod_load_resources(c->kmod) < 0)
		return -ENOENT;
	*ret = c;
	c = NULL;
	return 0;
}

struct closure *closure_free(struct closure *c)
{
	if (!c)
		return NULL;
	for (size_t i = 0; i < c->n_wants; i++) {
		free(c->wants[i].name);
		free(c->wants[i].why);
		free(c->wants[i].found);
	}
	free(c->wants);
	strings_done(&c->left_out);
	strings_done(&c->accepted);
	strings_done(&c->without);
	if (c->kmod)
		kmod_unref(c->kmod);
	symbols_free(c->symbols);
	params_free(c->params);
	free(c->index);
	free(c);
	return NULL;
}

int closure_leave_out(struct closure *c, const char *name)
{
	return strings_add(&c->left_out, name);
}

int closure_accept_firmware(struct closure *c, const char *pattern)
{
	return strings_add(&c->accepted, pattern);
}

bool closure_left_out(const struct closure *c, const char *name)
{
	for (size_t i = 0; i < c->left_out.n; i++)
		if (same_module(c->left_out.list[i], name))
			return true;
	return false;
}

/* asked: a name asked for before needs no second look, unless it was absent and now matters. */
static bool asked(struct closure *c, const char *name, enum closure_need need)
{
	for (size_t i = 0; i < c->n_wants; i++) {
		struct want *w = &c->wants[i];

		if (!same_module(w->name, name) ||
			(w->need != need && w->found && streq(w->found, ABSENT)))
			continue;
		if (need == CLOSURE_NEED)
			w->need = need;
		return true;
	}
	return false;
}

int closure_want(struct closure *c, const char *name, enum closure_need need, const char *why)
{
	struct want *more;
	struct want w = {.need = need};

	if (asked(c, name, need))
		return 0;
	more = reallocarray(c->wants, c->n_wants + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	c->wants = more;
	w.name = strdup(name);
	w.why = strdup(why);
	c->wants[c->n_wants++] = w;
	return w.name && w.why ? 0 : -ENOMEM;
}

static void _printf_(2, 3) missing(struct closure *c, const char *fmt, ...)
{
	va_list ap;

	c->n_missing++;
	fputs("initagent-mkimage: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

static bool firmware_accepted(const struct closure *c, const char *name, const char *module)
{
	for (size_t i = 0; i < c->accepted.n; i++)
		if (fnmatch(c->accepted.list[i], name, 0) == 0 ||
			same_module(c->accepted.list[i], module))
			return true;
	return false;
}

static int want_firmware(struct closure *c, const char *module, const char *name)
{
	char why[TREE_PATH_MAX];
	int r;

	snprintf(why, sizeof(why), "firmware named by %s", module);
	r = firmware_add(c->tree, c->source, name, why);
	if (r == -EINVAL)
		missing(c, "module %s names the firmware file '%s', which is no clean path", module,
			name);
	else if (r < 0)
		missing(c, "firmware file %s of module %s: %s", name, module, strerror(-r));
	else if (r == 0 && !firmware_accepted(c, name, module))
		missing(c,
			"firmware file %s, named by module %s, is not in the firmware directory; "
			"install it, or do without by --no-firmware %s (make: NO_FIRMWARE=)",
			name, module, module);
	else if (r == 0) {
		snprintf(why, sizeof(why), "%s, named by %s", name, module);
		return strings_add(&c->without, why);
	}
	return 0;
}

/* want_softdep: "pre: a b post: c"; the order does not matter for what is in the image. */
static int want_softdep(struct closure *c, const char *module, const char *text)
{
	_cleanup_free_ char *copy = strdup(text);
	char why[TREE_PATH_MAX];
	char *save = NULL;

	if (!copy)
		return -ENOMEM;
	snprintf(why, sizeof(why), "soft dependency of %s", module);
	for (char *p = strtok_r(copy, " \t,", &save); p; p = strtok_r(NULL, " \t,", &save)) {
		int r = streq(p, "pre:") || streq(p, "post:")
				? 0
				: closure_want(c, p, CLOSURE_MAY, why);

		if (r < 0)
			return r;
	}
	return 0;
}

typedef int modinfo_func(struct closure *c, const char *module, const char *value);

/* want_named: what the module's own .modinfo asks for. */
static int want_named(struct closure *c, const char *module, const char *info, size_t size)
{
	static const struct {
		const char *key;
		modinfo_func *want;
	} keys[] = {
		{"softdep", want_softdep}, {"weakdep", want_softdep}, {"firmware", want_firmware}};

	for (size_t k = 0; k < ARRAY_SIZE(keys); k++) {
		const char *value;
		size_t at = 0;

		while ((value = elf_modinfo_next(info, size, keys[k].key, &at))) {
			int r = keys[k].want(c, module, value);

			if (r < 0)
				return r;
		}
	}
	return 0;
}

static int want_unlisted(struct closure *c, const char *module, const void *data, size_t size)
{
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(hidden_needs) && r == 0; i++) {
		const struct hidden_need *h = &hidden_needs[i];

		if (same_module(h->module, module) && elf_names_symbol(data, size, h->symbol))
			r = closure_want(c, h->alias, CLOSURE_NEED, h->why);
	}
	for (const struct companion *row = NULL; (row = companion_next(module, row)) && r == 0;)
		if (!closure_left_out(c, row->name))
			r = closure_want(c, row->name, CLOSURE_MAY, row->why);
	return r;
}

static int want_dependencies(struct closure *c, struct kmod_module *mod)
{
	struct kmod_list *deps = kmod_module_get_dependencies(mod);
	struct kmod_list *l;
	char why[TREE_PATH_MAX];
	int r = 0;

	snprintf(why, sizeof(why), "%s depends on it", kmod_module_get_name(mod));
	kmod_list_foreach(l, deps)
	{
		struct kmod_module *dep = kmod_module_get_module(l);

		if (r == 0)
			r = closure_want(c, kmod_module_get_name(dep), CLOSURE_NEED, why);
		kmod_module_unref(dep);
	}
	kmod_module_unref_list(deps);
	return r;
}

/* image_path: where the module goes, from its path in the index. */
static int image_path(const struct closure *c, const char *path, const char **rel, char *image)
{
	size_t len = strlen(c->index);

	if (strncmp(path, c->index, len) != 0 || path[len] != '/')
		return -EINVAL; /* the index names an absolute path of its own */
	*rel = path + len + 1;
	if (snprintf(image, TREE_PATH_MAX, "lib/modules/%s/%s", source_kver(c->source), *rel) >=
		TREE_PATH_MAX)
		return -ENAMETOOLONG;
	source_strip(image);
	if (pack_driver(image) && strlen(image) + sizeof(".zst") <= TREE_PATH_MAX)
		memcpy(image + strlen(image), ".zst", sizeof(".zst"));
	return tree_path_safe(image) ? 0 : -EINVAL;
}

/* put: the module's bytes into the tree, packed if its path says so. */
static int put(struct closure *c, const char *image, const void *data, size_t size, const char *why)
{
	enum { LEVEL = 19 }; /* a driver is packed once and read by a whole cluster */
	_cleanup_free_ void *packed = NULL;
	size_t packed_size;
	int r;

	if (!pack_driver(image))
		return tree_file(c->tree, image, 0644, data, size, why);
	r = pack_zstd(data, size, LEVEL, &packed, &packed_size);
	return r < 0 ? r : tree_file(c->tree, image, 0644, packed, packed_size, why);
}

/* take: one module file into the tree, and everything it asks for into the queue. */
static int take(struct closure *c, struct kmod_module *mod, const char *rel, const char *image,
	const char *why)
{
	const char *name = kmod_module_get_name(mod);
	_cleanup_free_ void *data = NULL;
	const char *info = NULL;
	size_t size, info_size = 0;
	int r;

	r = source_read_module(c->source, rel, &data, &size);
	if (r < 0) {
		missing(c, "module %s: %s: %s", name, rel, strerror(-r));
		return 0;
	}
	if (elf_section(data, size, ".modinfo", &info, &info_size) < 0) {
		missing(c, "module %s: %s is no kernel module of this machine's kind", name, rel);
		return 0;
	}
	if (!c->machine)
		c->machine = elf_machine(data, size);
	if (elf_machine(data, size) != c->machine) {
		missing(c, "module %s: %s is for another machine than the modules before it", name, rel);
		return 0;
	}
	r = symbols_add(c->symbols, rel, data, size);
	if (r == -ENOEXEC) {
		missing(c, "module %s: the symbol versions in %s cannot be read", name, rel);
		return 0;
	}
	if (r == 0)
		r = params_add(c->params, name, info, info_size);
	if (r == 0)
		r = put(c, image, data, size, why);
	if (r < 0)
		return r;
	c->n_modules++;
	r = want_dependencies(c, mod);
	if (r == 0)
		r = want_named(c, name, info, info_size);
	return r < 0 ? r : want_unlisted(c, name, data, size);
}

/* note: appends what a name turned out to be; an alias may be several modules. */
static int note(struct want *w, const char *text)
{
	char *joined = NULL;

	if (asprintf(&joined, "%s%s%s", w->found ? w->found : "", w->found ? " " : "", text) < 0)
		return -ENOMEM;
	free(w->found);
	w->found = joined;
	return 0;
}

/* resolve_one: one module a name stands for. i: its place in wants, which may move. */
static int resolve_one(struct closure *c, size_t i, struct kmod_module *mod)
{
	const char *path = kmod_module_get_path(mod);
	char image[TREE_PATH_MAX];
	const char *rel;
	int r;

	if (!path)
		return note(&c->wants[i], "built into the kernel");
	r = image_path(c, path, &rel, image);
	if (r < 0) {
		missing(c, "the module index gives %s the path '%s', which is no clean path",
			kmod_module_get_name(mod), path);
		return 0;
	}
	r = note(&c->wants[i], image);
	if (r < 0 || tree_find(c->tree, image))
		return r;
	return take(c, mod, rel, image, c->wants[i].why);
}

static int resolve(struct closure *c, size_t i)
{
	struct kmod_list *list = NULL;
	struct kmod_list *l;
	int r = 0;

	if (kmod_module_new_from_lookup(c->kmod, c->wants[i].name, &list) < 0 || !list) {
		if (c->wants[i].need == CLOSURE_NEED)
			missing(c,
				"module %s is neither among the modules of kernel %s nor built in "
				"(%s)",
				c->wants[i].name, source_kver(c->source), c->wants[i].why);
		if (c->wants[i].need == CLOSURE_TELL)
			fprintf(stderr, "initagent-mkimage: kernel %s has no module %s, the image is built without (%s)\n",
				source_kver(c->source), c->wants[i].name, c->wants[i].why);
		return note(&c->wants[i], ABSENT);
	}
	kmod_list_foreach(l, list)
	{
		struct kmod_module *mod = kmod_module_get_module(l);

		if (r == 0)
			r = resolve_one(c, i, mod);
		kmod_module_unref(mod);
	}
	kmod_module_unref_list(list);
	return r;
}

/* Where distributions leave what the kernel exports, below the modules' directory. */
static const char *const symvers[] = {"build/Module.symvers", "symvers.gz", "symvers.xz",
	"symvers.zst", "Module.symvers"};

/* add_kernel: without such a file the modules are still compared with each other. */
static int add_kernel(struct closure *c)
{
	for (size_t i = 0; i < ARRAY_SIZE(symvers); i++) {
		_cleanup_free_ void *text = NULL;
		size_t size;
		int r = source_read_module(c->source, symvers[i], &text, &size);

		if (r == -ENOENT)
			continue;
		if (r == 0)
			r = symbols_add_kernel(c->symbols, symvers[i], text, size);
		if (r == -ENOMEM)
			return r;
		if (r < 0)
			missing(c, "%s cannot be read as the list of the kernel's symbols: %s",
				symvers[i], strerror(-r));
		return 0;
	}
	return 0;
}

int closure_run(struct closure *c)
{
	int r = 0;

	for (size_t i = 0; i < c->n_wants && r >= 0; i++)
		r = resolve(c, i);
	if (r == 0)
		r = add_kernel(c);
	if (r < 0)
		return r;
	c->n_missing += symbols_check(c->symbols, stderr);
	r = params_explain(c->params, c->tree, true, stderr);
	return r < 0 ? r : c->n_missing;
}

uint16_t closure_machine(const struct closure *c)
{
	return c->machine;
}

size_t closure_modules(const struct closure *c)
{
	return c->n_modules;
}

void closure_explain(const struct closure *c, FILE *out)
{
	for (size_t i = 0; i < c->n_wants; i++)
		fprintf(out, "%-22s %s (%s)\n", c->wants[i].name, c->wants[i].found,
			c->wants[i].why);
	fprintf(out, "\nSymbol versions: %zu compared with who exports them, all agree\n",
		symbols_compared(c->symbols));
	fputs("\nFirmware done without:\n", out);
	for (size_t i = 0; i < c->without.n; i++)
		fprintf(out, "%s\n", c->without.list[i]);
	fputs("\nModule options:\n", out);
	params_explain(c->params, c->tree, false, out);
}
