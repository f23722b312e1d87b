/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dhcpserver: a DHCP server for tests in the namespace of another process, which answers as the
 * test wants: right, late, never, or with rubbish. It runs as a child and dies with the test.
 */
#pragma once

#include <sys/types.h>

#include "dhcpmsg.h"

/*
 * A behaviour: fills m with the answer to a request (from the IP header on) and returns how many
 * times to send it; 0: no answer. n counts the requests from 1; type is the request's message type.
 */
typedef int (*dhcpserver_fn)(
	struct msg *m, const uint8_t *request, size_t len, unsigned type, unsigned n);

/* dhcpserver_start: serves on interface ifname in the namespace of pid. The server's pid. */
pid_t dhcpserver_start(pid_t pid, const char *ifname, dhcpserver_fn fn);

/* Behaviours. The lease is 10.0.0.5/24 from 10.0.0.1, 3600 s. */
int dhcpserver_plain(struct msg *m, const uint8_t *request, size_t len, unsigned type, unsigned n);
/* dhcpserver_rich: with routes (one of them out of reach), MTU 1400, DNS, names and root path. */
int dhcpserver_rich(struct msg *m, const uint8_t *request, size_t len, unsigned type, unsigned n);
/* dhcpserver_begin: msg_begin() with what a server copies from the request. */
void dhcpserver_begin(struct msg *m, const uint8_t *request, uint8_t type, uint32_t yiaddr);

/* dhcpserver_answer: the plain answer to this request without end option, to be added to. False:
 * none. */
int dhcpserver_answer(struct msg *m, const uint8_t *request, unsigned type);
