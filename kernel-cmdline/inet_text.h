/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inet_text: which characters a string from the network may hold, per field. Pure.
 * In: untrusted bytes, the kind of field. Out: the string, if all of it is valid.
 * Callers: address/, handover/, resolver/. Tests: address/test_dhcp_option.c,
 * address/fuzz_dhcp_option.c.
 *
 * A string with any other byte is dropped as a whole: nothing is escaped or repaired, so that no
 * later reader, shell or not, can be led astray by it.
 */
#pragma once

#include "base/util.h"

enum text_kind {
	TEXT_HOSTNAME, /* letters, digits, "-._"; labels of 1-63 not beginning with -; at most 64 */
	TEXT_DOMAIN,   /* the same; at most 253 */
	TEXT_SEARCH,   /* domains separated by one space; at most 511 */
	TEXT_PATH,     /* a path or URL: letters, digits and "/._-:,=@%+[]"; at most 255 */
	/* a TEXT_PATH, or an http or https URL (RFC 3986), perhaps behind "live:"; at most 255 */
	TEXT_BOOT,
	TEXT_KIND_MAX,
};

/* text_valid: may s (terminated) stand in a field of that kind? The empty string may not. */
bool text_valid(enum text_kind kind, const char *s);

/*
 * text_take: copies len untrusted bytes to dst[size] if they are valid, otherwise dst becomes ""
 * and the result is false. Trailing NULs (and one trailing dot of a domain) are left out first.
 */
bool text_take(enum text_kind kind, char *dst, size_t size, const uint8_t *bytes, size_t len);

/* text_sane: is s terminated within its size bytes, and empty or valid? */
bool text_sane(enum text_kind kind, const char *s, size_t size);
