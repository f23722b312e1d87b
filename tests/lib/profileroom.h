/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profileroom: rails as a boot leaves them, a real root of plain files, and the network profiles
 * written for both. */
#pragma once

#include "handover/profile.h"

/* Client identifiers of proom_ipoib(): FlexBoot's form, RFC 4361's, "20" with the GUID. */
static const uint8_t proom_id_flexboot[] = {
	0xff, 0, 0, 0, 0, 0, 2, 0, 0, 2, 0xc9, 0, 0, 2, 0xc9, 3, 0, 0xe, 0xb, 0x72};
static const uint8_t proom_id_rfc4361[] = {
	0xff, 0, 0xe, 0xb, 0x72, 0, 3, 0, 0x20, 0, 2, 0xc9, 3, 0, 0xe, 0xb, 0x72};
static const uint8_t proom_id_hw[] = {0x20, 0, 2, 0xc9, 3, 0, 0xe, 0xb, 0x72};

#define LIBRARY(version) "/usr/lib/x86_64-linux-gnu/systemd/libsystemd-shared-" version ".so"

/* Of the case: what proom_write() hands on. */
extern struct env proom_env;

/* proom_begin: an empty real root, no profiles. */
void proom_begin(void);

/* proom_make, proom_link: a file or link in the real root, with the folders above it. */
void proom_make(const char *path, const char *text);
void proom_link(const char *path, const char *target);

/* proom_ip: of its text. proom_ethernet, proom_ipoib: interfaces; the latter has the port GUID
 * 0002c903000e0b72. */
struct inet_addr proom_ip(const char *text);
struct netdev proom_ethernet(const char *name, uint8_t last);
struct netdev proom_ipoib(const char *name, uint16_t pkey);

/* proom_leased: a rail with a lease by DHCP, which is in *r; proom_set_id: with another client
 * identifier. */
struct profile_rail proom_leased(struct netdev dev, struct address_result *r);
void proom_set_id(struct address_result *r, const uint8_t *id, size_t len);

/* proom_write: the profiles of a boot with that command line. */
void proom_write(const char *cmdline, const struct profile_rail *rails, size_t n);

/* proom_text: all files below /run: "=== PATH MODE", content. The caller frees it. proom_has: is
 * that file there? */
char *proom_text(void);
bool proom_has(const char *path);

/*
 * proom_expect: the files are exactly those of tests/fixtures/handover/NAME.txt.
 * PROFILES_RENDER=FOLDER writes them there instead, to be looked at and taken over.
 */
void proom_expect(const char *name);
