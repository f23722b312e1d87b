/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nfs: one NFS mount attempt, done in this process (the caller runs it in a child it can kill).
 * Owns nothing. No mount.nfs: the kernel takes the options itself when the address is numeric.
 * In: server, address, path, version, transport and options. Out: the mount, or -errno with the
 * kernel's own text; names of versions and transports.
 * Callers: root.c, statelite.c. Tests: test_root.c, tests-qemu/nfsrdma.bats.
 */
#pragma once

#include "base/env.h"
#include "plan_nfs.h"

#define NFS_TEXT_MAX 240

enum nfs_proto {
	NFS_PROTO_TCP,
	NFS_PROTO_RDMA,
	NFS_PROTO_MAX,
};

enum nfs_version {
	NFS_VERSION_42,
	NFS_VERSION_41,
	NFS_VERSION_40,
	NFS_VERSION_3,
	NFS_VERSION_MAX,
};

/* "rdma", "4.2": as the kernel's options write them. */
const char *nfs_proto_name(enum nfs_proto proto);
const char *nfs_version_name(enum nfs_version version);

/* nfs_version_from_name: "4.2" -> NFS_VERSION_42, -EINVAL if unknown ("4" is no version here, it
 * means any 4.x). */
int nfs_version_from_name(const char *name);

/* nfs_any: of an export whose options are left open. */
extern const struct plan_nfs nfs_any;

/* nfs_version_allowed: from this version on the next that is among allowed (enum plan_nfs_version);
 * NFS_VERSION_MAX: none. */
enum nfs_version nfs_version_allowed(unsigned allowed, enum nfs_version from);

/* nfs_port_text: " port 20049"; "" where it is not known yet (0). Returns buf. */
#define NFS_PORT_TEXT 24
const char *nfs_port_text(char buf[static NFS_PORT_TEXT], unsigned port);

/* One attempt. Strings are borrowed. */
struct nfs_attempt {
	const char *server;    /* as the admin wrote it; only shown in /proc/mounts */
	const char *address;   /* numeric */
	bool ipv6;
	const char *path;      /* absolute */
	const char *options;   /* the admin's other options, comma list, may be "" */
	enum nfs_version version;
	enum nfs_proto proto;
	/* 0: the kernel's default (2049 or rpcbind for v3; 20049 for RDMA) */
	uint16_t port;
	bool readonly;
	bool nolock;	       /* version 3 only */
	unsigned long mount_flags; /* MS_NOSUID and the like; MS_RDONLY is readonly */
};

/*
 * nfs_mount: mounts at target. Returns 0, or -errno of the failing call with the kernel's own
 * text in text (NFS_TEXT_MAX bytes, may be empty). Nothing stays mounted on failure.
 */
int nfs_mount(const struct nfs_attempt *attempt, const char *target, char *text);

/* nfs_writable: does the server let this node write to a root that is mounted rw? A mount tells
 * neither of an export that is ro nor of one that squashes root. */
bool nfs_writable(const char *root);

/*
 * nfs_answers_on_tcp: does something accept TCP connections on the attempt's port for TCP, within a
 * second? Tells "no nfsd" from "nfsd without an RDMA listener".
 */
bool nfs_answers_on_tcp(const struct nfs_attempt *attempt);

/* nfs_rdma_connected: is there a connection over RDMA to that server? Kernels before 5.14 do not
 * tell: false. */
bool nfs_rdma_connected(const struct env *env, const struct inet_addr *server);
