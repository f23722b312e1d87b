/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verdict: what an errno of a mount attempt means: which cause it is, and what may help: another
 * NFS version, the other transport, the same again later, or nothing.
 */
#pragma once

#include "report/causes.h"
#include "root/nfs/nfs.h"

enum remedy {
	REMEDY_RETRY,	  /* the server may come up, the export may appear */
	REMEDY_VERSION,	  /* the server is there but speaks another version */
	/* version 4's tree may not be version 3's (fsid=0): the path may be there */
	REMEDY_PATH,
	REMEDY_TRANSPORT, /* this node or the server cannot do RDMA at all */
	REMEDY_WAIT,	  /* the same transport, later */
	REMEDY_NONE,	  /* the request itself is wrong */
};

struct verdict {
	int error; /* positive errno */
	enum cause cause;
	enum remedy remedy;
	const char *words; /* what it means here */
};

/* mount_verdict: never NULL; unknown errors are ROOT_MOUNT_FAILED with REMEDY_RETRY. */
const struct verdict *mount_verdict(enum nfs_proto proto, enum nfs_version version, int error);

/* unread_verdict: no answer within the limit, after the mount; reading: init was opened. */
const struct verdict *unread_verdict(enum nfs_version version, bool reading);

/* tcp_verdict: the same of a server that accepts connections on TCP: RDMA was refused, or there was
 * no answer. */
const struct verdict *tcp_verdict(enum nfs_proto proto, enum nfs_version version, int error);

/*
 * verdict_version: which version may do what this one could not; NFS_VERSION_MAX: none. Of an
 * option that it refuses the kernel says more (text); that alone is said of a version that it was
 * built without, or of what the server finds invalid. mount.nfs takes the next one, too.
 */
enum nfs_version verdict_version(const struct verdict *v, const char *text, bool elsewhere,
	unsigned allowed, enum nfs_version version);
