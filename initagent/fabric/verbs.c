// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * verbs: async events through libibverbs. The glibc build loads its providers the usual way; in the
 * static product they are linked in, which RDMA_STATIC_PROVIDERS (set by the Makefile) makes the
 * header see to. Without it the device list would be silently empty.
 */
#include <infiniband/verbs.h>

#include "fabric/mad_io.h"
#include "fabric/ops.h"
#include "modules/uevent.h"

#if !defined(__GLIBC__) && !defined(RDMA_STATIC_PROVIDERS)
#error "a static build needs -DRDMA_STATIC_PROVIDERS=..."
#endif

static int open_netlink(void *data)
{
	(void)data;
	return uevent_open();
}

static struct ibv_device *find_device(struct ibv_device **list, const char *name)
{
	for (struct ibv_device **d = list; *d; d++)
		if (streq(ibv_get_device_name(*d), name))
			return *d;
	return NULL;
}

/*
 * NULL with ENOSYS means that no RDMA module is loaded, an empty list that no device has a
 * provider: both are the normal way of things early in a boot.
 */
static int open_by_name(const char *name, struct ibv_context **ret)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context;
	struct ibv_device *dev;
	int r = -ENODEV;

	if (!list)
		return errno == ENOMEM ? -ENOMEM : -ENODEV;
	dev = find_device(list, name);
	if (dev) {
		errno = 0;
		context = ibv_open_device(dev);
		if (context)
			*ret = context;
		r = context ? 0 : errno ? -errno : -EIO;
	}
	ibv_free_device_list(list);
	return r;
}

static int verbs_open(void *data, const char *device, void **ret_context, int *ret_fd)
{
	struct ibv_context *context = NULL;
	int r = open_by_name(device, &context);
	int flags;

	(void)data;
	if (r < 0)
		return r;
	flags = fcntl(context->async_fd, F_GETFL);
	if (flags < 0 || fcntl(context->async_fd, F_SETFL, flags | O_NONBLOCK) < 0) {
		r = -errno;
		ibv_close_device(context);
		return r;
	}
	*ret_context = context;
	*ret_fd = context->async_fd;
	return 0;
}

static bool verbs_lacks(void *data, const char *device)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	bool lacks = list && !find_device(list, device);

	(void)data;
	if (list)
		ibv_free_device_list(list);
	return lacks;
}

static int verbs_next(void *context, struct verbs_event *ret)
{
	struct ibv_async_event ev;

	if (ibv_get_async_event(context, &ev) < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	ret->tables =
		ev.event_type == IBV_EVENT_GID_CHANGE || ev.event_type == IBV_EVENT_PKEY_CHANGE;
	ret->fatal = ev.event_type == IBV_EVENT_DEVICE_FATAL;
	ret->name = ibv_event_type_str(ev.event_type);
	/* Not acknowledged, it would block ibv_close_device() for ever. */
	ibv_ack_async_event(&ev);
	return 1;
}

static void verbs_close(void *context)
{
	(void)ibv_close_device(context);
}

const struct fabric_ops fabric_real_ops = {
	.open_uevent = open_netlink,
	.verbs_open = verbs_open,
	.verbs_lacks = verbs_lacks,
	.verbs_next = verbs_next,
	.verbs_close = verbs_close,
	.mad = &mad_real_ops,
};
