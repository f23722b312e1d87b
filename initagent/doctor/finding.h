/* SPDX-License-Identifier: GPL-2.0-or-later */
/* finding: what the doctor has found, as rows; told by print.c and json.c. */
#pragma once

#include "doctor/survey.h"
#include "report/causes.h"

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

/* check_ledger: modules that failed, as /run/initagent/state.json has them. */
void check_ledger(struct findings *f, const struct env *env);
