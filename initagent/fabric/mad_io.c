// SPDX-License-Identifier: GPL-2.0-or-later

#include "fabric/mad_io.h"

#include <infiniband/umad.h>

#include "fabric/private.h"

/* The SA's well-known GUID (IBTA vol. 1, 4.1.1): that of any subnet manager. */
static const uint8_t sa_guid[8] = {0x02, 0, 0, 0, 0, 0, 0, 0x02};

struct mad_io {
	int fd;
	int agents[MAD_CLASS_MAX]; /* -1: not registered yet */
	ib_mad_addr_t sa;
};

/* The subnet is that of the port's own first GID. */
static void find_sa_gid(const struct env *env, const char *device, unsigned port, uint8_t gid[16])
{
	char text[64] = "";

	(void)env_read(env, text, sizeof(text), "/sys/class/infiniband/%s/ports/%u/gids/0", device,
		port);
	(void)ports_parse_gid(text, gid);
	memcpy(gid + 8, sa_guid, sizeof(sa_guid));
}

static int io_open(
	void *data, const struct env *env, const char *device, unsigned port, void **ret_io)
{
	struct mad_io *io;
	int fd;

	(void)data;
	if ((env->prefix && *env->prefix) || !fabric_has_umad(env))
		return -ENODEV;
	io = calloc(1, sizeof(*io));
	if (!io)
		return -ENOMEM;
	errno = 0;
	fd = umad_open_port(device, (int)port);
	if (fd < 0) {
		/* The library has one code for every reason not to open the node. */
		int r = errno == EACCES || errno == EPERM ? -EACCES : -ENODEV;

		free(io);
		return r;
	}
	/* Fails on a number that stands for no real descriptor, where it does not matter. */
	(void)fcntl(fd, F_SETFD, FD_CLOEXEC);
	io->fd = fd;
	for (size_t i = 0; i < MAD_CLASS_MAX; i++)
		io->agents[i] = -1;
	find_sa_gid(env, device, port, io->sa.gid);
	*ret_io = io;
	return 0;
}

static int io_fd(void *io)
{
	return ((struct mad_io *)io)->fd;
}

/* An agent without methods and without RMPP: it gets only the answers to what it sends itself. */
static int agent(struct mad_io *io, enum mad_class class)
{
	const struct mad_class_info *info = mad_class_info(class);

	if (io->agents[class] < 0)
		io->agents[class] = umad_register(io->fd, info->mgmt_class, info->version, 0, NULL);
	return io->agents[class];
}

static int io_send(void *handle, const struct mad_to *to, const uint8_t mad[static MAD_SIZE],
	unsigned timeout_ms)
{
	const struct mad_class_info *info = mad_class_info(to->class);
	struct mad_io *io = handle;
	_cleanup_free_ void *umad = calloc(1, umad_size() + MAD_SIZE);
	int id = agent(io, to->class), r;

	if (!umad)
		return -ENOMEM;
	if (id < 0)
		return -EPERM;
	umad_set_pkey(umad, to->pkey_index);
	umad_set_addr(umad, to->lid, (int)info->qp, to->sl, (int)info->qkey);
	memcpy(umad_get_mad(umad), mad, MAD_SIZE);
	/*
	 * No retries by the kernel: the client's timers do them, and each has a number of its own.
	 * A virtual function may need a GRH in each packet (rdma_check_ah_attr() of the kernel).
	 */
	for (bool grh = false;; grh = true) {
		r = umad_send(io->fd, id, umad, MAD_SIZE, (int)timeout_ms, 0) < 0 ? -errno : 0;
		if (r != -EINVAL || grh || to->class != MAD_CLASS_SA)
			return r;
		umad_set_grh(umad, &io->sa);
	}
}

static int io_recv(void *handle, uint8_t buf[static MAD_IO_SIZE], int *ret_error)
{
	struct mad_io *io = handle;
	_cleanup_free_ void *umad = calloc(1, umad_size() + MAD_IO_SIZE);
	int len = MAD_IO_SIZE;
	int r;

	if (!umad)
		return -ENOMEM;
	r = umad_recv(io->fd, umad, &len, 0);
	if (r < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : errno ? -errno : -EIO;
	if (len <= 0 || len > MAD_IO_SIZE)
		return -EBADMSG;
	*ret_error = umad_status(umad);
	memcpy(buf, umad_get_mad(umad), (size_t)len);
	return len;
}

static void io_close(void *handle)
{
	struct mad_io *io = handle;

	(void)umad_close_port(io->fd);
	free(io);
}

const struct mad_ops mad_real_ops = {
	.open = io_open,
	.fd = io_fd,
	.send = io_send,
	.recv = io_recv,
	.close = io_close,
};

bool fabric_has_umad(const struct env *env)
{
	char text[16];

	return env_read(env, text, sizeof(text), "/sys/class/infiniband_mad/abi_version") > 0;
}
