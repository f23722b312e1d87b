/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * addressroom: the link and address rooms on va, in a namespace of their own; vb, with 10.0.0.1/24,
 * is the far end, in the namespace of peer.
 */
#pragma once

#include <sys/types.h>

#include "address/address.h"
#include "check.h"
#include "dhcpserver.h"
#include "netns.h"

#define SEC NSEC_PER_SEC

struct room_fixture {
	char prefix[32];
	struct env env;
	struct report *report;
	int console[2];
	char text[32768]; /* what the console got so far */
	struct links *links;
	struct addresses *addresses;
	pid_t peer;
	struct address_config cfg; /* DHCP on va, no address probe */
	uint64_t began, skew; /* what room_clock() is made of */
	bool real; /* the clock runs, for what the kernel does by its own clock, and never jumps */
};

/* room_clock: the test's time, which the test alone moves (see addressroom.c). */
uint64_t room_clock(const struct room_fixture *f);

/* room_child_runs: a server or worker of the test has something to do. */
bool room_child_runs(void);

/* room_carrier: until the kernel has told of it, or of its loss, which may be a second late. */
void room_carrier(struct room_fixture *f, bool carrier);

void room_begin(struct room_fixture *f);
void room_end(struct room_fixture *f);

/* room_start: adds the interface as f->cfg says. */
void room_start(struct room_fixture *f);

/* room_lease: with such a server, until the interface is configured, within limit. Its pid. */
pid_t room_lease(struct room_fixture *f, dhcpserver_fn server, uint64_t limit);

/* room_restart: what a killed agent leaves, and a new one finds. */
void room_restart(struct room_fixture *f);

/* room_next: the next event; the case fails when none comes within limit. */
struct address_event room_next(struct room_fixture *f, uint64_t limit);

/* room_until: skips other events until one of this type. */
struct address_event room_until(
	struct room_fixture *f, enum address_event_type type, uint64_t limit);

/* room_result: of the configured interface; the case fails when there is none. */
const struct address_result *room_result(struct room_fixture *f);

/* room_printed: did the console get this text? */
bool room_printed(struct room_fixture *f, const char *what);

struct inet_addr room_addr(const char *text);
