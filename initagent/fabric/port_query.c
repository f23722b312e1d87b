// SPDX-License-Identifier: GPL-2.0-or-later

#include "fabric/port_query.h"

#include <sys/epoll.h>

#include "fabric/private.h"
#include "report/report.h"

/*
 * An SA that a thousand nodes ask at once takes its time: 0.5 + 1 + 2 s make FABRIC_SA_LIMIT. After
 * that it is called silent and, for smprobe, asked again every PROBE_PERIOD: nothing announces an
 * SM that comes back under its old LID.
 */
#define SA_TRIES     3
#define SA_PERIOD    (500 * NSEC_PER_MSEC)
#define PROBE_PERIOD (4 * NSEC_PER_SEC)

/*
 * Its host says that no subnet manager runs there: that is known at once, and cheap to ask again.
 */
#define ABSENT_PERIOD NSEC_PER_SEC

struct port_query {
	const struct env *env;
	char name[80];
	struct mad_client client;
	struct neighbour neighbour;

	bool probe, sm_wanted; /* asked until it answers; asked once */
	enum progress sa, sm_info;
	uint32_t sm_lid; /* the one asked */
	uint64_t sm_again;
	struct fabric_sm sm;
	bool tell_sm;

	struct group_list groups;
};

static const char *const sm_names[FABRIC_SM_STATE_MAX] = {
	[FABRIC_SM_UNKNOWN] = "unknown",
	[FABRIC_SM_ALIVE] = "alive",
	[FABRIC_SM_SILENT] = "silent",
};

const char *fabric_sm_name(enum fabric_sm_state s)
{
	return (unsigned)s < FABRIC_SM_STATE_MAX ? sm_names[s] : "?";
}

static struct port_query *query_new(
	const struct env *env, const struct mad_ops *ops, const struct fabric_port *port)
{
	struct port_query *q = calloc(1, sizeof(*q));

	if (!q)
		return NULL;
	q->env = env;
	q->sm_again = NSEC_NEVER;
	(void)strscpy(q->name, port->name, sizeof(q->name));
	mad_client_init(&q->client, q->env, ops, port->device, port->port);
	neighbour_init(&q->neighbour, q->env, q->name, &q->client);
	return q;
}

static void query_free(struct port_query *q)
{
	mad_client_shut(&q->client);
	free(q);
}

static void set_sm(struct port_query *q, enum fabric_sm_state to, uint64_t now)
{
	if (q->sm.state == to)
		return;
	report_state(q->env->report, "subnet manager", q->name, sm_names[q->sm.state], sm_names[to],
		now);
	q->sm.state = to;
	q->tell_sm = true;
}

/* --- asking --------------------------------------------------------------------------------- */

static int ask_sm_lid(struct port_query *q, const struct fabric_port *p, enum mad_query query,
	uint16_t pkey, uint64_t now)
{
	struct mad_ask ask = {
		.query = query,
		.pkey = pkey,
		.lid = p->sm_lid,
		.sl = p->sm_sl,
		.tries = SA_TRIES,
		.period = SA_PERIOD,
	};

	/* In the default partition (IBTA vol. 1, 10.9.3). Its key need not be the first: that is
	 * IPoIB's own where OpenSM's partition has indx0, and on virtual functions of clouds. */
	ask.outside = fabric_find_pkey(q->env, p, 0xffff, &ask.pkey_index) == PKEY_ABSENT;
	return mad_client_ask(&q->client, &ask, now);
}

static void log_refusal(struct port_query *q, const char *what, int error, uint64_t now)
{
	report_log(q->env->report, REPORT_DEBUG, q->name, now, "%s not asked: %s", what,
		strerror(-error));
}

/* Not for want of ib_umad: trying again at once would not help. */
static void sm_not_asked(struct port_query *q, int error, uint64_t now)
{
	log_refusal(q, "subnet manager", error, now);
	q->sm.error = error;
	q->sa = KNOWN;
	q->sm_again = q->probe ? now + PROBE_PERIOD : NSEC_NEVER;
}

static int begin_sm(struct port_query *q, const struct fabric_port *p, uint64_t now)
{
	int r = ask_sm_lid(q, p, MAD_SA_ALIVE, 0, now);

	q->sm_lid = p->sm_lid;
	q->sm_again = NSEC_NEVER;
	q->sm.error = r;
	if (r == -ENODEV)
		return r;
	if (r < 0) {
		sm_not_asked(q, r, now);
		return r;
	}
	q->sa = ASKED;
	/* Who it is, is nice to know: whether it lives, the SA says. */
	if (!q->sm.guid)
		q->sm_info = ask_sm_lid(q, p, MAD_SM_INFO, 0, now) < 0 ? KNOWN : ASKED;
	return 0;
}

static void forget_sm(struct port_query *q, uint64_t now)
{
	mad_client_cancel(&q->client, MAD_SA_ALIVE);
	mad_client_cancel(&q->client, MAD_SM_INFO);
	set_sm(q, FABRIC_SM_UNKNOWN, now);
	q->sm = (struct fabric_sm){0};
	q->sa = q->sm_info = UNASKED;
	q->sm_again = NSEC_NEVER;
	q->sm_lid = 0;
	/* Who asked, and was not told yet, is told of the next answer. */
	q->sm_wanted |= q->tell_sm;
	q->tell_sm = false;
}

/* The SA can be asked: nothing below that needs it to be known that it answers. */
static bool has_sm(const struct fabric_port *p)
{
	struct fabric_port bare = *p;
	char text[8];

	bare.smprobe = false;
	return fabric_gate(&bare, text, sizeof(text)) == CAUSE_NONE;
}

/* Another subnet manager may be asked where that before could not. */
static void query_look(struct port_query *q, const struct fabric_port *port, uint64_t now)
{
	neighbour_update(&q->neighbour, port, now);
	if (!has_sm(port) || (q->sm_lid && q->sm_lid != port->sm_lid))
		forget_sm(q, now);
}

static void query_update(
	struct port_query *q, const struct fabric_port *port, bool smprobe, uint64_t now)
{
	q->probe = smprobe;
	if (!smprobe)
		q->sm_again = NSEC_NEVER;
	if (!has_sm(port) || !(smprobe || q->sm_wanted))
		return;
	if (q->sa == UNASKED || now >= q->sm_again)
		(void)begin_sm(q, port, now);
}

static int query_ask_sm(struct port_query *q, const struct fabric_port *port, uint64_t now)
{
	if (!has_sm(port))
		return -EAGAIN;
	q->sm_wanted = true;
	return q->sa == ASKED ? 0 : begin_sm(q, port, now);
}

static int query_ask_group(
	struct port_query *q, const struct fabric_port *port, uint16_t pkey, uint64_t now)
{
	int r;

	pkey |= 0x8000;
	if (!has_sm(port))
		return -EAGAIN;
	if (!group_list_room(&q->groups, pkey))
		return -ENOSPC;
	r = ask_sm_lid(q, port, MAD_SA_GROUP, pkey, now);
	if (r < 0) {
		log_refusal(q, "broadcast group", r, now);
		return r;
	}
	group_list_begin(&q->groups, pkey, rate_parse(port->rate));
	if (neighbour_ask_near(&q->client, MAD_PORT_INFO, 1, now) < 0)
		group_list_port(&q->groups, 0);
	return 0;
}

/* --- answers -------------------------------------------------------------------------------- */

static void take_sm_info(struct port_query *q, const struct mad_result *r)
{
	q->sm_info = KNOWN;
	if (!mad_answered(r))
		return;
	q->sm.guid = r->answer.sm.guid;
	q->sm.priority = r->answer.sm.priority;
	q->sm.role = r->answer.sm.role;
	q->tell_sm = q->sm.state != FABRIC_SM_UNKNOWN;
}

/* Any answer of a subnet administration is a sign of life, also one with an error of its own. */
static void take_sa(struct port_query *q, const struct mad_result *r, uint64_t now)
{
	q->sa = KNOWN;
	/* Who asked is told, also when it is what was known before. */
	q->tell_sm |= q->sm_wanted;
	q->sm_wanted = false;
	if (r->outcome == MAD_FAILED) {
		sm_not_asked(q, r->error, now);
		return;
	}
	if (r->outcome == MAD_ANSWERED && !mad_not_served(r->answer.status)) {
		set_sm(q, FABRIC_SM_ALIVE, now);
		return;
	}
	set_sm(q, FABRIC_SM_SILENT, now);
	if (q->probe)
		q->sm_again = now + (r->outcome == MAD_SILENT ? PROBE_PERIOD : ABSENT_PERIOD);
}

static void take_result(struct port_query *q, const struct mad_result *r, uint64_t now)
{
	switch (r->query) {
	case MAD_PORT_INFO:
		group_list_port(&q->groups, mad_answered(r) ? r->answer.port_mtu : 0);
		break;
	case MAD_SM_INFO: take_sm_info(q, r); break;
	case MAD_SA_ALIVE: take_sa(q, r, now); break;
	case MAD_SA_GROUP: group_list_take(&q->groups, r); break;
	default: neighbour_take(&q->neighbour, r, now); break;
	}
}

static bool query_watch(struct port_query *q, int epoll)
{
	struct epoll_event ev = {.events = EPOLLIN};
	int fd = mad_client_fd(&q->client);

	/*
	 * Asked each time: a closed descriptor leaves epoll by itself, and the next one may have
	 * its number.
	 */
	return fd < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &ev) == 0 || errno == EEXIST;
}

static void query_dispatch(struct port_query *q, uint64_t now)
{
	struct mad_result r;

	mad_client_dispatch(&q->client, now);
	while (mad_client_pop(&q->client, &r))
		take_result(q, &r, now);
}

static bool query_pop(struct port_query *q, struct query_event *ret)
{
	bool *told = q->neighbour.tell ? &q->neighbour.tell : &q->tell_sm;

	(void)strscpy(ret->name, q->name, sizeof(ret->name));
	if (*told) {
		ret->type = q->neighbour.tell ? FABRIC_NEIGHBOUR : FABRIC_SM;
		ret->group = (struct fabric_group){0};
		*told = false;
		return true;
	}
	ret->type = FABRIC_GROUP;
	return group_list_pop(&q->groups, &ret->group);
}

/* The endless probing of a silent SM does not count. */
static bool query_busy(const struct port_query *q)
{
	return neighbour_busy(&q->neighbour) || q->sa == ASKED || q->sm_info == ASKED ||
		group_list_busy(&q->groups) || q->tell_sm;
}

/* --- all ports ------------------------------------------------------------------------------ */

/* A port whose fd epoll does not take (ibsim's preload library) is looked at this often. */
#define LOOK_PERIOD (5 * NSEC_PER_MSEC)

void port_queries_init(
	struct port_queries *all, const struct env *env, const struct mad_ops *ops, int epoll)
{
	*all = (struct port_queries){.env = env, .ops = ops, .epoll = epoll, .look = NSEC_NEVER};
}

void port_queries_done(struct port_queries *all)
{
	while (all->n)
		query_free(all->queries[--all->n]);
}

static struct port_query *find_query(const struct port_queries *all, const char *name)
{
	for (size_t i = 0; i < all->n; i++)
		if (streq(all->queries[i]->name, name))
			return all->queries[i];
	return NULL;
}

/* The query of a port, made when it is new; NULL for Ethernet, without MADs, or out of memory. */
static struct port_query *query_of(struct port_queries *all, const struct fabric_port *port)
{
	struct port_query *q = find_query(all, port->name);

	if (port->link_layer == LINK_LAYER_ETHERNET)
		return NULL;
	if (q || all->closed || !all->ops || all->n == PORTS_MAX)
		return q;
	q = query_new(all->env, all->ops, port);
	if (q)
		all->queries[all->n++] = q;
	return q;
}

/* Has epoll watch the ports that are open now, and says when to look at those it cannot watch. */
static void watch_ports(struct port_queries *all, uint64_t now)
{
	bool blind = false;

	for (size_t i = 0; i < all->n; i++)
		blind |= !query_watch(all->queries[i], all->epoll);
	all->look = blind ? now + LOOK_PERIOD : NSEC_NEVER;
}

/*
 * Omni-Path's SM may have a LID that no MAD of this kind reaches, a port no part in the default
 * partition, and the kernel may refuse each packet (EINVAL): their gate does without.
 */
static bool is_probed(const struct port_queries *all, const struct fabric_port *port)
{
	const struct port_query *q = find_query(all, port->name);
	int error = q ? q->sm.error : 0;

	return all->smprobe && all->ops && port->link_layer != LINK_LAYER_ETHERNET &&
		port->sm_lid <= LID_UNICAST_MAX && error != -ENOKEY && error != -EINVAL;
}

void port_queries_fill(const struct port_queries *all, struct fabric_port *port)
{
	const struct port_query *q = find_query(all, port->name);

	port->smprobe = is_probed(all, port);
	port->neighbour = (struct fabric_neighbour){0};
	port->sm = q ? q->sm : (struct fabric_sm){0};
	if (q && neighbour_known(&q->neighbour))
		port->neighbour = q->neighbour.found;
}

void port_queries_update(struct port_queries *all, struct fabric_port *port, uint64_t now)
{
	struct port_query *q = query_of(all, port);

	/* A VPI port may be of another link layer now. */
	if (!q)
		port_queries_forget(all, port->name);
	if (q && !all->closed) {
		query_look(q, port, now);
		query_update(q, port, is_probed(all, port), now);
		watch_ports(all, now);
	}
	port_queries_fill(all, port);
}

void port_queries_forget(struct port_queries *all, const char *name)
{
	for (size_t i = 0; i < all->n; i++) {
		if (!streq(all->queries[i]->name, name))
			continue;
		query_free(all->queries[i]);
		all->queries[i] = all->queries[--all->n];
		return;
	}
}

int port_queries_ask(
	struct port_queries *all, const struct fabric_port *port, uint16_t pkey, uint64_t now)
{
	struct port_query *q = query_of(all, port);
	int r;

	if (!q || all->closed)
		return -ENODEV;
	r = pkey ? query_ask_group(q, port, pkey, now) : query_ask_sm(q, port, now);
	watch_ports(all, now);
	return r;
}

uint64_t port_queries_deadline(const struct port_queries *all)
{
	uint64_t next = all->look;

	for (size_t i = 0; i < all->n; i++) {
		const struct port_query *q = all->queries[i];

		next = min_u64(next, mad_client_deadline(&q->client));
		next = min_u64(next, min_u64(q->sm_again, q->neighbour.again));
	}
	return all->closed ? NSEC_NEVER : next;
}

void port_queries_dispatch(struct port_queries *all, uint64_t now)
{
	if (all->closed)
		return;
	for (size_t i = 0; i < all->n; i++)
		query_dispatch(all->queries[i], now);
	watch_ports(all, now);
}

bool port_queries_pop(struct port_queries *all, struct query_event *ret)
{
	for (size_t i = 0; i < all->n; i++)
		if (query_pop(all->queries[i], ret))
			return true;
	return false;
}

bool port_queries_busy(const struct port_queries *all)
{
	for (size_t i = 0; !all->closed && i < all->n; i++)
		if (query_busy(all->queries[i]))
			return true;
	return false;
}

void port_queries_close(struct port_queries *all)
{
	for (size_t i = 0; i < all->n; i++)
		for (int query = 0; query < MAD_QUERY_MAX; query++)
			mad_client_cancel(&all->queries[i]->client, (enum mad_query)query);
	all->closed = true;
}
