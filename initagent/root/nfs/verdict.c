// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * verdict: see verdict.h. The meanings were read off net/sunrpc and fs/nfs of Linux 6.1: xprtrdma
 * maps a rejected connection request to ECONNREFUSED, an unresolved address to EPROTO, a path
 * record that the SA does not give to ENETUNREACH, a missing device to ENODEV; a version mismatch
 * is EPROTONOSUPPORT.
 */
#include "root/nfs/verdict.h"

#include <errno.h>

static const struct verdict common[] = {
	{ECONNREFUSED, CAUSE_ROOT_REFUSED, REMEDY_RETRY, "nothing listens on that port"},
	{ETIMEDOUT, CAUSE_ROOT_UNREACHABLE, REMEDY_RETRY, "no answer in time"},
	{EHOSTUNREACH, CAUSE_ROOT_UNREACHABLE, REMEDY_RETRY, "no route to the server"},
	{ENETUNREACH, CAUSE_ROOT_UNREACHABLE, REMEDY_RETRY, "network unreachable"},
	{EHOSTDOWN, CAUSE_ROOT_UNREACHABLE, REMEDY_RETRY, "the server is down"},
	{ENOTCONN, CAUSE_ROOT_UNREACHABLE, REMEDY_RETRY, "the connection broke"},
	{ECONNRESET, CAUSE_ROOT_UNREACHABLE, REMEDY_RETRY, "the connection was reset"},
	{EPIPE, CAUSE_ROOT_UNREACHABLE, REMEDY_RETRY, "the connection broke"},
	{EAGAIN, CAUSE_ROOT_UNREACHABLE, REMEDY_RETRY, "the server is not ready yet"},
	{EIO, CAUSE_ROOT_MOUNT_FAILED, REMEDY_RETRY, "the server answered with an error"},
	{ENOENT, CAUSE_ROOT_NO_EXPORT, REMEDY_PATH, "no such path on the server"},
	{ENOTDIR, CAUSE_ROOT_NO_EXPORT, REMEDY_RETRY, "the path is not a directory"},
	{EACCES, CAUSE_ROOT_NO_EXPORT, REMEDY_PATH, "the server denies access"},
	{EPERM, CAUSE_ROOT_NO_EXPORT, REMEDY_PATH,
	"the server refuses this host, or AUTH_SYS (sec= of its export)"},
	{ESTALE, CAUSE_ROOT_NO_EXPORT, REMEDY_RETRY, "the export was replaced (stale file handle)"},
	{EPROTONOSUPPORT, CAUSE_ROOT_BAD_VERSION, REMEDY_VERSION,
		"the server does not speak this version"},
	{EOPNOTSUPP, CAUSE_ROOT_BAD_VERSION, REMEDY_VERSION,
		"the server does not offer this version"},
	{EINVAL, CAUSE_ROOT_MOUNT_FAILED, REMEDY_NONE, "the kernel refuses the mount options"},
	{ENAMETOOLONG, CAUSE_ROOT_MOUNT_FAILED, REMEDY_NONE, "server name and path are too long"},
	{ENODEV, CAUSE_ROOT_MOUNT_FAILED, REMEDY_NONE, "the kernel has no NFS client"},
};

static const struct verdict over_rdma[] = {
	{EPROTO, CAUSE_ROOT_NO_RDMA, REMEDY_TRANSPORT,
		"no RDMA device reaches the server's address"},
	{ENODEV, CAUSE_ROOT_NO_RDMA, REMEDY_TRANSPORT,
		"no RDMA device for the route to the server"},
	{EAFNOSUPPORT, CAUSE_ROOT_NO_RDMA, REMEDY_TRANSPORT, "the rpcrdma module is not loaded"},
	{EADDRNOTAVAIL, CAUSE_ROOT_NO_RDMA, REMEDY_TRANSPORT,
		"the RDMA port has no GID (RoCE) or P_Key (InfiniBand) for this node's address"},
	{ENETUNREACH, CAUSE_ROOT_UNREACHABLE, REMEDY_RETRY,
		"no route (on InfiniBand: the subnet manager gives no path record to it)"},
};

static const struct verdict unknown = {0, CAUSE_ROOT_MOUNT_FAILED, REMEDY_RETRY, ""};

static const struct verdict tcp_only = {ECONNREFUSED, CAUSE_ROOT_NO_RDMA, REMEDY_RETRY,
	"its nfsd answers on TCP, but nothing listens for RDMA on that port"};

const struct verdict *no_rdma_listener(void)
{
	return &tcp_only;
}

static const struct verdict *find(const struct verdict *rows, size_t n, int error)
{
	for (size_t i = 0; i < n; i++)
		if (rows[i].error == error)
			return &rows[i];
	return NULL;
}

const struct verdict *mount_verdict(enum nfs_proto proto, int error)
{
	const struct verdict *v = NULL;

	if (proto == NFS_PROTO_RDMA)
		v = find(over_rdma, ARRAY_SIZE(over_rdma), error);
	if (!v)
		v = find(common, ARRAY_SIZE(common), error);
	return v ? v : &unknown;
}
