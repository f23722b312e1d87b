/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diag: what the parser has to say about a command line: where, how bad, and what to write
 * instead. The agent prints the list at boot under cause CMDLINE_MALFORMED, "initagent lint" with
 * the line and a caret below it: same list, same words.
 */
#pragma once

#include "base/util.h"

enum diag_severity {
	DIAG_NOTE,  /* works; worth knowing (differs from dracut, has no effect, ...) */
	DIAG_WARN,  /* works, but hardly as meant; the text says what was taken */
	DIAG_ERROR, /* malformed: ignored; the text says what was taken instead */
	DIAG_FATAL, /* nothing sane is left to do: the boot cannot go on (no root) */
};

/* One remark. Strings live as long as the list. */
struct diag {
	enum diag_severity severity;
	unsigned int source;	/* index of the source given to plan_parse_sources() */
	size_t word;		/* where the word begins that pos lies in */
	size_t pos, len;	/* bytes within that source; len 0: about the whole line */
	const char *option;	/* the option's name, NULL if about the whole line */
	const char *text;	/* what is wrong and what was taken */
	const char *remedy;	/* what to write instead; NULL if there is nothing to say */
};

/* More remarks than this are counted, not kept: a hostile line must not flood the console. */
#define DIAG_MAX 128

struct diag_list;

/* diag_list_new: an empty list. Returns 0 or -ENOMEM. */
int diag_list_new(struct diag_list **ret);
struct diag_list *diag_list_free(struct diag_list *l);
DEFINE_FREEP(struct diag_list, diag_list_free)

/* diag_list_count, diag_list_at: the remarks in order of words, those about the whole line last. */
size_t diag_list_count(const struct diag_list *l);
const struct diag *diag_list_at(const struct diag_list *l, size_t i);

/* diag_list_dropped: how many did not fit below DIAG_MAX. */
size_t diag_list_dropped(const struct diag_list *l);

/* diag_list_worst: the highest severity in the list, or -1 if it is empty. */
int diag_list_worst(const struct diag_list *l);

/* diag_severity_name: "note", "warning", "error", "fatal". */
const char *diag_severity_name(enum diag_severity s);

/*
 * diag_add: appends a remark; text and remedy (may be NULL) are copied. Never fails visibly:
 * out of memory only counts it as dropped. l may be NULL: remarks are discarded.
 */
void diag_add(struct diag_list *l, const struct diag *d);

/*
 * diag_list_sort: by source and word, then order of arrival, so that a cause precedes its
 * consequences; about the whole line last.
 */
void diag_list_sort(struct diag_list *l);
