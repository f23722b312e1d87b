/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sums: checks files against a list that cksum(1) wrote on another machine. */
#pragma once

struct sums {
	unsigned good, bad;
};

/*
 * sums_check: list holds lines of checksum, size and absolute path. A file that is missing, a
 * malformed line or a wrong sum counts as bad; a list that cannot be read gives 0 and 0.
 */
void sums_check(const char *list, struct sums *ret);
