/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nd_option: the options of a router advertisement that the kernel leaves to user space: DNS
 * servers and search domains (RFC 8106). They come in RTM_NEWNDUSEROPT messages; their content is
 * as the router sent it, so the parser process reads it. Pure.
 */
#pragma once

#include <netinet/in.h>

#include "base/net_limits.h"
#include "base/cursor.h"

/* More than any router announces; a withdrawal must find its servers behind others. */
#define ND_SERVERS_MAX 16

/* One option: the kernel sends a message for each. */
struct nd_options {
	/* something was cut or of a wrong size: only the domains before it are there */
	uint32_t malformed;
	uint32_t lifetime_s; /* 0: not to be used any more; UINT32_MAX: no end */
	uint8_t router[16];  /* who sent it */
	uint32_t n_dns;
	struct in6_addr dns[ND_SERVERS_MAX];
	char search[ADDRESS_SEARCH_MAX + 1]; /* domains, separated by one space */
};

/*
 * nd_options_parse: fills ret from the payload of a message, that is from its struct nduseroptmsg
 * on. The work is bounded by len. Addresses that no host can have and domains that are not host
 * names are left out.
 */
void nd_options_parse(struct nd_options *ret, const void *payload, size_t len);

/* nd_options_sane: can nd_options_parse() have made this? */
bool nd_options_sane(const struct nd_options *o);

/*
 * names_take: domain names in DNS wire form, one behind the other, as words of dst (see
 * TEXT_SEARCH); also for DHCPv6's option 24. False when one is malformed: those before it are kept.
 */
bool names_take(char dst[static ADDRESS_SEARCH_MAX + 1], struct cursor c);
