// SPDX-License-Identifier: GPL-2.0-or-later
/* dhcp6msg: see dhcp6msg.h. */
#include "dhcp6msg.h"

#include <arpa/inet.h>

#include "check.h"

void msg6_bytes(struct msg6 *m, const void *bytes, size_t len)
{
	CHECK(len <= sizeof(m->bytes) - m->len);
	memcpy(m->bytes + m->len, bytes, len);
	m->len += len;
}

void msg6_u16(struct msg6 *m, unsigned value)
{
	const uint8_t b[2] = {(uint8_t)(value >> 8), (uint8_t)value};

	msg6_bytes(m, b, sizeof(b));
}

void msg6_u32(struct msg6 *m, uint32_t value)
{
	msg6_u16(m, value >> 16);
	msg6_u16(m, value & 0xffff);
}

void msg6_addr(struct msg6 *m, const char *text)
{
	struct in6_addr a;

	CHECK_INT(inet_pton(AF_INET6, text, &a), 1);
	msg6_bytes(m, &a, sizeof(a));
}

void msg6_begin(struct msg6 *m, uint8_t type, uint32_t xid)
{
	m->len = m->depth = 0;
	msg6_u32(m, (uint32_t)type << 24 | xid);
}

void msg6_option(struct msg6 *m, unsigned code, const void *value, size_t len)
{
	msg6_u16(m, code);
	msg6_u16(m, (unsigned)len);
	msg6_bytes(m, value, len);
}

void msg6_open(struct msg6 *m, unsigned code)
{
	CHECK(m->depth < ARRAY_SIZE(m->open));
	msg6_u16(m, code);
	m->open[m->depth++] = m->len;
	msg6_u16(m, 0);
}

void msg6_close(struct msg6 *m)
{
	size_t at = m->open[--m->depth], len = m->len - at - 2;

	m->bytes[at] = (uint8_t)(len >> 8);
	m->bytes[at + 1] = (uint8_t)len;
}

void msg6_ia(struct msg6 *m, uint32_t iaid, const char *addr, uint32_t preferred, uint32_t valid)
{
	msg6_open(m, 3);
	msg6_u32(m, iaid);
	msg6_u32(m, 0);
	msg6_u32(m, 0);
	msg6_open(m, 5);
	msg6_addr(m, addr);
	msg6_u32(m, preferred);
	msg6_u32(m, valid);
	msg6_close(m);
	msg6_close(m);
}

const uint8_t *msg6_find(const uint8_t *options, size_t len, unsigned code, size_t *ret_len)
{
	for (size_t at = 0; at + 4 <= len;) {
		unsigned here = (unsigned)(options[at] << 8 | options[at + 1]);
		size_t size = (size_t)(options[at + 2] << 8 | options[at + 3]);

		CHECK(size <= len - at - 4);
		if (here == code) {
			*ret_len = size;
			return options + at + 4;
		}
		at += 4 + size;
	}
	return NULL;
}
