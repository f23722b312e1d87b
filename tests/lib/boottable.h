/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * boottable: boot tables as firmware leaves them, field by field after the specifications (NVM
 * Express Boot Specification 1.0 section 3; iSCSI Boot Firmware Table 1.03): for unit tests and,
 * by tests-qemu/host/boottable.c, for VMs. Texts that are NULL stay empty.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define BOOTTABLE_MAX	8192
#define BOOTTABLE_PARTS 4

struct boottable_iface {
	const char *mac; /* NULL: the list ends here */
	unsigned int vlan;
	const char *addr;
	unsigned int prefix;
	const char *gateway, *dns, *dns2;
	const char *dhcp; /* the server's address; NULL: not by DHCP */
	const char *hostname;
	unsigned int invalid; /* not 0: its flags say so */
};

struct boottable_namespace {
	const char *addr; /* NULL: the list ends here */
	const char *port, *nqn;
	unsigned int nsid;
	const char *uuid;   /* 32 hex digits */
	unsigned int iface; /* index of its interface, from 1 */
	unsigned int flags; /* beside "valid" */
	unsigned int digests; /* 2: headers, 4: data */
};

struct boottable {
	const char *hostnqn;
	const char *hostid; /* 32 hex digits */
	unsigned int primary; /* 1: not, 2: this table's host counts */
	struct boottable_iface ifaces[BOOTTABLE_PARTS];
	struct boottable_namespace namespaces[BOOTTABLE_PARTS];
};

/* boottable_nbft, boottable_ibft: the table into out, its length. An iBFT has interfaces alone. */
size_t boottable_nbft(uint8_t out[static BOOTTABLE_MAX], const struct boottable *t);
size_t boottable_ibft(uint8_t out[static BOOTTABLE_MAX], const struct boottable *t);

/* boottable_seal: makes the checksum of a table right again that was changed. */
void boottable_seal(uint8_t *table, size_t len);
