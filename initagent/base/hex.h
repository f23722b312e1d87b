/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hex: octets as text. */
#pragma once

#include "util.h"

/*
 * hex_text: "0a1b...", with between (":") between two octets, into buf[size]; n * (2 + its length) + 1 is always enough.
 * Returns buf, "" when it does not fit: a part of an address or identifier is another one.
 */
const char *hex_text(char *buf, size_t size, const uint8_t *bytes, size_t n, const char *between);
