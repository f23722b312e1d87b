// SPDX-License-Identifier: GPL-2.0-or-later
#include "echothread.h"

#include "guest.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/ip_icmp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PERIOD_NS UINT64_C(100000000)
/* A reply that took longer was never seen on the slowest machine. */
#define ON_THE_WAY_NS UINT64_C(5000000000)

/* The gateway of the default route, which the root's server is. False: there is none. */
static bool server_of_root(struct in_addr *ret)
{
	static char text[65536];
	const char *at;
	unsigned gateway;

	if (guest_read("/proc/net/route", text, sizeof(text)) <= 0)
		return false;
	at = strstr(text, "\t00000000\t");
	if (!at || sscanf(at, "\t00000000\t%8x", &gateway) != 1)
		return false;
	ret->s_addr = gateway;
	return true;
}

static uint16_t checksum(const uint16_t *words, size_t n)
{
	uint32_t sum = 0;

	while (n-- > 0)
		sum += *words++;
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~(sum + (sum >> 16));
}

/* One that the kernel refuses, for want of a route or of a link, was lost like any other. */
static void send_request(struct echothread *e)
{
	unsigned n = atomic_load(&e->sent);
	struct icmphdr h = {
		.type = ICMP_ECHO,
		.un.echo = {.id = htons((uint16_t)getpid()), .sequence = htons((uint16_t)n)},
	};

	h.checksum = checksum((const void *)&h, sizeof(h) / 2);
	atomic_store(&e->replied[n % ECHO_MAX], 0);
	atomic_store(&e->sent_ns[n % ECHO_MAX], guest_now());
	atomic_store(&e->sent, n + 1);
	(void)!send(e->fd, &h, sizeof(h), MSG_DONTWAIT);
}

static void take_reply(struct echothread *e)
{
	union {
		struct iphdr ip;
		unsigned char bytes[512];
	} packet;
	ssize_t len = recv(e->fd, &packet, sizeof(packet), MSG_DONTWAIT);
	struct icmphdr h;
	unsigned n;

	if (len < (ssize_t)sizeof(packet.ip) ||
		len < (ssize_t)(packet.ip.ihl * 4 + sizeof(h)))
		return;
	memcpy(&h, packet.bytes + packet.ip.ihl * 4, sizeof(h));
	n = ntohs(h.un.echo.sequence);
	if (h.type != ICMP_ECHOREPLY || ntohs(h.un.echo.id) != (uint16_t)getpid() ||
		n >= atomic_load(&e->sent))
		return;
	if (!atomic_exchange(&e->replied[n % ECHO_MAX], 1))
		atomic_fetch_add(&e->answered, 1);
}

static void *run(void *arg)
{
	struct echothread *e = arg;
	struct pollfd p = {.fd = e->fd, .events = POLLIN};
	uint64_t due = guest_now(), now;

	for (;;) {
		now = guest_now();
		if (now >= due) {
			send_request(e);
			due = now + PERIOD_NS;
		}
		/* rounded up, so that it does not spin through the last millisecond */
		if (poll(&p, 1, (int)((due - now) / 1000000) + 1) > 0)
			take_reply(e);
	}
	return NULL;
}

int echothread_start(struct echothread *e)
{
	struct sockaddr_in to = {.sin_family = AF_INET};

	if (!server_of_root(&to.sin_addr))
		return -EDESTADDRREQ;
	e->fd = socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMP);
	if (e->fd < 0 || connect(e->fd, (const void *)&to, sizeof(to)) < 0)
		return -errno;
	return -pthread_create(&e->thread, NULL, run, e);
}

uint64_t echothread_longest_lost(const struct echothread *e, uint64_t *ret_from)
{
	unsigned sent = atomic_load(&e->sent);
	uint64_t now = guest_now();
	uint64_t first = 0, at, longest = 0;

	for (unsigned n = sent > ECHO_MAX ? sent - ECHO_MAX : 0; n < sent; n++) {
		at = atomic_load(&e->sent_ns[n % ECHO_MAX]);
		if (atomic_load(&e->replied[n % ECHO_MAX])) {
			first = 0;
			continue;
		}
		if (now - at < ON_THE_WAY_NS)
			break;
		first = first ? first : at;
		if (at - first > longest) {
			longest = at - first;
			*ret_from = first;
		}
	}
	return longest;
}
