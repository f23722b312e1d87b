/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guard: the process that parses what came from the network. It is forked once, before anything is
 * known of the network, and keeps nothing but a socket to us: other user id, no capabilities,
 * no_new_privs, resource limits, and a seccomp list of read, write and exit. Requests and answers are
 * structs of fixed size; an answer of another size or with values out of range counts as an attack: the
 * process is ended and replaced, five times in a boot at most.
 *
 * Namespaces would hide nothing from a process that can name nothing; a network namespace would even
 * make every later module load pay for it. So none is made.
 */
#pragma once

#include "address/dhcp6_message.h"
#include "address/dhcp_reply.h"
#include "resolver/dns.h"
#include "address/nd_option.h"
#include "base/env.h"

struct guard;

/* GUARD_ND: a router's options as the kernel passes them on (nd_option.h). */
enum guard_kind { GUARD_DHCP, GUARD_DNS, GUARD_DHCP6, GUARD_ND, GUARD_KIND_MAX };

/* DHCPv6 answers may be longer than the link's MTU: parameters of boot files and vendor options come in fragments. */
#define GUARD_PACKET_MAX 4096

/* A packet to be parsed. tag comes back with the answer. */
struct guard_request {
	uint32_t kind; /* enum guard_kind */
	uint32_t tag;
	uint32_t verify; /* DHCP: the UDP checksum is complete */
	uint32_t iaid;	 /* DHCPv6: of the client */
	struct in6_addr source; /* DHCPv6: the sender, which comes back with the answer */
	uint32_t len;
	struct dns_query query; /* DNS: what was asked */
	uint8_t packet[GUARD_PACKET_MAX];
};

struct guard_answer {
	uint32_t kind;
	uint32_t tag;
	union {
		struct dhcp_reply dhcp;
		struct dns_answer dns;
		struct dhcp6_reply dhcp6;
		struct nd_options options;
	};
};

/* guard_new: forks the process. 0 or -errno. */
int guard_new(struct guard **ret, const struct env *env, uint64_t now);

/* guard_free: ends the process and waits for its end. */
struct guard *guard_free(struct guard *g);
DEFINE_FREEP(struct guard, guard_free)

/* guard_fd: -1: there is no process any more. */
int guard_fd(const struct guard *g);

/*
 * guard_submit: hands a packet over. 0, -EAGAIN when the process is busy with others (the packet is
 * lost, as on the wire) or -EPIPE when there is no process any more.
 */
int guard_submit(struct guard *g, const struct guard_request *r);

/*
 * guard_pop: the next answer. 1, 0 when there is none yet, -EPIPE when the process died or broke the
 * rules: take guard_fd() out of any epoll set (other children may hold copies of it), then call
 * guard_replace().
 */
int guard_pop(struct guard *g, struct guard_answer *ret);

/*
 * guard_replace: reports how the process ended and starts another one, at once the first time, later after a growing wait
 * (guard_deadline); guard_fd() is its socket, or -1. What the old one was working on is lost.
 */
void guard_replace(struct guard *g, uint64_t now);

/* guard_tick: starts it when guard_deadline() has come (NSEC_NEVER: nothing is due); guard_fd() may be new then. */
void guard_tick(struct guard *g, uint64_t now);
uint64_t guard_deadline(const struct guard *g);

/* guard_lost: there is no process, and there will be none. */
bool guard_lost(const struct guard *g);

/* guard_pid: for tests. */
pid_t guard_pid(const struct guard *g);

/* guard_answer_for: what the process does with a request; pure, also used by fuzz targets. */
void guard_answer_for(const struct guard_request *r, struct guard_answer *ret);

/* guard_lock_down: drops all rights of the calling process for good. 0 or -errno. */
int guard_lock_down(int keep_fd);
