/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * port_query: what is asked about the ports and when. The neighbour as soon as a port is LinkUp;
 * the subnet manager and broadcast groups on demand and when the port is ACTIVE. What is known is
 * dropped with the link or the SM LID that it depends on.
 */
#pragma once

#include "fabric/mad_client.h"

#define PORTS_MAX 512 /* four adapters with 127 virtual functions each; the rest is not looked at */

struct port_queries {
	const struct env *env;
	const struct mad_ops *ops;
	int epoll;
	bool smprobe, closed;
	struct port_query *queries[PORTS_MAX];
	size_t n;
	uint64_t look; /* next look at ports that epoll does not take */
};

struct query_event {
	enum fabric_event_type type; /* FABRIC_NEIGHBOUR, FABRIC_SM or FABRIC_GROUP */
	char name[80];		     /* of the port */
	struct fabric_group group;
};

/* port_queries_init: epoll gets the fds of open ports. env, ops and epoll are borrowed. */
void port_queries_init(
	struct port_queries *all, const struct env *env, const struct mad_ops *ops, int epoll);
void port_queries_done(struct port_queries *all);

/* port_queries_fill: writes what is known into port: smprobe, neighbour, sm. Asks nothing. */
void port_queries_fill(const struct port_queries *all, struct fabric_port *port);

/*
 * port_queries_update: looks at a port as it is now: forgets what no longer holds and asks what is
 * to be asked; then like port_queries_fill().
 */
void port_queries_update(struct port_queries *all, struct fabric_port *port, uint64_t now);

void port_queries_forget(struct port_queries *all, const char *name);

/* port_queries_ask: pkey 0: see fabric_ask_sm(); else fabric_ask_group(). */
int port_queries_ask(
	struct port_queries *all, const struct fabric_port *port, uint16_t pkey, uint64_t now);

uint64_t port_queries_deadline(const struct port_queries *all);
void port_queries_dispatch(struct port_queries *all, uint64_t now);
bool port_queries_pop(struct port_queries *all, struct query_event *ret);
bool port_queries_busy(const struct port_queries *all);

/* port_queries_close: closes every port; nothing is asked any more. What is known stays. */
void port_queries_close(struct port_queries *all);
