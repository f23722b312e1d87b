/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * doctor: "initagent doctor": the boot's judgement of all RDMA ports, on demand, on any running
 * system. Owns nothing; looks and queries, changes nothing, but --ping loads rdma_ucm.
 * In: sysfs, the kernel's log, the fabric's answers, this boot's state. Out: text or JSON, exit
 * status.
 * Callers: main.c. Tests: test_doctor.c, test_ping.c, tests-qemu/doctor.bats.
 */
#pragma once

#include "fabric/fabric.h"

/* Exit status. */
enum doctor_verdict {
	DOCTOR_READY = 0,     /* every port can carry a root */
	DOCTOR_PARTLY = 1,    /* at least one can */
	DOCTOR_NOT_READY = 2, /* none can */
	DOCTOR_NO_DEVICE = 3,
	DOCTOR_FAILED = 4, /* could not look */
};

enum doctor_form {
	DOCTOR_TEXT,
	DOCTOR_JSON,
	DOCTOR_REPORT, /* the JSON, and what it rests on: one file for the maintainers */
};

struct doctor_config {
	const struct fabric_ops *ops; /* NULL: the real ones */
	enum doctor_form form;
	bool ask; /* query the fabric: up to four seconds without an answer */
};

/* doctor_run: prints the judgement. env's report may be NULL. */
enum doctor_verdict doctor_run(const struct env *env, const struct doctor_config *cfg, FILE *out);

/*
 * doctor_ping: the way to an NFS server over RDMA, a line with its time for each step: ICMP,
 * RDMA-CM's address, SA path record, RDMA-CM connection. server: address or name. READY: all of it
 * (ICMP may fail), NOT_READY, or FAILED without an address. Each step takes 4.5 s at most.
 */
enum doctor_verdict doctor_ping(const struct env *env, const char *server, FILE *out);

/*
 * doctor_ports: "initagent ports": the table alone; ask: with the cables' other ends. 0 or -errno.
 */
int doctor_ports(const struct env *env, bool ask, FILE *out);
