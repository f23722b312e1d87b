// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * loop: epoll plus one CLOCK_BOOTTIME timer. epoll's own timeout has millisecond steps and stops in
 * suspend; the timerfd keeps absolute deadlines exact.
 */
#include "loop.h"

#include <sys/epoll.h>
#include <sys/timerfd.h>

#define LOOP_BATCH 16
#define TAG_TIMER  UINT32_MAX

struct loop {
	int epoll;
	int timer;
	uint64_t armed; /* deadline the timer is set to */
	struct loop_wakes wakes;
	uint64_t second; /* when the second began in which timer_only wakes are counted now */
	unsigned timer_only;
};

static int loop_watch(struct loop *l, int fd, uint32_t events, uint32_t tag)
{
	struct epoll_event ev = {.events = events, .data.u32 = tag};

	return epoll_ctl(l->epoll, EPOLL_CTL_ADD, fd, &ev) < 0 ? -errno : 0;
}

int loop_new(struct loop **ret)
{
	_cleanup_(loop_freep) struct loop *l = calloc(1, sizeof(*l));
	int r;

	if (!l)
		return -ENOMEM;
	l->armed = NSEC_NEVER;
	l->timer = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	l->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (l->timer < 0 || l->epoll < 0)
		return -errno;
	r = loop_watch(l, l->timer, EPOLLIN, TAG_TIMER);
	if (r < 0)
		return r;
	*ret = l;
	l = NULL;
	return 0;
}

struct loop *loop_free(struct loop *l)
{
	if (!l)
		return NULL;
	closep(&l->timer);
	closep(&l->epoll);
	free(l);
	return NULL;
}

int loop_add(struct loop *l, int fd, int tag)
{
	return loop_watch(l, fd, EPOLLIN, (uint32_t)tag);
}

int loop_add_changes(struct loop *l, int fd, int tag)
{
	return loop_watch(l, fd, EPOLLPRI, (uint32_t)tag);
}

void loop_remove(struct loop *l, int fd)
{
	(void)epoll_ctl(l->epoll, EPOLL_CTL_DEL, fd, NULL);
}

/* Sets the timer to an absolute deadline; NSEC_NEVER disarms it. */
static int loop_arm(struct loop *l, uint64_t deadline)
{
	struct itimerspec its = {0};

	if (deadline == l->armed)
		return 0;
	if (deadline != NSEC_NEVER) {
		uint64_t when = deadline ? deadline : 1; /* 0 would disarm */

		its.it_value.tv_sec = (time_t)(when / NSEC_PER_SEC);
		its.it_value.tv_nsec = (long)(when % NSEC_PER_SEC);
	}
	if (timerfd_settime(l->timer, TFD_TIMER_ABSTIME, &its, NULL) < 0)
		return -errno;
	l->armed = deadline;
	return 0;
}

static void loop_drain_timer(struct loop *l)
{
	uint64_t expirations;

	if (read(l->timer, &expirations, sizeof(expirations)) > 0)
		l->armed = NSEC_NEVER;
}

/* Wakes without an event, a second at a time. */
static void count_wake(struct loop *l, bool event)
{
	uint64_t now = now_ns();

	l->wakes.all++;
	if (event)
		return;
	if (now - l->second >= NSEC_PER_SEC) {
		l->second = now;
		l->timer_only = 0;
	}
	if (++l->timer_only > l->wakes.timer_peak)
		l->wakes.timer_peak = l->timer_only;
}

struct loop_wakes loop_wakes(const struct loop *l)
{
	return l->wakes;
}

int loop_wait(struct loop *l, uint64_t deadline, int *tags, size_t max)
{
	struct epoll_event ev[LOOP_BATCH];
	int n, out = 0;
	int r = loop_arm(l, deadline);

	if (r < 0)
		return r;
	n = epoll_wait(l->epoll, ev, (int)(max < LOOP_BATCH ? max : LOOP_BATCH), -1);
	if (n < 0)
		return errno == EINTR ? 0 : -errno;
	for (int i = 0; i < n; i++) {
		if (ev[i].data.u32 == TAG_TIMER)
			loop_drain_timer(l);
		else
			tags[out++] = (int)ev[i].data.u32;
	}
	count_wake(l, out > 0);
	return out;
}
