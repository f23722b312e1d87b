// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ibtap: an interface shaped like IPoIB where there is no InfiniBand, and the wire between it and a
 *switch of Ethernet. What is between the link headers passes untouched, so that real servers, which
 *know Ethernet only, see the DHCP message as an IPoIB node sends it: htype 32, hlen 0, no chaddr.
 *
 *   ibtap NAME UPLINK [key=value]...
 *	log=FILE	a line for each DHCP message and for each ARP packet out of NAME
 *	dark=1		no carrier until SIGUSR1; then the time until the first DHCP request goes to
 *the log arp=ADDR	another host, which has this address, answers ARP probes for it mtu=N
 *of NAME, as a broadcast group would give it (2044)
 *
 * The kernel keeps link-layer addresses of a length it knows for each link type. Newer kernels may
 *know that of InfiniBand for tun devices (20); others get the longest they have for any type (16),
 *and the line "ready" says which. Either is more than struct sockaddr_ll has room for (8).
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_packet.h>
#include <linux/if_tun.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define IB_ALEN	   20
#define DHCP_FIXED 236
#define ARP_IB	   (8 + 2 * (IB_ALEN + 4))

struct relay {
	int tap, uplink, signals;
	int uplink_index;
	const char *name;
	FILE *log;
	struct in_addr taken; /* arp= */
	unsigned mtu;
	bool dark;
	uint64_t lit; /* carrier since; 0: not measured */
};

static void die(const char *what)
{
	fprintf(stderr, "ibtap: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_BOOTTIME, &ts);
	return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

/* A packet socket knows how long the addresses of its interface are. */
static int longest_address(struct relay *r)
{
	static const unsigned long types[] = {ARPHRD_INFINIBAND, ARPHRD_TUNNEL6};
	int len = 0;

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		struct sockaddr_ll ll = {.sll_family = AF_PACKET};
		socklen_t size = sizeof(ll) + IB_ALEN;
		union {
			struct sockaddr_ll ll;
			uint8_t room[sizeof(struct sockaddr_ll) + IB_ALEN];
		} at = {.ll = ll};
		int fd;

		if (ioctl(r->tap, TUNSETLINK, types[i]) < 0)
			die("TUNSETLINK");
		fd = socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
		at.ll.sll_ifindex = (int)if_nametoindex(r->name);
		if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at.ll)) < 0 ||
			getsockname(fd, (struct sockaddr *)&at, &size) < 0)
			die("address length");
		close(fd);
		len = at.ll.sll_halen;
		if (len > (int)sizeof(ll.sll_addr))
			break;
	}
	return len;
}

static void set_mtu(const struct relay *r)
{
	struct ifreq ifr = {.ifr_mtu = (int)r->mtu};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", r->name);
	if (fd < 0 || ioctl(fd, SIOCSIFMTU, &ifr) < 0)
		die("MTU");
	close(fd);
}

static void set_carrier(const struct relay *r, int on)
{
	if (ioctl(r->tap, TUNSETCARRIER, &on) < 0)
		die("TUNSETCARRIER");
}

static void open_tap(struct relay *r)
{
	struct ifreq ifr = {.ifr_flags = IFF_TAP | IFF_NO_PI};

	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", r->name);
	r->tap = open("/dev/net/tun", O_RDWR | O_CLOEXEC);
	if (r->tap < 0 || ioctl(r->tap, TUNSETIFF, &ifr) < 0)
		die("/dev/net/tun");
	if (r->mtu)
		set_mtu(r);
	if (r->dark)
		set_carrier(r, 0);
}

static void open_uplink(struct relay *r, const char *name)
{
	struct sockaddr_ll ll = {.sll_family = AF_PACKET, .sll_protocol = htons(ETHERTYPE_IP)};

	r->uplink_index = ll.sll_ifindex = (int)if_nametoindex(name);
	r->uplink = socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC, htons(ETHERTYPE_IP));
	if (r->uplink < 0 || bind(r->uplink, (struct sockaddr *)&ll, sizeof(ll)) < 0)
		die(name);
}

static void put_hex(FILE *f, const uint8_t *at, size_t len)
{
	for (size_t i = 0; i < len; i++)
		fprintf(f, "%02x", at[i]);
}

/* Message type, overload and client identifier. */
static void log_options(FILE *f, const uint8_t *at, size_t len)
{
	while (len >= 2 && *at != 255 && len - 2 >= at[1]) {
		if (at[0] == 53)
			fprintf(f, " type=%d", at[2]);
		if (at[0] == 52)
			fprintf(f, " overload=%d", at[2]);
		if (at[0] == 61)
			fprintf(f, " id=");
		if (at[0] == 61)
			put_hex(f, at + 2, at[1]);
		len -= 2u + at[1];
		at += 2 + at[1];
	}
}

/* What an IPoIB client must send: RFC 4390 section 2.1. */
static void log_request(struct relay *r, const uint8_t *frame, size_t len)
{
	const uint8_t *m = frame + 14 + 20 + 8;
	static const uint8_t zero[16];

	if (len < 14 + 28 + DHCP_FIXED + 4 || frame[14 + 9] != IPPROTO_UDP || frame[14 + 23] != 67)
		return;
	if (r->lit)
		fprintf(r->log, "first-frame us=%llu\n", (unsigned long long)(now_us() - r->lit));
	r->lit = 0;
	fprintf(r->log, "dhcp to=");
	put_hex(r->log, frame, 6);
	fprintf(r->log, " htype=%d hlen=%d flags=%02x%02x chaddr=%s xid=", m[1], m[2], m[10], m[11],
		memcmp(m + 28, zero, 16) ? "set" : "zero");
	put_hex(r->log, m + 4, 4);
	log_options(r->log, m + DHCP_FIXED + 4, len - (size_t)(m - frame) - DHCP_FIXED - 4);
	fprintf(r->log, "\n");
}

/* The other host answers a probe for its address: an ARP reply in InfiniBand's shape. */
static void answer_arp(struct relay *r, const uint8_t *frame)
{
	static const uint8_t other[IB_ALEN] = {
		0, 0, 0, 0x77, 0xfe, 0x80, [12] = 2, 0, 0xc9, 3, 0, 0, 0, 0x99};
	uint8_t reply[14 + ARP_IB];

	memcpy(reply, frame, sizeof(reply));
	memset(reply, 0xff, 6);
	reply[14 + 7] = ARPOP_REPLY;
	memcpy(reply + 14 + 8, other, IB_ALEN);
	memcpy(reply + 14 + 8 + IB_ALEN, &r->taken, 4);
	memcpy(reply + 14 + 12 + IB_ALEN, frame + 14 + 8, IB_ALEN);
	if (write(r->tap, reply, sizeof(reply)) < 0)
		die("tap");
}

static void take_arp(struct relay *r, const uint8_t *frame, size_t len)
{
	const uint8_t *arp = frame + 14, *target = arp + 8 + 2 * IB_ALEN + 4;

	if (len < 14 + 8)
		return;
	fprintf(r->log, "arp hwtype=%d hlen=%d\n", arp[0] << 8 | arp[1], arp[4]);
	if (len >= 14 + ARP_IB && arp[4] == IB_ALEN && arp[7] == ARPOP_REQUEST &&
		!memcmp(target, &r->taken, 4))
		answer_arp(r, frame);
}

static void from_tap(struct relay *r)
{
	uint8_t frame[4096];
	ssize_t n = read(r->tap, frame, sizeof(frame));
	struct sockaddr_ll to = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETHERTYPE_IP),
		.sll_ifindex = r->uplink_index,
		.sll_halen = 6,
		.sll_addr = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
	};

	if (n < 14)
		return;
	if (frame[12] == 8 && frame[13] == 6)
		take_arp(r, frame, (size_t)n);
	if (frame[12] != 8 || frame[13] != 0)
		return;
	log_request(r, frame, (size_t)n);
	sendto(r->uplink, frame + 14, (size_t)n - 14, 0, (struct sockaddr *)&to, sizeof(to));
}

/* Only what is for a DHCP client: the switch carries other things too. */
static void from_uplink(struct relay *r)
{
	/* As a broadcast, whatever the server's switch made of it. */
	uint8_t frame[4096] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0, 0, 1, 8, 0};
	struct sockaddr_ll from;
	socklen_t size = sizeof(from);
	ssize_t n = recvfrom(
		r->uplink, frame + 14, sizeof(frame) - 14, 0, (struct sockaddr *)&from, &size);
	struct udphdr *udp = (struct udphdr *)(void *)(frame + 14 + 20);

	if (n < 28 || from.sll_pkttype == PACKET_OUTGOING || frame[14 + 9] != IPPROTO_UDP ||
		udp->dest != htons(68))
		return;
	/* Between hosts on one machine the kernel leaves the checksum to hardware that is not
	 * there. */
	udp->check = 0;
	fprintf(r->log, "reply");
	if ((size_t)n > 28 + DHCP_FIXED + 4)
		log_options(
			r->log, frame + 14 + 28 + DHCP_FIXED + 4, (size_t)n - 28 - DHCP_FIXED - 4);
	fprintf(r->log, "\n");
	if (write(r->tap, frame, (size_t)n + 14) < 0 && errno != EIO)
		die("tap");
}

static void from_signal(struct relay *r)
{
	struct signalfd_siginfo info;

	if (read(r->signals, &info, sizeof(info)) != sizeof(info))
		return;
	r->lit = now_us();
	set_carrier(r, 1);
}

static void set(struct relay *r, const char *arg)
{
	if (!strncmp(arg, "log=", 4))
		r->log = fopen(arg + 4, "ae");
	else if (!strncmp(arg, "arp=", 4))
		inet_pton(AF_INET, arg + 4, &r->taken);
	else if (!strncmp(arg, "mtu=", 4))
		r->mtu = (unsigned)strtoul(arg + 4, NULL, 10);
	else if (!strcmp(arg, "dark=1"))
		r->dark = true;
	else
		die(arg);
	if (!r->log)
		die(arg);
	setvbuf(r->log, NULL, _IOLBF, 0);
}

int main(int argc, char **argv)
{
	struct relay r = {.log = stdout, .name = argc > 1 ? argv[1] : ""};
	struct pollfd p[3];
	sigset_t usr1;

	if (argc < 3)
		die("usage: ibtap NAME UPLINK [key=value]...");
	for (int i = 3; i < argc; i++)
		set(&r, argv[i]);
	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	sigprocmask(SIG_BLOCK, &usr1, NULL);
	r.signals = signalfd(-1, &usr1, SFD_CLOEXEC);
	open_tap(&r);
	open_uplink(&r, argv[2]);
	fprintf(r.log, "ready alen=%d\n", longest_address(&r));
	p[0] = (struct pollfd){.fd = r.tap, .events = POLLIN};
	p[1] = (struct pollfd){.fd = r.uplink, .events = POLLIN};
	p[2] = (struct pollfd){.fd = r.signals, .events = POLLIN};
	for (;;) {
		if (poll(p, 3, -1) < 0)
			die("poll");
		if (p[2].revents & POLLIN)
			from_signal(&r);
		if (p[0].revents & POLLIN)
			from_tap(&r);
		if (p[1].revents & POLLIN)
			from_uplink(&r);
	}
}
