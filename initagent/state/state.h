/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * state: what the real root and the admin are told: /run/initagent/state.json (schema 1, described in
 * docs/state.md), /run/initagent/base/env (strict key=value) and /run/initagent/log.
 */
#pragma once

#include "root/block/block.h"
#include "base/env.h"
#include "fabric/fabric.h"
#include "handover/managers.h"
#include "base/loop.h"
#include "modules/modules.h"
#include "root/nfs/root.h"
#include "root/web/web.h"

#define STATE_SCHEMA 1
#define STATE_DIR    "/run/initagent"
#define STATE_ROUTES_MAX 17

/* One rail, as text. Empty strings: not there. */
struct state_rail {
	char netdev[16];
	int ifindex;
	char hwaddr[64];
	uint32_t mtu;
	char state[24];
	char method[16];	 /* "dhcp", "static", "auto6" ... */
	char address[64];	 /* "10.0.0.5/24" */
	char gateway[48];
	char method6[16], address6[64], gateway6[48]; /* IPv6 beside IPv4 */
	char dns[3][48];
	size_t n_dns;
	char search[512];	 /* domains, separated by one space */
	struct {
		char dst[64], gateway[48];
	} routes[STATE_ROUTES_MAX];
	size_t n_routes;
	uint32_t metric;	 /* of its routes */
	bool adopted;		 /* address and lease are those of an agent before */
	char hostname[65], domain[256];
	char server[272];	 /* DHCP server id; DHCPv6: its DUID in hex */
	char boot_file[256];
	char client_id[160];	 /* hex */
	uint32_t lease_s;	 /* 0: none */
	uint64_t obtained, expires; /* CLOCK_BOOTTIME ns; NSEC_NEVER: no end */
	char parent[16];	 /* of a partition's interface */
	uint16_t pkey;		 /* IPoIB's partition; 0: no IPoIB */
	char mode[16];		 /* IPoIB: "datagram", "connected" */
	char rdma_device[64];
	unsigned rdma_port;
	char link_layer[16], port_state[16];
	char guid[24];
	char rate[48];
	uint32_t lid, sm_lid;
	char sm_guid[24];
	char neighbour[65], neighbour_guid[24]; /* the cable's other end; "" when not known */
	unsigned neighbour_port;
	bool carries_root;
};

/* A bar of the phase table. */
struct state_phase {
	const char *name;
	uint64_t begin, end;
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
	uint64_t cpu;	     /* CPU time of the agent's process alone, without its helpers, in ns */
	struct loop_wakes wakes; /* of the agent's loop */
	unsigned restarts;
	const struct root_result *root; /* NULL: no NFS root mounted */
	const struct web_result *web;
	const struct block_result *block;	/* NULL: no image mounted */
	const struct web_progress *fetch; /* NULL: no image on its way */
	const struct state_rail *rails;
	size_t n_rails;
	const struct module_entry *modules;
	size_t n_modules;
	const struct state_phase *phases;
	size_t n_phases;
	const struct report *report;
};

/* state_write: writes state.json, env and log, each atomically (temporary file and rename). 0 or -errno. */
int state_write(const struct env *env, const struct state_input *in);

/* state_json: the text of state.json; the caller frees it. NULL when out of memory. */
char *state_json(const struct state_input *in);

/*
 * state_value_ok: is value fit for the env file? Letters, digits and "._:/@%+,=[]-", so that no shell that
 * sources the file by mistake can be led astray.
 */
bool state_value_ok(const char *value);
