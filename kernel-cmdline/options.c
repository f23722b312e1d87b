/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options: the table made from options.def, and the searches in it. */
#include "parser.h"

/* Words of options.def. */
#define LAST	  OPTION_LAST
#define LIST	  OPTION_LIST
#define VALUE	  OPTION_VALUE
#define PREFIX	  OPTION_PREFIX
#define ONCE	  OPTION_ONCE
#define FIELD(f)  offsetof(struct boot_plan, f)

static const struct option_row rows[OPTION_N] = {
#define OPTION(id, name, grammar, def, status, flags, parse, field, dracut, doc)                   \
	[OPTION_##id] = {OPTION_##id, OPTION_##status, (flags), name, grammar, def, dracut, doc,   \
		parse_##parse, field},
#include "options.def"
};

static const struct option_alias aliases[] = {
#define ALIAS(id, name, origin) {name, OPTION_##id, ALIAS_##origin},
#include "options.def"
};

const struct option_row *option_row(enum option_id id)
{
	return &rows[id];
}

static bool same_name(const char *a, const char *b, size_t len, char (*as)(char))
{
	for (size_t i = 0; i < len; i++)
		if (as(a[i]) != as(b[i]))
			return false;
	return true;
}

static const struct option_alias *find_alias(const char *s, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(aliases); i++)
		if (strlen(aliases[i].name) == len &&
			same_name(s, aliases[i].name, len, option_dash))
			return &aliases[i];
	return NULL;
}

/* Aliases go first: some lie within a family ("rd.live."). */
const struct option_row *option_find(const char *s, size_t len, const struct option_alias **ret)
{
	const struct option_alias *alias = find_alias(s, len);

	if (ret)
		*ret = alias;
	if (alias)
		return &rows[alias->id];
	for (size_t i = 0; i < OPTION_N; i++) {
		size_t n = strlen(rows[i].name);
		bool family = rows[i].flags & OPTION_PREFIX;

		if ((family ? len > n : len == n) && same_name(s, rows[i].name, n, option_dash))
			return &rows[i];
	}
	return NULL;
}

const struct option_row *option_find_case(const char *s, size_t len)
{
	for (size_t i = 0; i < OPTION_N; i++)
		if (!(rows[i].flags & OPTION_PREFIX) && strlen(rows[i].name) == len &&
			same_name(s, rows[i].name, len, option_fold))
			return &rows[i];
	return NULL;
}

/*
 * Few slips in a long name, hardly any in a short one: "ro" must not become "rw". A word of our
 * family is a mistake in any case, and may have one more.
 */
const char *option_suggest(const char *s, size_t len)
{
	const char *best = NULL;
	size_t d, nearest = strncmp(s, "rd.", min_u64(len, 3)) == 0 ? 4 : 3;

	if (len < 3)
		return NULL;
	for (size_t i = 0; i < OPTION_N; i++) {
		const size_t m = strlen(rows[i].name);

		/* The distance is at least the difference in length: most need no table. */
		if (rows[i].flags & OPTION_PREFIX || (m > len ? m - len : len - m) >= nearest)
			continue;
		d = option_distance(s, len, rows[i].name);
		if (d < nearest && d * 3 <= m) {
			nearest = d;
			best = rows[i].name;
		}
	}
	return best;
}

/* --- the table as text ---------------------------------------------------------------------- */

/* What a build made with fewer FEATURES lacks, by option; a name that ends in a dot is a family. */
static const struct {
	const char *option, *text;
} lacks[] = {
#ifndef FEATURE_HTTP
	{"root", "This build has no HTTP: no root from a URL."},
	{"rd.root.", "Not in this build: it has no HTTP."},
	{"proxy", "Not in this build: it has no HTTP."},
#endif
#ifndef FEATURE_TLS
	{"root", "This build has no TLS: no root from an https URL."},
	{"rd.root.ca", "Not in this build: it has no TLS."},
	{"rd.noverifyssl", "Not in this build: it has no TLS."},
#endif
#ifndef FEATURE_ARCHIVE
	{"root", "This build unpacks no archives: no root from cpio or tar."},
#endif
#ifndef FEATURE_BLOCK
	{"root", "This build has no block roots: nvmf, nbd: and srp: are left to dracut."},
	{"rd.nvmf.", "Not in this build: it has no block roots."},
#endif
	{"", ""},
};

/* What the texts of a format need. */
struct format {
	const char *escape; /* bytes that mean markup in running text */
	const char *stress; /* around a remark about the build */
};

static void put_text(FILE *out, const struct format *f, const char *s)
{
	for (; *s; s++) {
		if (strchr(f->escape, *s))
			fputc('\\', out);
		fputc(*s, out);
	}
}

static void put_remark(FILE *out, const struct format *f, const char *text)
{
	fprintf(out, " %s%s%s", f->stress, text, f->stress);
}

/* Families are shown with "..." instead of "=". */
static void put_head(FILE *out, const struct format *f, const struct option_row *r)
{
	put_text(out, f, r->name);
	if (r->grammar[0] && !(r->flags & OPTION_PREFIX))
		fputc('=', out);
	put_text(out, f, r->grammar);
}

static void put_doc(FILE *out, const struct format *f, const struct option_row *r)
{
	static const char *const remarks[] = {
		[OPTION_NOTED] = "Understood; nothing to do.",
		[OPTION_REFUSED] = "Understood, not acted on.",
	};

	put_text(out, f, r->doc);
	if (r->status != OPTION_ACTED)
		put_remark(out, f, remarks[r->status]);
	for (size_t i = 0; *lacks[i].option; i++) {
		size_t n = strlen(lacks[i].option);
		bool family = lacks[i].option[n - 1] == '.';

		if (strncmp(r->name, lacks[i].option, n) == 0 && (family || !r->name[n]))
			put_remark(out, f, lacks[i].text);
	}
	for (size_t i = 0; i < ARRAY_SIZE(aliases); i++) {
		if (aliases[i].id != r->id)
			continue;
		fputs(" Old name: ", out);
		put_text(out, f, aliases[i].name);
		fputc('.', out);
	}
}

static void print_markdown(FILE *out, const struct option_row *r)
{
	static const struct format f = {"|", "*"};

	if (r == rows)
		fputs("| Option | Default | What it does | dracut 059 |\n|---|---|---|---|\n", out);
	fputs("| `", out);
	put_head(out, &f, r);
	fprintf(out, "`%s | %s | ", r->flags & OPTION_LIST ? " (list)" : "", r->def);
	put_doc(out, &f, r);
	fputs(" | ", out);
	put_text(out, &f, r->dracut);
	fputs(" |\n", out);
}

static void print_man(FILE *out, const struct option_row *r)
{
	static const struct format f = {"_*\\#", ""}; /* scdoc's */

	fputc('*', out);
	put_head(out, &f, r);
	fputs("*\n\t", out);
	put_doc(out, &f, r);
	if (r->flags & OPTION_LIST)
		fputs(" May be given several times.", out);
	fputs(r->def[0] ? " Default: " : "", out);
	put_text(out, &f, r->def);
	fputs(r->def[0] ? "." : "", out);
	fputs(r->dracut[0] ? " dracut 059: " : "", out);
	put_text(out, &f, r->dracut);
	fputs(r->dracut[0] ? ".\n\n" : "\n\n", out);
}

static void print_completion(FILE *out, const struct option_row *r)
{
	fprintf(out, "%s%s\n", r->name, r->grammar[0] && !(r->flags & OPTION_PREFIX) ? "=" : "");
}

static void print_plain(FILE *out, const struct option_row *r)
{
	static const struct format f = {"", ""};

	put_head(out, &f, r);
	fputs("\n    ", out);
	put_doc(out, &f, r);
	fputc('\n', out);
	if (r->def[0])
		fprintf(out, "    default: %s\n", r->def);
	if (r->dracut[0])
		fprintf(out, "    dracut 059: %s\n", r->dracut);
}

bool options_print_named(FILE *out, const char *name)
{
	const struct option_row *r = option_find(name, strcspn(name, "="), NULL);

	if (r)
		print_plain(out, r);
	return r != NULL;
}

int options_print(FILE *out, enum options_format format)
{
	static void (*const printers[])(FILE *, const struct option_row *) = {
		[OPTIONS_PLAIN] = print_plain,
		[OPTIONS_MARKDOWN] = print_markdown,
		[OPTIONS_MAN] = print_man,
		[OPTIONS_COMPLETION] = print_completion,
	};

	for (size_t i = 0; i < OPTION_N; i++)
		printers[format](out, &rows[i]);
	return fflush(out) || ferror(out) ? -EIO : 0;
}
