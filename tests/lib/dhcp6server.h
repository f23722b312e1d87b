/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dhcp6server: a DHCPv6 server for tests in the namespace of another process, as dhcpserver.h has
 * one of DHCP. */
#pragma once

#include <sys/types.h>

#include "dhcp6msg.h"

/* A behaviour: fills m with the answer to a request; how many times to send it. n counts the
 * requests from 1. */
typedef int (*dhcp6server_fn)(
	struct msg6 *m, const uint8_t *request, size_t len, unsigned type, unsigned n);

/* dhcp6server_start: serves on interface ifname in the namespace of pid. The server's pid. */
pid_t dhcp6server_start(pid_t pid, const char *ifname, dhcp6server_fn fn);

/* dhcp6server_begin: the answer to a request, ADVERTISE or REPLY, with both identifiers. */
void dhcp6server_begin(struct msg6 *m, const uint8_t *request, size_t len);

/* dhcp6server_lease: the same with an address for the client's IAID; T1 and T2 are the client's to
 * choose. */
void dhcp6server_lease(
	struct msg6 *m, const uint8_t *request, size_t len, const char *addr, uint32_t valid);
