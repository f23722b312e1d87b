// SPDX-License-Identifier: GPL-2.0-or-later

#include "base/tcp.h"

#include <netdb.h>
#include <sys/socket.h>
#include <sys/time.h>

int tcp_connect(const char *address, uint16_t port, unsigned seconds)
{
	const struct addrinfo hints = {
		.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV};
	const struct timeval limit = {.tv_sec = seconds};
	struct addrinfo *a = NULL;
	char text[8];
	int fd, r;

	snprintf(text, sizeof(text), "%u", port);
	if (getaddrinfo(address, text, &hints, &a) != 0)
		return -EINVAL;
	fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	r = fd < 0 || setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) < 0 ||
		connect(fd, a->ai_addr, a->ai_addrlen) < 0 ? -errno : fd;
	freeaddrinfo(a);
	if (r < 0)
		closep(&fd);
	return r == -EINPROGRESS ? -ETIMEDOUT : r;
}
