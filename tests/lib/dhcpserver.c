// SPDX-License-Identifier: GPL-2.0-or-later
/* dhcpserver: see dhcpserver.h. */
#include "dhcpserver.h"

#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "check.h"
#include "netns.h"

void dhcpserver_begin(struct msg *m, const uint8_t *request, uint8_t type, uint32_t yiaddr)
{
	msg_begin(m, type, msg_be32(request + MSG_HEADERS + 4), yiaddr);
	memcpy(m->bytes + MSG_HEADERS + 1, request + MSG_HEADERS + 1, 2); /* htype, hlen */
	memcpy(m->bytes + MSG_CHADDR, request + MSG_CHADDR, 16);
}

int dhcpserver_answer(struct msg *m, const uint8_t *request, unsigned type)
{
	if (type != 1 && type != 3)
		return 0;
	dhcpserver_begin(m, request, type == 1 ? 2 : 5, 0x0a000005);
	msg_u32(m, 54, 0x0a000001);
	msg_u32(m, 51, 3600);
	msg_u32(m, 1, 0xffffff00);
	msg_u32(m, 3, 0x0a000001);
	return 1;
}

int dhcpserver_plain(struct msg *m, const uint8_t *request, size_t len, unsigned type, unsigned n)
{
	(void)len;
	(void)n;
	if (!dhcpserver_answer(m, request, type))
		return 0;
	msg_end(m);
	return 1;
}

int dhcpserver_rich(struct msg *m, const uint8_t *request, size_t len, unsigned type, unsigned n)
{
	(void)len;
	(void)n;
	if (!dhcpserver_answer(m, request, type))
		return 0;
	msg_option(m, 121,
		"\x00\x0a\x00\x00\x02\x0c\xac\x10\x0a\x00\x00\x03\x18\xc0\x00\x02\x00\x00\x00\x00"
		"\x08\x65\xc6\x33\x64\x01",
		26);
	msg_u32(m, 6, 0x0a000001);
	msg_text(m, 12, "node5");
	msg_text(m, 15, "example");
	msg_text(m, 17, "10.0.0.1:/export/root");
	msg_option(m, 26, "\x05\x78", 2);
	msg_end(m);
	return 1;
}

static int open_socket(const char *ifname)
{
	struct sockaddr_ll ll = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETHERTYPE_IP),
		.sll_ifindex = (int)if_nametoindex(ifname),
	};
	int fd = socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC, htons(ETHERTYPE_IP));

	if (fd < 0 || bind(fd, (struct sockaddr *)&ll, sizeof(ll)) < 0)
		_exit(3);
	return fd;
}

static void serve(int fd, dhcpserver_fn fn)
{
	unsigned n = 0;

	for (;;) {
		struct sockaddr_ll from;
		socklen_t size = sizeof(from);
		uint8_t request[2048];
		struct msg m;
		ssize_t len =
			recvfrom(fd, request, sizeof(request), 0, (struct sockaddr *)&from, &size);
		const uint8_t *type;
		size_t type_len;
		int times;

		if (len < MSG_OPTIONS || request[9] != 17 || request[23] != 67)
			continue;
		type = msg_find(request, (size_t)len, 53, &type_len);
		times = fn(&m, request, (size_t)len, type ? *type : 0, ++n);
		memset(from.sll_addr, 0xff, 6);
		while (times-- > 0)
			sendto(fd, m.bytes, m.len, 0, (struct sockaddr *)&from, sizeof(from));
	}
}

pid_t dhcpserver_start(pid_t pid, const char *ifname, dhcpserver_fn fn)
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
