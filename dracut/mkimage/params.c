// SPDX-License-Identifier: GPL-2.0-or-later
#include "params.h"

#include "elf.h"

/* "-" and "_" are one in the names of modules and options. */
static char *plain_name(const char *module, const char *option, size_t size)
{
	char *name = path_text("%s%s%.*s", module, size ? "." : "", (int)size, option);

	for (char *p = name; (p = strchr(p, '-'));)
		*p = '_';
	return name;
}

static void add_name(struct params *p, const char *module, const char *option, size_t size)
{
	const char **name = must(arena_push(host_arena(), &p->names, sizeof(*name)));

	*name = plain_name(module, option, size);
}

static bool has_name(const struct params *p, const char *module, const char *option, size_t size)
{
	const char *name = plain_name(module, option, size);

	for (size_t i = 0; i < p->names.n; i++)
		if (streq(((const char **)p->names.items)[i], name))
			return true;
	return false;
}

void params_add(struct params *p, const char *module, const char *info, size_t size)
{
	const char *type;
	size_t at = 0;

	add_name(p, module, "", 0);
	/* "parmtype=NAME:TYPE" is there for every option, "parm=" only for described ones. */
	while ((type = elf_modinfo_next(info, size, "parmtype", &at)))
		add_name(p, module, type, strcspn(type, ":"));
}

/* explain_line: "options MODULE NAME=VALUE..."; other lines of modprobe.d have no options. */
static void explain_line(
	const struct params *p, const char *file, char *line, bool only_unknown, FILE *out)
{
	char *save = NULL;
	const char *word = strtok_r(line, " \t", &save);
	const char *module = word && streq(word, "options") ? strtok_r(NULL, " \t", &save) : NULL;

	while (module && (word = strtok_r(NULL, " \t", &save))) {
		bool inside = has_name(p, module, "", 0);
		bool unknown = inside && !has_name(p, module, word, strcspn(word, "="));

		if (!only_unknown || unknown)
			fprintf(out, "/%s: %s %s: %s\n", file, module, word,
				!inside	  ? "no such module in the image"
				: unknown ? "the module is inside and has no such option"
					  : "the module is inside and knows it");
	}
}

void params_explain(const struct params *p, struct tree *t, bool only_unknown, FILE *out)
{
	static const char dir[] = "etc/modprobe.d/";
	size_t n = tree_sort(t);

	for (size_t i = 0; i < n; i++) {
		const struct tree_entry *e = tree_at(t, i);
		char *save = NULL, *text;

		if (!S_ISREG(e->mode) || strncmp(e->path, dir, strlen(dir)) != 0 || !e->size)
			continue;
		text = must(arena_text(host_arena(), e->data, e->size));
		for (char *line = strtok_r(text, "\n", &save); line;
			line = strtok_r(NULL, "\n", &save))
			explain_line(p, e->path, line, only_unknown, out);
	}
}
