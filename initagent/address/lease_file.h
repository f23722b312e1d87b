/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lease_file: /run/initagent/lease.IFINDEX (lease6.IFINDEX: DHCPv6), what a rail got by DHCP as
 * strict key=value lines, for the agent that comes after this one was killed. It is read back like
 * network data: one bad line and the whole file is rejected.
 */
#pragma once

#include "address/address.h"

/* Longest file looked at: all fields at their limits are below it. */
#define LEASE_FILE_MAX 8192

/* lease_file_save: replaces the file of the result's family. 0 or -errno. */
int lease_file_save(const struct env *env, const struct address_result *r,
	const struct link_hw *hw);

/*
 * lease_file_load: what was saved for this interface and family. 0, -ENOENT, -EINVAL (malformed, or
 * of another hardware address) or -errno; *ret only on 0. Whether the lease is still valid is for
 * the caller to find out.
 */
int lease_file_load(const struct env *env, int family, const struct netdev *dev,
	struct address_result *ret);

/* lease_file_remove: it may be gone already. */
void lease_file_remove(const struct env *env, int family, int ifindex);

/* lease_text_write: the file's text; its length. */
int lease_text_write(const struct address_result *r, const struct link_hw *hw,
	char ret[static LEASE_FILE_MAX]);

/* lease_text_parse: the reverse. 0 or -EINVAL. Pure, bounded by len. */
int lease_text_parse(const char *text, size_t len, struct address_result *ret,
	struct link_hw *ret_hw);
