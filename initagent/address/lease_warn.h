/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lease_warn: what a DHCPv4 lease says and the interface does not get, or gets although it does not say it. */
#pragma once

#include "address/dhcp_reply.h"
#include "report/report.h"

/* A lease below this, in seconds, is named: the RFC's pause between two renewals (RFC 2131 section 4.4.5). */
#define LEASE_SHORT_S 60

/*
 * lease_warn: one line each for invalid fields, ignored routes and routers, values the server left out, and a lease
 * of seconds. Once a lease: the admin of the server can correct it. r may be NULL.
 */
void lease_warn(struct report *r, const char *ifname, const struct dhcp_reply *ack, uint64_t now);
