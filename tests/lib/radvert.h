/* SPDX-License-Identifier: GPL-2.0-or-later */
/* radvert: router advertisements (RFC 4861 section 4.2, RFC 8106), right ones and wrong ones, sent
 * from another namespace. */
#pragma once

#include <sys/types.h>

#include "base/util.h"

struct radvert {
	char from[64];
	uint8_t bytes[1400];
	size_t len;
};

/* radvert_begin: from is a link-local address; managed and other flags as in the message;
 * lifetime_s of the router. */
void radvert_begin(struct radvert *m, const char *from, uint8_t flags, uint16_t lifetime_s);
/* radvert_prefix: a /64 on the link, of which hosts make addresses. */
void radvert_prefix(struct radvert *m, const char *prefix, uint32_t valid_s, uint32_t preferred_s);
/* radvert_servers: RDNSS, addresses separated by spaces. radvert_domains: DNSSL, likewise. */
void radvert_servers(struct radvert *m, uint32_t lifetime_s, const char *addresses);
void radvert_domains(struct radvert *m, uint32_t lifetime_s, const char *domains);
/* radvert_option: the bytes of one, type and length included. */
void radvert_option(struct radvert *m, const void *bytes, size_t len);

/* radvert_send: times times over ifname in the namespace of pid, which must have the address it
 * comes from. */
void radvert_send(pid_t pid, const char *ifname, const struct radvert *m, unsigned times);

/* radvert_serve: sends it once for each solicitation, from a process that dies with the test. */
void radvert_serve(pid_t pid, const char *ifname, const struct radvert *m);
