// SPDX-License-Identifier: GPL-2.0-or-later
/* Connections to numeric addresses: one that is accepted, refused, not answered in time. */
#include "check.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include "base/tcp.h"

/* A socket that listens on a port of its own, with room for one connection that it does not take:
 * the kernel drops what comes after that. */
static int listen_on(uint16_t *ret)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	CHECK(fd >= 0);
	CHECK_INT(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	CHECK_INT(getsockname(fd, (struct sockaddr *)&at, &len), 0);
	CHECK_INT(listen(fd, 0), 0);
	*ret = ntohs(at.sin_port);
	return fd;
}

TEST(accepted_silent_refused)
{
	uint16_t port;
	int listener = listen_on(&port), first = tcp_connect("127.0.0.1", port, 0);

	CHECK(first >= 0);
	CHECK_INT(tcp_connect("127.0.0.1", port, 1), -ETIMEDOUT);
	close(first);
	close(listener);
	CHECK_INT(tcp_connect("127.0.0.1", port, 1), -ECONNREFUSED);
}

TEST(a_name_is_no_address)
{
	CHECK_INT(tcp_connect("localhost", 2049, 1), -EINVAL);
}
