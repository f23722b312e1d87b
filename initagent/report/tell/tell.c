// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/tell/tell.h"

#include <sys/epoll.h>

#include "report/tell/collector.h"
#include "report/tell/post.h"

#define CA_FILE	 "/etc/initagent/ca.pem"
#define CA_MAX	 (512 * 1024)
#define JITTER	 (250 * NSEC_PER_MSEC)

struct tell {
	const struct env *env;
	int epoll;
	bool up;
	char node[256];
	struct tell_queue queue;
	struct collector *list;
	size_t n;
};

int tell_new(struct tell **ret, const struct env *env, const struct plan_report *reports, size_t n)
{
	_cleanup_(tell_freep) struct tell *t = calloc(1, sizeof(*t));

	if (!t)
		return -ENOMEM;
	t->env = env;
	t->epoll = epoll_create1(EPOLL_CLOEXEC);
	t->list = calloc(n + 1, sizeof(*t->list));
	if (t->epoll < 0 || !t->list)
		return t->epoll < 0 ? -errno : -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (*reports[i].host)
			collector_init(&t->list[t->n++], &reports[i]);
	*ret = t;
	t = NULL;
	return 0;
}

struct tell *tell_free(struct tell *t)
{
	if (!t)
		return NULL;
	for (size_t i = 0; t->list && i < t->n; i++)
		collector_done(&t->list[i]);
	closep(&t->epoll);
	free(t->list);
	free(t);
	return NULL;
}

void tell_node(struct tell *t, const char *name)
{
	strscpy(t->node, name, sizeof(t->node));
}

/* The next step of each sink, as far as it goes without waiting. */
static void push_all(struct tell *t, uint64_t now)
{
	for (size_t i = 0; t->up && i < t->n; i++)
		collector_push(&t->list[i], &t->queue, t->node, t->epoll, now);
}

void tell_up(struct tell *t, uint64_t now)
{
	t->up = true;
	for (size_t i = 0; i < t->n; i++)
		collector_up(&t->list[i]);
	push_all(t, now);
}

void tell_say(struct tell *t, const struct tell_item *item, uint64_t now)
{
	struct tell_row *row = &t->queue.rows[t->queue.n++ % TELL_QUEUE];

	*row = (struct tell_row){.kind = item->kind, .cause = item->cause, .guid = item->guid,
		.when = now};
	strscpy(row->where, item->where, sizeof(row->where));
	strscpy(row->device, item->device, sizeof(row->device));
	strscpy(row->text, item->text, sizeof(row->text));
	push_all(t, now);
}

int tell_fd(const struct tell *t)
{
	return t->epoll;
}

uint64_t tell_deadline(const struct tell *t)
{
	uint64_t d = NSEC_NEVER;

	for (size_t i = 0; t->up && i < t->n; i++)
		d = min_u64(d, collector_deadline(&t->list[i], &t->queue));
	return d;
}

/* The events only say that something can go on; each step finds out by itself what. */
void tell_dispatch(struct tell *t, uint64_t now)
{
	struct epoll_event ev[PLAN_REPORTS_MAX];

	epoll_wait(t->epoll, ev, PLAN_REPORTS_MAX, 0);
	for (size_t i = 0; i < t->n; i++)
		collector_receive(&t->list[i], now);
	push_all(t, now);
}

const char *tell_lookup(const struct tell *t, uint64_t now)
{
	for (size_t i = 0; t->up && i < t->n; i++)
		if (collector_wants_address(&t->list[i], now))
			return t->list[i].plan->host;
	return NULL;
}

/* For every sink of that name. */
void tell_resolved(struct tell *t, const struct inet_addr *addr, uint64_t now)
{
	const char *host = tell_lookup(t, now);

	for (size_t i = 0; host && i < t->n; i++)
		if (streq(t->list[i].plan->host, host))
			collector_resolved(&t->list[i], addr, now);
	push_all(t, now);
}

/* A file name without characters that have a meaning for a server or a shell. */
static void file_name(const struct tell *t, char *dst, size_t size)
{
	size_t at = 0;

	for (const char *p = *t->node ? t->node : "unnamed"; *p && at + 6 < size; p++) {
		bool plain = (*p >= '0' && *p <= '9') ||
			((*p | 0x20) >= 'a' && (*p | 0x20) <= 'z') || *p == '-' ||
			(*p == '.' && at);

		dst[at++] = plain ? *p : '_';
	}
	memcpy(dst + at, ".json", 6);
}

void tell_state(struct tell *t, const struct tell_state *s)
{
	_cleanup_free_ char *ca = malloc(CA_MAX);
	char name[sizeof(t->node) + 6];
	int len = ca ? env_read(t->env, ca, CA_MAX, "%s", s->ca ? s->ca : CA_FILE) : -ENOMEM;
	struct post_request o = {
		.file = name,
		.body = s->body,
		.len = s->len,
		.ca = len > 0 ? ca : NULL,
		.ca_len = len > 0 ? (size_t)len : 0,
		.delay = s->patient ? 0 : JITTER,
	};
	_cleanup_close_ int kmsg = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);

	o.kmsg = kmsg;
	file_name(t, name, sizeof(name));
	for (size_t i = 0; i < t->n; i++)
		collector_post(&t->list[i], &o, t->epoll);
}

bool tell_idle(const struct tell *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (!collector_idle(&t->list[i], &t->queue, t->up))
			return false;
	return true;
}

bool tell_missed(struct tell *t, const char **ret_server, char *text, size_t size)
{
	for (size_t i = 0; i < t->n; i++) {
		*ret_server = t->list[i].plan->text;
		if (collector_missed(&t->list[i], &t->queue, text, size))
			return true;
	}
	return false;
}
