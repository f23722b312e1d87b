/* SPDX-License-Identifier: GPL-2.0-or-later */
/* managers: which network manager will run in the real root, from its files (not run). */
#pragma once

#include "state/state.h" /* struct managers */

/*
 * managers_find: looks at the real root at sysroot. If several are enabled, the first of
 * NetworkManager, networkd, ifupdown, ifcfg is chosen: NetworkManager takes every interface that is
 * not kept from it, networkd those with a file of its own, ifupdown those that are written down. If
 * none is enabled, all that are installed are: a file for one that does not run does no harm.
 */
void managers_find(const char *sysroot, struct managers *ret);

/* managers_masked: has the administrator forbidden that anything starts the manager (one bit)? */
bool managers_masked(const char *sysroot, unsigned bit);

/* managers_text: "networkd, ifupdown", "none" into buf. Returns buf. */
const char *managers_text(unsigned bits, char *buf, size_t size);

/* preset_verdict: of the first line about the unit: 1 enable, 0 disable, -1 none. Changes text. */
int preset_verdict(char *text, const char *unit);
