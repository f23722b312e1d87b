// SPDX-License-Identifier: GPL-2.0-or-later
/* inquiry_line: see inquiry_line.h. */
#include "fabric/inquiry_line.h"

#include <sys/epoll.h>

#include "fabric/group_list.h"
#include "fabric/rate.h"
#include "report/report.h"

/*
 * The other end of the cable answers within microseconds, unless its management processor is busy.
 * Three tries, 1.4 s in all; nobody waits for it.
 */
#define NEAR_TRIES  3
#define NEAR_PERIOD (200 * NSEC_PER_MSEC)

/*
 * An SA that a thousand nodes ask at once takes its time: 0.5 + 1 + 2 s make FABRIC_SA_LIMIT. After
 * that it is called silent and, for smprobe, asked again every PROBE_PERIOD: nothing announces an SM
 * that comes back under its old LID.
 */
#define SA_TRIES     3
#define SA_PERIOD    (500 * NSEC_PER_MSEC)
#define PROBE_PERIOD (4 * NSEC_PER_SEC)

/* Its host says that no subnet manager runs there: that is known at once, and cheap to ask again. */
#define ABSENT_PERIOD NSEC_PER_SEC

enum progress { UNASKED, ASKED, KNOWN };

struct line {
	struct env env;
	char name[80];
	struct mad_client *client;
	bool closed;
	enum port_state state; /* at the last look */

	enum progress info, desc;
	struct fabric_neighbour neighbour; /* complete when both are KNOWN */
	bool tell_neighbour;

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

int line_new(struct line **ret, const struct env *env, const struct mad_ops *ops,
	const struct fabric_port *port)
{
	struct line *l = calloc(1, sizeof(*l));
	int r;

	if (!l)
		return -ENOMEM;
	l->env = *env;
	l->sm_again = NSEC_NEVER;
	(void)strscpy(l->name, port->name, sizeof(l->name));
	r = mad_client_new(&l->client, &l->env, ops, port->device, port->port);
	if (r < 0) {
		free(l);
		return r;
	}
	*ret = l;
	return 0;
}

struct line *line_free(struct line *l)
{
	if (!l)
		return NULL;
	mad_client_free(l->client);
	free(l);
	return NULL;
}

const char *line_name(const struct line *l)
{
	return l->name;
}

static void set_sm(struct line *l, enum fabric_sm_state to, uint64_t now)
{
	if (l->sm.state == to)
		return;
	report_state(l->env.report, "subnet manager", l->name, sm_names[l->sm.state], sm_names[to],
		now);
	l->sm.state = to;
	l->tell_sm = true;
}

/* --- asking --------------------------------------------------------------------------------- */

static int ask_near(struct line *l, enum mad_query query, unsigned tries, uint64_t now)
{
	const struct mad_ask ask = {.query = query, .tries = tries, .period = NEAR_PERIOD};

	return mad_client_ask(l->client, &ask, now);
}

static int ask_sm_lid(struct line *l, const struct fabric_port *p, enum mad_query query,
	uint16_t pkey, uint64_t now)
{
	const struct mad_ask ask = {
		.query = query,
		.pkey = pkey,
		.lid = p->sm_lid,
		.sl = p->sm_sl,
		.tries = SA_TRIES,
		.period = SA_PERIOD,
	};

	return mad_client_ask(l->client, &ask, now);
}

static void log_refusal(struct line *l, const char *what, int error, uint64_t now)
{
	report_log(l->env.report, REPORT_DEBUG, l->name, now, "%s not asked: %s", what,
		strerror(-error));
}

/* Not there yet: asked again when something about the port or ib_umad changes. */
static void ask_neighbour(struct line *l, uint64_t now)
{
	int r = ask_near(l, MAD_NODE_INFO, NEAR_TRIES, now);

	if (r < 0) {
		if (r != -ENODEV)
			log_refusal(l, "neighbour", r, now);
		l->info = r == -ENODEV ? UNASKED : KNOWN;
		return;
	}
	l->info = ASKED;
	l->desc = ask_near(l, MAD_NODE_DESC, NEAR_TRIES, now) < 0 ? KNOWN : ASKED;
}

static void forget_neighbour(struct line *l)
{
	mad_client_cancel(l->client, MAD_NODE_INFO);
	mad_client_cancel(l->client, MAD_NODE_DESC);
	l->info = l->desc = UNASKED;
	l->neighbour = (struct fabric_neighbour){0};
	l->tell_neighbour = false;
}

/* Not for want of ib_umad: trying again at once would not help. */
static void sm_not_asked(struct line *l, int error, uint64_t now)
{
	log_refusal(l, "subnet manager", error, now);
	l->sm.error = error;
	l->sa = KNOWN;
	l->sm_again = l->probe ? now + PROBE_PERIOD : NSEC_NEVER;
}

static int begin_sm(struct line *l, const struct fabric_port *p, uint64_t now)
{
	int r = ask_sm_lid(l, p, MAD_SA_ALIVE, 0, now);

	l->sm_lid = p->sm_lid;
	l->sm_again = NSEC_NEVER;
	l->sm.error = r;
	if (r == -ENODEV)
		return r;
	if (r < 0) {
		sm_not_asked(l, r, now);
		return r;
	}
	l->sa = ASKED;
	/* Who it is, is nice to know: whether it lives, the SA says. */
	if (!l->sm.guid)
		l->sm_info = ask_sm_lid(l, p, MAD_SM_INFO, 0, now) < 0 ? KNOWN : ASKED;
	return 0;
}

static void forget_sm(struct line *l, uint64_t now)
{
	mad_client_cancel(l->client, MAD_SA_ALIVE);
	mad_client_cancel(l->client, MAD_SM_INFO);
	set_sm(l, FABRIC_SM_UNKNOWN, now);
	l->sm = (struct fabric_sm){0};
	l->sa = l->sm_info = UNASKED;
	l->sm_again = NSEC_NEVER;
	l->sm_lid = 0;
	l->tell_sm = false;
}

/* The SA can be asked: nothing below that needs it to be known that it answers. */
static bool has_sm(const struct fabric_port *p)
{
	struct fabric_port bare = *p;
	char text[8];

	bare.smprobe = false;
	return fabric_gate(&bare, text, sizeof(text)) == CAUSE_NONE;
}

/*
 * A port that falls back may have another cable by now; one whose neighbour kept silent may have one
 * that has finished starting up.
 */
static void notice_state(struct line *l, const struct fabric_port *port)
{
	bool fell = port->state < l->state, rose = port->state > l->state;
	bool unknown = l->info == KNOWN && l->neighbour.type == FABRIC_NODE_UNKNOWN;

	l->state = port->state;
	if (fell || (rose && unknown) || port->phys != PHYS_LINK_UP)
		forget_neighbour(l);
}

void line_port(struct line *l, const struct fabric_port *port, bool smprobe, uint64_t now)
{
	notice_state(l, port);
	if (port->phys == PHYS_LINK_UP && l->info == UNASKED)
		ask_neighbour(l, now);
	if (!has_sm(port) || (l->sm_lid && l->sm_lid != port->sm_lid))
		forget_sm(l, now);
	l->probe = smprobe;
	if (!smprobe)
		l->sm_again = NSEC_NEVER;
	if (!has_sm(port) || !(smprobe || l->sm_wanted))
		return;
	if (l->sa == UNASKED || now >= l->sm_again)
		(void)begin_sm(l, port, now);
}

int line_ask_sm(struct line *l, const struct fabric_port *port, uint64_t now)
{
	if (!has_sm(port))
		return -EAGAIN;
	l->sm_wanted = true;
	return l->sa == ASKED ? 0 : begin_sm(l, port, now);
}

int line_ask_group(struct line *l, const struct fabric_port *port, uint16_t pkey, uint64_t now)
{
	int r;

	pkey |= 0x8000;
	if (!has_sm(port))
		return -EAGAIN;
	if (!group_list_room(&l->groups, pkey))
		return -ENOSPC;
	r = ask_sm_lid(l, port, MAD_SA_GROUP, pkey, now);
	if (r < 0) {
		log_refusal(l, "broadcast group", r, now);
		return r;
	}
	group_list_begin(&l->groups, pkey, rate_parse(port->rate));
	if (ask_near(l, MAD_PORT_INFO, 1, now) < 0)
		group_list_port(&l->groups, 0);
	return 0;
}

/* --- answers -------------------------------------------------------------------------------- */

static bool answered(const struct mad_result *r)
{
	return r->outcome == MAD_ANSWERED && r->answer.status == 0;
}

static void neighbour_complete(struct line *l, uint64_t now)
{
	char text[96];

	if (l->info != KNOWN || l->desc != KNOWN || l->neighbour.type == FABRIC_NODE_UNKNOWN)
		return;
	fabric_neighbour_text(&l->neighbour, text, sizeof(text));
	report_log(l->env.report, REPORT_INFO, l->name, now, "cable ends at %s", text);
	l->tell_neighbour = true;
}

static void take_node_info(struct line *l, const struct mad_result *r, uint64_t now)
{
	l->info = KNOWN;
	if (answered(r)) {
		l->neighbour.type = r->answer.node.type;
		l->neighbour.guid = r->answer.node.guid;
		l->neighbour.port = r->answer.node.port;
	}
	neighbour_complete(l, now);
}

static void take_node_desc(struct line *l, const struct mad_result *r, uint64_t now)
{
	l->desc = KNOWN;
	if (answered(r))
		(void)strscpy(l->neighbour.name, r->answer.desc, sizeof(l->neighbour.name));
	neighbour_complete(l, now);
}

static void take_port_info(struct line *l, const struct mad_result *r, uint64_t now)
{
	(void)now;
	group_list_port(&l->groups, answered(r) ? r->answer.port.mtu : 0);
}

static void take_sm_info(struct line *l, const struct mad_result *r, uint64_t now)
{
	(void)now;
	l->sm_info = KNOWN;
	if (!answered(r))
		return;
	l->sm.guid = r->answer.sm.guid;
	l->sm.priority = r->answer.sm.priority;
	l->sm.role = r->answer.sm.role;
	l->tell_sm = l->sm.state != FABRIC_SM_UNKNOWN;
}

/* Any answer of a subnet administration is a sign of life, also one with an error of its own. */
static void take_sa(struct line *l, const struct mad_result *r, uint64_t now)
{
	l->sa = KNOWN;
	/* Who asked is told, also when it is what was known before. */
	l->tell_sm |= l->sm_wanted;
	l->sm_wanted = false;
	if (r->outcome == MAD_FAILED) {
		sm_not_asked(l, r->error, now);
		return;
	}
	if (r->outcome == MAD_ANSWERED && !mad_not_served(r->answer.status)) {
		set_sm(l, FABRIC_SM_ALIVE, now);
		return;
	}
	set_sm(l, FABRIC_SM_SILENT, now);
	if (l->probe)
		l->sm_again = now + (r->outcome == MAD_SILENT ? PROBE_PERIOD : ABSENT_PERIOD);
}

static void take_group(struct line *l, const struct mad_result *r, uint64_t now)
{
	(void)now;
	group_list_take(&l->groups, r);
}

static void (*const takers[MAD_QUERY_MAX])(
	struct line *l, const struct mad_result *r, uint64_t now) = {
	[MAD_NODE_INFO] = take_node_info,
	[MAD_NODE_DESC] = take_node_desc,
	[MAD_PORT_INFO] = take_port_info,
	[MAD_SM_INFO] = take_sm_info,
	[MAD_SA_ALIVE] = take_sa,
	[MAD_SA_GROUP] = take_group,
};

/* --- the loop's view ------------------------------------------------------------------------- */

void line_fill(const struct line *l, struct fabric_port *port)
{
	bool complete = l->info == KNOWN && l->desc == KNOWN;

	port->neighbour = complete ? l->neighbour : (struct fabric_neighbour){0};
	port->sm = l->sm;
}

bool line_watch(struct line *l, int epoll)
{
	struct epoll_event ev = {.events = EPOLLIN};
	int fd = mad_client_fd(l->client);

	/*
	 * Asked each time: a closed descriptor leaves epoll by itself, and the next one may have its
	 * number.
	 */
	return fd < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &ev) == 0 || errno == EEXIST;
}

uint64_t line_deadline(const struct line *l)
{
	return min_u64(mad_client_deadline(l->client), l->sm_again);
}

void line_dispatch(struct line *l, uint64_t now)
{
	struct mad_result r;

	mad_client_dispatch(l->client, now);
	while (mad_client_pop(l->client, &r))
		takers[r.query](l, &r, now);
}

bool line_pop(struct line *l, struct inquiry_event *ret)
{
	bool *told = l->tell_neighbour ? &l->tell_neighbour : &l->tell_sm;

	(void)strscpy(ret->name, l->name, sizeof(ret->name));
	if (l->tell_neighbour || l->tell_sm) {
		ret->type = l->tell_neighbour ? FABRIC_NEIGHBOUR : FABRIC_SM;
		ret->group = (struct fabric_group){0};
		*told = false;
		return true;
	}
	ret->type = FABRIC_GROUP;
	return group_list_pop(&l->groups, &ret->group);
}

bool line_busy(const struct line *l)
{
	bool asking = l->info == ASKED || l->desc == ASKED || l->sa == ASKED || l->sm_info == ASKED;

	asking |= group_list_busy(&l->groups);
	return !l->closed && (asking || l->tell_neighbour || l->tell_sm);
}

void line_close(struct line *l)
{
	for (int query = 0; query < MAD_QUERY_MAX; query++)
		mad_client_cancel(l->client, (enum mad_query)query);
	l->sm_again = NSEC_NEVER;
	l->closed = true;
}
