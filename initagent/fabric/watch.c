// SPDX-License-Identifier: GPL-2.0-or-later

#include "fabric/private.h"

#include <sys/epoll.h>

static struct watch *find(const struct watch_list *w, const char *device)
{
	for (size_t i = 0; i < WATCH_MAX; i++)
		if (streq(w->slots[i].device, device))
			return (struct watch *)(uintptr_t)&w->slots[i];
	return NULL;
}

bool watch_has(const struct watch_list *w, const char *device)
{
	return *device && find(w, device);
}

int watch_open(struct watch_list *w, const char *device)
{
	struct epoll_event ev = {.events = EPOLLIN};
	struct watch *slot = find(w, "");
	int r;

	if (watch_has(w, device))
		return 0;
	if (!slot)
		return -ENOSPC;
	r = w->ops->verbs_open(w->ops->data, device, &slot->context, &slot->fd);
	if (r < 0)
		return r;
	if (epoll_ctl(w->epoll, EPOLL_CTL_ADD, slot->fd, &ev) < 0) {
		r = -errno;
		w->ops->verbs_close(slot->context);
		return r;
	}
	(void)strscpy(slot->device, device, sizeof(slot->device));
	return 0;
}

void watch_close(struct watch_list *w, const char *device)
{
	for (size_t i = 0; i < WATCH_MAX; i++) {
		struct watch *slot = &w->slots[i];

		if (!*slot->device || (device && !streq(slot->device, device)))
			continue;
		(void)epoll_ctl(w->epoll, EPOLL_CTL_DEL, slot->fd, NULL);
		w->ops->verbs_close(slot->context);
		memset(slot, 0, sizeof(*slot));
	}
}

bool watch_next(struct watch_list *w, const char **ret_device, struct verbs_event *ret)
{
	for (size_t i = 0; i < WATCH_MAX; i++) {
		struct watch *slot = &w->slots[i];
		int r;

		if (!*slot->device)
			continue;
		r = w->ops->verbs_next(slot->context, ret);
		if (r == 0)
			continue;
		if (r < 0)
			*ret = (struct verbs_event){.fatal = true, .name = "event fd failed"};
		*ret_device = slot->device;
		return true;
	}
	return false;
}
