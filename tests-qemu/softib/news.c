// SPDX-License-Identifier: GPL-2.0
/*
 * news.c: who asks for the port's state after an event gets the answer when the core is done with
 * that event.
 *
 * At a port event ib_sa forgets its way to the SM and leaves it to a work item to find it again
 * (update_sm_ah). IPoIB hears of the event next, on other threads: it asks for the port's state
 * and, if that is ACTIVE, joins its broadcast group. When it is faster than that work item, the
 * join fails in ib_sa before anything is sent, with EAGAIN, and IPoIB pauses for two seconds.
 * Hardware does not rule this out, but there a query takes some commands to the firmware, and the
 * processor of that work item has nothing better to do. Here a query takes nothing, and an
 * emulated processor is shared with the transport and may stand still for a millisecond at any
 * time: the join was first in one way up of fifty, on one processor in one of twenty.
 */
#include "softib.h"

/* ib_sa queues its work item between the first run of ours and the second. */
#define SIB_NEWS_ROUNDS		2
/* Never seen to pass; nobody is to hang on a workqueue that has come to a stop. */
#define SIB_NEWS_TIMEOUT	HZ

/* The first of all event handlers, on ib_wq like those that follow. */
static void sib_news_begin(struct ib_event_handler *handler, struct ib_event *event)
{
	struct sib_news *news = container_of(handler, struct sib_news, handler);

	WRITE_ONCE(news->teller, current);
	atomic_set(&news->rounds, SIB_NEWS_ROUNDS);
	queue_work(ib_wq, &news->work);
}

/*
 * Works on ib_wq are bound to the CPU they were queued on and start in the order they were queued
 * in, each when the one before has ended or sleeps.
 */
static void sib_news_work(struct work_struct *work)
{
	struct sib_news *news = container_of(work, struct sib_news, work);

	if (atomic_dec_return(&news->rounds) > 0)
		queue_work(ib_wq, work);
	else
		wake_up_all(&news->wait);
}

/**
 * sib_news_init - make the object; nothing is called before sib_news_start()
 * @news: zeroed memory
 * @ibdev: the device whose events these are
 */
void sib_news_init(struct sib_news *news, struct ib_device *ibdev)
{
	INIT_IB_EVENT_HANDLER(&news->handler, ibdev, sib_news_begin);
	INIT_WORK(&news->work, sib_news_work);
	init_waitqueue_head(&news->wait);
}

/* Before the device is registered: handlers are called in the order they came in. */
void sib_news_start(struct sib_news *news)
{
	ib_register_event_handler(&news->handler);
}

/* Also for one that was never started. No event may be under way any more. */
void sib_news_stop(struct sib_news *news)
{
	ib_unregister_event_handler(&news->handler);
	cancel_work_sync(&news->work);
}

/**
 * sib_news_wait - wait until ib_sa knows what follows from the last event
 * @news: of the device
 *
 * The thread that hands out events is not held up, as ib_sa's work item is its next. Process
 * context.
 */
void sib_news_wait(struct sib_news *news)
{
	if (current != READ_ONCE(news->teller))
		wait_event_timeout(news->wait, atomic_read(&news->rounds) <= 0,
				   SIB_NEWS_TIMEOUT);
}
