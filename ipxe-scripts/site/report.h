/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report: what is wrong with a site file: where, how bad, and what to write instead. Everything is
 * collected first, so that one run tells all of it.
 */
#pragma once

#include "util.h"

enum severity {
	SEVERITY_NOTE,	  /* worth knowing */
	SEVERITY_WARNING, /* boots, but hardly as meant */
	SEVERITY_ERROR,	  /* nothing is rendered from this file */
	SEVERITY_MAX,
};

/* A place in the site file, from 1; line 0: the file as a whole. */
struct place {
	unsigned int line, column;
};

struct finding {
	enum severity severity;
	struct place at;
	const char *text;
	const char *remedy; /* "" if there is nothing to say */
};

/* More than this are counted, not kept: a hostile file must not fill the memory. */
#define REPORT_MAX 500

struct report;

struct report *report_new(void);
struct report *report_free(struct report *r);
DEFINE_FREEP(struct report, report_free)

/* report_add: a finding; remedy may be NULL. The texts are copied. */
void report_add(struct report *r, enum severity severity, struct place at, const char *remedy, const char *fmt, ...)
	_printf_(5, 6);

/* report_sort: by line, column, then words; what is there twice is dropped. */
void report_sort(struct report *r);

size_t report_count(const struct report *r);
const struct finding *report_at(const struct report *r, size_t i);
/* report_total: how many of a severity there were, those not kept included. */
size_t report_total(const struct report *r, enum severity severity);

/* report_print: "FILE:LINE: error: TEXT", the remedy indented below, and the sums; what is below least is left out. */
void report_print(struct report *r, const char *file, enum severity least, FILE *out);
