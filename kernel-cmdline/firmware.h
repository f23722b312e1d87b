/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * firmware: what the firmware that booted this node over the network leaves for the system, as
 * options of a command line: the NVMe Boot Firmware Table (NBFT), the iSCSI one (iBFT), and the URL
 * that UEFI HTTP Boot had the kernel image from. It owns the NBFT's layout (nbft.c) and what a
 * command line leaves to it (firmware.c). Pure.
 * In: a table's bytes; of an iBFT what the kernel's iscsi_ibft shows, filled in by the caller. Out:
 * options that plan_parse_sources() takes as its last source, or why a table is refused.
 * Callers: state/, main.c. Tests: test_nbft.c, fuzz_nbft.c, tests-qemu/firmware.bats.
 */
#pragma once

#include "plan.h"

/* Most that are kept of all tables; further ones are left out. */
#define FIRMWARE_IFACES_MAX 16
#define FIRMWARE_PATHS_MAX  32

/* An interface that the firmware used. */
struct firmware_iface {
	struct hw_addr hwaddr;
	uint16_t vlan; /* 0: none */
	bool dhcp;     /* not as the address below says, but by DHCP, or DHCPv6 if six is set */
	bool six;
	struct inet_addr addr; /* family 0: none */
	int prefix;
	struct inet_addr gateway, dns[2];
	char hostname[65];
};

/* A way to a namespace. */
struct firmware_path {
	struct inet_addr addr;
	uint16_t port;
	int iface;		     /* of the list; -1: unknown */
	char nqn[NQN_SIZE]; /* NQN_DISCOVERY: the firmware knew no more than that */
	uint32_t nsid;		     /* 0: not given */
	uint8_t uuid[16];	     /* zeroes: not given */
	bool header_digest, data_digest;
	bool unavailable;	     /* the firmware could not reach it */
};

struct firmware {
	const char *name; /* "nbft" or "ibft": interfaces become nbft0, nbft1 ... as in dracut */
	struct firmware_iface ifaces[FIRMWARE_IFACES_MAX];
	struct firmware_path paths[FIRMWARE_PATHS_MAX];
	size_t n_ifaces, n_paths;
	char hostnqn[NQN_SIZE]; /* "": none */
	uint8_t hostid[16];		 /* zeroes: none */
};

/*
 * firmware_check: NULL, or why an interface cannot be as the table has it. A gateway of another
 * family than the address, gateways and DNS servers that no host can be, and a host name that is
 * none are taken out.
 */
const char *firmware_check(struct firmware_iface *i);

/*
 * nbft_parse: adds what a table says to f. A table that breaks its own rules is refused as a whole:
 * -EINVAL, *ret_why says why, f is as it was. Descriptors that are not valid, of another transport
 * than TCP or not for booting are passed over. 0 also if the table says nothing.
 */
int nbft_parse(struct firmware *f, const void *table, size_t len, const char **ret_why);

/*
 * firmware_wants_nbft: does that command line leave its root to an NBFT, by root=nvmf, or by no
 * root= at all? rd.nvmf.nonbft and, without root=, rd.nonvmf forbid it.
 */
bool firmware_wants_nbft(const struct boot_plan *line);

bool firmware_wants_ibft(const struct boot_plan *line);

/*
 * firmware_wants_origin: is there an image whose URL is relative to where this boot came from
 * (bootorigin), which no rd.root.origin= says? firmware_names_image: and is there a root= that can
 * be nothing else? firmware_is_origin: can rd.root.origin= have that value?
 */
bool firmware_wants_origin(const struct boot_plan *line);
bool firmware_names_image(const struct boot_plan *line);
bool firmware_is_origin(const char *url);

/*
 * firmware_options: writes the options that mean what f says, each with a space behind it. line is
 * the plan of the command line alone, which wins: what it says of an interface, the host or the
 * namespace is left out. False if f has no way to a namespace: then there is no root= among them.
 */
bool firmware_options(FILE *out, const struct firmware *f, const struct boot_plan *line);
