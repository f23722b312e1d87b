/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import: what a provisioner lists of its nodes, as a site file. In: the list's bytes. Out: the
 * site file, and a report of what of the list is not in it. What the list does not tell is written
 * as a word in <>, which site_read() or site_check() refuses. Callers: ipxe-scripts/
 * (initagent-site.c). Tests: test_import.c, fuzz_import.c, fuzz_stanza.c, tests/site.bats.
 */
#pragma once

#include "site/faults.h"
#include "site/text.h"

/*
 * import_run: text[0..len) of "warewulf" or "xcat" to out; nothing is written when the report has
 * an error. False: no such provisioner.
 */
bool import_run(const char *provisioner, const char *text, size_t len, struct faults *report,
	struct text *out);
