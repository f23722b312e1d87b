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
	{ENOENT, CAUSE_ROOT_NO_EXPORT, REMEDY_PATH,
		"no such path on the server, or not for this host"},
	{EDESTADDRREQ, CAUSE_ROOT_NO_EXPORT, REMEDY_RETRY, /* attempt.c's, of a referral */
		"the path is referred to a server by its name: the kernel needs its address"},
	{ENOTDIR, CAUSE_ROOT_NO_EXPORT, REMEDY_RETRY, "the path is not a directory"},
	{EACCES, CAUSE_ROOT_NO_EXPORT, REMEDY_PATH, "the server denies access"},
	{EPERM, CAUSE_ROOT_NO_EXPORT, REMEDY_PATH,
	"the server refuses this host, its port (insecure), or AUTH_SYS (sec= of its export)"},
	{ESTALE, CAUSE_ROOT_NO_EXPORT, REMEDY_RETRY, "the export was replaced (stale file handle)"},
	{EPROTONOSUPPORT, CAUSE_ROOT_BAD_VERSION, REMEDY_VERSION,
		"the server does not speak this version"},
	{EOPNOTSUPP, CAUSE_ROOT_BAD_VERSION, REMEDY_VERSION,
		"the server does not offer this version"},
	{524, CAUSE_ROOT_BAD_VERSION, REMEDY_VERSION, /* the kernel's ENOTSUPP: NFS4ERR_NOTSUPP */
		"the server does not offer this version"},
	{EINVAL, CAUSE_ROOT_MOUNT_FAILED, REMEDY_NONE,
		"mount options or a version that the kernel does not have"},
	{ENAMETOOLONG, CAUSE_ROOT_MOUNT_FAILED, REMEDY_NONE, "server name and path are too long"},
	{ENODEV, CAUSE_MODULE_MISSING, REMEDY_NONE, "the kernel has no NFS client (module nfs)"},
};

static const struct verdict over_rdma[] = {
	{EPROTO, CAUSE_ROOT_NO_RDMA, REMEDY_TRANSPORT,
		"no RDMA device reaches the server's address"},
	{ENODEV, CAUSE_ROOT_NO_RDMA, REMEDY_TRANSPORT,
		"no RDMA device for the route to the server"},
	{EAFNOSUPPORT, CAUSE_ROOT_NO_RDMA, REMEDY_TRANSPORT,
		"rpcrdma is not loaded, or a dummy (MLNX_OFED without mlnx-nfsrdma)"},
	{EADDRNOTAVAIL, CAUSE_ROOT_NO_RDMA, REMEDY_TRANSPORT,
		"the RDMA port has no GID (RoCE) or P_Key (InfiniBand) for this node's address"},
	{ENETUNREACH, CAUSE_ROOT_UNREACHABLE, REMEDY_RETRY,
		"no route (on InfiniBand: the subnet manager gives no path record to it)"},
};

/* rpcbind names the ports of mountd and nfsd; the kernel does not tell which of them fell short. */
static const struct verdict of_v3[] = {
	{ECONNREFUSED, CAUSE_ROOT_REFUSED, REMEDY_RETRY,
		"rpcbind (port 111), mountd or nfsd does not listen"},
	{ETIMEDOUT, CAUSE_ROOT_UNREACHABLE, REMEDY_RETRY,
		"no answer of rpcbind (port 111), mountd or nfsd in time"},
	{EOPNOTSUPP, CAUSE_ROOT_BAD_VERSION, REMEDY_VERSION,
		"its rpcbind has no mountd or nfsd for this version"},
};

/* Only files are kept closed in the grace period: what is there can be looked up. */
static const struct verdict unread[] = {
	{ETIMEDOUT, CAUSE_ROOT_UNREAD, REMEDY_WAIT,
		"its init cannot be opened yet (a grace period of the server?)"},
	{ETIMEDOUT, CAUSE_ROOT_UNREAD, REMEDY_RETRY, "no answer after the mount"},
	{ETIMEDOUT, CAUSE_ROOT_UNREAD, REMEDY_RETRY,
		"its init cannot be read to its end: are large packets lost (MTU)?"},
};

static const struct verdict unknown = {0, CAUSE_ROOT_MOUNT_FAILED, REMEDY_RETRY, ""};

static const struct verdict tcp_only = {ECONNREFUSED, CAUSE_ROOT_NO_RDMA, REMEDY_RETRY,
	"its nfsd answers on TCP, but nothing listens for RDMA on that port"};

/* Without mountd, nfsd accepts a connection and lets the caller of a path wait. */
static const struct verdict silent[] = {
	{ETIMEDOUT, CAUSE_ROOT_UNREACHABLE, REMEDY_RETRY,
		"it accepts connections, but does not answer: is mountd running? Is the path "
		"referred to another server, which is down?"},
	{ETIMEDOUT, CAUSE_ROOT_UNREACHABLE, REMEDY_RETRY,
		"its nfsd accepts connections, but rpcbind (port 111) or mountd does not answer"},
	{ETIMEDOUT, CAUSE_ROOT_NO_RDMA, REMEDY_TRANSPORT,
		"it answers on TCP, but no RDMA connection is made (RoCE: is UDP port 4791 open?)"},
	{ETIMEDOUT, CAUSE_ROOT_UNREACHABLE, REMEDY_TRANSPORT,
		"its nfsd answers on TCP, but RDMA, rpcbind (port 111) or mountd does not"},
};

const struct verdict *tcp_verdict(enum nfs_proto proto, enum nfs_version version, int error)
{
	return error == ECONNREFUSED ? &tcp_only
		: &silent[2 * (proto == NFS_PROTO_RDMA) + (version == NFS_VERSION_3)];
}

static const struct verdict *find(const struct verdict *rows, size_t n, int error)
{
	for (size_t i = 0; i < n; i++)
		if (rows[i].error == error)
			return &rows[i];
	return NULL;
}

const struct verdict *unread_verdict(enum nfs_version version, bool reading)
{
	return &unread[reading ? 2 : version == NFS_VERSION_3];
}

const struct verdict *mount_verdict(enum nfs_proto proto, enum nfs_version version, int error)
{
	const struct verdict *v = NULL;

	if (proto == NFS_PROTO_RDMA)
		v = find(over_rdma, ARRAY_SIZE(over_rdma), error);
	if (!v && version == NFS_VERSION_3)
		v = find(of_v3, ARRAY_SIZE(of_v3), error);
	if (!v)
		v = find(common, ARRAY_SIZE(common), error);
	return v ? v : &unknown;
}

enum nfs_version verdict_version(const struct verdict *v, const char *text, bool elsewhere,
	unsigned allowed, enum nfs_version version)
{
	if (v->remedy == REMEDY_VERSION || (v->error == EINVAL && !*text))
		return nfs_version_allowed(allowed, version + 1);
	return (v->remedy == REMEDY_PATH || elsewhere) && version < NFS_VERSION_3
		? nfs_version_allowed(allowed, NFS_VERSION_3) : NFS_VERSION_MAX;
}
