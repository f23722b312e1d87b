/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * net_limits: how many of each kind of network value are kept, and the sizes of fixed fields. Owns
 * nothing.
 * In: limits of the RFCs and of Linux. Out: constants for structs that go from folder to folder.
 * Callers: address/, handover/, resolver/. Tests: address/test_result.c,
 * address/test_dhcp_option.c.
 */
#pragma once

#define ADDRESS_HOSTNAME_MAX 64	 /* HOST_NAME_MAX of Linux */
#define ADDRESS_DOMAIN_MAX   253 /* RFC 1035 section 2.3.4, as text */
#define ADDRESS_PATH_MAX     255 /* an option's length octet */
#define ADDRESS_SEARCH_MAX   511
#define ADDRESS_LIST_MAX     4	 /* DNS and NTP servers kept */
#define ADDRESS_RESOLVED_MAX 8	 /* addresses kept of a name that was looked up */
#define ADDRESS_ROUTES_MAX   16
#define ADDRESS_CLIENT_ID_MAX 64
#define ADDRESS_SERVERS_MAX  64	 /* allowed DHCP servers: PLAN_DHCP_SERVERS_MAX */
/* interfaces at one time: an adapter with all its virtual functions */
#define ADDRESS_IFACES_MAX   128
#define ADDRESS_DUID_MAX     130	/* RFC 8415 section 11.1 */
