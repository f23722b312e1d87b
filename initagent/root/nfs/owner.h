/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * owner: who this node is to an NFSv4 server. From version 4.1 on Linux says only its host name
 * ("Linux NFSv4.2 NAME"), and a node in its initramfs often has none: to the server all those nodes
 * are one client that restarts again and again, and each one's mount takes the opens and locks of
 * the one before away (RFC 8881, 2.4). nfs.nfs4_unique_id is the kernel's word for it
 * (Documentation/filesystems/nfs/client-identifier).
 */
#pragma once

#include "base/env.h"
#include "link/link.h"

#define OWNER_ID_MAX 64 /* NFS4_CLIENT_ID_UNIQ_LEN, with its terminating 0 */

/*
 * owner_set: gives the kernel's NFS client the port GUID of an InfiniBand hardware address, or an
 * Ethernet one, as its name; the nfs module is loaded. What an admin chose (nfs.nfs4_unique_id= on
 * the command line) stays. Returns 1 when it was written, 0 when it was there, or -errno: the
 * kernel has no such setting.
 */
int owner_set(const struct env *env, const struct link_hw *hw);
