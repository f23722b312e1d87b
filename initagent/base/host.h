/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host: may a host have this address? Pure.
 * In: an IPv4 or IPv6 address in network order, a prefix length. Out: yes or no, by the RFCs named
 * below.
 * Callers: address/, resolver/, kernel-cmdline/. Tests: address/test_dhcp_option.c,
 * address/test_dhcp_parse.c.
 */
#pragma once

#include <netinet/in.h>

#include "base/util.h"

/*
 * inet6_is_host: not the unspecified, the loopback and the multicast ones (RFC 4291 sections 2.5.2,
 * 2.5.3, 2.7), nor IPv4 addresses in the form of IPv6 ones (2.5.5), which no interface has.
 */
static inline bool inet6_is_host(const struct in6_addr *a)
{
	return !IN6_IS_ADDR_UNSPECIFIED(a) && !IN6_IS_ADDR_LOOPBACK(a) &&
	       !IN6_IS_ADDR_MULTICAST(a) && !IN6_IS_ADDR_V4MAPPED(a) && !IN6_IS_ADDR_V4COMPAT(a);
}

/* inet4_is_host: not 0/8, 127/8, multicast, reserved or the broadcast address. */
static inline bool inet4_is_host(struct in_addr a)
{
	uint32_t h = ntohl(a.s_addr);

	return h >> 24 != 0 && h >> 24 != 127 && h < 0xe0000000;
}

/* inet4_class_prefix: of a network of the address's class (RFC 950), where none is told. */
static inline uint8_t inet4_class_prefix(struct in_addr a)
{
	uint32_t h = ntohl(a.s_addr);

	return h < 0x80000000 ? 8 : h < 0xc0000000 ? 16 : 24;
}

/*
 * inet4_is_host_of: in a subnet of that prefix length, neither the subnet's own number nor its
 * broadcast address, which /31 (RFC 3021) and /32 do not have.
 */
static inline bool inet4_is_host_of(struct in_addr a, unsigned prefix)
{
	uint32_t ones = prefix ? UINT32_MAX >> (prefix < 32 ? prefix : 31) : UINT32_MAX;
	uint32_t host = ntohl(a.s_addr) & ones;

	return inet4_is_host(a) && (prefix >= 31 || (host && host != ones));
}
