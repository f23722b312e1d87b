/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sums: a SHA256SUMS file, as sha256sum(1) writes it: "HEX  NAME" or "HEX *NAME", one a line. */
#pragma once

#include "base/sha256.h"

/* sums_find: the digest of the file of that name. False: no line has it, or more than one. */
bool sums_find(const char *text, size_t len, const char *name, uint8_t ret[static SHA256_SIZE]);
