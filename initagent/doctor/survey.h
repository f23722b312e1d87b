/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * survey: one look at all RDMA ports of this node: what sysfs shows and, with ask, what the fabric
 * answers within a few seconds. Changes nothing: no netdev is touched, no description written.
 */
#pragma once

#include "fabric/fabric.h"

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
