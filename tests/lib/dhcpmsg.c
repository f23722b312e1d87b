// SPDX-License-Identifier: GPL-2.0-or-later
/* dhcpmsg: see dhcpmsg.h. Not the product's encoder, so that a shared mistake shows. */
#include "dhcpmsg.h"

static void put16(uint8_t *at, size_t v)
{
	at[0] = (uint8_t)(v >> 8);
	at[1] = (uint8_t)v;
}

static void put32(uint8_t *at, uint32_t v)
{
	put16(at, v >> 16);
	put16(at + 2, v & 0xffff);
}

uint32_t msg_be32(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

void msg_begin(struct msg *m, uint8_t type, uint32_t xid, uint32_t yiaddr)
{
	uint8_t *d = m->bytes + MSG_HEADERS;

	memset(m, 0, sizeof(*m));
	d[0] = 2;
	d[1] = 1;
	d[2] = 6;
	put32(d + 4, xid);
	put32(d + 16, yiaddr);
	put32(d + 236, 0x63825363);
	m->len = MSG_OPTIONS;
	if (type)
		msg_option(m, 53, &type, 1);
}

void msg_option(struct msg *m, uint8_t code, const void *value, size_t len)
{
	m->bytes[m->len++] = code;
	m->bytes[m->len++] = (uint8_t)len;
	memcpy(m->bytes + m->len, value, len);
	m->len += len;
}

void msg_text(struct msg *m, uint8_t code, const char *text)
{
	msg_option(m, code, text, strlen(text));
}

void msg_u32(struct msg *m, uint8_t code, uint32_t value)
{
	uint8_t b[4];

	put32(b, value);
	msg_option(m, code, b, 4);
}

static uint32_t add16(uint32_t s, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		s += i % 2 ? p[i] : (uint32_t)p[i] << 8;
	return s;
}

static uint16_t finish16(uint32_t s)
{
	while (s > 0xffff)
		s = (s & 0xffff) + (s >> 16);
	return (uint16_t)~s;
}

void msg_wrap(struct msg *m)
{
	uint8_t *ip = m->bytes, *udp = ip + 20;
	size_t udp_len = m->len - 20;

	memset(ip, 0, MSG_HEADERS);
	ip[0] = 0x45;
	put16(ip + 2, m->len);
	ip[8] = 64;
	ip[9] = 17;
	put32(ip + 12, 0x0a000001);
	put32(ip + 16, 0xffffffff);
	put16(ip + 10, finish16(add16(0, ip, 20)));
	put16(udp, 67);
	put16(udp + 2, 68);
	put16(udp + 4, udp_len);
	put16(udp + 6, finish16(add16(add16(17 + (uint32_t)udp_len, ip + 12, 8), udp, udp_len)));
}

void msg_end(struct msg *m)
{
	m->bytes[m->len++] = 255;
	msg_wrap(m);
}

void msg_offer(struct msg *m, uint8_t type, uint32_t xid, uint32_t yiaddr, uint32_t server)
{
	msg_begin(m, type, xid, yiaddr);
	msg_u32(m, 54, server);
	msg_u32(m, 51, 3600);
	msg_u32(m, 1, 0xffffff00);
	msg_u32(m, 3, server);
	msg_end(m);
}

const uint8_t *msg_find(const uint8_t *packet, size_t len, uint8_t code, size_t *ret_len)
{
	size_t at = MSG_OPTIONS;

	while (at + 1 < len && packet[at] != 255) {
		if (packet[at] == 0) {
			at++;
			continue;
		}
		if (packet[at] == code) {
			*ret_len = packet[at + 1];
			return packet + at + 2;
		}
		at += 2u + packet[at + 1];
	}
	return NULL;
}

uint32_t msg_find_u32(const uint8_t *packet, size_t len, uint8_t code)
{
	size_t n;
	const uint8_t *v = msg_find(packet, len, code, &n);

	return v && n == 4 ? msg_be32(v) : 0;
}
