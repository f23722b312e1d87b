// SPDX-License-Identifier: GPL-2.0-or-later
/* dhcp6server: see dhcp6server.h. */
#include "dhcp6server.h"

#include <net/if.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "check.h"
#include "netns.h"

void dhcp6server_begin(struct msg6 *m, const uint8_t *request, size_t len)
{
	static const uint8_t duid[] = {0, 2, 0, 1};
	size_t size;
	const uint8_t *client = msg6_find(request + 4, len - 4, 1, &size);

	msg6_begin(m, request[0] == 1 ? 2 : 7,
		(uint32_t)request[1] << 16 | (uint32_t)request[2] << 8 | request[3]);
	if (client)
		msg6_option(m, 1, client, size);
	msg6_option(m, 2, duid, sizeof(duid));
}

void dhcp6server_lease(
	struct msg6 *m, const uint8_t *request, size_t len, const char *addr, uint32_t valid)
{
	size_t size;
	const uint8_t *ia = msg6_find(request + 4, len - 4, 3, &size);

	dhcp6server_begin(m, request, len);
	if (ia)
		msg6_ia(m,
			(uint32_t)ia[0] << 24 | (uint32_t)ia[1] << 16 | (uint32_t)ia[2] << 8 |
				ia[3],
			addr, valid, valid);
}

/* Port 547 of the servers' group (RFC 8415 section 7.1). */
static int open_socket(const char *ifname)
{
	const struct sockaddr_in6 any = {.sin6_family = AF_INET6, .sin6_port = htons(547)};
	const struct ipv6_mreq group = {
		.ipv6mr_multiaddr = {{{0xff, 0x02, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 2}}},
		.ipv6mr_interface = if_nametoindex(ifname),
	};
	int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (const struct sockaddr *)&any, sizeof(any)) < 0 ||
		setsockopt(fd, IPPROTO_IPV6, IPV6_JOIN_GROUP, &group, sizeof(group)) < 0)
		_exit(3);
	return fd;
}

static void serve(int fd, dhcp6server_fn fn)
{
	unsigned n = 0;

	for (;;) {
		struct sockaddr_in6 from;
		socklen_t size = sizeof(from);
		uint8_t request[2048];
		struct msg6 m;
		ssize_t len =
			recvfrom(fd, request, sizeof(request), 0, (struct sockaddr *)&from, &size);
		int times;

		if (len < 4)
			continue;
		times = fn(&m, request, (size_t)len, request[0], ++n);
		while (times-- > 0)
			sendto(fd, m.bytes, m.len, 0, (struct sockaddr *)&from, sizeof(from));
	}
}

pid_t dhcp6server_start(pid_t pid, const char *ifname, dhcp6server_fn fn)
{
	int ready[2];
	pid_t child;
	char byte = 0;

	CHECK_INT(pipe2(ready, O_CLOEXEC), 0);
	child = fork();
	CHECK(child >= 0);
	if (child == 0) {
		int fd;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		netns_join(pid);
		fd = open_socket(ifname);
		if (write(ready[1], &byte, 1) == 1)
			serve(fd, fn);
		_exit(1);
	}
	close(ready[1]);
	CHECK_INT(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return child;
}
