/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * page: one HTML file about one boot or many. It loads nothing, holds no style or script but its own (the
 * Content-Security-Policy in it says so, with their digests), and works without its script.
 */
#pragma once

#include "boots.h"

/* Details are for the slowest and for failed boots: the picture of every boot would make the page too large. */
enum { PAGE_SLOWEST = 20, PAGE_FAILED = 100, PAGE_FAILED_CHARTS = 20, PAGE_NODES = 30, PAGE_ALL = 5000 };

/* page_write: the page of these boots; for a single one its whole picture. Returns 0 or -ENOMEM. */
int page_write(FILE *out, const struct boots *b);

/* The parts. */
void page_head(FILE *out, const char *title);
void page_foot(FILE *out);
void page_histogram(FILE *out, const struct boots *b);
int page_phases(FILE *out, const struct boots *b);
int page_slowest(FILE *out, const struct boots *b, unsigned int *id);
int page_failed(FILE *out, const struct boots *b, unsigned int *id);
int page_causes(FILE *out, const struct boots *b);
int page_switches(FILE *out, const struct boots *b);
int page_versions(FILE *out, const struct boots *b);
void page_broken(FILE *out, const struct boots *b);
void page_all(FILE *out, const struct boots *b);
int page_single(FILE *out, const struct record *r);

/*
 * page_section: <section> with its heading; page_section_end closes it. table_open: a table in a box that
 * scrolls, with caption; columns are "Name" or, with numbers, "#Name", or "!Name" (not sortable).
 */
void page_section(FILE *out, const char *id, const char *title);
void page_section_end(FILE *out);
void table_open(FILE *out, const char *id, const char *class, const char *caption, const char *const *columns,
	size_t n);
void table_close(FILE *out);
/* cell_seconds: a cell with a time, "" below 0. cell_count: one with a number. cell_text: one with a text. */
void cell_seconds(FILE *out, double s);
void cell_count(FILE *out, size_t n);
void cell_text(FILE *out, const char *s);
/* row_open: <tr> with a text as its heading cell. */
void row_open(FILE *out, const char *s);
/* page_nodes: the names of a group's members, the first few and how many more. */
void page_nodes(FILE *out, const struct boots *b, const struct group *g);
