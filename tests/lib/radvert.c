// SPDX-License-Identifier: GPL-2.0-or-later
/* radvert: see radvert.h. */
#include "radvert.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/icmp6.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "check.h"
#include "netns.h"

#define TYPE_ADVERTISEMENT 134
#define OPTION_PREFIX	   3
#define OPTION_RDNSS	   25
#define OPTION_DNSSL	   31

static void put(struct radvert *m, const void *bytes, size_t len)
{
	CHECK(m->len + len <= sizeof(m->bytes));
	memcpy(m->bytes + m->len, bytes, len);
	m->len += len;
}

static void put_be32(struct radvert *m, uint32_t value)
{
	value = htonl(value);
	put(m, &value, sizeof(value));
}

static void put_address(struct radvert *m, const char *text)
{
	struct in6_addr a;

	CHECK_INT(inet_pton(AF_INET6, text, &a), 1);
	put(m, &a, sizeof(a));
}

/* Type, length in units of eight octets and two octets more; the rest is zeroes. */
static size_t begin_option(struct radvert *m, uint8_t type)
{
	put(m, (const uint8_t[4]){type}, 4);
	return m->len - 4;
}

static void end_option(struct radvert *m, size_t at)
{
	put(m, (const uint8_t[8]){0}, (8 - (m->len - at) % 8) % 8);
	m->bytes[at + 1] = (uint8_t)((m->len - at) / 8);
}

void radvert_begin(struct radvert *m, const char *from, uint8_t flags, uint16_t lifetime_s)
{
	*m = (struct radvert){0};
	strscpy(m->from, from, sizeof(m->from));
	put(m,
		(const uint8_t[16]){TYPE_ADVERTISEMENT, [4] = 64, flags, (uint8_t)(lifetime_s >> 8),
			(uint8_t)lifetime_s},
		16);
}

void radvert_prefix(struct radvert *m, const char *prefix, uint32_t valid_s, uint32_t preferred_s)
{
	size_t at = begin_option(m, OPTION_PREFIX);

	m->bytes[at + 2] = 64;
	m->bytes[at + 3] = 0xc0; /* on the link, autonomous */
	put_be32(m, valid_s);
	put_be32(m, preferred_s);
	put_be32(m, 0);
	put_address(m, prefix);
	end_option(m, at);
}

void radvert_servers(struct radvert *m, uint32_t lifetime_s, const char *addresses)
{
	size_t at = begin_option(m, OPTION_RDNSS);
	char text[512], *rest = text, *word;

	strscpy(text, addresses, sizeof(text));
	put_be32(m, lifetime_s);
	while ((word = strsep(&rest, " ")))
		put_address(m, word);
	end_option(m, at);
}

void radvert_domains(struct radvert *m, uint32_t lifetime_s, const char *domains)
{
	size_t at = begin_option(m, OPTION_DNSSL);

	put_be32(m, lifetime_s);
	while (*domains) {
		uint8_t len = (uint8_t)strcspn(domains, ". ");

		put(m, &len, 1);
		put(m, domains, len);
		if (domains[len] != '.')
			put(m, "", 1);
		domains += len + (domains[len] != 0);
	}
	end_option(m, at);
}

void radvert_option(struct radvert *m, const void *bytes, size_t len)
{
	put(m, bytes, len);
}

/* The kernel fills in the checksum. */
static int send_all(const char *ifname, const struct radvert *m, unsigned times)
{
	struct sockaddr_in6 from = {.sin6_family = AF_INET6,
				    .sin6_scope_id = if_nametoindex(ifname)},
			    to = from;
	int fd = socket(AF_INET6, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMPV6), hops = 255;

	if (inet_pton(AF_INET6, m->from, &from.sin6_addr) != 1 ||
		inet_pton(AF_INET6, "ff02::1", &to.sin6_addr) != 1 ||
		setsockopt(fd, IPPROTO_IPV6, IPV6_MULTICAST_HOPS, &hops, sizeof(hops)) < 0 ||
		bind(fd, (const struct sockaddr *)&from, sizeof(from)) < 0)
		return 1;
	while (times-- > 0)
		if (sendto(fd, m->bytes, m->len, 0, (const struct sockaddr *)&to, sizeof(to)) < 0 &&
			errno != ENOBUFS)
			return 1;
	return 0;
}

void radvert_send(pid_t pid, const char *ifname, const struct radvert *m, unsigned times)
{
	pid_t child = fork();
	int status;

	CHECK(child >= 0);
	if (child == 0) {
		netns_join(pid);
		_exit(send_all(ifname, m, times));
	}
	CHECK_INT(waitpid(child, &status, 0), child);
	CHECK_INT(status, 0);
}

/* A member of the group of all routers. */
static int open_solicitations(const char *ifname)
{
	struct ipv6_mreq routers = {.ipv6mr_interface = if_nametoindex(ifname)};
	int fd = socket(AF_INET6, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMPV6);
	struct icmp6_filter only;

	ICMP6_FILTER_SETBLOCKALL(&only);
	ICMP6_FILTER_SETPASS(ND_ROUTER_SOLICIT, &only);
	if (inet_pton(AF_INET6, "ff02::2", &routers.ipv6mr_multiaddr) != 1 ||
		setsockopt(fd, IPPROTO_ICMPV6, ICMP6_FILTER, &only, sizeof(only)) < 0 ||
		setsockopt(fd, IPPROTO_IPV6, IPV6_ADD_MEMBERSHIP, &routers, sizeof(routers)) < 0)
		_exit(1);
	return fd;
}

void radvert_serve(pid_t pid, const char *ifname, const struct radvert *m)
{
	int ready[2];
	char byte = 0;

	CHECK_INT(pipe2(ready, O_CLOEXEC), 0);
	switch (fork()) {
	case -1: check_fail(__FILE__, __LINE__, "fork: %s", strerror(errno));
	case 0:
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		netns_join(pid);
		for (int fd = open_solicitations(ifname), n = (int)write(ready[1], &byte, 1);
			n > 0;) {
			uint8_t message[256];

			n = (int)recv(fd, message, sizeof(message), 0);
			if (n > 0 && send_all(ifname, m, 1) != 0)
				break;
		}
		_exit(1);
	}
	close(ready[1]);
	CHECK_INT(read(ready[0], &byte, 1), 1);
	close(ready[0]);
}
