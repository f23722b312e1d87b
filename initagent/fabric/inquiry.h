/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inquiry: what is asked about the ports and when. The neighbour as soon as a port is LinkUp; the
 * subnet manager when the plan or somebody wants it and the port is ACTIVE; broadcast groups when
 * somebody wants them. Knowledge ends with what it hangs on: the link, the SM LID.
 */
#pragma once

#include "fabric/mad_client.h"

struct inquiry;

struct inquiry_event {
	enum fabric_event_type type; /* FABRIC_NEIGHBOUR, FABRIC_SM or FABRIC_GROUP */
	char name[80];		     /* of the port */
	struct fabric_group group;
};

/* inquiry_new: epoll gets the fds of open ports. env, ops and epoll are borrowed. 0 or -ENOMEM. */
int inquiry_new(
	struct inquiry **ret, const struct env *env, const struct mad_ops *ops, int epoll);
struct inquiry *inquiry_free(struct inquiry *q);
DEFINE_FREEP(struct inquiry, inquiry_free)

void inquiry_set_smprobe(struct inquiry *q, bool on);

/* inquiry_fill: writes what is known into port: smprobe, neighbour, sm. Asks nothing. */
void inquiry_fill(const struct inquiry *q, struct fabric_port *port);

/*
 * inquiry_port: looks at a port as it is now: forgets what no longer holds and asks what is to be
 * asked; then like inquiry_fill().
 */
void inquiry_port(struct inquiry *q, struct fabric_port *port, uint64_t now);

/* inquiry_forget: the port is gone. */
void inquiry_forget(struct inquiry *q, const char *name);

/* inquiry_sm, inquiry_group: see fabric_ask_sm() and fabric_ask_group(). */
int inquiry_sm(struct inquiry *q, const struct fabric_port *port, uint64_t now);
int inquiry_group(
	struct inquiry *q, const struct fabric_port *port, uint16_t pkey, uint64_t now);

uint64_t inquiry_deadline(const struct inquiry *q);
void inquiry_dispatch(struct inquiry *q, uint64_t now);
bool inquiry_pop(struct inquiry *q, struct inquiry_event *ret);
bool inquiry_busy(const struct inquiry *q);

/* inquiry_close: closes every port; nothing is asked any more. What is known stays. */
void inquiry_close(struct inquiry *q);
