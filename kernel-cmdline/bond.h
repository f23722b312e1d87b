/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bond: the options of bond=, once for all that need them: the parser checks values by it, link/
 * makes netlink attributes of it, handover/ knows systemd-networkd's names by it. Names and values
 * are those of the kernel (Documentation/networking/bonding.rst), which dracut and iproute2 share.
 */
#pragma once

#include "plan.h"

enum bond_type {
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

struct bond_option {
	const char *name;
	uint8_t attribute; /* linux/if_link.h IFLA_BOND_* */
	uint8_t type;	   /* enum bond_type */
	const char *values; /* words of BOND_WORD in the order of their numbers, "a b c" */
	uint8_t modes; /* bit of each mode that the kernel takes it in; 0: all */
	const char *networkd; /* its key in the [Bond] section of a .netdev file; NULL: none */
};

/* bond_find: the option of that name; NULL: there is none. */
const struct bond_option *bond_find(const char *name, size_t len);

/* bond_value: the number of a value; text is left to who sends it. 0, or -EINVAL, -ERANGE. */
int bond_value(const struct bond_option *o, const char *s, size_t len, uint32_t *ret);

/* bond_word: the word of a number; NULL: it has none. buf holds any. */
#define BOND_WORD_MAX 24
const char *bond_word(const struct bond_option *o, uint32_t number, char buf[static BOND_WORD_MAX]);

/* By number, as the kernel's bonding has them (drivers/net/bonding/bond_options.c). */
enum { BOND_BALANCE_RR, BOND_ACTIVE_BACKUP, BOND_BALANCE_XOR, BOND_BROADCAST, BOND_8023AD,
	BOND_TLB, BOND_ALB };

/* miimon of a bond without miimon= and arp_interval=, ms: it would not notice a lost link. */
#define BOND_MIIMON 100
