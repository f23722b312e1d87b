/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dhcp6msg: builds DHCPv6 answers byte by byte, right ones and wrong ones, and takes requests
 * apart. */
#pragma once

#include <netinet/in.h>

#include "base/util.h"

struct msg6 {
	uint8_t bytes[2048];
	size_t len;
	size_t open[4]; /* where the length fields of the options under way are */
	size_t depth;
};

void msg6_begin(struct msg6 *m, uint8_t type, uint32_t xid);
void msg6_bytes(struct msg6 *m, const void *bytes, size_t len);
void msg6_u16(struct msg6 *m, unsigned value);
void msg6_u32(struct msg6 *m, uint32_t value);
/* msg6_addr: an address from its text. */
void msg6_addr(struct msg6 *m, const char *text);
void msg6_option(struct msg6 *m, unsigned code, const void *value, size_t len);
/* msg6_open, msg6_close: an option with others inside, up to four deep. */
void msg6_open(struct msg6 *m, unsigned code);
void msg6_close(struct msg6 *m);
/* msg6_ia: an IA_NA with one address; its times as given. */
void msg6_ia(struct msg6 *m, uint32_t iaid, const char *addr, uint32_t preferred, uint32_t valid);

/* msg6_find: the value of an option from the first one at options on; NULL when absent. */
const uint8_t *msg6_find(const uint8_t *options, size_t len, unsigned code, size_t *ret_len);
