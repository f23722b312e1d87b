// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbols.h"

#include "must.h"
#include "elf.h"

#define KERNEL SIZE_MAX /* in place of a module's index */

struct module {
	const char *path;
	const char *vermagic; /* "6.1.0-1-amd64 SMP preempt mod_unload modversions "; NULL: none */
	bool versions;	      /* has checksums of what it needs */
	bool told;	      /* a fault was reported; once is enough */
};

struct symbol {
	const char *name;
	uint32_t crc;
	size_t module; /* index, or KERNEL */
};

struct symbols {
	struct arena *arena;
	const char *kver, *kernel_file;
	struct arena_list modules, exports, imports;
	size_t compared;
	int wrong;
};

static const char *keep_text(struct symbols *s, const char *text)
{
	return must(arena_text(s->arena, text, strlen(text)));
}

struct symbols *symbols_new(const char *kver)
{
	struct symbols *s = must(calloc(1, sizeof(*s)));

	s->arena = must_arena();
	s->kver = keep_text(s, kver);
	return s;
}

struct symbols *symbols_free(struct symbols *s)
{
	if (s)
		arena_free(s->arena);
	free(s);
	return NULL;
}

static struct module *module_at(const struct symbols *s, size_t i)
{
	return (struct module *)s->modules.items + i;
}

static void add_symbol(
	struct symbols *s, struct arena_list *list, const char *name, uint32_t crc, size_t module)
{
	struct symbol *added = must(arena_push(s->arena, list, sizeof(*added)));

	*added = (struct symbol){keep_text(s, name), crc, module};
}

int symbols_add(struct symbols *s, const char *path, const void *data, size_t size)
{
	struct module *m = must(arena_push(s->arena, &s->modules, sizeof(*m)));
	const char *info, *vermagic = NULL;
	size_t info_size, at = 0;
	struct elf_crc c;
	int r;

	if (elf_section(data, size, ".modinfo", &info, &info_size) == 0)
		vermagic = elf_modinfo_next(info, info_size, "vermagic", &at);
	m->path = keep_text(s, path);
	m->vermagic = vermagic ? keep_text(s, vermagic) : NULL;
	for (at = 0; (r = elf_export_next(data, size, &at, &c)) > 0;)
		add_symbol(s, &s->exports, c.symbol, c.crc, s->modules.n - 1);
	for (at = 0; r == 0 && (r = elf_import_next(data, size, &at, &c)) > 0; r = 0) {
		m->versions = true;
		add_symbol(s, &s->imports, c.symbol, c.crc, s->modules.n - 1);
	}
	return r;
}

/* add_row: "0x1234abcd<TAB>symbol<TAB>vmlinux<TAB>EXPORT_SYMBOL", or with a module for vmlinux. */
static int add_row(struct symbols *s, char *row)
{
	char *save = NULL, *end = NULL;
	const char *number = strtok_r(row, "\t", &save), *name = strtok_r(NULL, "\t", &save);
	const char *owner = strtok_r(NULL, "\t", &save);
	uint32_t crc = owner ? (uint32_t)strtoul(number, &end, 16) : 0;

	if (!owner || *end)
		return -EBADMSG;
	if (streq(owner, "vmlinux"))
		add_symbol(s, &s->exports, name, crc, KERNEL);
	return 0;
}

int symbols_add_kernel(struct symbols *s, const char *file, const char *text, size_t size)
{
	char *copy = must(arena_text(s->arena, text, size)), *save = NULL;
	int r = 0;

	s->kernel_file = keep_text(s, file);
	for (char *row = strtok_r(copy, "\n", &save); row && r == 0;
		row = strtok_r(NULL, "\n", &save))
		r = add_row(s, row);
	return r == 0 && !s->exports.n ? -EBADMSG : r;
}

static const char *side(const struct symbols *s, size_t module)
{
	return module == KERNEL ? s->kernel_file : module_at(s, module)->path;
}

static void _printf_(4, 5) tell(struct symbols *s, size_t module, FILE *out, const char *fmt, ...)
{
	va_list ap;

	if (module_at(s, module)->told)
		return;
	module_at(s, module)->told = true;
	s->wrong++;
	fprintf(out, "initagent-mkimage: module %s ", module_at(s, module)->path);
	va_start(ap, fmt);
	vfprintf(out, fmt, ap);
	va_end(ap);
	fputc('\n', out);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct symbol *)a)->name, ((const struct symbol *)b)->name);
}

/* Of one name in the order they came in, so that messages do not depend on the sort. */
static int by_name_and_module(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;
	int r = by_name(a, b);

	return r ? r : (x->module > y->module) - (x->module < y->module);
}

static void sort_symbols(struct arena_list *list)
{
	if (list->n)
		qsort(list->items, list->n, sizeof(struct symbol), by_name_and_module);
}

/* first_of: the first of the symbols of that name in a sorted list, or NULL. */
static const struct symbol *first_of(const struct arena_list *list, const char *name)
{
	const struct symbol key = {.name = name}, *first = list->items, *s = NULL;

	if (list->n)
		s = bsearch(&key, first, list->n, sizeof(*s), by_name);
	while (s && s > first && streq(s[-1].name, name))
		s--;
	return s;
}

/* agrees: one of the exports of that name has that checksum. */
static bool agrees(const struct arena_list *list, const struct symbol *first, uint32_t crc)
{
	const struct symbol *end = (const struct symbol *)list->items + list->n;

	for (const struct symbol *e = first; e < end && streq(e->name, first->name); e++)
		if (e->crc == crc)
			return true;
	return false;
}

/* check_import: against its export; without one, against the first import of that symbol. */
static void check_import(struct symbols *s, const struct symbol *import, FILE *out)
{
	const struct symbol *e = first_of(&s->exports, import->name);

	if (e) {
		s->compared++;
		if (!agrees(&s->exports, e, import->crc))
			tell(s, import->module, out,
				"needs %s of version %08x, but %s exports version %08x: they were "
				"not "
				"built for each other",
				import->name, import->crc, side(s, e->module), e->crc);
		return;
	}
	e = first_of(&s->imports, import->name);
	if (e && e->crc != import->crc)
		tell(s, import->module, out,
			"needs %s of version %08x, but %s needs version %08x: they were built for "
			"different kernels",
			import->name, import->crc, side(s, e->module), e->crc);
}

/* flags_of: what follows the kernel's version. */
static const char *flags_of(const char *vermagic)
{
	return vermagic + strcspn(vermagic, " ");
}

/*
 * check_vermagic: as the kernel does (kernel/module/main.c, same_magic): the flags must agree, the
 * version only of modules without checksums.
 */
static void check_vermagic(struct symbols *s, size_t i, size_t *reference, FILE *out)
{
	const struct module *m = module_at(s, i);
	size_t length;

	if (!m->vermagic)
		return;
	length = (size_t)(flags_of(m->vermagic) - m->vermagic);
	if (!m->versions &&
		(length != strlen(s->kver) || strncmp(m->vermagic, s->kver, length) != 0))
		tell(s, i, out,
			"is built for kernel %.*s (vermagic) and has no symbol versions, the "
			"image is for kernel %s",
			(int)length, m->vermagic, s->kver);
	if (*reference == KERNEL)
		*reference = i;
	if (!streq(flags_of(m->vermagic), flags_of(module_at(s, *reference)->vermagic)))
		tell(s, i, out, "has vermagic '%s', %s has '%s': built with different options",
			m->vermagic, module_at(s, *reference)->path,
			module_at(s, *reference)->vermagic);
}

int symbols_check(struct symbols *s, FILE *out)
{
	size_t reference = KERNEL;

	sort_symbols(&s->exports);
	sort_symbols(&s->imports);
	for (size_t i = 0; i < s->modules.n; i++)
		check_vermagic(s, i, &reference, out);
	for (size_t i = 0; i < s->imports.n; i++)
		check_import(s, (const struct symbol *)s->imports.items + i, out);
	return s->wrong;
}

const char *symbols_misfit(const struct symbols *s, size_t *at)
{
	while (*at < s->modules.n) {
		const struct module *m = module_at(s, (*at)++);

		if (m->told)
			return m->path;
	}
	return NULL;
}

size_t symbols_compared(const struct symbols *s)
{
	return s->compared;
}
