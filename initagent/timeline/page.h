/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * page: one HTML file about one boot or many. It loads nothing, holds no style or script but its
 * own (its Content-Security-Policy says so, with their digests), and works without its script.
 */
#pragma once

#include "boots.h"

/* Details are for the slowest and for failed boots: all pictures would make the page too large. */
enum {
	PAGE_SLOWEST = 20,
	PAGE_FAILED = 100,
	PAGE_FAILED_CHARTS = 20,
	PAGE_NODES = 30,
	PAGE_ALL = 5000,
	PAGE_COLUMNS = 9,
};

/* page_write: the page of these boots; for a single one its whole picture. Returns 0 or -ENOMEM. */
int page_write(FILE *out, const struct boots *b);

/* The frame; between the two the body, whose <header> page_head() leaves open. */
void page_head(FILE *out, const char *title);
void page_foot(FILE *out);
/* page_section: <section> with its heading; page_section_end closes it. */
void page_section(FILE *out, const char *id, const char *title);
void page_section_end(FILE *out);

/* The sections of many boots, in the order of the page. */
int page_histogram(FILE *out, const struct boots *b);
int page_phases(FILE *out, const struct boots *b);
int page_slowest(FILE *out, const struct boots *b);
int page_failed(FILE *out, const struct boots *b);
int page_causes(FILE *out, const struct boots *b);
int page_switches(FILE *out, const struct boots *b);
int page_versions(FILE *out, const struct boots *b);
int page_broken(FILE *out, const struct boots *b);
int page_all(FILE *out, const struct boots *b);
/* page_single: the whole page of one boot. */
int page_single(FILE *out, const struct record *r);

/*
 * A table in a box that scrolls. Columns are "Name", "#Name" for numbers, "!Name" if not sortable.
 */
struct table {
	const char *id, *class, *caption, *columns[PAGE_COLUMNS];
};
void table_open(FILE *out, const struct table *t);
void table_close(FILE *out);

enum cell_kind { CELL_HEAD, CELL_TEXT, CELL_SECONDS, CELL_COUNT, CELL_DRAWN };

struct cell {
	enum cell_kind kind;
	const char *text;
	double seconds; /* below 0: empty */
	size_t count;
	void (*draw)(FILE *out, const struct record *r);
	const struct record *r;
};
#define HEAD(s)	      {.kind = CELL_HEAD, .text = (s)} /* opens a row */
#define TEXT(s)	      {.kind = CELL_TEXT, .text = (s)}
#define SECONDS(s)    {.kind = CELL_SECONDS, .seconds = (s)}
#define COUNT(n)      {.kind = CELL_COUNT, .count = (n)}
#define DRAWN(f, rec) {.kind = CELL_DRAWN, .draw = (f), .r = (rec)}

void cells_write(FILE *out, const struct cell *cells, size_t n);
#define CELLS(out, ...)                                       \
	cells_write(out, (const struct cell[]){__VA_ARGS__}, \
		sizeof((const struct cell[]){__VA_ARGS__}) / sizeof(struct cell))
/* ROW: a whole row. */
#define ROW(out, ...) (CELLS(out, __VA_ARGS__), (void)fputs("</tr>\n", out))

/* text_report: what the page says, in a screen of plain ASCII. Returns 0 or -ENOMEM. */
int text_report(FILE *out, const struct boots *b);
