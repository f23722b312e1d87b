/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * state: the record of this boot for the real root and the admin. It owns /run/initagent/state.json
 * (schema 1, docs/state.md), env (strict key=value) and log.
 * In: pointers to what the rooms themselves hold (struct state_input). Out: files; record.h,
 * state_read.h and commands.h read them back.
 * Callers: boot/ writes; handover/ for names of managers. Tests: test_state.c,
 * test_record.c, test_status.c, tests/state.bats.
 */
#pragma once

#include "address/address.h"
#include "base/env.h"
#include "base/loop.h"
#include "fabric/fabric.h"
#include "modules/modules.h"
#include "root/source/source.h"

#define STATE_SCHEMA 1

/* One rail; NULL: there is none, or it is not known. */
#define STATE_LOWER_MAX 16

struct state_rail {
	const char *name, *state;
	int ifindex;
	uint32_t metric; /* of its routes */
	bool carries_root;
	const struct netdev *dev;
	const char *parent; /* of a partition's interface */
	/* what a VLAN, bond or bridge is made of */
	const char *lower[STATE_LOWER_MAX];
	size_t n_lower;
	char mode[16];	    /* IPoIB: "datagram", "connected" */
	const struct address_result *address, *address6; /* address6: IPv6 beside IPv4 */
	const struct fabric_port *port;
};

/* A bar of the phase table. */
struct state_phase {
	const char *name;
	uint64_t begin, end;
};

/* Network managers of the real root: enum plan_handover bits. */
struct managers {
	unsigned installed;
	unsigned enabled; /* those that its init starts */
	/* the one profiles are written for; several when it is unclear which will run */
	unsigned chosen;
};

/* Everything the state is made of; all borrowed. */
struct state_input {
	const char *outcome; /* "running", "done", "failed" */
	const char *cmdline;
	uint64_t now, start;
	int64_t wall;	     /* CLOCK_REALTIME seconds of now; 0: the clock is not set */
	const struct boot_plan *plan; /* NULL: not known */
	const struct managers *managers; /* NULL: no profiles were written */
	const struct fabric_port *ports; /* all of the node, rails or not */
	size_t n_ports;
	uint64_t cpu;	     /* CPU time of the agent's process alone, without its workers, in ns */
	struct loop_wakes wakes; /* of the agent's loop */
	unsigned restarts;
	const struct source_ops *root; /* the kind of the mounted root; NULL: none is */
	const void *record;	       /* and what it was mounted from: source.record */
	const struct source_progress *fetch; /* NULL: no image on its way */
	const struct state_rail *rails;
	size_t n_rails;
	const struct module_entry *modules;
	size_t n_modules;
	const struct state_phase *phases;
	size_t n_phases;
	const struct report *report;
};

/* state_write: state.json, env and log, each replaced as a whole. 0 or -errno. */
int state_write(const struct env *env, const struct state_input *in);

/* state_json: the text of state.json; the caller frees it. NULL when out of memory. */
char *state_json(const struct state_input *in);

/* state_value_ok: fit for env: letters, digits and "._:/@%+,=[]-", harmless to a shell? */
bool state_value_ok(const char *value);

/* state_manager_name: "networkd" ... of one enum plan_handover bit. */
const char *state_manager_name(unsigned bit);
