// SPDX-License-Identifier: GPL-2.0-or-later
/* floor_lease: DHCP on Ethernet and, by RFC 4390, on IPoIB, through a plain UDP socket: the server
 * is asked to broadcast its answers. */
#include "floor.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

/* RFC 2131, figure 1, and RFC 2132. */
#define OPTIONS_AT 240
#define XID	   "root"
#define BROADCAST  0x80
#define COOKIE	   "\x63\x82\x53\x63"

enum option { OPT_MASK = 1, OPT_ADDRESS = 50, OPT_TYPE = 53, OPT_SERVER = 54, OPT_LIST = 55,
	OPT_CLIENT = 61, OPT_END = 255 };
enum message { DISCOVER = 1, OFFER, REQUEST, ACK = 5 };

struct lease {
	int socket;
	struct ifreq hardware;
	uint8_t address[4], mask[4], server[4];
};

static uint8_t *put(uint8_t *at, enum option option, const void *value, size_t len)
{
	*at++ = (uint8_t)option;
	*at++ = (uint8_t)len;
	memcpy(at, value, len);
	return at + len;
}

/* A node on InfiniBand has no hardware address in the packet, and is known by its client
 * identifier: here any will do. */
static size_t compose(const struct lease *l, uint8_t *p, enum message message)
{
	const struct sockaddr *hardware = &l->hardware.ifr_hwaddr;
	const uint8_t type = (uint8_t)message, list = OPT_MASK;
	uint8_t *at = p + OPTIONS_AT;

	memset(p, 0, OPTIONS_AT);
	p[0] = 1; /* BOOTREQUEST */
	p[1] = (uint8_t)hardware->sa_family;
	memcpy(p + 4, XID, 4);
	p[10] = BROADCAST;
	memcpy(p + 236, COOKIE, 4);
	at = put(at, OPT_TYPE, &type, 1);
	if (hardware->sa_family == ARPHRD_ETHER) {
		p[2] = 6;
		memcpy(p + 28, hardware->sa_data, 6);
	} else {
		at = put(at, OPT_CLIENT, "\0floor", 6);
	}
	if (message == REQUEST) {
		at = put(at, OPT_ADDRESS, l->address, 4);
		at = put(at, OPT_SERVER, l->server, 4);
	}
	at = put(at, OPT_LIST, &list, 1);
	*at++ = OPT_END;
	return (size_t)(at - p);
}

/* The answer's type; 0: none of ours. */
static int parse(struct lease *l, const uint8_t *p, size_t len)
{
	int type = 0;

	if (len < OPTIONS_AT || p[0] != 2 || memcmp(p + 4, XID, 4) != 0)
		return 0;
	memcpy(l->address, p + 16, 4);
	for (size_t at = OPTIONS_AT; at + 2 < len && p[at] != OPT_END;) {
		const uint8_t *value = p + at + 2;

		if (p[at] == 0) {
			at++;
			continue;
		}
		if (p[at] == OPT_TYPE)
			type = *value;
		if (p[at] == OPT_MASK && at + 6 <= len)
			memcpy(l->mask, value, 4);
		if (p[at] == OPT_SERVER && at + 6 <= len)
			memcpy(l->server, value, 4);
		at += 2 + (size_t)p[at + 1];
	}
	return type;
}

/* ask: until that answer comes; the first packets after a carrier may be lost. */
static void ask(struct lease *l, enum message message, enum message answer)
{
	struct sockaddr_in all = {.sin_family = AF_INET, .sin_port = htons(67),
		.sin_addr.s_addr = INADDR_BROADCAST};
	uint8_t p[1024];
	ssize_t n;

	do {
		size_t len = compose(l, p, message);

		floor_must((int)sendto(l->socket, p, len, 0, (struct sockaddr *)&all, sizeof(all)),
			"DHCP");
		do
			n = recv(l->socket, p, sizeof(p), 0);
		while (n > 0 && parse(l, p, (size_t)n) != (int)answer);
	} while (n < 0 && errno == EAGAIN);
	floor_must((int)n, "DHCP");
}

static void set_address(const struct lease *l, const char *netdev)
{
	struct sockaddr_in in = {.sin_family = AF_INET};
	struct ifreq ifr = {0};

	snprintf(ifr.ifr_name, IFNAMSIZ, "%s", netdev);
	memcpy(&in.sin_addr, l->address, 4);
	memcpy(&ifr.ifr_addr, &in, sizeof(in));
	floor_must(ioctl(l->socket, SIOCSIFADDR, &ifr), "address");
	memcpy(&in.sin_addr, l->mask, 4);
	memcpy(&ifr.ifr_netmask, &in, sizeof(in));
	floor_must(ioctl(l->socket, SIOCSIFNETMASK, &ifr), "mask");
}

void floor_lease(const char *netdev)
{
	const struct timeval patience = {.tv_usec = 100000};
	struct sockaddr_in own = {.sin_family = AF_INET, .sin_port = htons(68)};
	struct lease l = {.socket = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
	const int on = 1;

	floor_must(l.socket, "socket");
	snprintf(l.hardware.ifr_name, IFNAMSIZ, "%s", netdev);
	floor_must(ioctl(l.socket, SIOCGIFHWADDR, &l.hardware), netdev);
	floor_must(setsockopt(l.socket, SOL_SOCKET, SO_BROADCAST, &on, sizeof(on)), netdev);
	floor_must(setsockopt(l.socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)),
		netdev);
	floor_must(setsockopt(l.socket, SOL_SOCKET, SO_BINDTODEVICE, netdev,
			   (socklen_t)strlen(netdev)), netdev);
	floor_must(bind(l.socket, (struct sockaddr *)&own, sizeof(own)), "port 68");
	ask(&l, DISCOVER, OFFER);
	ask(&l, REQUEST, ACK);
	set_address(&l, netdev);
	close(l.socket);
}
