/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hex: octets as text. Owns nothing.
 * In: octets and the separator, or a digit. Out: lower-case text in the caller's buffer; a digit's
 * value.
 * Callers: address/, handover/, root/image/, root/nfs/, state/, ipxe-scripts/site/.
 * Tests: handover/test_profile.c, address/test_client_id.c.
 */
#pragma once

#include "util.h"

/*
 * hex_text: "0a1b...", with between (":") between two octets, into buf[size]; n * (2 + its length)
 * + 1 is always enough. Returns buf, "" when it does not fit: a part of an address or identifier is
 * another one.
 */
const char *hex_text(char *buf, size_t size, const uint8_t *bytes, size_t n, const char *between);

/* hex_digit: 0 to 15 of 0-9 and a-f; -1: no such digit. */
static inline int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}
