/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * boots: many state files and what can be said of them together: the core of initagent-timeline. It
 * owns the records, sorted; groups and phases over them.
 * In: state files of any origin. Out: lists for text.c (terminal), page*.c (HTML), chart*.c (SVG).
 * Callers: initagent-timeline.c and the other files here. Tests: test_report.c, fuzz_report.c,
 * tests/timeline.bats.
 */
#pragma once

#include "state/record.h"

/* More files than this are not read: a report of them would not be readable either. */
#define BOOTS_MAX 20000

struct broken_file {
	const char *file;
	const char *why; /* a constant text */
};

struct boots {
	struct record **list; /* by node name, then file */
	size_t n;
	struct broken_file *broken; /* by name */
	size_t n_broken;
	struct arena *arena; /* of broken */
	size_t outcomes[RECORD_OUTCOME_MAX];
	/* Of the boots that reached their root: times (s), rising; their places in list. */
	double *times;
	size_t *by_time;
	size_t n_times;
};

/*
 * boots_read: reads the files at paths ("-": standard input), a folder meaning its regular files
 * *.json. The same file named twice is read once. What cannot be read is in ->broken with its
 * reason. Returns 0, -ENOMEM, or -E2BIG for more than BOOTS_MAX files.
 */
int boots_read(struct boots **ret, const char *const *paths, size_t n);

/* boots_of: the same of given records; takes them over, also when it fails. For tests. */
int boots_of(struct boots **ret, struct record **list, size_t n);

struct boots *boots_free(struct boots *b);
DEFINE_FREEP(struct boots, boots_free)

/*
 * percentile: the smallest of n rising values that at least `percent` (1 ... 100) of a hundred of
 * them do not exceed (nearest rank). median: the middle one, or the mean of the middle two. Both 0
 * without values.
 */
double percentile(const double *rising, size_t n, unsigned int percent);
double median(const double *rising, size_t n);

#define BOOTS_DATES 48

/*
 * boots_dates: from when to when the files were written, "DATE to DATE", or one date, or "" where
 * no file has one; in UTC, as RFC 3339 has it.
 */
void boots_dates(const struct boots *b, char buf[static BOOTS_DATES]);

/* boots_tail: where an axis ends, so that a few very long boots do not compress the others. */
double boots_tail(const struct boots *b);

/* rising_sort: sorts n values upwards. */
void rising_sort(double *values, size_t n);

/* boot_rail: the root's rail, else the first with a known cable end, else the first, or NULL. */
const struct record_rail *boot_rail(const struct record *r);
/* boot_switch: the name of the switch at that rail, else its GUID, "" when not known. */
const char *boot_switch(const struct record *r);
/* boot_switch_key: what tells it from others: its GUID, else its name, "" when not known. */
const char *boot_switch_key(const struct record *r);
/* boot_last_cause: a boot's last cause, which ended a failed one. NULL for none. */
const struct record_cause *boot_last_cause(const struct record *r);

/* boot_cause_key: for groups_make(): a boot's causes; "" if a failed boot recorded none. */
const char *boot_cause_key(const struct record *r, size_t i);

/* One value of something many boots have: a cause, a switch, a version. */
struct group {
	const char *key;
	size_t *members; /* places in boots.list, rising */
	size_t n, failed;
	size_t failed_last; /* of causes: failed boots that met no other after it */
	double median, p95; /* of the members that reached their root, 0 without any */
};

struct groups {
	struct group *list; /* most failed_last first, then failed, then members, then by key */
	size_t n;
	struct group_pair *pairs; /* owned, and below */
	size_t *places;
};

/*
 * groups_make: groups boots by the keys that `keys` gives for a boot: it is called with i = 0, 1
 * ... until it returns NULL; a key that a boot has twice counts once. Keys are borrowed from the
 * boots.
 */
int groups_make(struct groups **ret, const struct boots *b,
	const char *(*keys)(const struct record *r, size_t i));
struct groups *groups_free(struct groups *g);
DEFINE_FREEP(struct groups, groups_free)

/* One phase: the times (s) waited for it alone, and that it took in all, each rising. */
struct phase_stats {
	const char *name;
	double *alone, *took;
	size_t n;
};

struct phases {
	struct phase_stats list[16];
		/* in the order of a boot, then "between" (the time of no phase) and unknown ones */
	size_t n;
	double *values; /* of all of them */
};

/* phases_make: returns 0 or -ENOMEM. Names are borrowed from the boots. */
int phases_make(struct phases **ret, const struct boots *b);
struct phases *phases_free(struct phases *p);
DEFINE_FREEP(struct phases, phases_free)
