/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * private: the survey, a look at the ports; the findings, what is wrong with them; two printers.
 */
#pragma once

#include <cjson/cJSON.h>

#include "doctor/doctor.h"
#include "fabric/fabric.h"
#include "report/causes.h"

#define SURVEY_GROUPS_MAX 64

/* The broadcast group one IPoIB interface waits for. */
struct survey_group {
	char port[80];
	struct fabric_group group;
};

struct survey {
	struct fabric_port *ports;
	size_t n;
	struct survey_group groups[SURVEY_GROUPS_MAX];
	size_t n_groups;
	bool asked; /* neighbours, subnet managers and groups were asked */
};

/*
 * survey_take: looks at the ports below env's prefix. ask: also asks the fabric, and waits for the
 * answers up to FABRIC_SA_LIMIT and a bit; a prefix has no fabric to ask. ops: see fabric_new().
 * Returns 0 or -errno. It has a loop and a clock of its own: the whole of a sub-command's work.
 */
int survey_take(const struct env *env, const struct fabric_ops *ops, bool ask, struct survey *ret);
void survey_done(struct survey *s);

/* survey_group: the answer about a partition on a port, NULL when there is none. */
const struct fabric_group *survey_group(
	const struct survey *s, const struct fabric_port *port, uint16_t pkey);

#define FINDINGS_MAX 128

struct finding {
	enum cause cause; /* CAUSE_NONE: a note without one */
	bool trouble;	/* false: worth knowing, but nothing that stops a boot over this port */
	char where[80]; /* port, netdev, device on its bus or module */
	char port[80];	/* the port it is about, "" when it is about none */
	char text[256];
};

struct findings {
	struct finding rows[FINDINGS_MAX];
	size_t n;
};

/* findings_add: port may be NULL. A row with the same cause and place is there once. */
void findings_add(struct findings *f, enum cause cause, bool trouble, const char *where,
	const struct fabric_port *port, const char *fmt, ...) _printf_(6, 7);

/* findings_ready: nothing found stops this port. */
bool findings_ready(const struct findings *f, const struct fabric_port *port);

struct plan_ib;

/* check_port: the port, its partitions and its interfaces. pkeys of the plan are looked for too. */
void check_port(struct findings *f, const struct env *env, const struct survey *s,
	const struct fabric_port *port, const struct plan_ib *plan);

/*
 * check_node: adapters that no driver has, or whose driver made no RDMA device, with the kernel's
 * own words from its log, and modules the last boot could not load.
 */
void check_node(struct findings *f, const struct env *env, const struct survey *s);

/* doctor_verdict_name: "ready", "partly ready", "not ready", "no device", "failed". */
const char *doctor_verdict_name(enum doctor_verdict v);

/* print_text: for the terminal. */
void print_text(const struct env *env, const struct survey *s, const struct findings *f,
	enum doctor_verdict verdict, FILE *out);

/* findings_object: described in docs/doctor.md. The caller's; NULL without memory. */
cJSON *findings_object(const struct env *env, const struct survey *s, const struct findings *f,
	enum doctor_verdict verdict);

/*
 * report_object: takes the findings' object into one that holds the node as well: kernel, command
 * line, modules, adapters' and interfaces' attributes, this boot's state, the kernel's words about
 * RDMA. The caller's; NULL without memory.
 */
cJSON *report_object(const struct env *env, cJSON *findings);
