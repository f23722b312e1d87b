/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host: may a host have this IPv6 address? For IPv4: address_is_host(). */
#pragma once

#include <netinet/in.h>

#include "base/util.h"

/*
 * inet6_is_host: not the unspecified, the loopback and the multicast ones (RFC 4291 sections 2.5.2, 2.5.3, 2.7), nor
 * IPv4 addresses in the form of IPv6 ones (2.5.5), which no interface has.
 */
static inline bool inet6_is_host(const struct in6_addr *a)
{
	return !IN6_IS_ADDR_UNSPECIFIED(a) && !IN6_IS_ADDR_LOOPBACK(a) && !IN6_IS_ADDR_MULTICAST(a) &&
		!IN6_IS_ADDR_V4MAPPED(a) && !IN6_IS_ADDR_V4COMPAT(a);
}
