/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * setting: the adapter's settings for what a node is meant to do. Owns: the table of settings;
 * names and values as mstconfig has them (mstflint, mlxconfig_dbs/mlxconfig_host.db). In: struct
 * intent, from the command line or a site file. Out: a list of settings, each with a reason. Called
 * by: command_settings.c, advice.c, ipxe-scripts/site/adapter.c. Tests: test_settings.c,
 * tests/flexboot.bats.
 */
#pragma once

#include "base/util.h"

enum intent_link { INTENT_IB, INTENT_ETH };
enum intent_arch { INTENT_X86, INTENT_ARM };

/* IP_VER's own numbers. */
enum intent_ip { INTENT_IPV4, INTENT_IPV6, INTENT_IPV4_IPV6, INTENT_IPV6_IPV4 };

struct intent {
	enum intent_link link;
	enum intent_arch arch;
	enum intent_ip ip;
	bool bios, uefi; /* which firmware starts the ROM; at least one */
	bool port[2];	 /* which ports boot; at least one */
	uint16_t pkey;	 /* InfiniBand partition; 0: the default one */
	uint16_t vlan;	 /* Ethernet; 0: none */
	uint8_t wait;	 /* seconds between UNDI open and first use; 0: none */
};

/* INTENT_DEFAULT: an InfiniBand node with x86 that starts either way, over IPv4, from port 1. */
#define INTENT_DEFAULT ((struct intent){.bios = true, .uefi = true, .port = {true, false}})

/*
 * intent_set: one "--NAME VALUE" of: link ib|eth, firmware bios|uefi|both, arch x86|arm, ip
 * 4|6|46|64, port 1|2|both, pkey 0x8001, vlan 1..4094, wait 0..255. Returns 0, -ENOENT for another
 * name, -EINVAL for another value.
 */
int intent_set(struct intent *in, const char *name, const char *value);

/* intent_fault: NULL, or why nothing can be recommended: two wishes that exclude each other. */
const char *intent_fault(const struct intent *in);

enum setting_level {
	SETTING_MUST,	/* no boot without it */
	SETTING_SHOULD, /* boots slower or less surely without it */
};

struct setting {
	char name[40]; /* "LINK_TYPE_P1" */
	/* The same setting in other firmware: "BOOT_PKEY_P1", "BOOT_RETRY_CNT1"; "" when none. */
	char others[3][40];
	uint32_t value;
	const char *word; /* the value's name, NULL for a plain number */
	const char *reason;
	enum setting_level level;
};

#define SETTINGS_MAX 32

/* settings_want: fills list in the order they are to be set. Returns how many. */
size_t settings_want(const struct intent *in, struct setting list[static SETTINGS_MAX]);
