/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dns_stream: one DNS query over TCP (RFC 7766), for an answer that UDP truncated. It never waits. */
#pragma once

#include <sys/socket.h>

#include "resolver/dns.h"
#include "base/wire.h"

struct dns_stream {
	int fd;	   /* -1: none */
	int epoll; /* that fd is part of */
	uint8_t query[2 + DNS_MESSAGE_MAX];
	size_t len, sent;
	uint8_t answer[2 + WIRE_PACKET_MAX];
	size_t got;
};

/* dns_stream_open: connects to the server; its fd becomes part of epoll, which is borrowed. 0 or -errno: it stays closed. */
int dns_stream_open(struct dns_stream *s, int epoll, const struct sockaddr *server, socklen_t size, const void *message,
	size_t len);
void dns_stream_close(struct dns_stream *s);

/*
 * dns_stream_read: goes on as far as it can. The length of the answer, which is copied to packet and ends the stream; 0:
 * not there yet; -errno: over. Of one that is longer than size the beginning, marked as truncated.
 */
ssize_t dns_stream_read(struct dns_stream *s, void *packet, size_t size);
