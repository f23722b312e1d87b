/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * node_desc: the name by which the fabric's tools know this node (IBTA NodeDescription, 64 bytes,
 * sysfs node_desc). The default has the form that rdma-ndd gives it on the real root, so that the
 * name does not change when that takes over.
 */
#pragma once

#include "base/env.h"

#define NODE_DESC_SIZE	  65 /* 64 bytes and a terminator of ours */
#define NODE_DESC_DEFAULT "%h %d"

/*
 * node_desc_make: text with "%h" replaced by the host name up to its first dot, or by the node GUID
 * where there is none, and "%d" by the device. Cut to 64 bytes; everything but printable ASCII is
 * left out. Pure.
 */
void node_desc_make(char ret[static NODE_DESC_SIZE], const char *text, const char *host,
	const char *device, uint64_t node_guid);

/* node_desc_set: 1 when it was written, 0 when it was so already, -errno (-EACCES, -ENOENT). */
int node_desc_set(const struct env *env, const char *device, const char *desc);
