/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan_nfs: the part of the plan (plan.h) that is an NFS root. It owns nothing: strings are the
 * plan's. In: none. Out: types, and a source in words.
 * Callers: root/nfs/, state/, and by plan.h all that read a plan. Tests: test_rows.c.
 */
#pragma once

#include "value.h"

enum plan_nfs_proto {
	PLAN_NFS_PROTO_UNSET, /* the kernel's default: tcp */
	PLAN_NFS_PROTO_TCP,
	PLAN_NFS_PROTO_RDMA,
};

/* NFS versions to try, from the highest bit down. */
enum plan_nfs_version {
	PLAN_NFS_V3 = 1 << 0,
	PLAN_NFS_V40 = 1 << 1,
	PLAN_NFS_V41 = 1 << 2,
	PLAN_NFS_V42 = 1 << 3,
};
#define PLAN_NFS_V4ANY (PLAN_NFS_V40 | PLAN_NFS_V41 | PLAN_NFS_V42)

struct plan_server {
	const char *name;      /* name or address without brackets */
	struct inet_addr addr; /* name, if it is an address literal */
	const char *zone;      /* of a link-local one: its interface; NULL: none is named */
};

/*
 * An NFS root. Which versions are tried:
 *	vers=4.2, v4.1, vers=4,minorversion=0, vers=3	exactly that one
 *	vers=4, v4, nfs4: without vers=			4.2, 4.1, 4.0
 *	nfs: without vers=				4.2, 4.1, 4.0, 3
 * The last is what "mount -t nfs" does under dracut, although dracut's own comment says v3.
 */
struct plan_nfs {
	const struct plan_server *servers; /* of the same path, in the order they are tried */
	size_t n_servers;	      /* 0: from DHCP */
	const char *path;	      /* absolute; NULL: from DHCP's root-path */
	bool path_host;		      /* path holds "%s": the first is replaced by the host name */
	unsigned int versions;	      /* enum plan_nfs_version bits */
	bool versions_given;	      /* by vers= or the like, not by default */
	enum plan_nfs_proto proto;
	uint16_t port;		      /* 0: 2049, or 20049 for rdma */
	bool fallback_tcp;	      /* rd.nfs.fallback=tcp: TCP may follow a failed rdma */
	bool nolock;		      /* add "nolock" when version 3 is used; true as in dracut */
	unsigned long mount_flags;    /* MS_NOATIME and the like of mount(2); MS_RDONLY never set */
	const char *options;	      /* the rest, comma-separated, for the kernel's nfs; "" */
};

/*
 * What an xCAT statelite node lays over its NFS root (STATEMNT=): the image's own script asks the
 * master for the node's table, and mounts what it says.
 */
struct plan_statelite {
	const char *node;      /* NODE=; NULL: the host name */
	const char *server;    /* of the files that the node keeps; NULL: it keeps none */
	struct inet_addr addr; /* server; family 0: a name */
	const char *path;
	const struct plan_nfs *nfs; /* how it is mounted; NULL: not given */
};

/*
 * nfs_source_text: "server:path", an IPv6 server in brackets, as the kernel and people read it.
 * Returns buf, or NULL when it does not fit.
 */
char *nfs_source_text(char *buf, size_t size, const char *server, const char *path);
#define NFS_SOURCE_MAX 1400
