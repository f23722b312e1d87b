// SPDX-License-Identifier: GPL-2.0-or-later
#include "doctor/private.h"

#include <poll.h>
#include <sys/eventfd.h>

#include "fabric/ops.h"

/* Beyond what the SA is given: the other questions end earlier. */
#define SURVEY_LIMIT (FABRIC_SA_LIMIT + 500 * NSEC_PER_MSEC)

/* One look needs no announcements: an fd that never has anything to read. */
static int no_uevents(void *data)
{
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	(void)data;
	return fd < 0 ? -errno : fd;
}

/* No verbs events: they would open contexts on devices in use. */
static int no_verbs(void *data, const char *device, void **ret_context, int *ret_fd)
{
	(void)data;
	(void)device;
	(void)ret_context;
	(void)ret_fd;
	return -ENODEV;
}

static void keep_group(struct survey *s, const struct fabric_event *ev)
{
	struct survey_group *g;

	if (s->n_groups == SURVEY_GROUPS_MAX)
		return;
	g = &s->groups[s->n_groups++];
	(void)strscpy(g->port, ev->port.name, sizeof(g->port));
	g->group = ev->group;
}

static void take_events(struct survey *s, struct fabric *f)
{
	struct fabric_event ev;

	while (fabric_pop_event(f, &ev))
		if (ev.type == FABRIC_GROUP)
			keep_group(s, &ev);
}

/* The partitions in which this port has interfaces. */
static void ask_groups(struct fabric *f, const struct env *env, const struct fabric_port *p,
	uint64_t now)
{
	struct fabric_netdev netdevs[FABRIC_NETDEVS_MAX];
	size_t n = fabric_netdevs(env, p, netdevs);

	for (size_t i = 0; i < n; i++)
		if (netdevs[i].pkey)
			(void)fabric_ask_group(f, p->device, p->port, netdevs[i].pkey, now);
}

static void ask_all(struct fabric *f, const struct env *env, uint64_t now)
{
	size_t n;
	const struct fabric_port *p = fabric_ports(f, &n);

	fabric_set_smprobe(f, true, now);
	for (size_t i = 0; i < n; i++)
		if (p[i].link_layer != LINK_LAYER_ETHERNET)
			ask_groups(f, env, &p[i], now);
}

/* Until the last answer, or the end of the time for answers. */
static int gather(struct survey *s, struct fabric *f)
{
	uint64_t end = now_ns() + SURVEY_LIMIT;
	int r = 0;

	take_events(s, f);
	while (r >= 0 && fabric_asking(f)) {
		struct pollfd pfd = {.fd = fabric_fd(f), .events = POLLIN};
		uint64_t now = now_ns(), next = min_u64(fabric_deadline(f), end);
		uint64_t wait = next > now ? (next - now) / NSEC_PER_MSEC + 1 : 0;

		if (now >= end)
			break;
		if (poll(&pfd, 1, (int)wait) < 0 && errno != EINTR)
			return -errno;
		r = fabric_dispatch(f, now_ns());
		take_events(s, f);
	}
	return r;
}

static int copy_ports(struct survey *s, const struct fabric *f)
{
	const struct fabric_port *list = fabric_ports(f, &s->n);

	s->ports = calloc(s->n + 1, sizeof(*list));
	if (!s->ports)
		return -ENOMEM;
	if (s->n)
		memcpy(s->ports, list, s->n * sizeof(*list));
	return 0;
}

int survey_take(const struct env *env, const struct fabric_ops *ops, bool ask, struct survey *ret)
{
	struct fabric_ops quiet = ops ? *ops : fabric_real_ops;
	_cleanup_(fabric_freep) struct fabric *f = NULL;
	struct survey s = {.asked = ask};
	int r;

	quiet.open_uevent = no_uevents;
	quiet.verbs_open = no_verbs;
	if (!ask) {
		quiet.mad = NULL;
		quiet.verbs_lacks = NULL;
	}
	r = fabric_new(&f, env, &quiet);
	if (r >= 0)
		r = fabric_rescan(f, now_ns());
	if (r >= 0 && ask) {
		ask_all(f, env, now_ns());
		r = gather(&s, f);
	}
	if (r >= 0)
		r = copy_ports(&s, f);
	if (r >= 0)
		*ret = s;
	return r < 0 ? r : 0;
}

void survey_done(struct survey *s)
{
	free(s->ports);
	*s = (struct survey){0};
}

const struct fabric_group *survey_group(
	const struct survey *s, const struct fabric_port *port, uint16_t pkey)
{
	for (size_t i = 0; i < s->n_groups; i++)
		if (streq(s->groups[i].port, port->name) &&
			(s->groups[i].group.pkey | 0x8000) == (pkey | 0x8000))
			return &s->groups[i].group;
	return NULL;
}
