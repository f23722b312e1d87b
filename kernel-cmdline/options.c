/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options: the table made from options.def, and the searches in it.
 */
#include "parser.h"

/* Words of options.def. */
#define LAST	  OPTION_LAST
#define LIST	  OPTION_LIST
#define VALUE	  OPTION_VALUE
#define PREFIX	  OPTION_PREFIX
#define NOFIELD	  0
#define FIELD(f)  offsetof(struct boot_plan, f)

static const struct option_row rows[OPTION_N] = {
#define OPTION(id, name, grammar, def, status, flags, parse, field, dracut, doc)                   \
	[OPTION_##id] = {OPTION_##id, OPTION_##status, (flags), name, grammar, def, dracut, doc,   \
		parse_##parse, field},
#include "options.def"
#undef OPTION
};

/* Spellings dracut dropped (its "deprecated" ones, gone since 104), still found in notes. */
static const struct {
	const char *old;
	enum option_id id;
} old_names[] = {
	{"rdbreak", OPTION_RD_BREAK},
	{"rdshell", OPTION_RD_SHELL},
	{"rdinitdebug", OPTION_RD_DEBUG},
	{"rdnetdebug", OPTION_RD_DEBUG},
	{"rdinfo", OPTION_RD_INFO},
	{"rd_retry", OPTION_RD_RETRY},
	{"rd_NFS_DOMAIN", OPTION_RD_NFS_DOMAIN},
	{"rdblacklist", OPTION_RD_DRIVER_BLACKLIST},
	{"rdloaddriver", OPTION_RD_DRIVER_PRE},
	{"rdinsmodpost", OPTION_RD_DRIVER_POST},
};

const struct option_row *option_row(enum option_id id)
{
	return &rows[id];
}

/* The kernel's dash2underscore(). */
static char dash(char c)
{
	return c == '-' ? '_' : c;
}

/* Equal as the kernel compares parameter names: '-' and '_' are the same. */
static bool same_name(const char *a, const char *b, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (dash(a[i]) != dash(b[i]))
			return false;
	return true;
}

const struct option_row *option_find(const char *s, size_t len, bool *renamed)
{
	if (renamed)
		*renamed = false;
	for (size_t i = 0; i < OPTION_N; i++) {
		size_t n = strlen(rows[i].name);
		bool family = rows[i].flags & OPTION_PREFIX;

		if ((family ? len > n : len == n) && same_name(s, rows[i].name, n))
			return &rows[i];
	}
	for (size_t i = 0; i < ARRAY_SIZE(old_names); i++) {
		if (strlen(old_names[i].old) != len || memcmp(old_names[i].old, s, len) != 0)
			continue;
		if (renamed)
			*renamed = true;
		return &rows[old_names[i].id];
	}
	return NULL;
}

/* Longest name the suggestion looks at; the longest in the table has 24 letters. */
#define SUGGEST_MAX 32

/* For suggestions small and capital letters are the same as well. */
static char fold(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : dash(c);
}

const struct option_row *option_find_case(const char *s, size_t len)
{
	size_t k;

	for (size_t i = 0; i < OPTION_N; i++) {
		if (rows[i].flags & OPTION_PREFIX || strlen(rows[i].name) != len)
			continue;
		for (k = 0; k < len && fold(s[k]) == fold(rows[i].name[k]); k++)
			;
		if (k == len)
			return &rows[i];
	}
	return NULL;
}

static size_t min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * Optimal string alignment: insertions, deletions, changes and swaps of neighbours. Three rows
 * of the usual table are kept.
 */
size_t option_distance(const char *a, size_t n, const char *b)
{
	size_t table[3][SUGGEST_MAX + 1], *two = table[0], *one = table[1], *row = table[2];
	size_t i, j, m = strlen(b);

	if (n > SUGGEST_MAX || m > SUGGEST_MAX)
		return SUGGEST_MAX;
	for (j = 0; j <= m; j++)
		two[j] = one[j] = j;
	for (i = 1; i <= n; i++) {
		size_t *spare = two;

		row[0] = i;
		for (j = 1; j <= m; j++) {
			row[j] = one[j - 1] + (fold(a[i - 1]) != fold(b[j - 1]));
			row[j] = min_size(row[j], min_size(one[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) &&
				fold(a[i - 2]) == fold(b[j - 1]))
				row[j] = min_size(row[j], two[j - 2] + 1);
		}
		two = one;
		one = row;
		row = spare;
	}
	return one[m];
}

/* Few slips in a long name, hardly any in a short one: "ro" must not become "rw". */
const char *option_suggest(const char *s, size_t len)
{
	const char *best = NULL;
	size_t d, nearest = 3;

	if (len < 3)
		return NULL;
	for (size_t i = 0; i < OPTION_N; i++) {
		const size_t m = strlen(rows[i].name);

		/* A difference in length is the least a distance can be: most names need no table. */
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

/* One line of the table for people: cell separators inside a cell are escaped. */
static void put_cell(FILE *out, const char *s)
{
	for (; *s; s++) {
		if (*s == '|')
			fputc('\\', out);
		fputc(*s, out);
	}
}

static const char *status_text(enum option_status s)
{
	static const char *const texts[] = {
		[OPTION_ACTED] = "",
		[OPTION_NOTED] = " *Understood; nothing to do.*",
		[OPTION_REFUSED] = " *Understood, not acted on.*",
	};

	return texts[s];
}

#ifdef FEATURE_HTTP
#define HAS_HTTP true
#else
#define HAS_HTTP false
#endif
#ifdef FEATURE_TLS
#define HAS_TLS true
#else
#define HAS_TLS false
#endif
#ifdef FEATURE_ARCHIVE
#define HAS_ARCHIVE true
#else
#define HAS_ARCHIVE false
#endif

#ifdef FEATURE_BLOCK
#define HAS_BLOCK true
#else
#define HAS_BLOCK false
#endif

/* What a build that was made with fewer FEATURES lacks, by option; a name that ends in a dot is a family. */
static const struct {
	const char *option;
	bool has;
	const char *words;
} features[] = {
	{"root", HAS_HTTP, "This build has no HTTP: no root from a URL."},
	{"root", HAS_TLS, "This build has no TLS: no root from an https URL."},
	{"root", HAS_ARCHIVE, "This build unpacks no archives: no root from cpio or tar."},
	{"root", HAS_BLOCK, "This build has no block roots: nvmf:, nbd: and srp: are left to dracut."},
	{"rd.nvmf.", HAS_BLOCK, "Not in this build: it has no block roots."},
	{"rd.root.", HAS_HTTP, "Not in this build: it has no HTTP."},
	{"rd.root.ca", HAS_TLS, "Not in this build: it has no TLS."},
	{"rd.noverifyssl", HAS_TLS, "Not in this build: it has no TLS."},
	{"proxy", HAS_HTTP, "Not in this build: it has no HTTP."},
};

static bool concerns(size_t feature, const char *option)
{
	const char *name = features[feature].option;
	size_t n = strlen(name);

	return name[n - 1] == '.' ? strncmp(option, name, n) == 0 : strcmp(option, name) == 0;
}

static void put_lacks(FILE *out, const char *option, const char *before, const char *after)
{
	for (size_t i = 0; i < ARRAY_SIZE(features); i++)
		if (!features[i].has && concerns(i, option))
			fprintf(out, "%s%s%s", before, features[i].words, after);
}

/* Families are shown with "..." instead of "=". */
static void print_markdown(FILE *out)
{
	fputs("| Option | Default | What it does | dracut 059 |\n|---|---|---|---|\n", out);
	for (size_t i = 0; i < OPTION_N; i++) {
		const struct option_row *r = &rows[i];

		fputs("| `", out);
		fputs(r->name, out);
		if (r->grammar[0] && !(r->flags & OPTION_PREFIX))
			put_cell(out, "=");
		put_cell(out, r->grammar);
		fprintf(out, "`%s | %s | ", r->flags & OPTION_LIST ? " (list)" : "", r->def);
		put_cell(out, r->doc);
		fputs(status_text(r->status), out);
		put_lacks(out, r->name, " *", "*");
		fputs(" | ", out);
		put_cell(out, r->dracut);
		fputs(" |\n", out);
	}
}

/* scdoc: '_' and '*' set type, so they are escaped in running text. */
static void put_scdoc(FILE *out, const char *s)
{
	for (; *s; s++) {
		if (strchr("_*\\#", *s))
			fputc('\\', out);
		fputc(*s, out);
	}
}

static void print_man(FILE *out)
{
	for (size_t i = 0; i < OPTION_N; i++) {
		const struct option_row *r = &rows[i];

		fputc('*', out);
		put_scdoc(out, r->name);
		if (r->grammar[0] && !(r->flags & OPTION_PREFIX))
			fputc('=', out);
		put_scdoc(out, r->grammar);
		fputs("*\n\t", out);
		put_scdoc(out, r->doc);
		put_scdoc(out, r->status == OPTION_REFUSED ? " Understood, not acted on." : "");
		put_lacks(out, r->name, " ", "");
		if (r->flags & OPTION_LIST)
			fputs(" May be given several times.", out);
		if (r->def[0]) {
			fputs(" Default: ", out);
			put_scdoc(out, r->def);
			fputc('.', out);
		}
		if (r->dracut[0]) {
			fputs(" dracut 059: ", out);
			put_scdoc(out, r->dracut);
			fputc('.', out);
		}
		fputs("\n\n", out);
	}
}

static void print_completion(FILE *out)
{
	for (size_t i = 0; i < OPTION_N; i++)
		fprintf(out, "%s%s\n", rows[i].name,
			rows[i].grammar[0] && !(rows[i].flags & OPTION_PREFIX) ? "=" : "");
}

static void print_text(FILE *out, const struct option_row *r)
{
	fprintf(out, "%s%s%s\n    %s%s\n", r->name, r->grammar[0] && !(r->flags & OPTION_PREFIX) ? "=" : "", r->grammar, r->doc,
		r->status == OPTION_REFUSED ? " Understood, not acted on." : "");
	if (r->def[0])
		fprintf(out, "    default: %s\n", r->def);
	if (r->dracut[0])
		fprintf(out, "    dracut 059: %s\n", r->dracut);
}

static void print_plain(FILE *out)
{
	for (size_t i = 0; i < OPTION_N; i++)
		print_text(out, &rows[i]);
}

bool options_print_named(FILE *out, const char *name)
{
	size_t len = strcspn(name, "=");
	bool found = false;

	for (size_t i = 0; i < OPTION_N; i++) {
		if (strlen(rows[i].name) != len || strncmp(rows[i].name, name, len) != 0)
			continue;
		print_text(out, &rows[i]);
		found = true;
	}
	return found;
}

int options_print(FILE *out, enum options_format format)
{
	static void (*const printers[])(FILE *) = {
		[OPTIONS_PLAIN] = print_plain,
		[OPTIONS_MARKDOWN] = print_markdown,
		[OPTIONS_MAN] = print_man,
		[OPTIONS_COMPLETION] = print_completion,
	};

	printers[format](out);
	return fflush(out) || ferror(out) ? -EIO : 0;
}
