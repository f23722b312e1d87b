// SPDX-License-Identifier: GPL-2.0-or-later
/* MADs on a port that needs a GRH in each packet, as virtual functions of mlx5 do: the kernel's
 * interface is played by what stands in for libibumad's calls of it. */
#include "check.h"

#include <infiniband/umad.h>

#include "fabric/mad_io.h"

static bool grh_required;
static unsigned sent;
static ib_mad_addr_t last;

/* The names are the linker's. */
int __wrap_env_read(const struct env *env, char *buf, size_t size, const char *fmt, ...);
int __wrap_umad_open_port(const char *device, int port);
int __wrap_umad_close_port(int fd);
int __wrap_umad_register(int fd, int class, int version, uint8_t rmpp, long mask[]);
int __wrap_umad_send(int fd, int agent, void *umad, int length, int timeout_ms, int retries);

int __wrap_env_read(const struct env *env, char *buf, size_t size, const char *fmt, ...)
{
	bool gid = strstr(fmt, "/gids/0");

	(void)env;
	return (int)strscpy(
		buf, gid ? "fec0:0000:0000:0001:506b:4b03:0000:0001" : "5", size);
}

int __wrap_umad_open_port(const char *device, int port)
{
	CHECK_STR(device, "mlx5_0");
	CHECK_INT(port, 1);
	return 1000;
}

int __wrap_umad_close_port(int fd)
{
	CHECK_INT(fd, 1000);
	return 0;
}

int __wrap_umad_register(int fd, int class, int version, uint8_t rmpp, long mask[])
{
	(void)fd, (void)class, (void)version, (void)rmpp, (void)mask;
	return 1;
}

int __wrap_umad_send(int fd, int agent, void *umad, int length, int timeout_ms, int retries)
{
	(void)fd, (void)agent, (void)length, (void)timeout_ms, (void)retries;
	sent++;
	last = ((struct ib_user_mad *)umad)->addr;
	if (!grh_required || last.grh_present)
		return 0;
	errno = EINVAL;
	return -1;
}

static int send_one(bool required, enum mad_class class)
{
	static const uint8_t mad[MAD_SIZE] = {1};
	const struct mad_to to = {.class = class, .lid = 7, .sl = 2};
	const struct env env = {.prefix = ""};
	void *io;
	int r;

	grh_required = required;
	sent = 0;
	CHECK_INT(mad_real_ops.open(NULL, &env, "mlx5_0", 1, &io), 0);
	r = mad_real_ops.send(io, &to, mad, 100);
	mad_real_ops.close(io);
	CHECK_INT(last.lid, htobe16(7));
	return r;
}

/* It is addressed to the SA of the port's own subnet (IBTA vol. 1, 4.1.1). */
TEST(the_sa_is_asked_with_a_grh_where_the_kernel_requires_one)
{
	static const uint8_t gid[16] = {
		0xfe, 0xc0, 0, 0, 0, 0, 0, 1, 0x02, 0, 0, 0, 0, 0, 0, 0x02};

	CHECK_INT(send_one(true, MAD_CLASS_SA), 0);
	CHECK_INT(sent, 2);
	CHECK(!memcmp(last.gid, gid, sizeof(gid)));
	CHECK_INT(last.sl, 2);
}

TEST(others_are_sent_as_before)
{
	CHECK_INT(send_one(false, MAD_CLASS_SA), 0);
	CHECK_INT(sent, 1);
	CHECK_INT(last.grh_present, 0);
	CHECK_INT(send_one(true, MAD_CLASS_SM), -EINVAL);
	CHECK_INT(sent, 1);
}
