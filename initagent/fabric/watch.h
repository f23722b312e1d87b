/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * watch: the verbs contexts that are open for their async events, one a device at most. Kept apart
 * so that "is any context still open" has one place to look.
 */
#pragma once

#include "fabric/ops.h"

#define WATCH_MAX 512 /* devices; those beyond are polled */

struct watch_list;

/* watch_new: epoll gets the contexts' fds; ops and epoll are borrowed. 0 or -ENOMEM. */
int watch_new(struct watch_list **ret, const struct fabric_ops *ops, int epoll);
struct watch_list *watch_free(struct watch_list *w);
DEFINE_FREEP(struct watch_list, watch_free)

/*
 * watch_open: watches a device. 0 when it is (already), -ENODEV when it has no provider, -ENOSPC,
 * or another negative errno.
 */
int watch_open(struct watch_list *w, const char *device);

bool watch_has(const struct watch_list *w, const char *device);

/* watch_close: one device, NULL: all. */
void watch_close(struct watch_list *w, const char *device);

/*
 * watch_next: the next event of any device: true with its device (valid until closed) and event. A
 * context that fails or says it is dead is closed after this call by the caller (fatal is set).
 */
bool watch_next(struct watch_list *w, const char **ret_device, struct verbs_event *ret);

/* watch_count: contexts open now. */
size_t watch_count(const struct watch_list *w);
