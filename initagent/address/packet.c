// SPDX-License-Identifier: GPL-2.0-or-later

#include "address/packet.h"

#include <linux/filter.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <netinet/ip.h>
#include <sys/socket.h>

#include "base/wire.h"

#define BOOTREPLY 2

/*
 * A link-layer address for the kernel. struct sockaddr_ll ends after 8 bytes of address; on IPoIB
 * the kernel needs room for 20 and refuses a shorter one with EINVAL (net/packet/af_packet.c).
 */
union link_address_room {
	struct sockaddr_ll ll;
	struct sockaddr any;
	uint8_t room[offsetof(struct sockaddr_ll, sll_addr) + LINK_HW_MAX];
};

/* Replaces the filter before it in one step: no packet slips through in between. */
static int attach(int fd, struct sock_filter *code, size_t n)
{
	const struct sock_fprog program = {.len = (unsigned short)n, .filter = code};

	return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) < 0
		? -errno : 0;
}

/* A program that accepts nothing; packets queued before stay and are dropped by their
 * transaction. */
int packet_mute(int fd)
{
	struct sock_filter code[] = {BPF_STMT(BPF_RET | BPF_K, 0)};

	return attach(fd, code, ARRAY_SIZE(code));
}

int packet_expect(int fd, uint32_t xid)
{
	/* Offsets count from the IP header; X is its length. Jumps lead to the last two lines. */
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 9),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, IPPROTO_UDP, 0, 10),
		BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 6), /* fragments */
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x3fff, 8, 0),
		BPF_STMT(BPF_LDX | BPF_B | BPF_MSH, 0),
		BPF_STMT(BPF_LD | BPF_H | BPF_IND, 2), /* UDP destination port */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, WIRE_CLIENT_PORT, 0, 5),
		BPF_STMT(BPF_LD | BPF_B | BPF_IND, 8), /* BOOTP op */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, BOOTREPLY, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_IND, 12), /* transaction */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, xid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, WIRE_PACKET_MAX),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};

	return attach(fd, code, ARRAY_SIZE(code));
}

/*
 * Protocol 0 until bind(): no packet of another interface or before the filter gets in, and the
 * first one seen is already ours. xid NULL: no filter.
 */
static int open_packets(int ifindex, uint16_t ethertype, const uint32_t *xid)
{
	_cleanup_close_ int fd = socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	const struct sockaddr_ll ll = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ethertype),
		.sll_ifindex = ifindex,
	};
	const int on = 1;
	int done = fd, e = fd < 0 ? -errno : 0;

	if (e == 0 && xid)
		e = packet_expect(fd, *xid);
	if (e < 0)
		return e;
	if ((xid && setsockopt(fd, SOL_PACKET, PACKET_AUXDATA, &on, sizeof(on)) < 0) ||
		bind(fd, (const struct sockaddr *)&ll, sizeof(ll)) < 0)
		return -errno;
	fd = -1;
	return done;
}

int packet_open_dhcp(int ifindex, uint32_t xid)
{
	return open_packets(ifindex, ETHERTYPE_IP, &xid);
}

int packet_open_arp(int ifindex)
{
	return open_packets(ifindex, ETHERTYPE_ARP, NULL);
}

int packet_broadcast(int fd, const struct netdev *dev, uint16_t ethertype, const void *data,
	size_t len)
{
	union link_address_room to = {.room = {0}};
	socklen_t size = sizeof(int);
	int stale;

	/*
	 * A socket keeps ENETDOWN from when the interface went down, or was not up yet at bind(),
	 * and the next call would get it instead of doing its work. Reading the error clears it.
	 */
	getsockopt(fd, SOL_SOCKET, SO_ERROR, &stale, &size);
	to.ll.sll_family = AF_PACKET;
	to.ll.sll_protocol = htons(ethertype);
	to.ll.sll_ifindex = dev->ifindex;
	to.ll.sll_hatype = htons(dev->hwtype);
	to.ll.sll_halen = dev->broadcast.len;
	memcpy(to.room + offsetof(struct sockaddr_ll, sll_addr), dev->broadcast.bytes,
		dev->broadcast.len);
	return sendto(fd, data, len, 0, &to.any, sizeof(to)) < 0 ? -errno : 0;
}

/* Absent control data means an ordinary packet. */
static bool checksum_complete(struct msghdr *m)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
		struct tpacket_auxdata aux;

		if (c->cmsg_level != SOL_PACKET || c->cmsg_type != PACKET_AUXDATA ||
			c->cmsg_len < CMSG_LEN(sizeof(aux)))
			continue;
		memcpy(&aux, CMSG_DATA(c), sizeof(aux));
		return !(aux.tp_status & TP_STATUS_CSUMNOTREADY);
	}
	return true;
}

ssize_t packet_receive(int fd, void *data, size_t size, bool *ret_verify, uint8_t *ret_type)
{
	struct sockaddr_ll from = {0};
	union {
		struct cmsghdr align;
		uint8_t room[CMSG_SPACE(sizeof(struct tpacket_auxdata))];
	} control;
	struct iovec part = {.iov_base = data, .iov_len = size};
	struct msghdr m = {
		.msg_name = &from,
		.msg_namelen = sizeof(from),
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	ssize_t n = recvmsg(fd, &m, MSG_DONTWAIT);

	if (n < 0)
		return errno == EINTR ? -EAGAIN : -errno;
	if (ret_verify)
		*ret_verify = checksum_complete(&m);
	if (ret_type)
		*ret_type = from.sll_pkttype;
	return n;
}

/* Bound to port 68, so that the reply finds a listener and the server no ICMP error. */
int packet_open_unicast(int ifindex, struct in_addr source)
{
	_cleanup_close_ int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	const struct sockaddr_in from = {
		.sin_family = AF_INET,
		.sin_addr = source,
		.sin_port = htons(WIRE_CLIENT_PORT),
	};
	const int on = 1, index = (int)htonl((uint32_t)ifindex);
	int done = fd;

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0 ||
		setsockopt(fd, IPPROTO_IP, IP_UNICAST_IF, &index, sizeof(index)) < 0 ||
		bind(fd, (const struct sockaddr *)&from, sizeof(from)) < 0)
		return -errno;
	fd = -1;
	return done;
}

int packet_unicast(int fd, struct in_addr dest, const void *data, size_t len)
{
	const struct sockaddr_in to = {
		.sin_family = AF_INET,
		.sin_addr = dest,
		.sin_port = htons(WIRE_SERVER_PORT),
	};

	if (sendto(fd, data, len, MSG_NOSIGNAL, (const struct sockaddr *)&to, sizeof(to)) < 0)
		return -errno;
	return 0;
}
