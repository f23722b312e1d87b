// SPDX-License-Identifier: GPL-2.0-or-later
/* dnsserver: see dnsserver.h. */
#include "dnsserver.h"

#include <ctype.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "check.h"
#include "netns.h"
#include "link/link.h"

#define HEADER	   12
#define TYPE_A	   1
#define TYPE_CNAME 5
#define TYPE_AAAA  28

/* --- messages ------------------------------------------------------------------------------ */

static size_t put_be16(uint8_t *at, unsigned value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
	return 2;
}

static size_t put_name(uint8_t *at, const char *name)
{
	uint8_t *begin = at;

	while (*name) {
		size_t len = strcspn(name, ".");

		*at++ = (uint8_t)len;
		memcpy(at, name, len);
		at += len;
		name += len + (name[len] == '.');
	}
	*at++ = 0;
	return (size_t)(at - begin);
}

void dnsserver_begin(struct dnsserver_reply *m, const struct dnsserver_query *q, unsigned flags)
{
	m->len = HEADER;
	memcpy(m->bytes, q->message, 2);
	memset(m->bytes + 2, 0, HEADER - 2);
	put_be16(m->bytes + 2, flags);
	put_be16(m->bytes + 4, 1);
	m->len += put_name(m->bytes + m->len, q->name);
	m->len += put_be16(m->bytes + m->len, q->type);
	m->len += put_be16(m->bytes + m->len, 1);
}

void dnsserver_record(
	struct dnsserver_reply *m, const char *owner, unsigned type, const void *data, size_t len)
{
	put_be16(m->bytes + 6, (unsigned)(m->bytes[6] << 8 | m->bytes[7]) + 1);
	m->len += put_name(m->bytes + m->len, owner);
	m->len += put_be16(m->bytes + m->len, type);
	m->len += put_be16(m->bytes + m->len, 1);
	memcpy(m->bytes + m->len, "\0\0\0\x3c", 4);
	m->len += 4;
	m->len += put_be16(m->bytes + m->len, (unsigned)len);
	memcpy(m->bytes + m->len, data, len);
	m->len += len;
}

void dnsserver_address(struct dnsserver_reply *m, const struct dnsserver_query *q,
	const char *owner, const char *address)
{
	struct inet_addr a;

	CHECK_INT(value_inet(address, strlen(address), &a), 0);
	if (q->type == (a.family == AF_INET ? TYPE_A : TYPE_AAAA))
		dnsserver_record(m, owner, q->type, a.bytes, inet_addr_len(a.family));
}

void dnsserver_alias(struct dnsserver_reply *m, const char *owner, const char *target)
{
	uint8_t name[256];

	dnsserver_record(m, owner, TYPE_CNAME, name, put_name(name, target));
}

/* --- the server ---------------------------------------------------------------------------- */

/* What the agent sends has no pointers. */
static bool take_query(struct dnsserver_query *q, const uint8_t *message, size_t len)
{
	size_t at = HEADER, used = 0;

	if (len < HEADER)
		return false;
	while (at < len && message[at]) {
		if (used)
			q->name[used++] = '.';
		for (size_t n = message[at++]; n > 0 && at < len && used < sizeof(q->name) - 2; n--)
			q->name[used++] = (char)tolower(message[at++]);
	}
	q->name[used] = 0;
	if (at + 5 > len)
		return false;
	q->type = (unsigned)(message[at + 1] << 8 | message[at + 2]);
	q->message = message;
	q->len = len;
	q->n++;
	return true;
}

static void serve_udp(int fd, struct dnsserver_query *q, dnsserver_fn fn)
{
	static struct dnsserver_reply m;
	struct sockaddr_storage from;
	socklen_t size = sizeof(from);
	uint8_t message[2048];
	ssize_t len = recvfrom(fd, message, sizeof(message), 0, (struct sockaddr *)&from, &size);

	q->tcp = false;
	m.len = 0;
	m.times = 1;
	if (len < 0 || !take_query(q, message, (size_t)len))
		return;
	fn(&m, q);
	for (unsigned n = 0; m.len && n < m.times; n++)
		sendto(fd, m.bytes, m.len, 0, (struct sockaddr *)&from, size);
}

/* One query a connection, its answer in two pieces: no reader may count on one. */
static void serve_tcp(int fd, struct dnsserver_query *q, dnsserver_fn fn)
{
	static struct dnsserver_reply m;
	_cleanup_close_ int peer = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
	uint8_t message[2048], size[2];
	size_t len;

	q->tcp = true;
	m.len = 0;
	if (peer < 0 || recv(peer, size, 2, MSG_WAITALL) != 2)
		return;
	len = (size_t)(size[0] << 8 | size[1]);
	if (len > sizeof(message) || recv(peer, message, len, MSG_WAITALL) != (ssize_t)len ||
		!take_query(q, message, len))
		return;
	fn(&m, q);
	put_be16(size, (unsigned)m.len);
	if (m.len && send(peer, size, 2, MSG_NOSIGNAL) == 2 &&
		send(peer, m.bytes, m.len, MSG_NOSIGNAL) > 0)
		shutdown(peer, SHUT_WR);
}

/* address may have a zone behind it. */
static int open_socket(const char *address, int kind)
{
	struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(53)};
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(53)};
	size_t len = strcspn(address, "%");
	struct inet_addr a;
	int fd;

	if (value_inet(address, len, &a) < 0)
		_exit(3);
	v4.sin_addr = a.v4;
	v6.sin6_addr = a.v6;
	v6.sin6_scope_id = address[len] ? if_nametoindex(address + len + 1) : 0;
	fd = socket(a.family, kind | SOCK_CLOEXEC, 0);
	if (a.family == AF_INET ? bind(fd, (struct sockaddr *)&v4, sizeof(v4))
				: bind(fd, (struct sockaddr *)&v6, sizeof(v6)))
		_exit(3);
	if (kind == SOCK_STREAM && listen(fd, 16) < 0)
		_exit(3);
	return fd;
}

pid_t dnsserver_start(pid_t pid, const char *address, dnsserver_fn fn)
{
	int ready[2];
	pid_t child;
	char byte = 0;

	CHECK_INT(pipe2(ready, O_CLOEXEC), 0);
	child = fork();
	CHECK(child >= 0);
	if (child == 0) {
		struct dnsserver_query q = {0};
		struct pollfd p[2] = {{.events = POLLIN}, {.events = POLLIN}};

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		netns_join(pid);
		p[0].fd = open_socket(address, SOCK_DGRAM);
		p[1].fd = open_socket(address, SOCK_STREAM);
		if (write(ready[1], &byte, 1) != 1)
			_exit(1);
		while (poll(p, 2, -1) > 0) {
			if (p[0].revents)
				serve_udp(p[0].fd, &q, fn);
			if (p[1].revents)
				serve_tcp(p[1].fd, &q, fn);
		}
		_exit(1);
	}
	close(ready[1]);
	CHECK_INT(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return child;
}
