/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bond: the options of bond=, once for all that need them: the parser checks values by it, link/
 * makes netlink attributes of it, handover/ knows systemd-networkd's names by it. It owns the
 * table. Pure.
 * In: an option's name, a value's text or number. Out: its row, the number, the word.
 * Callers: link/, handover/. Tests: test_rows.c, handover/test_profiles.c, tests-qemu/links.bats.
 *
 * Names and values are those of the kernel (Documentation/networking/bonding.rst), which dracut and
 * iproute2 share.
 */
#pragma once

#include "plan.h"

enum bond_type {
	BOND_SWITCH, /* u8: 0, 1, off, on */
	BOND_U8,
	BOND_U16,
	BOND_U32,
	BOND_MS,   /* u32: milliseconds */
	BOND_WORD, /* u8: one of values, or its number */
	BOND_WORD32, /* the same as u32 */
	BOND_MAC,
	BOND_SLAVE, /* an interface's index: set once that slave is there */
	BOND_IPV4,  /* nested: addresses joined by ';' */
	BOND_IPV6,
};

/* How the kernel tells a dead link: it has one monitor or the other (bond_netlink.c). */
enum bond_monitor { BOND_ANY, BOND_MII, BOND_ARP };

struct bond_option {
	const char *name;
	uint8_t attribute; /* linux/if_link.h IFLA_BOND_* */
	uint8_t type;	   /* enum bond_type */
	const char *values; /* words of BOND_WORD in the order of their numbers, "a b c" */
	uint8_t modes; /* bit of each mode that the kernel takes it in; 0: all */
	const char *networkd; /* its key in the [Bond] section of a .netdev file; NULL: none */
	uint8_t monitor;      /* enum bond_monitor: the one that it is about */
	uint32_t least, most; /* of a number, as the kernel takes it */
};

/* Some of the attributes, and the last one of the table. */
enum { BOND_MODE = 1, BOND_MIIMON = 3, BOND_INTERVAL = 7, BOND_TARGET = 8, BOND_MIN_LINKS = 18,
	BOND_TARGET6 = 31, BOND_ATTRIBUTE_MAX = 32 };

#define BOND_TARGETS_MAX 16 /* BOND_MAX_ARP_TARGETS, BOND_MAX_NS_TARGETS */

/* bond_find: the option of that name, the kernel's or iproute2's; NULL: there is none. */
const struct bond_option *bond_find(const char *name, size_t len);

/*
 * bond_value: the number of a value; text is left to who sends it. 0, -EINVAL, or -ERANGE: the
 * kernel would refuse it.
 */
int bond_value(const struct bond_option *o, const char *s, size_t len, uint32_t *ret);

/* bond_word: the word of a number; NULL: it has none. buf holds any. */
#define BOND_WORD_MAX 24
const char *bond_word(const struct bond_option *o, uint32_t number, char buf[static BOND_WORD_MAX]);

/* By number, as the kernel's bonding has them (drivers/net/bonding/bond_options.c). */
enum { BOND_BALANCE_RR, BOND_ACTIVE_BACKUP, BOND_BALANCE_XOR, BOND_BROADCAST, BOND_8023AD,
	BOND_TLB, BOND_ALB };

/* miimon of a bond without miimon= and ARP monitoring, ms: it would not notice a lost link. */
#define BOND_MIIMON_MS 100
