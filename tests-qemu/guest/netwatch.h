/* SPDX-License-Identifier: GPL-2.0-or-later */
/* netwatch: every change of links, IPv4 addresses, routes and RDMA ports, as lines in a file and as
 * counts. */
#pragma once

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define NETWATCH_LINKS 16
#define NETWATCH_PORTS 4

struct netwatch {
	FILE *events; /* one line each: seconds since boot and what; the caller's */
	int fd;
	int leases; /* what NetworkManager writes */
	bool first; /* still reading what there was at the beginning */
	struct netwatch_link {
		int index;
		unsigned flags;
		char name[IF_NAMESIZE];
	} links[NETWATCH_LINKS];
	struct netwatch_port {
		char path[320];
		char state[32];
	} ports[NETWATCH_PORTS];
	size_t n_ports;
	uint64_t ports_due; /* when they are looked at again */
	unsigned link_down, carrier_lost, link_gone, renamed, address_gone, route_gone,
		port_changes;
	_Atomic unsigned carriers;   /* carriers lost and found */
	_Atomic uint64_t carrier_ns; /* when the last one was, CLOCK_BOOTTIME */
	unsigned overruns;  /* the kernel dropped events: nothing is proven */
	unsigned refreshed; /* times the address or the lease of a server's answer was written */
	uint64_t first_answered, answered; /* the first and last time; 0: not yet */
	uint64_t unanswered;		   /* longest time between two */
};

/* netwatch_open: subscribes, and reads what there is. 0 or -errno. */
int netwatch_open(struct netwatch *w, FILE *events);

/* netwatch_dispatch: takes what the kernel reported; reads the ports, whose changes it does not. */
void netwatch_dispatch(struct netwatch *w);
