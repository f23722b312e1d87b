/* SPDX-License-Identifier: GPL-2.0-or-later */
/* room: what the files of the fabric room share; nobody else's business. */
#pragma once

#include "fabric/inquiry.h"
#include "fabric/ports.h"

/* What is to be told about ports[i], beside it so that the public list stays an array. */
struct pending {
	bool added, changed;
};

struct fabric {
	struct env env;
	const struct fabric_ops *ops;
	struct fabric_port *ports;
	struct pending *pending;
	size_t n;
	struct fabric_port gone[PORTS_MAX];
	size_t n_gone;
	struct watch_list *watches;
	struct inquiry *inquiry;
	int epoll;
	int uevent;
	uint64_t next_look; /* the timer for devices without provider */
	uint64_t period;
	bool closed;
	bool full;		/* more ports than PORTS_MAX, and it was said */
	bool describe;		/* fabric_describe() was called, with: */
	char text[64], host[65];
};

/* room_describe: sets the NodeDescription of every InfiniBand device that has another one. */
void room_describe(struct fabric *f, uint64_t now);
