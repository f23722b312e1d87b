/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options: the one table of command-line options. It owns the rows (options.def), from which the
 * parser, the lint, docs/options.md, the man page and the shell completion are made. Pure but for
 * the printers.
 * In: an option's name, also misspelt. Out: its row, a suggestion, whose it is; the table in four
 * formats.
 * Callers: ipxe-scripts/site/. Tests: test_cmdline.c, test_rows.c, tests/docs.bats.
 */
#pragma once

#include "base/util.h"

enum option_id {
#define OPTION(id, ...) OPTION_##id,
#include "options.def"
	OPTION_N
};

enum option_status {
	OPTION_ACTED,	/* this build acts on it */
	OPTION_NOTED,	/* understood, and rightly nothing to do here */
	OPTION_REFUSED, /* understood but not acted on: other tools would */
};

enum option_flags {
	OPTION_LAST = 0,	/* given several times: the last well-formed one counts */
	OPTION_LIST = 1 << 0,	/* given several times: all count, in order */
	OPTION_VALUE = 1 << 1,	/* needs "=value" */
	OPTION_PREFIX = 1 << 2, /* the name is the beginning of a family ("rd.ib.") */
	OPTION_ONCE = 1 << 3,	/* for one boot: plan_image_options() leaves it out */
};

struct parser;
struct plan_word;
struct option_row;

/*
 * An option's parse function: changes the plan being built and says in w->effect what the word
 * does. False if the word was not taken (and then a diag says why).
 */
typedef bool (*option_parse)(struct parser *p, const struct option_row *row, struct plan_word *w);

struct option_row {
	enum option_id id;
	enum option_status status;
	unsigned int flags;
	const char *name;
	const char *grammar; /* what follows the name, "" for a bare word */
	const char *def;     /* default: a number, "on", "off", or words; "" for none */
	const char *dracut;  /* how dracut's meaning differs; "" if it does not */
	const char *doc;     /* one or two sentences */
	option_parse parse;
	size_t field;	     /* offset in struct boot_plan, for the generic parse functions */
};

const struct option_row *option_row(enum option_id id);

/* Whose old name an alias is. */
enum alias_origin {
	ALIAS_OURS,    /* an earlier version of this agent */
	ALIAS_DROPPED, /* dracut's, which takes it no longer */
	ALIAS_RENAMED, /* dracut's, which takes both */
	ALIAS_WARNED,  /* the same, with a warning */
	ALIAS_KERNEL,  /* the kernel's, which dracut does not read */
};

struct option_alias {
	const char *name;
	enum option_id id;
	enum alias_origin origin;
};

/*
 * option_find: the row whose name or old name is s[0..len), '-' and '_' being equal as for the
 * kernel. Families match by their prefix. NULL if there is none. *alias (alias may be NULL) is the
 * old name that s is, or NULL.
 */
const struct option_row *option_find(const char *s, size_t len, const struct option_alias **alias);

/* option_find_case: the row (no family) whose name is s but for the case of letters, or NULL. */
const struct option_row *option_find_case(const char *s, size_t len);

/*
 * option_suggest: the table's name nearest to a misspelt s, or NULL if none is near (at most
 * two slips, and no more than a third of the letters).
 */
const char *option_suggest(const char *s, size_t len);

/* option_dash: '-' as '_'; option_fold: and a capital letter as a small one (spelling.c). */
char option_dash(char c);
char option_fold(char c);

/*
 * option_distance: how many slips (a letter missing, too many, wrong, or two swapped) lie between
 * s[0..len) and word, capitals aside.
 */
size_t option_distance(const char *s, size_t len, const char *word);

/* Who a word belongs to that has no row in the table. */
enum word_owner { OWNER_NOBODY, OWNER_KERNEL, OWNER_SYSTEM, OWNER_DRACUT };

/* word_owner: looks a name up among well-known words of the kernel, systemd and dracut. */
enum word_owner word_owner(const char *s, size_t len);

enum options_format { OPTIONS_PLAIN, OPTIONS_MARKDOWN, OPTIONS_MAN, OPTIONS_COMPLETION };

/*
 * options_print: the table as text for a terminal, as a markdown table (docs/options.md), as man
 * page source (scdoc), or as a plain list "name[=]" one a line for shell completion. Returns 0 or
 * -EIO.
 */
int options_print(FILE *out, enum options_format format);

/*
 * options_print_named: one option as text, by its name or an old one ("rd.retry", also
 * "rd.retry="). false: there is none of that name.
 */
bool options_print_named(FILE *out, const char *name);
