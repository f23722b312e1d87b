// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/tell/collector.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include "report/tell/xcat.h"

#define LOOKUP_WAIT (5 * NSEC_PER_SEC)

static const struct {
	const char *id;
	enum syslog_severity severity;
} kinds[TELL_KIND_MAX] = {
	[TELL_WAIT] = {"wait", SYSLOG_WARNING},
	[TELL_CAUSE] = {"cause", SYSLOG_ERROR},
	[TELL_BEFORE] = {"before", SYSLOG_WARNING},
	[TELL_DONE] = {"done", SYSLOG_INFO},
	[TELL_FAILED] = {"failed", SYSLOG_CRITICAL},
};

static bool is_http(const struct collector *c)
{
	return c->plan->kind == PLAN_REPORT_HTTP;
}

void collector_init(struct collector *c, const struct plan_report *plan)
{
	*c = (struct collector){.plan = plan, .addr = plan->addr, .fd = -1};
}

void collector_done(struct collector *c)
{
	collector_close(c);
	c->post = worker_detach(c->post);
}

void collector_up(struct collector *c)
{
	c->retry = 0;
	c->failures = 0;
}

/* When the clock that is now set stood at that moment. */
static uint64_t wall_of(uint64_t when, uint64_t now)
{
	uint64_t wall = wall_ns();

	return wall ? wall - (now - when) : 0;
}

/* Over TCP the length comes first (RFC 6587 section 3.4.1): no byte could end a message. */
static void write_down(struct collector *c, const struct tell_row *row, const char *node,
	uint64_t now)
{
	char text[SYSLOG_MAX];
	const struct syslog_message m = {
		.severity = kinds[row->kind].severity,
		.wall = wall_of(row->when, now),
		.uptime = row->when,
		.host = node,
		.pid = (unsigned)getpid(),
		.id = kinds[row->kind].id,
		.code = row->cause ? cause_info(row->cause)->code : "",
		.where = row->where,
		.device = row->device,
		.guid = row->guid,
		.xcat = c->plan->kind == PLAN_REPORT_XCAT_LOG,
		.text = row->text,
	};
	size_t len = syslog_format(text, &m);

	c->from = c->to = 0;
	if (collector_is_tcp(c))
		c->to = (size_t)snprintf(c->out, sizeof(c->out), "%zu ", len);
	memcpy(c->out + c->to, text, len);
	c->to += len;
}

/* What was overtaken by newer messages is gone. */
static bool next_row(struct collector *c, const struct tell_queue *q, const char *node,
	uint64_t now)
{
	if (c->next + TELL_QUEUE < q->n) {
		c->lost += q->n - TELL_QUEUE - c->next;
		c->next = q->n - TELL_QUEUE;
	}
	if (c->next == q->n)
		return false;
	write_down(c, &q->rows[c->next % TELL_QUEUE], node, now);
	c->next++;
	c->given++;
	return true;
}

/*
 * Syslog servers say nothing; what they say all the same is thrown away, for bytes left unread
 * would turn the end of the connection into a reset, which takes what is on its way. False: the
 * server has closed the connection; what it was given before that it has read, or there would be an
 * error instead.
 */
static bool listen_to(struct collector *c, uint64_t now)
{
	char junk[512];
	ssize_t n = 1;

	for (int budget = 8; collector_is_tcp(c) && budget > 0 && n > 0; budget--)
		n = recv(c->fd, junk, sizeof(junk), MSG_DONTWAIT);
	if (n != 0)
		return true;
	c->given = c->from < c->to;
	collector_retry(c, ECONNRESET, now);
	return false;
}

static bool pending(const struct collector *c, const struct tell_queue *q)
{
	if (collector_is_xcat(c))
		return xcat_wanted(q) != c->told;
	return !is_http(c) && (c->next < q->n || c->from < c->to);
}

void collector_push(struct collector *c, const struct tell_queue *q, const char *node, int epoll,
	uint64_t now)
{
	if (!c->addr.family && now >= c->retry)
		c->retry = 0; /* for the owner to see */
	if (is_http(c) || !c->addr.family)
		return;
	if (collector_is_xcat(c)) {
		xcat_push(c, q, epoll, now);
		return;
	}
	/* A TCP connection is made beforehand, so that the last message need not wait for it. */
	if (c->fd < 0 && !collector_is_tcp(c) && !pending(c, q))
		return;
	if (!collector_open(c, epoll, now) || !listen_to(c, now))
		return;
	while (collector_send(c, now) && next_row(c, q, node, now))
		continue;
}

uint64_t collector_deadline(const struct collector *c, const struct tell_queue *q)
{
	if (!c->addr.family)
		return c->retry ? c->retry : NSEC_NEVER;
	return c->fd < 0 && pending(c, q) ? c->retry : NSEC_NEVER;
}

bool collector_wants_address(const struct collector *c, uint64_t now)
{
	return !c->addr.family && now >= c->retry;
}

void collector_resolved(struct collector *c, const struct inet_addr *addr, uint64_t now)
{
	if (addr)
		c->addr = *addr;
	c->retry = addr ? 0 : now + LOOKUP_WAIT;
}

void collector_post(struct collector *c, const struct post_request *o, int epoll)
{
	struct post_request request = *o;
	int r;

	c->asked = true;
	if (!is_http(c) || c->posted || !c->addr.family)
		return;
	request.url = c->plan->text;
	request.address = c->addr;
	request.port = c->plan->port;
	r = post_start(&c->post, &request);
	c->posted = r >= 0;
	c->stored = r >= 0 && request.delay;
	if (r < 0)
		snprintf(c->why, sizeof(c->why), "%s",
			r == -EOPNOTSUPP ? "built without HTTP" : strerror(-r));
	else if (request.delay) /* not waited for; the kernel's log gets its result */
		c->post = worker_detach(c->post);
	else
		collector_watch(worker_fd(c->post), epoll, EPOLLIN | EPOLLRDHUP);
}

void collector_receive(struct collector *c, uint64_t now)
{
	struct post_result result;
	int r = worker_receive(c->post, &result, now);

	if (r == 0)
		return;
	c->stored = r > 0 && result.stored;
	if (r < 0)
		worker_end(c->post);
	snprintf(c->why, sizeof(c->why), "%s%s", r < 0 ? "its process " : "",
		r < 0 ? worker_end_text(c->post) : result.text);
	c->post = worker_detach(c->post);
}

bool collector_idle(const struct collector *c, const struct tell_queue *q, bool up)
{
	if (is_http(c))
		return !c->post;
	return !up || !c->addr.family || !pending(c, q) || (c->fd < 0 && c->failures > 0);
}

static bool missed_state(struct collector *c, char *text, size_t size)
{
	if (!c->asked || c->stored || c->named)
		return false;
	if (c->post)
		snprintf(text, size, "the state was not accepted in time");
	else
		snprintf(text, size, "the state could not be sent: %s",
			*c->why ? c->why : "the server's address is not known");
	c->named = true;
	return true;
}

bool collector_missed(struct collector *c, const struct tell_queue *q, char *text, size_t size)
{
	uint64_t n = c->lost + (q->n - c->next) + (c->from < c->to);
	const char *why = !c->addr.family ? "the server's address is not known"
		: c->error ? strerror(c->error) : "no answer in time";

	if (is_http(c))
		return missed_state(c, text, size);
	if (c->named || (collector_is_xcat(c) ? !pending(c, q) : !n))
		return false;
	if (collector_is_xcat(c))
		snprintf(text, size, "state %s not accepted: %s",
			xcat_state_name(xcat_wanted(q)), why);
	else
		snprintf(text, size, "%llu of %llu messages were not sent: %s",
			(unsigned long long)n, (unsigned long long)q->n, why);
	c->named = true;
	return true;
}
