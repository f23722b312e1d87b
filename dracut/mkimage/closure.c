// SPDX-License-Identifier: GPL-2.0-or-later
#include "closure.h"

#include <fnmatch.h>
#include <libkmod.h>

#include "elf.h"
#include "firmware.h"
#include "modules/companions.h"
#include "params.h"
#include "symbols.h"

#define ABSENT "not in this kernel"

/* One name that was asked for, and what became of it. The list doubles as the work queue. */
struct want {
	const char *name, *why;
	enum closure_need need;
	const char *found; /* "lib/modules/.../x.ko", "built into the kernel", ABSENT; NULL: not
			      looked up */
};

struct module_machine {
	const char *rel; /* its path below the modules' directory */
	uint16_t machine;
};

struct closure {
	struct tree *tree;
	const struct source *source;
	struct kmod_ctx *kmod;
	const char *index;
	struct symbols *symbols;
	struct params params;
	struct arena_list wants;
	/* of texts: modules, patterns, and firmware left out as a sentence */
	struct arena_list left_out, accepted, without;
	size_t n_modules;
	struct arena_list machines; /* of struct module_machine */
	int n_missing;
};

/* One row of drivers.list becomes one row here. */
static const struct {
	enum closure_need need;
	const char *name, *why;
} base_drivers[] = {
#include "drivers.inc"
};

/*
 * Needs that neither modules.dep nor a softdep lists, and which only hold for kernels whose module
 * names the symbol. Without it the module loads but does not work. generic: the kernel's own, which
 * kernels before 5.2 list without its alias where it is built in.
 */
static const struct hidden_need {
	const char *module, *symbol, *alias, *generic, *why;
} hidden_needs[] = {
	{"rdma_rxe", "crypto_alloc_shash", "crypto-crc32", "crc32_generic",
		"rdma_rxe asks the crypto layer for crc32 when a link is made"},
	{"libcrc32c", "crypto_alloc_shash", "crypto-crc32c", "crc32c_generic",
		"libcrc32c asks the crypto layer for crc32c when it is loaded"},
};

/*
 * Modules that a vendor replaces by ones that load and do nothing: without the symbol there is no
 * transport. MLNX_OFED has them for those who do not install its mlnx-nfsrdma and mlnx-nvme.
 */
static const struct {
	const char *module, *symbol;
} dummies[] = {{"rpcrdma", "xprt_register_transport"}, {"nvme_rdma", "nvmf_register_transport"}};

static void add_text(struct arena_list *list, const char *text)
{
	const char **item = must(arena_push(host_arena(), list, sizeof(*item)));

	*item = text;
}

static const char *text_at(const struct arena_list *list, size_t i)
{
	return ((const char **)list->items)[i];
}

static struct want *want_at(const struct closure *c, size_t i)
{
	return (struct want *)c->wants.items + i;
}

/* same_module: module names compare with '-' equal to '_'. */
static bool same_module(const char *a, const char *b)
{
	for (; *a && *b; a++, b++)
		if (*a != *b && !(strchr("-_", *a) && strchr("-_", *b)))
			return false;
	return *a == *b;
}

/* no_index: libkmod does not tell which of the files it needs is not there. */
static void no_index(const char *dir)
{
	static const char *const files[] = {"modules.dep.bin", "modules.alias.bin",
		"modules.symbols.bin", "modules.builtin.bin"};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		if (access(path_text("%s/%s", dir, files[i]), R_OK) < 0)
			die(-errno, "module index %s/%s", dir, files[i]);
	refuse("the module index in %s cannot be read", dir);
}

struct closure *closure_new(struct tree *t, const struct source *s, const char *index)
{
	struct closure *c = must(arena_alloc(host_arena(), sizeof(*c)));
	const char *no_config = NULL;

	c->tree = t;
	c->source = s;
	c->index = index;
	/* The building machine's modprobe.d does not apply to the node. */
	c->kmod = index ? must(kmod_new(index, &no_config)) : NULL;
	c->symbols = symbols_new(source_kver(s));
	if (index && kmod_load_resources(c->kmod) < 0)
		no_index(index);
	return c;
}

void closure_leave_out(struct closure *c, const char *name)
{
	add_text(&c->left_out, name);
}

void closure_accept_firmware(struct closure *c, const char *pattern)
{
	add_text(&c->accepted, pattern);
}

static bool is_left_out(const struct closure *c, const char *name)
{
	for (size_t i = 0; i < c->left_out.n; i++)
		if (same_module(text_at(&c->left_out, i), name))
			return true;
	return false;
}

/* asked: a name asked for before needs no second look, unless it was absent and now matters. */
static bool asked(struct closure *c, const char *name, enum closure_need need)
{
	for (size_t i = 0; i < c->wants.n; i++) {
		struct want *w = want_at(c, i);

		if (!same_module(w->name, name) ||
			(w->need != need && w->found && streq(w->found, ABSENT)))
			continue;
		if (need == CLOSURE_NEED)
			w->need = need;
		return true;
	}
	return false;
}

void closure_want(struct closure *c, const char *name, enum closure_need need, const char *why)
{
	struct want *w;

	if ((need != CLOSURE_NEED && is_left_out(c, name)) || asked(c, name, need))
		return;
	w = must(arena_push(host_arena(), &c->wants, sizeof(*w)));
	*w = (struct want){path_text("%s", name), path_text("%s", why), need, NULL};
}

void closure_want_base(struct closure *c)
{
	for (size_t i = 0; i < ARRAY_SIZE(base_drivers); i++)
		if (base_drivers[i].need != CLOSURE_MORE &&
			!is_left_out(c, base_drivers[i].name))
			closure_want(
				c, base_drivers[i].name, base_drivers[i].need, base_drivers[i].why);
}

void closure_want_more(struct closure *c, const char *name, const char *why)
{
	for (size_t i = 0; i < ARRAY_SIZE(base_drivers); i++)
		if (base_drivers[i].need == CLOSURE_MORE && streq(base_drivers[i].name, name))
			closure_want(c, base_drivers[i].name, CLOSURE_NEED, why);
}

static bool firmware_accepted(const struct closure *c, const char *name, const char *module)
{
	for (size_t i = 0; i < c->accepted.n; i++)
		if (fnmatch(text_at(&c->accepted, i), name, 0) == 0 ||
			same_module(text_at(&c->accepted, i), module))
			return true;
	return false;
}

static void want_firmware(struct closure *c, const char *module, const char *name)
{
	int r = firmware_add(c->tree, c->source, name, path_text("firmware named by %s", module));

	if (r == -EINVAL)
		c->n_missing += report_fault(
			"module %s names the firmware file '%s', which is not a safe relative path",
			module, name);
	else if (r < 0)
		c->n_missing += report_fault(
			"firmware file %s of module %s: %s", name, module, strerror(-r));
	else if (r == 0 && !firmware_accepted(c, name, module))
		c->n_missing += report_fault(
			"firmware file %s, named by module %s, is not in the firmware directory; "
			"install it, or allow it to be missing with --no-firmware %s (make: "
			"NO_FIRMWARE=)",
			name, module, module);
	else if (r == 0)
		add_text(&c->without, path_text("%s, named by %s", name, module));
}

/* want_softdep: "pre: a b post: c"; the order does not matter for what is in the image. */
static void want_softdep(struct closure *c, const char *module, const char *text)
{
	char *copy = path_text("%s", text), *save = NULL;
	const char *why = path_text("soft dependency of %s", module);

	for (char *p = strtok_r(copy, " \t,", &save); p; p = strtok_r(NULL, " \t,", &save))
		if (!streq(p, "pre:") && !streq(p, "post:"))
			closure_want(c, p, CLOSURE_MAY, why);
}

/* want_named: what the module's own .modinfo asks for. */
static void want_named(struct closure *c, const char *module, const char *info, size_t size)
{
	static const struct {
		const char *key;
		void (*want)(struct closure *c, const char *module, const char *value);
	} keys[] = {
		{"softdep", want_softdep}, {"weakdep", want_softdep}, {"firmware", want_firmware}};

	for (size_t k = 0; k < ARRAY_SIZE(keys); k++) {
		const char *value;
		size_t at = 0;

		while ((value = elf_modinfo_next(info, size, keys[k].key, &at)))
			keys[k].want(c, module, value);
	}
}

static void want_unlisted(struct closure *c, const char *module, const struct bytes *b)
{
	for (size_t i = 0; i < ARRAY_SIZE(hidden_needs); i++) {
		const struct hidden_need *h = &hidden_needs[i];

		if (same_module(h->module, module) && elf_names_symbol(b->data, b->size, h->symbol))
			closure_want(c, h->alias,
				closure_holds(c, h->generic) ? CLOSURE_MAY : CLOSURE_NEED, h->why);
	}
	for (const struct companion *row = NULL; (row = companion_next(module, row));)
		closure_want(c, row->name, CLOSURE_MAY, row->why);
}

static void want_dependencies(struct closure *c, struct kmod_module *mod)
{
	const char *why = path_text("%s depends on it", kmod_module_get_name(mod));
	struct kmod_list *deps = kmod_module_get_dependencies(mod), *l;

	kmod_list_foreach(l, deps)
	{
		struct kmod_module *dep = kmod_module_get_module(l);

		closure_want(c, kmod_module_get_name(dep), CLOSURE_NEED, why);
		kmod_module_unref(dep);
	}
	kmod_module_unref_list(deps);
}

/* image_path: where the module goes in the image; rel: its path there. NULL: unsafe path. */
static const char *image_path(const struct closure *c, const char *rel)
{
	char *image = path_text("lib/modules/%s/%s", source_kver(c->source), rel);

	source_strip(image);
	return tree_path_safe(image) ? image : NULL;
}

static void note_machine(struct closure *c, const char *rel, uint16_t machine)
{
	struct module_machine *m = must(arena_push(host_arena(), &c->machines, sizeof(*m)));

	*m = (struct module_machine){path_text("%s", rel), machine};
}

static const struct module_machine *machine_at(const struct closure *c, size_t i)
{
	return (struct module_machine *)c->machines.items + i;
}

/*
 * check_machines: where the modules are for several machines, those that are not for the agent's
 * are named. Where all are for another one, the agent is the stranger: that is for the caller to
 * judge.
 */
static int check_machines(const struct closure *c)
{
	const struct tree_entry *init = tree_find(c->tree, "init");
	uint16_t agent = init ? elf_machine(init->data, init->size) : 0;
	bool mixed = false;
	int n = 0;

	for (size_t i = 1; i < c->machines.n; i++)
		mixed |= machine_at(c, i)->machine != machine_at(c, 0)->machine;
	for (size_t i = 0; mixed && i < c->machines.n; i++)
		if (machine_at(c, i)->machine != agent)
			n += report_fault("module %s is for machine %u, the agent for machine %u "
					  "(ELF numbers: 62 x86-64, 183 arm64)",
				machine_at(c, i)->rel, machine_at(c, i)->machine, agent);
	return n;
}

/* check_module: NULL, or why the file cannot be in the image. Fills the module's .modinfo in. */
static const char *check_module(struct closure *c, const char *rel, const struct bytes *b,
	const char **info, size_t *info_size)
{
	if (elf_section(b->data, b->size, ".modinfo", info, info_size) < 0)
		return path_text("%s is not a kernel module for this architecture", rel);
	note_machine(c, rel, elf_machine(b->data, b->size));
	if (symbols_add(c->symbols, rel, b->data, b->size) < 0)
		return path_text("the symbol versions in %s cannot be read", rel);
	return NULL;
}

static bool is_dummy(const char *module, const struct bytes *b)
{
	for (size_t i = 0; i < ARRAY_SIZE(dummies); i++)
		if (same_module(dummies[i].module, module))
			return !elf_names_symbol(b->data, b->size, dummies[i].symbol);
	return false;
}

/* take_module: one file into the tree, and everything it asks for into the queue. */
static void take_module(struct closure *c, struct kmod_module *mod, const char *rel,
	const char *image, const struct want *w)
{
	const char *name = kmod_module_get_name(mod), *info = NULL, *fault;
	_cleanup_bytes_ struct bytes b = {0};
	size_t info_size = 0;
	/* The index may be of what index_source() unpacked. */
	int r = source_read_any(c->source, SOURCE_MODULES, rel, &b);

	fault = r < 0 ? path_text("%s: %s", rel, strerror(-r))
		      : check_module(c, rel, &b, &info, &info_size);
	if (fault) {
		c->n_missing += report_fault("module %s: %s", name, fault);
		return;
	}
	if (is_dummy(name, &b)) {
		report_fault("%s is a dummy of its vendor's, and left out", rel);
		c->n_missing += w->need == CLOSURE_NEED;
		return;
	}
	params_add(&c->params, name, info, info_size);
	need(tree_file(c->tree, image, 0644, b.data, b.size, w->why), image);
	c->n_modules++;
	want_dependencies(c, mod);
	want_named(c, name, info, info_size);
	want_unlisted(c, name, &b);
}

/* note_found: appends what a name turned out to be; an alias may be several modules. */
static void note_found(struct want *w, const char *text)
{
	w->found = path_text("%s%s%s", w->found ? w->found : "", w->found ? " " : "", text);
}

/*
 * path_in_index: the module's path below the modules' directory, path being that of
 * kmod_module_get_path(). NULL: the index has an absolute path of its own.
 */
static const char *path_in_index(const struct closure *c, const char *path)
{
	size_t len = strlen(c->index);

	return strncmp(path, c->index, len) == 0 && path[len] == '/' ? path + len + 1 : NULL;
}

/* resolve_one: one module a name stands for. i: the index of its want; the list may move. */
static void resolve_one(struct closure *c, size_t i, struct kmod_module *mod)
{
	const char *path = kmod_module_get_path(mod), *image, *rel;

	if (!path) {
		note_found(want_at(c, i), "built into the kernel");
		return;
	}
	rel = path_in_index(c, path);
	image = rel ? image_path(c, rel) : NULL;
	if (!image) {
		c->n_missing += report_fault("the module index gives %s the path '%s', which is "
					     "not a safe relative path",
			kmod_module_get_name(mod), path);
		note_found(want_at(c, i), path);
		return;
	}
	note_found(want_at(c, i), image);
	if (!tree_find(c->tree, image))
		take_module(c, mod, rel, image, want_at(c, i));
}

static void resolve(struct closure *c, size_t i)
{
	struct kmod_list *list = NULL, *l;
	struct want *w = want_at(c, i);

	if (kmod_module_new_from_lookup(c->kmod, w->name, &list) < 0 || !list) {
		if (w->need == CLOSURE_NEED)
			c->n_missing += report_fault("module %s is neither among the modules of "
						     "kernel %s nor built in (%s)",
				w->name, source_kver(c->source), w->why);
		if (w->need == CLOSURE_TELL)
			report_fault("kernel %s has no module %s, the image is built without (%s)",
				source_kver(c->source), w->name, w->why);
		note_found(w, ABSENT);
		return;
	}
	kmod_list_foreach(l, list)
	{
		struct kmod_module *mod = kmod_module_get_module(l);

		resolve_one(c, i, mod);
		kmod_module_unref(mod);
	}
	kmod_module_unref_list(list);
}

/* add_kernel: without such a file the modules are still compared with each other. */
static void add_kernel(struct closure *c)
{
	/* Where distributions leave what the kernel exports, below the modules' directory. */
	static const char *const symvers[] = {"build/Module.symvers", "symvers.gz", "symvers.xz",
		"symvers.zst", "Module.symvers"};

	for (size_t i = 0; i < ARRAY_SIZE(symvers); i++) {
		_cleanup_bytes_ struct bytes b = {0};
		int r = source_read(c->source, SOURCE_MODULES, symvers[i], &b);

		if (r == -ENOENT)
			continue;
		if (r == 0)
			r = symbols_add_kernel(c->symbols, symvers[i], b.data, b.size);
		if (r < 0)
			c->n_missing += report_fault(
				"%s cannot be read as the list of the kernel's symbols: %s",
				symvers[i], strerror(-r));
		return;
	}
}

/* unasked: the name of a module of the image that may as well be missing; NULL: it may not. */
static const char *unasked(const struct closure *c, const char *image)
{
	const char *name = NULL;

	for (size_t i = 0; i < c->wants.n; i++) {
		const struct want *w = want_at(c, i);

		if (!streq(w->found, image))
			continue;
		if (w->need == CLOSURE_NEED)
			return NULL;
		name = w->name;
	}
	return name;
}

/* say_unasked: a vendor's stack need not replace all of the standard set. */
static void say_unasked(const struct closure *c)
{
	const char *names = "", *path, *name;

	for (size_t at = 0; (path = symbols_misfit(c->symbols, &at));) {
		name = unasked(c, image_path(c, path));
		if (name)
			names = path_text("%s%s%s", names, *names ? " " : "", name);
	}
	if (*names)
		report_fault("not asked for by name: --without '%s' (make: WITHOUT=) builds the "
			     "image without",
			names);
}

int closure_run(struct closure *c)
{
	for (size_t i = 0; i < c->wants.n; i++)
		resolve(c, i);
	add_kernel(c);
	c->n_missing += check_machines(c);
	c->n_missing += symbols_check(c->symbols, stderr);
	say_unasked(c);
	params_explain(&c->params, c->tree, true, stderr);
	return c->n_missing;
}

static bool holds_one(const struct closure *c, struct kmod_module *mod)
{
	const char *path = kmod_module_get_path(mod), *image, *rel;

	if (!path)
		return true;
	rel = path_in_index(c, path);
	image = rel ? image_path(c, rel) : NULL;
	return image && tree_find(c->tree, image);
}

bool closure_holds(const struct closure *c, const char *name)
{
	struct kmod_list *list = NULL, *l;
	bool held = kmod_module_new_from_lookup(c->kmod, name, &list) >= 0 && list;

	kmod_list_foreach(l, list)
	{
		struct kmod_module *mod = kmod_module_get_module(l);

		held &= holds_one(c, mod);
		kmod_module_unref(mod);
	}
	kmod_module_unref_list(list);
	return held;
}

uint16_t closure_machine(const struct closure *c)
{
	return c->machines.n ? machine_at(c, 0)->machine : 0;
}

size_t closure_modules(const struct closure *c)
{
	return c->n_modules;
}

void closure_explain(const struct closure *c, FILE *out)
{
	_cleanup_free_ char *text = NULL;
	size_t len = 0;
	FILE *options = must(open_memstream(&text, &len));

	for (size_t i = 0; i < c->wants.n; i++)
		fprintf(out, "%-22s %s (%s)\n", want_at(c, i)->name, want_at(c, i)->found,
			want_at(c, i)->why);
	fprintf(out, "\nSymbol versions: %zu compared with who exports them, all agree\n",
		symbols_compared(c->symbols));
	fprintf(out, "\nMissing firmware, allowed:%s\n", c->without.n ? "" : " none");
	for (size_t i = 0; i < c->without.n; i++)
		fprintf(out, "%s\n", text_at(&c->without, i));
	params_explain(&c->params, c->tree, false, options);
	fclose(options);
	fprintf(out, "\nModule options:%s\n%s", len ? "" : " none", text);
}
