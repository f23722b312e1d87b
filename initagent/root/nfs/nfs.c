// SPDX-License-Identifier: GPL-2.0-or-later

#include "root/nfs/nfs.h"

#include <glob.h>
#include <limits.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "base/sysmount.h"
#include "base/tcp.h"
#include "value.h"

/*
 * The flags of mount(2) in the newer interface: some are attributes of the mount (MOUNT_ATTR_*,
 * include/uapi/linux/mount.h), some are options of the superblock.
 */
static const struct {
	unsigned long flag;
	unsigned attribute;
	const char *word;
} flags[] = {
	{MS_NOSUID, 0x02, NULL},      {MS_NODEV, 0x04, NULL},	  {MS_NOEXEC, 0x08, NULL},
	{MS_NOATIME, 0x10, NULL},     {MS_STRICTATIME, 0x20, NULL}, {MS_NODIRATIME, 0x80, NULL},
	{MS_SYNCHRONOUS, 0, "sync"},  {MS_DIRSYNC, 0, "dirsync"}, {MS_MANDLOCK, 0, "mand"},
	{MS_LAZYTIME, 0, "lazytime"},
};

#define MOUNT_ATTR_RDONLY_ABI 0x01

static const char *const proto_names[NFS_PROTO_MAX] = {
	[NFS_PROTO_TCP] = "tcp",
	[NFS_PROTO_RDMA] = "rdma",
};

static const char *const version_names[NFS_VERSION_MAX] = {
	[NFS_VERSION_42] = "4.2",
	[NFS_VERSION_41] = "4.1",
	[NFS_VERSION_40] = "4.0",
	[NFS_VERSION_3] = "3",
};

const char *nfs_proto_name(enum nfs_proto proto)
{
	return (unsigned)proto < NFS_PROTO_MAX ? proto_names[proto] : "?";
}

const char *nfs_version_name(enum nfs_version version)
{
	return (unsigned)version < NFS_VERSION_MAX ? version_names[version] : "?";
}

const struct plan_nfs nfs_any = {
	.versions = PLAN_NFS_V4ANY | PLAN_NFS_V3, .options = "", .nolock = true};

enum nfs_version nfs_version_allowed(unsigned allowed, enum nfs_version from)
{
	/* In the order they are tried. */
	static const unsigned bits[NFS_VERSION_MAX] = {
		[NFS_VERSION_42] = PLAN_NFS_V42,
		[NFS_VERSION_41] = PLAN_NFS_V41,
		[NFS_VERSION_40] = PLAN_NFS_V40,
		[NFS_VERSION_3] = PLAN_NFS_V3,
	};

	while (from < NFS_VERSION_MAX && !(allowed & bits[from]))
		from++;
	return from;
}

int nfs_version_from_name(const char *name)
{
	for (int i = 0; i < NFS_VERSION_MAX; i++)
		if (streq(version_names[i], name))
			return i;
	return -EINVAL;
}

static int set_string(int fd, const char *key, const char *value)
{
	return sys_fsconfig(fd, SYS_FSCONFIG_SET_STRING, key, value);
}

static int set_flag(int fd, const char *key)
{
	return sys_fsconfig(fd, SYS_FSCONFIG_SET_FLAG, key, NULL);
}

static unsigned attributes_of(const struct nfs_attempt *a)
{
	unsigned all = a->readonly ? MOUNT_ATTR_RDONLY_ABI : 0;

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		if (a->mount_flags & flags[i].flag)
			all |= flags[i].attribute;
	return all;
}

static int apply_flags(int fd, const struct nfs_attempt *a)
{
	int r = set_flag(fd, a->readonly ? "ro" : "rw");

	for (size_t i = 0; i < ARRAY_SIZE(flags) && r >= 0; i++)
		if (flags[i].word && a->mount_flags & flags[i].flag)
			r = set_flag(fd, flags[i].word);
	return r;
}

/* One word of the admin's comma list. word is writable and consumed. */
static int apply_option(int fd, char *word)
{
	char *value = strchr(word, '=');

	if (!value)
		return set_flag(fd, word);
	*value = 0;
	return set_string(fd, word, value + 1);
}

/* The failing word ends up in text, before what the kernel says. */
static int apply_options(int fd, const char *options, char *text)
{
	_cleanup_free_ char *copy = strdup(options);
	char *save = NULL;

	if (!copy)
		return -ENOMEM;
	for (char *w = strtok_r(copy, ",", &save); w; w = strtok_r(NULL, ",", &save)) {
		int r = apply_option(fd, w);

		if (r < 0) {
			snprintf(text, NFS_TEXT_MAX, "mount option '%s'", w);
			return r;
		}
	}
	return 0;
}

const char *nfs_port_text(char buf[static NFS_PORT_TEXT], unsigned port)
{
	*buf = '\0';
	if (port)
		snprintf(buf, NFS_PORT_TEXT, " port %u", port);
	return buf;
}

/* source, vers, proto, addr, port: what the attempt itself decides. */
static int apply_attempt(int fd, const struct nfs_attempt *a)
{
	char source[NFS_SOURCE_MAX], port[8];
	const char *proto = a->proto == NFS_PROTO_RDMA ? (a->ipv6 ? "rdma6" : "rdma")
						       : (a->ipv6 ? "tcp6" : "tcp");
	int r;

	if (!nfs_source_text(source, sizeof(source), a->server, a->path))
		return -ENAMETOOLONG;
	snprintf(port, sizeof(port), "%u", a->port);
	r = set_string(fd, "source", source);
	if (r >= 0)
		r = set_string(fd, "vers", nfs_version_name(a->version));
	if (r >= 0)
		r = set_string(fd, "proto", proto);
	if (r >= 0)
		r = set_string(fd, "addr", a->address);
	if (r >= 0 && a->port)
		r = set_string(fd, "port", port);
	return r;
}

/*
 * NFSv3 keeps its side protocols on TCP (fs/nfs: RDMA is never used for MOUNT) and there is no
 * statd before the real root runs, so locks stay local.
 */
static int apply_v3(int fd, const struct nfs_attempt *a)
{
	int r;

	if (a->version != NFS_VERSION_3)
		return 0;
	r = set_string(fd, "mountproto", a->ipv6 ? "tcp6" : "tcp");
	if (r >= 0 && a->nolock)
		r = set_flag(fd, "nolock");
	return r;
}

/*
 * Without sec= the kernel asks the server for its list before it looks at anything, and both ends
 * then look for modules of Kerberos: 30 ms and more on a busy server. No initramfs can do Kerberos
 * (rpc.gssd), so AUTH_SYS is tried at once; the rest of the list is for exports below the root,
 * which the real root may cross into: they are negotiated when the server requires it
 * (NFS4ERR_WRONGSEC). A sec= of the admin's replaces the list.
 */
static int apply_security(int fd, const struct nfs_attempt *a)
{
	if (a->version == NFS_VERSION_3 || pair_value(a->options, "sec"))
		return 0;
	return set_string(fd, "sec", "sys:krb5:krb5i:krb5p");
}

static int configure(int fd, const struct nfs_attempt *a, char *text)
{
	int r = apply_attempt(fd, a);

	if (r >= 0)
		r = apply_v3(fd, a);
	if (r >= 0)
		r = apply_security(fd, a);
	if (r >= 0)
		r = apply_options(fd, a->options, text);
	if (r >= 0)
		r = apply_flags(fd, a);
	if (r >= 0)
		r = sys_fsconfig(fd, SYS_FSCONFIG_CMD_CREATE, NULL, NULL);
	return r;
}

/* The kernel mounts a path of version 4 that is a file as well, but at no directory. */
static int move_root(int mnt, const char *target)
{
	int r = sys_move_mount(mnt, target);
	struct stat st;

	return r == -EINVAL && fstat(mnt, &st) == 0 && !S_ISDIR(st.st_mode) ? -ENOTDIR : r;
}

int nfs_mount(const struct nfs_attempt *attempt, const char *target, char *text)
{
	_cleanup_close_ int fd = sys_fsopen("nfs", text, NFS_TEXT_MAX), mnt = -1;
	int r;

	if (fd < 0)
		return fd;
	r = configure(fd, attempt, text);
	if (r >= 0)
		r = mnt = sys_fsmount(fd, attributes_of(attempt));
	if (r >= 0)
		r = move_root(mnt, target);
	if (r < 0)
		sys_fs_messages(fd, text, NFS_TEXT_MAX);
	return r < 0 ? r : 0;
}

bool nfs_writable(const char *root)
{
	return access(root, W_OK) == 0;
}

#define NFS_TCP_PORT	     2049 /* IANA nfs */
#define TCP_PATIENCE_SECONDS 1

bool nfs_answers_on_tcp(const struct nfs_attempt *a)
{
	uint16_t port = a->proto == NFS_PROTO_TCP && a->port ? a->port : NFS_TCP_PORT;
	_cleanup_close_ int fd = tcp_connect(a->address, port, TCP_PATIENCE_SECONDS);

	return fd >= 0;
}

/* Is this one the transport to that server? An address with a zone has its index behind it. */
static bool leads_to(const struct env *env, const char *transport, const struct inet_addr *server)
{
	char text[64];
	struct inet_addr addr;

	return env_read(env, text, sizeof(text), "%s/dstaddr", transport) > 0 &&
		value_inet(text, strcspn(text, "%"), &addr) == 0 && inet_equal(&addr, server);
}

bool nfs_rdma_connected(const struct env *env, const struct inet_addr *server)
{
	char path[PATH_MAX], state[128];
	glob_t found = {0};
	bool is = false;

	if (env_path(env, path, sizeof(path), "/sys/kernel/sunrpc/xprt-switches/*/xprt-*-rdma") <
			0 ||
		glob(path, GLOB_NOSORT, NULL, &found) != 0)
		return false;
	for (size_t i = 0; i < found.gl_pathc && !is; i++) {
		const char *transport = found.gl_pathv[i] + strlen(env->prefix);

		is = leads_to(env, transport, server) &&
			env_read(env, state, sizeof(state), "%s/xprt_state", transport) >= 0 &&
			strstr(state, " CONNECTED ");
	}
	globfree(&found);
	return is;
}
