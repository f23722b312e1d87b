// SPDX-License-Identifier: GPL-2.0-or-later
#include "params.h"

#include "elf.h"

/* "module" and "module.option" are one list: a module without options is in it as well. */
struct params {
	char **list;
	size_t n;
};

int params_new(struct params **ret)
{
	*ret = calloc(1, sizeof(**ret));
	return *ret ? 0 : -ENOMEM;
}

struct params *params_free(struct params *p)
{
	for (size_t i = 0; p && i < p->n; i++)
		free(p->list[i]);
	if (p)
		free(p->list);
	free(p);
	return NULL;
}

/* plain: "-" and "_" are one in the names of modules and options. */
static void plain(char *text)
{
	for (; *text; text++)
		if (*text == '-')
			*text = '_';
}

static int add(struct params *p, const char *module, const char *option, size_t size)
{
	char **more = reallocarray(p->list, p->n + 1, sizeof(*more));
	char *text;

	if (!more)
		return -ENOMEM;
	p->list = more;
	if (asprintf(&text, "%s%s%.*s", module, size ? "." : "", (int)size, option) < 0)
		return -ENOMEM;
	plain(text);
	p->list[p->n++] = text;
	return 0;
}

int params_add(struct params *p, const char *module, const char *info, size_t size)
{
	const char *type;
	size_t at = 0;
	int r = add(p, module, "", 0);

	/* "parmtype=NAME:TYPE" is there for every option, "parm=" only for described ones. */
	while (r == 0 && (type = elf_modinfo_next(info, size, "parmtype", &at)))
		r = add(p, module, type, strcspn(type, ":"));
	return r;
}

static bool has(const struct params *p, const char *name)
{
	for (size_t i = 0; i < p->n; i++)
		if (streq(p->list[i], name))
			return true;
	return false;
}

static enum param_verdict judge(const struct params *p, const char *module, const char *option)
{
	char name[512];

	snprintf(name, sizeof(name), "%s", module);
	plain(name);
	if (!has(p, name))
		return PARAM_NO_MODULE;
	snprintf(name, sizeof(name), "%s.%.*s", module, (int)strcspn(option, "="), option);
	plain(name);
	return has(p, name) ? PARAM_INSIDE : PARAM_UNKNOWN;
}

static const char *const words[PARAM_MAX] = {
	[PARAM_INSIDE] = "the module is inside and knows it",
	[PARAM_UNKNOWN] = "the module is inside and has no such option",
	[PARAM_NO_MODULE] = "no such module in the image",
};

/* explain_line: "options MODULE NAME=VALUE..."; other lines of modprobe.d say nothing about options. */
static int explain_line(const struct params *p, const char *file, char *line, bool only_unknown, FILE *out)
{
	char *save = NULL;
	const char *word = strtok_r(line, " \t", &save);
	const char *module = word && streq(word, "options") ? strtok_r(NULL, " \t", &save) : NULL;
	int unknown = 0;

	while (module && (word = strtok_r(NULL, " \t", &save))) {
		enum param_verdict v = judge(p, module, word);

		unknown += v == PARAM_UNKNOWN;
		if (!only_unknown || v == PARAM_UNKNOWN)
			fprintf(out, "/%s: %s %s: %s\n", file, module, word, words[v]);
	}
	return unknown;
}

static int explain_file(const struct params *p, const struct tree_entry *e, bool only_unknown, FILE *out)
{
	_cleanup_free_ char *text = malloc(e->size + 1);
	char *save = NULL;
	int unknown = 0;

	if (!text)
		return -ENOMEM;
	memcpy(text, e->data ? e->data : "", e->size);
	text[e->size] = 0;
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		unknown += explain_line(p, e->path, line, only_unknown, out);
	return unknown;
}

int params_explain(const struct params *p, struct tree *t, bool only_unknown, FILE *out)
{
	static const char dir[] = "etc/modprobe.d/";
	size_t n = tree_sort(t);
	int unknown = 0;

	for (size_t i = 0; i < n; i++) {
		const struct tree_entry *e = tree_at(t, i);
		int r = 0;

		if (S_ISREG(e->mode) && strncmp(e->path, dir, strlen(dir)) == 0)
			r = explain_file(p, e, only_unknown, out);
		if (r < 0)
			return r;
		unknown += r;
	}
	return unknown;
}
