/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dhcp6_option: the option codes of DHCPv6 that we know (IANA, "Dynamic Host Configuration Protocol for IPv6"). */
#pragma once

enum dhcp6_option {
	OPTION6_CLIENT_ID = 1,
	OPTION6_SERVER_ID = 2,
	OPTION6_IA_NA = 3,
	OPTION6_IAADDR = 5,
	OPTION6_ORO = 6,
	OPTION6_PREFERENCE = 7,
	OPTION6_ELAPSED = 8,
	OPTION6_STATUS = 13,
	OPTION6_RAPID = 14,
	OPTION6_DNS = 23,	/* RFC 3646 */
	OPTION6_SEARCH = 24,	/* RFC 3646 */
	OPTION6_SNTP = 31,	/* RFC 4075 */
	OPTION6_FQDN = 39,	/* RFC 4704 */
	OPTION6_NTP = 56,	/* RFC 5908 */
	OPTION6_BOOT_FILE = 59, /* RFC 5970 */
	OPTION6_SOL_MAX_RT = 82,
};
