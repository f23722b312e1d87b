/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * name: compressed domain names (RFC 1035 section 4.1.4), as in DNS messages and DHCP option 119.
 * Pure.
 * In: an untrusted message, where the name begins. Out: the name as text, where it ends; or
 * malformed.
 * Callers: address/. Tests: test_dns.c, fuzz_dns.c, address/test_dhcp_option.c.
 */
#pragma once

#include "base/cursor.h"
#include "base/net_limits.h"

/*
 * What a name reads as when a label of it has an octet that host names have not: NUL, a dot, a
 * blank. Labels may hold any octet (RFC 2181 section 11), so that as text such a name could look
 * like another one. It equals no name, and is no domain (TEXT_DOMAIN).
 */
#define NAME_UNUSABLE "?"

/*
 * name_read: reads the name that begins at *pos of message into text (lower case, dots between
 * labels, "" for the root) and moves *pos behind it. A pointer must lead to before where the name,
 * or the part reached by the last pointer, began: it cannot loop. false when malformed or longer
 * than 253.
 */
bool name_read(const uint8_t *message, size_t size, size_t *pos,
	char text[static ADDRESS_DOMAIN_MAX + 1]);

/* name_read_plain: the same without pointers (RFC 8106 section 5.2, RFC 8415 section 10). */
bool name_read_plain(const uint8_t *message, size_t size, size_t *pos,
	char text[static ADDRESS_DOMAIN_MAX + 1]);

/*
 * name_append: a domain of len bytes as a further word of a search list; one that has no room there
 * is left out. What is behind the list's end in dst stays.
 */
void name_append(char dst[static ADDRESS_SEARCH_MAX + 1], const char *name, size_t len);
