/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ops: the doors of fabric/ to the kernel, a table that unit tests replace. A context, with its
 * descriptor, is the caller's until verbs_close().
 * In: a device's name. Out: uevents and verbs events without blocking, or -errno.
 * Callers: doctor/. Tests: test_fabric.c, test_ask.c, doctor/test_doctor.c replace it.
 */
#pragma once

#include "base/util.h"

/* One verbs async event, reduced to what the room acts on. */
struct verbs_event {
	bool tables;	  /* its GIDs or P_Keys changed, which struct fabric_port does not show */
	bool fatal;	  /* the device is gone for this context: close it */
	const char *name; /* for the log; static */
};

struct fabric_ops {
	/* A non-blocking datagram fd with kernel uevents, or negative errno. */
	int (*open_uevent)(void *data);
	/*
	 * Opens a device for its async events: 0 with a context and a non-blocking fd (owned by the
	 * context), -ENODEV when no provider serves it (yet), or another negative errno.
	 */
	int (*verbs_open)(void *data, const char *device, void **ret_context, int *ret_fd);
	/* The next event: 1, 0 when there is none, or negative errno. */
	int (*verbs_next)(void *context, struct verbs_event *ret);
	void (*verbs_close)(void *context);
	void *data;
	const struct mad_ops *mad; /* fabric/mad_io.h; NULL: nothing is asked by MADs */
	/* A device whose uverbs node is there, but which no provider serves; NULL: never asked. */
	bool (*verbs_lacks)(void *data, const char *device);
};

/* fabric_real_ops: netlink, libibverbs and libibumad. */
extern const struct fabric_ops fabric_real_ops;
