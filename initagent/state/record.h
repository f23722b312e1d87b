/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record: a state.json read back, of this boot or of another machine's. It owns an arena with all
 * rows and texts.
 * In: a file, taken for hostile. Out: rows in bounded number with possible times, and figures about
 * phases; or why it is no record.
 * Callers: timeline/. Tests: test_record.c, test_status.c, timeline/fuzz_report.c.
 *
 * The file's size, the number of its rows and the length of its texts are bounded, rows with
 * impossible times are left out, and the texts may still hold any byte but 0: printing code has to
 * escape them.
 */
#pragma once

#include "base/util.h"

struct record;

/*
 * More than any agent writes: its rows are limited (report/report.h), each has less than 200 bytes.
 */
#define RECORD_BYTES_MAX (1024 * 1024)
/* The longest text kept, in bytes; what is longer is cut. */
#define RECORD_TEXT_MAX	 400
/* No boot lasts this long (s): what says so is not a time. */
#define RECORD_TIME_MAX	 1e7

enum record_outcome { RECORD_RUNNING, RECORD_DONE, RECORD_FAILED, RECORD_OUTCOME_MAX };

/* Why a file is no record. */
enum record_fault {
	RECORD_OK,
	RECORD_EMPTY,
	RECORD_LARGE,
	RECORD_SYNTAX,
	RECORD_OBJECT,
	RECORD_SCHEMA,
	RECORD_OUTCOME,
	RECORD_TIMES,
	RECORD_MEMORY,
	RECORD_FAULT_MAX,
};

/* Times are seconds since the kernel started; texts are never NULL, but may be empty. */
struct record_phase {
	const char *name;
	double begin, end;
};

struct record_module {
	const char *name, *state;
	double begin, end; /* 0, 0: it was never loaded by the agent */
};

struct record_work {
	const char *room, *what;
	double begin, end;
	int result; /* 0 or negative errno */
};

struct record_change {
	const char *room, *rail, *from, *to;
	double when;
};

struct record_cause {
	const char *code, *where, *text, *check;
	unsigned int count;
	double first, last;
};

struct record_rail {
	const char *netdev, *state, *method, *address, *device, *link_layer, *port_state;
	const char *far_name, *far_guid; /* the cable's other end */
	unsigned int port, far_port;
	bool carries_root;
};

struct record {
	const char *file, *node; /* as given; the node's name, or what stands for it */
	const char *version, *kernel, *root;
	const char *now_at; /* when the file was written; "" where the clock was not set */
	enum record_outcome outcome;
	double start, end;	/* the agent began; the file was written */
	struct record_phase *phases; /* without "total" */
	struct record_phase *steps;  /* of the critical path */
	struct record_module *modules;
	struct record_work *works;
	struct record_change *changes; /* in the order of their times */
	struct record_cause *causes;
	struct record_rail *rails;
	size_t n_phases, n_steps, n_modules, n_works, n_changes, n_causes, n_rails;
	size_t left_out; /* rows with impossible times, or more than are kept */
	struct arena *arena; /* holds all of it */
};

/*
 * record_parse: reads text[len] as the state file `file`. The node is named by the state's host
 * name, else `name`. Returns RECORD_OK and the record, which the caller frees, or why there is
 * none.
 */
enum record_fault record_parse(struct record **ret, const char *file, const char *name,
	const char *text, size_t len);
struct record *record_free(struct record *r);
DEFINE_FREEP(struct record, record_free)

/* record_fault_text: what is wrong with the file, a few words. */
const char *record_fault_text(enum record_fault fault);
/* record_outcome_text: "root reached", "failed", "still running". */
const char *record_outcome_text(enum record_outcome outcome);
/* record_total: how long the boot took, or has taken when the file was written (s). */
double record_total(const struct record *r);

/*
 * record_alone: the time (s) that the boot spent on phase i alone. Phases overlap; each moment
 * counts for the one that lasts longest of those under way: it is what the boot waited for. The
 * order decides a draw.
 */
double record_alone(const struct record *r, size_t i);
/* record_waited_for: the phase of a moment, as above; n_phases for none. */
size_t record_waited_for(const struct record *r, double when);
/* record_next_edge: the first begin or end of a phase after a moment; without one: when. */
double record_next_edge(const struct record *r, double when);
/* record_between: the time (s) without any phase: retries, waits for servers. */
double record_between(const struct record *r);

/* --- files ---------------------------------------------------------------------------------- */

/* The state file of the running system. */
#define RECORD_OWN_FILE "/run/initagent/state.json"

/*
 * record_read: the record in the file at path, "-" for standard input, at most RECORD_BYTES_MAX
 * bytes. Returns 0; -errno when it cannot be read; the (positive) enum record_fault when it is no
 * state file.
 */
int record_read(struct record **ret, const char *path);

/*
 * record_file_name: how a node is called whose state does not tell its name: the file's name
 * without folder and ".json"; of a file state.json the folder's name; of this system's own, its
 * host name. Writes to buf[size], cut if need be.
 */
void record_file_name(char *buf, size_t size, const char *path);
