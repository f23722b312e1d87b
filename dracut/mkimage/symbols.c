// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbols.h"

#include <stdarg.h>

#include "elf.h"

#define KERNEL SIZE_MAX /* in place of a module's index */

struct module {
	char *path;
	char *vermagic; /* "6.1.0-1-amd64 SMP preempt mod_unload modversions "; NULL: none */
	bool versions;	/* has checksums of what it needs */
	bool told;	/* said to be wrong; once is enough */
};

struct symbol {
	char *name;
	uint32_t crc;
	size_t module; /* index, or KERNEL */
};

struct table {
	struct symbol *list;
	size_t n, room;
};

struct symbols {
	char *kver;
	char *kernel_file;
	struct module *modules;
	size_t n_modules;
	struct table exports, imports;
	size_t compared;
	int wrong;
};

int symbols_new(struct symbols **ret, const char *kver)
{
	_cleanup_(symbols_freep) struct symbols *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->kver = strdup(kver);
	if (!s->kver)
		return -ENOMEM;
	*ret = s;
	s = NULL;
	return 0;
}

static void table_done(struct table *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->list[i].name);
	free(t->list);
}

struct symbols *symbols_free(struct symbols *s)
{
	if (!s)
		return NULL;
	for (size_t i = 0; i < s->n_modules; i++) {
		free(s->modules[i].path);
		free(s->modules[i].vermagic);
	}
	free(s->modules);
	table_done(&s->exports);
	table_done(&s->imports);
	free(s->kver);
	free(s->kernel_file);
	free(s);
	return NULL;
}

static int table_add(struct table *t, const char *name, uint32_t crc, size_t module)
{
	struct symbol added = {.crc = crc, .module = module};

	if (t->n == t->room) {
		size_t room = t->room ? 2 * t->room : 256;
		struct symbol *more = reallocarray(t->list, room, sizeof(*more));

		if (!more)
			return -ENOMEM;
		t->list = more;
		t->room = room;
	}
	added.name = strdup(name);
	t->list[t->n++] = added;
	return added.name ? 0 : -ENOMEM;
}

static int add_module(struct symbols *s, const char *path, const void *data, size_t size)
{
	struct module *more = reallocarray(s->modules, s->n_modules + 1, sizeof(*more));
	struct module m = {.path = NULL};
	const char *info, *vermagic;
	size_t info_size, at = 0;

	if (!more)
		return -ENOMEM;
	s->modules = more;
	m.path = strdup(path);
	if (elf_section(data, size, ".modinfo", &info, &info_size) == 0 &&
		(vermagic = elf_modinfo_next(info, info_size, "vermagic", &at)))
		m.vermagic = strdup(vermagic);
	s->modules[s->n_modules++] = m;
	return m.path ? 0 : -ENOMEM;
}

int symbols_add(struct symbols *s, const char *path, const void *data, size_t size)
{
	size_t module = s->n_modules, at = 0;
	struct elf_crc c;
	int r = add_module(s, path, data, size);

	if (r < 0)
		return r;
	while ((r = elf_export_next(data, size, &at, &c)) > 0 && r >= 0) {
		r = table_add(&s->exports, c.symbol, c.crc, module);
		if (r < 0)
			return r;
	}
	at = 0;
	while (r == 0 && (r = elf_import_next(data, size, &at, &c)) > 0) {
		s->modules[module].versions = true;
		r = table_add(&s->imports, c.symbol, c.crc, module);
	}
	return r;
}

/* kernel_row: "0x1234abcd<TAB>symbol<TAB>vmlinux<TAB>EXPORT_SYMBOL"; 1 of the kernel, 0 of a module. */
static int kernel_row(char *row, const char **symbol, uint32_t *crc)
{
	char *end, *owner;
	unsigned long value = strtoul(row, &end, 16);

	if (end == row || *end != '\t')
		return -EBADMSG;
	*symbol = end + 1;
	owner = strchr(end + 1, '\t');
	if (!owner)
		return -EBADMSG;
	*owner++ = 0;
	*crc = (uint32_t)value;
	return strcspn(owner, "\t") == strlen("vmlinux") && strncmp(owner, "vmlinux", 7) == 0;
}

int symbols_add_kernel(struct symbols *s, const char *file, const char *text, size_t size)
{
	_cleanup_free_ char *copy = malloc(size + 1);
	char *save = NULL;

	free(s->kernel_file);
	s->kernel_file = strdup(file);
	if (!copy || !s->kernel_file)
		return -ENOMEM;
	memcpy(copy, text, size);
	copy[size] = 0;
	for (char *row = strtok_r(copy, "\n", &save); row; row = strtok_r(NULL, "\n", &save)) {
		const char *symbol;
		uint32_t crc;
		int r = kernel_row(row, &symbol, &crc);

		if (r > 0)
			r = table_add(&s->exports, symbol, crc, KERNEL);
		if (r < 0)
			return r;
	}
	return s->exports.n ? 0 : -EBADMSG;
}

static const char *side(const struct symbols *s, size_t module)
{
	return module == KERNEL ? s->kernel_file : s->modules[module].path;
}

static void _printf_(4, 5) tell(struct symbols *s, size_t module, FILE *out, const char *fmt, ...)
{
	va_list ap;

	if (s->modules[module].told)
		return;
	s->modules[module].told = true;
	s->wrong++;
	fprintf(out, "initagent-mkimage: module %s ", s->modules[module].path);
	va_start(ap, fmt);
	vfprintf(out, fmt, ap);
	va_end(ap);
	fputc('\n', out);
}

/* By name; of one name in the order they came in, so that messages do not depend on the sort. */
static int compare(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;
	int r = strcmp(x->name, y->name);

	return r ? r : (x->module > y->module) - (x->module < y->module);
}

/* first_of: the first of the symbols of that name in a sorted table, or NULL. */
static const struct symbol *first_of(const struct table *t, const char *name)
{
	size_t low = 0, high = t->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(t->list[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < t->n && streq(t->list[low].name, name) ? &t->list[low] : NULL;
}

/* agrees: one of the exports of that name has that checksum. */
static bool agrees(const struct table *t, const struct symbol *first, uint32_t crc)
{
	for (const struct symbol *e = first; e < t->list + t->n && streq(e->name, first->name); e++)
		if (e->crc == crc)
			return true;
	return false;
}

/* check_import: against its export; without one (of the kernel, say), against who needed it first. */
static void check_import(struct symbols *s, const struct symbol *import, FILE *out)
{
	const struct symbol *e = first_of(&s->exports, import->name);

	if (e) {
		s->compared++;
		if (!agrees(&s->exports, e, import->crc))
			tell(s, import->module, out,
				"needs %s of version %08x, but %s exports version %08x: they were "
				"not built for each other",
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

/* flags_of: what stands behind the kernel's version. */
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
	const struct module *m = &s->modules[i];
	size_t length;

	if (!m->vermagic)
		return;
	length = (size_t)(flags_of(m->vermagic) - m->vermagic);
	if (!m->versions && (length != strlen(s->kver) || strncmp(m->vermagic, s->kver, length) != 0))
		tell(s, i, out, "is built for kernel %.*s (vermagic) and has no symbol versions, the "
			"image is for kernel %s", (int)length, m->vermagic, s->kver);
	if (*reference == KERNEL)
		*reference = i;
	if (!streq(flags_of(m->vermagic), flags_of(s->modules[*reference].vermagic)))
		tell(s, i, out, "has vermagic '%s', %s has '%s': built with different options",
			m->vermagic, s->modules[*reference].path, s->modules[*reference].vermagic);
}

int symbols_check(struct symbols *s, FILE *out)
{
	size_t reference = KERNEL;

	if (s->exports.n)
		qsort(s->exports.list, s->exports.n, sizeof(*s->exports.list), compare);
	if (s->imports.n)
		qsort(s->imports.list, s->imports.n, sizeof(*s->imports.list), compare);
	for (size_t i = 0; i < s->n_modules; i++)
		check_vermagic(s, i, &reference, out);
	for (size_t i = 0; i < s->imports.n; i++)
		check_import(s, &s->imports.list[i], out);
	return s->wrong;
}

size_t symbols_compared(const struct symbols *s)
{
	return s->compared;
}
