/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sums: a SHA256SUMS or .sha256 file, as sha256sum(1) writes it: lines "HEX  NAME", "HEX *NAME". */
#pragma once

#include "base/sha256.h"

/* sums_find: the digest of the file of that name. False: no line has it, or more than one. */
bool sums_find(const char *text, size_t len, const char *name, uint8_t ret[static SHA256_SIZE]);
