/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * madlab: a stand-in for ib_umad and the fabric behind it, for unit tests of timers and of answers
 * no real server gives. It answers at once, late, wrongly or never, as the test wants. What real
 * servers do is tested with ibsim and OpenSM (tests/fabric.bats).
 */
#pragma once

#include "fabric/mad_io.h"

#define MADLAB_QUEUE 80

struct madlab {
	struct mad_ops ops; /* give this to the object under test */
	int open_error, send_error, recv_error; /* negative errno: what these calls return */
	bool deaf[MAD_QUERY_MAX];		/* no answer to this */
	unsigned sent[MAD_QUERY_MAX];
	int opened, closed;
	uint8_t last[MAD_SIZE]; /* the last request */
	struct mad_to last_to;
	unsigned last_timeout_ms;
	/* What the fabric is. */
	const char *neighbour;
	uint8_t neighbour_port;
	enum fabric_node neighbour_type;
	uint64_t sm_guid;
	uint16_t status;	/* of every answer */
	uint8_t group_mtu, group_rate; /* codes */
	uint8_t port_mtu;
	uint8_t switch_sm_lid; /* of the neighbour's management port */
	/* Datagrams to be received. */
	struct {
		uint8_t bytes[MAD_IO_SIZE];
		int len, error;
	} queue[MADLAB_QUEUE];
	size_t first, n;
	int pipe[2]; /* one byte a datagram, so that the fd is readable */
};

void madlab_new(struct madlab *l);
void madlab_free(struct madlab *l);

/* madlab_answer: the right answer to a request, as the fabric above gives it. */
void madlab_answer(const struct madlab *l, const uint8_t request[static MAD_SIZE],
	uint8_t ret[static MAD_SIZE]);

/* madlab_push: makes any bytes arrive; error: as a request that the kernel gives back. */
void madlab_push(struct madlab *l, const void *bytes, size_t len, int error);
