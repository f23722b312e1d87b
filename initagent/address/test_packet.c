// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Packet sockets on a link whose addresses are longer than struct sockaddr_ll has room for, as
 * IPoIB's are: a tap of a link type with 16-byte addresses (tests/address/ibtap.c says why not 20).
 */
#include "check.h"
#include "netns.h"

#include <linux/if_packet.h>
#include <linux/if_tun.h>
#include <net/ethernet.h>
#include <net/if_arp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "address/packet.h"
#include "base/wire.h"

#define ALEN 16

static int tap_open(struct netdev *dev)
{
	struct ifreq ifr = {.ifr_name = "ib0", .ifr_flags = IFF_TAP | IFF_NO_PI};
	int fd;

	netns_enter();
	fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		check_skip("no /dev/net/tun: %s", strerror(errno));
	CHECK_INT(ioctl(fd, TUNSETIFF, &ifr), 0);
	CHECK_INT(ioctl(fd, TUNSETLINK, (unsigned long)ARPHRD_TUNNEL6), 0);
	netns_run("ip link set ib0 addrgenmode none; ip link set ib0 up");
	*dev = (struct netdev){.ifindex = (int)if_nametoindex("ib0"),
		.hwtype = ARPHRD_INFINIBAND,
		.hw.len = 20,
		.broadcast = {.len = 20, .bytes = {0, 0xff, 0xff, 0xff, 0xff, 0x12, 0x40, 0x1b}}};
	return fd;
}

/* The next frame with this payload; other traffic of the kernel is passed over. */
static bool came_out(int tap, const void *payload, size_t len)
{
	uint8_t frame[2048];
	ssize_t n;

	while ((n = read(tap, frame, sizeof(frame))) > 0)
		if ((size_t)n == ETHER_HDR_LEN + len &&
			!memcmp(frame + ETHER_HDR_LEN, payload, len)) {
			/* the head of the address */
			CHECK_MEM(frame, "\x00\xff\xff\xff\xff\x12", 6);
			return true;
		}
	return false;
}

TEST(long_addresses_need_a_long_structure)
{
	static const char hello[] = "an IP packet, for all the socket knows";
	struct netdev dev;
	_cleanup_close_ int tap = tap_open(&dev);
	_cleanup_close_ int fd = packet_open_dhcp(dev.ifindex, 1);
	struct sockaddr_ll small = {.sll_family = AF_PACKET, .sll_protocol = htons(ETHERTYPE_IP),
		.sll_ifindex = dev.ifindex, .sll_halen = 8};
	struct sockaddr_ll own;
	socklen_t size = sizeof(own);

	CHECK(fd >= 0);
	CHECK_INT(getsockname(fd, (struct sockaddr *)&own, &size), 0);
	if (own.sll_halen < ALEN)
		check_skip("this kernel's tap has addresses of %d bytes only", own.sll_halen);
	/* What a client that knows Ethernet does, and what ours does. */
	CHECK(sendto(fd, hello, sizeof(hello), 0, (struct sockaddr *)&small, sizeof(small)) < 0);
	CHECK_INT(errno, EINVAL);
	CHECK(!came_out(tap, hello, sizeof(hello)));
	CHECK_INT(packet_broadcast(fd, &dev, ETHERTYPE_IP, hello, sizeof(hello)), 0);
	CHECK(came_out(tap, hello, sizeof(hello)));
}

/* A reply as the switch hands it on: Ethernet header, IP, UDP to port 68, BOOTP reply with this
 * transaction. */
static void reply_in(int tap, uint32_t xid, uint16_t port, uint8_t op)
{
	uint8_t frame[ETHER_HDR_LEN + WIRE_HEADERS + 300] = {
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0, 0, 1, 8, 0};
	uint8_t *packet = frame + ETHER_HDR_LEN, *message = packet + WIRE_HEADERS;
	const uint32_t be = htonl(xid);

	message[0] = op;
	memcpy(message + 4, &be, sizeof(be));
	wire_wrap(packet, WIRE_HEADERS + 300, (struct in_addr){htonl(0x0a000001)},
		(struct in_addr){htonl(0xffffffff)});
	packet[22] = (uint8_t)(port >> 8);
	packet[23] = (uint8_t)port;
	CHECK_INT(write(tap, frame, sizeof(frame)), sizeof(frame));
}

/* Within the time given, in ms. */
static bool received(int fd, int within)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	uint8_t packet[WIRE_PACKET_MAX];
	ssize_t n;

	poll(&p, 1, within);
	n = packet_receive(fd, packet, sizeof(packet), NULL, NULL);
	CHECK(n == -EAGAIN || n == WIRE_HEADERS + 300);
	return n > 0;
}

/* On InfiniBand all replies are broadcast to all nodes: the kernel drops those of others. */
TEST(only_the_transaction_gets_in)
{
	struct netdev dev;
	_cleanup_close_ int tap = tap_open(&dev);
	_cleanup_close_ int fd = packet_open_dhcp(dev.ifindex, 0x12345678);

	CHECK(fd >= 0);
	reply_in(tap, 0x12345678, WIRE_CLIENT_PORT, 2);
	CHECK(received(fd, 1000));
	reply_in(tap, 0x12345679, WIRE_CLIENT_PORT, 2); /* the neighbour's */
	reply_in(tap, 0x12345678, WIRE_CLIENT_PORT, 1); /* a request, ours come back too */
	reply_in(tap, 0x12345678, WIRE_SERVER_PORT, 2);
	CHECK(!received(fd, 50));
	CHECK_INT(packet_expect(fd, 0x12345679), 0);
	reply_in(tap, 0x12345678, WIRE_CLIENT_PORT, 2);
	CHECK(!received(fd, 50));
	reply_in(tap, 0x12345679, WIRE_CLIENT_PORT, 2);
	CHECK(received(fd, 1000));
	CHECK_INT(packet_mute(fd), 0);
	reply_in(tap, 0x12345679, WIRE_CLIENT_PORT, 2);
	CHECK(!received(fd, 50));
}

/* The kernel leaves ENETDOWN on a socket whose interface goes down, or is not up yet when it is
 * bound: not the next packet's fault. */
TEST(a_link_that_was_down_costs_no_packet)
{
	static const char hello[] = "a packet";
	struct netdev dev = {.hwtype = ARPHRD_ETHER, .hw.len = 6,
		.broadcast = {.len = 6, .bytes = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff}}};

	netns_enter();
	netns_veth("va", "vb", 0);
	dev.ifindex = (int)if_nametoindex("va");
	netns_run("ip link set vb up; ip link set va down");
	for (int bound_up = 0; bound_up < 2; bound_up++) {
		_cleanup_close_ int fd = packet_open_dhcp(dev.ifindex, 1);

		CHECK(fd >= 0);
		CHECK_INT(packet_mute(fd), 0);
		netns_run("ip link set va down; ip link set va up");
		CHECK_INT(packet_expect(fd, 2), 0);
		CHECK_INT(packet_broadcast(fd, &dev, ETHERTYPE_IP, hello, sizeof(hello)), 0);
		netns_run("ip link set va down");
		CHECK_INT(packet_broadcast(fd, &dev, ETHERTYPE_IP, hello, sizeof(hello)),
			-ENETDOWN);
		netns_run("ip link set va up");
	}
}
