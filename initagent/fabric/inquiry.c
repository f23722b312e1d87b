// SPDX-License-Identifier: GPL-2.0-or-later
/* inquiry: see inquiry.h. The list of ports and their turn; one port's story is in inquiry_line.c. */
#include "fabric/inquiry.h"

#include <sys/epoll.h>

#include "fabric/inquiry_line.h"
#include "fabric/ports.h"

/* A port whose fd epoll does not take (ibsim's preload library) is looked at this often. */
#define LOOK_PERIOD (5 * NSEC_PER_MSEC)

struct inquiry {
	struct env env;
	const struct mad_ops *ops;
	int epoll;
	bool smprobe, closed;
	struct line *lines[PORTS_MAX];
	size_t n;
	uint64_t look; /* next look at ports that epoll does not take */
};

int inquiry_new(
	struct inquiry **ret, const struct env *env, const struct mad_ops *ops, int epoll)
{
	struct inquiry *q = calloc(1, sizeof(*q));

	if (!q)
		return -ENOMEM;
	q->env = *env;
	q->ops = ops;
	q->epoll = epoll;
	q->look = NSEC_NEVER;
	*ret = q;
	return 0;
}

struct inquiry *inquiry_free(struct inquiry *q)
{
	if (!q)
		return NULL;
	for (size_t i = 0; i < q->n; i++)
		q->lines[i] = line_free(q->lines[i]);
	free(q);
	return NULL;
}

void inquiry_set_smprobe(struct inquiry *q, bool on)
{
	q->smprobe = on;
}

static struct line *find(const struct inquiry *q, const char *name)
{
	for (size_t i = 0; i < q->n; i++)
		if (streq(line_name(q->lines[i]), name))
			return q->lines[i];
	return NULL;
}

/* The line of a port, made when it is new; NULL for Ethernet, without MADs, or out of memory. */
static struct line *line_of(struct inquiry *q, const struct fabric_port *port)
{
	struct line *l = find(q, port->name);

	if (port->link_layer == LINK_LAYER_ETHERNET)
		return NULL;
	if (l || q->closed || !q->ops || q->n == PORTS_MAX)
		return l;
	if (line_new(&q->lines[q->n], &q->env, q->ops, port) < 0)
		return NULL;
	return q->lines[q->n++];
}

/* Has epoll watch the ports that are open now, and says when to look at those it cannot watch. */
static void watch(struct inquiry *q, uint64_t now)
{
	bool blind = false;

	for (size_t i = 0; i < q->n; i++)
		blind |= !line_watch(q->lines[i], q->epoll);
	q->look = blind ? now + LOOK_PERIOD : NSEC_NEVER;
}

void inquiry_fill(const struct inquiry *q, struct fabric_port *port)
{
	const struct line *l = find(q, port->name);

	port->smprobe = q->smprobe && q->ops && port->link_layer != LINK_LAYER_ETHERNET;
	port->neighbour = (struct fabric_neighbour){0};
	port->sm = (struct fabric_sm){0};
	if (l)
		line_fill(l, port);
}

void inquiry_port(struct inquiry *q, struct fabric_port *port, uint64_t now)
{
	struct line *l = line_of(q, port);

	/* A VPI port may have changed its mind. */
	if (!l)
		inquiry_forget(q, port->name);
	if (l && !q->closed) {
		line_port(l, port, q->smprobe, now);
		watch(q, now);
	}
	inquiry_fill(q, port);
}

void inquiry_forget(struct inquiry *q, const char *name)
{
	for (size_t i = 0; i < q->n; i++) {
		if (!streq(line_name(q->lines[i]), name))
			continue;
		line_free(q->lines[i]);
		q->lines[i] = q->lines[--q->n];
		return;
	}
}

int inquiry_sm(struct inquiry *q, const struct fabric_port *port, uint64_t now)
{
	struct line *l = line_of(q, port);
	int r;

	if (!l || q->closed)
		return -ENODEV;
	r = line_ask_sm(l, port, now);
	watch(q, now);
	return r;
}

int inquiry_group(struct inquiry *q, const struct fabric_port *port, uint16_t pkey, uint64_t now)
{
	struct line *l = line_of(q, port);
	int r;

	if (!l || q->closed)
		return -ENODEV;
	r = line_ask_group(l, port, pkey, now);
	watch(q, now);
	return r;
}

uint64_t inquiry_deadline(const struct inquiry *q)
{
	uint64_t next = q->look;

	for (size_t i = 0; i < q->n; i++)
		next = min_u64(next, line_deadline(q->lines[i]));
	return q->closed ? NSEC_NEVER : next;
}

void inquiry_dispatch(struct inquiry *q, uint64_t now)
{
	if (q->closed)
		return;
	for (size_t i = 0; i < q->n; i++)
		line_dispatch(q->lines[i], now);
	watch(q, now);
}

bool inquiry_pop(struct inquiry *q, struct inquiry_event *ret)
{
	for (size_t i = 0; i < q->n; i++)
		if (line_pop(q->lines[i], ret))
			return true;
	return false;
}

bool inquiry_busy(const struct inquiry *q)
{
	for (size_t i = 0; !q->closed && i < q->n; i++)
		if (line_busy(q->lines[i]))
			return true;
	return false;
}

void inquiry_close(struct inquiry *q)
{
	for (size_t i = 0; i < q->n; i++)
		line_close(q->lines[i]);
	q->closed = true;
}
