/* SPDX-License-Identifier: GPL-2.0-or-later */
/* links: what the files about vlan=, bond=, bridge= and team= share. */
#pragma once

#include "parser.h"

/* An option of a link while it is read. */
struct link_parse {
	struct parser *p;
	struct plan_word *w;
	struct plan_link link;
};

/* link_fail: says why the option is left out, with its grammar as the remedy. Returns false. */
bool link_fail(struct link_parse *x, struct slice at, const char *why);

/*
 * vlan_is_octal: does the name of a VLAN end with a number that is another one, or none, for
 * programs that read a leading zero as octal? vlan0010, eth0.0008; not vlan0005.
 */
bool vlan_is_octal(struct slice name);

bool link_has_lower(const struct plan_link *link, const char *name);

/*
 * link_bond_options: OPTION=VALUE,... of a bond into x->link, of which name and lower are set. What
 * the kernel would refuse is left out, and said. False: no bond can be made.
 */
bool link_bond_options(struct link_parse *x, struct slice text);

/* link_twin: an earlier VLAN of the same number on the same interface; NULL: none. */
const struct plan_link *link_twin(const struct parser *p, const struct plan_link *link);

/*
 * link_part_of: the bond or bridge that has this interface as a part, of several the first; NULL:
 * none. other: the one that is asked for, which shows only those before it; NULL: none is.
 */
const struct plan_link *link_part_of(const struct parser *p, const char *name,
	const struct plan_link *other);
