/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check: the parts of site_check(). Internal. */
#pragma once

#include "site/site.h"

/* check_references: fills in every reference (refer.c). The others need it done. */
void check_references(struct site *s, struct faults *report);

/* check_networks: subnets, pools, servers (check_nets.c). */
void check_networks(const struct site *s, struct faults *report);

/* check_nodes: identities and addresses; sets the ports' networks (check_nodes.c). */
void check_nodes(struct site *s, struct faults *report);

/* check_lines: what the agent thinks of each command line, and whether the node can do it (check_lines.c). */
void check_lines(const struct site *s, struct faults *report);

/* check_files: images, loaders, files (check_files.c). */
void check_files(struct site *s, struct faults *report, unsigned int flags);

/* addr_text: dotted decimal, in a buffer of its own for each of four calls in a row. */
const char *addr_text(uint32_t addr);
