// SPDX-License-Identifier: GPL-2.0-or-later

#include "base/wire.h"

#include <netinet/ip.h>
#include <netinet/udp.h>

#define IP_MIN	    20
#define UDP_MIN	    8
#define TTL	    64
#define MORE_FRAGMENTS_OR_OFFSET 0x3fff /* of the flags and fragment offset word */

static const char *const words[WIRE_DEFECT_MAX] = {
	[WIRE_GOOD] = "good",
	[WIRE_SHORT] = "packet shorter than its headers say",
	[WIRE_NOT_IPV4] = "not IPv4",
	[WIRE_HEADER_SIZE] = "IP header length or UDP length below its minimum",
	[WIRE_FRAGMENT] = "fragment",
	[WIRE_NOT_OURS] = "not UDP to port 68",
	[WIRE_CHECKSUM] = "wrong checksum",
};

const char *wire_defect_words(enum wire_defect d)
{
	return (unsigned)d < WIRE_DEFECT_MAX ? words[d] : "unknown defect";
}

/* One's complement sum of 16-bit words (RFC 1071); an odd last byte counts as the high one. */
static uint32_t sum(uint32_t start, const uint8_t *data, size_t len)
{
	for (size_t i = 0; i + 1 < len; i += 2)
		start += (uint32_t)(data[i] << 8 | data[i + 1]);
	return len % 2 ? start + (uint32_t)(data[len - 1] << 8) : start;
}

/* The carries back into 16 bits; all ones means that data and checksum agree. */
static uint16_t fold(uint32_t s)
{
	while (s >> 16)
		s = (s & 0xffff) + (s >> 16);
	return (uint16_t)s;
}

/* Sum over the UDP pseudo header and the datagram (at most 64 KiB: no overflow of 32 bits). */
static uint32_t udp_sum(const uint8_t *addresses, const uint8_t *udp, size_t len)
{
	return sum(sum(IPPROTO_UDP + (uint32_t)len, addresses, 8), udp, len);
}

/* Lengths are compared with what is there and with their own minimum, in both directions. */
static enum wire_defect open_ip(struct cursor *c, const uint8_t **ret_ip)
{
	const uint8_t *ip = c->at;
	size_t header, total;

	if (c->left < IP_MIN)
		return WIRE_SHORT;
	if (ip[0] >> 4 != 4)
		return WIRE_NOT_IPV4;
	header = (size_t)(ip[0] & 15) * 4;
	total = (size_t)(ip[2] << 8 | ip[3]);
	if (header < IP_MIN)
		return WIRE_HEADER_SIZE;
	if (header > c->left || total > c->left || total < header)
		return WIRE_SHORT;
	if ((ip[6] << 8 | ip[7]) & MORE_FRAGMENTS_OR_OFFSET)
		return WIRE_FRAGMENT;
	if (ip[9] != IPPROTO_UDP)
		return WIRE_NOT_OURS;
	if (fold(sum(0, ip, header)) != 0xffff)
		return WIRE_CHECKSUM;
	/* Ethernet pads short frames: what follows the total length is not part of the packet. */
	*c = cursor_make(ip + header, total - header);
	*ret_ip = ip;
	return WIRE_GOOD;
}

/* The UDP length may be less than what IP carries, never more and never below its own header. */
enum wire_defect wire_open(const void *packet, size_t len, bool verify, struct cursor *ret,
	struct in_addr *ret_source)
{
	struct cursor c = cursor_make(packet, len);
	const uint8_t *ip, *udp;
	size_t udp_len;
	enum wire_defect d = open_ip(&c, &ip);

	if (d != WIRE_GOOD)
		return d;
	udp = c.at;
	if (c.left < UDP_MIN)
		return WIRE_SHORT;
	udp_len = (size_t)(udp[4] << 8 | udp[5]);
	if (udp_len < UDP_MIN)
		return WIRE_HEADER_SIZE;
	if (udp_len > c.left)
		return WIRE_SHORT;
	if ((udp[2] << 8 | udp[3]) != WIRE_CLIENT_PORT)
		return WIRE_NOT_OURS;
	/* A checksum of zero means "none" (RFC 768). */
	if (verify && (udp[6] || udp[7]) && fold(udp_sum(ip + 12, udp, udp_len)) != 0xffff)
		return WIRE_CHECKSUM;
	memcpy(ret_source, ip + 12, 4);
	*ret = cursor_make(udp + UDP_MIN, udp_len - UDP_MIN);
	return WIRE_GOOD;
}

/* No options, no fragments, identification 0: one packet, whole (RFC 6864). */
void wire_wrap(uint8_t *packet, size_t len, struct in_addr source, struct in_addr dest)
{
	uint8_t *udp = packet + IP_MIN;
	uint16_t check;

	memset(packet, 0, WIRE_HEADERS);
	packet[0] = 0x45; /* version 4, header of 5 words */
	put_be(packet + 2, (uint32_t)len, 2);
	packet[8] = TTL;
	packet[9] = IPPROTO_UDP;
	memcpy(packet + 12, &source, 4);
	memcpy(packet + 16, &dest, 4);
	put_be(packet + 10, (uint16_t)~fold(sum(0, packet, IP_MIN)), 2);
	put_be(udp, WIRE_CLIENT_PORT, 2);
	put_be(udp + 2, WIRE_SERVER_PORT, 2);
	put_be(udp + 4, (uint32_t)len - IP_MIN, 2);
	check = (uint16_t)~fold(udp_sum(packet + 12, udp, len - IP_MIN));
	put_be(udp + 6, check ? check : 0xffff, 2);
}
