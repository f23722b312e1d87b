// SPDX-License-Identifier: GPL-2.0-or-later
/* concurrency: when more connections are opened, when they are taken back, and when neither. */
#include "fetch/concurrency.h"

#include "check.h"

#define GIB (UINT64_C(1) << 30)
#define MB  UINT64_C(1000000)

struct lab {
	struct concurrency c;
	uint64_t bytes, idle, now;
};

/* At a rate, idle for so many hundredths of the time, until the number of connections changes, for
 * 3 s at most: how many there are. */
static unsigned go(struct lab *l, uint64_t rate, uint64_t idle, uint64_t left)
{
	unsigned before = l->c.connections;

	for (int i = 0; i < 12 && l->c.connections == before; i++) {
		l->now += NSEC_PER_SEC / 4;
		l->bytes += rate / 4;
		l->idle += NSEC_PER_SEC / 400 * idle;
		concurrency_step(&l->c, l->bytes, l->idle, left, l->now);
	}
	return l->c.connections;
}

static struct lab begun(uint64_t link)
{
	struct lab l = {.now = 5 * NSEC_PER_SEC};

	concurrency_begin(&l.c, CONNECTIONS_MAX, link, l.now);
	return l;
}

TEST(two_then_four_while_it_gains)
{
	struct lab l = begun(0);

	CHECK_INT(go(&l, 10 * MB, 90, GIB), 2);
	CHECK_INT(go(&l, 20 * MB, 80, GIB), 4);
	CHECK_INT(go(&l, 40 * MB, 70, GIB), 4);
	CHECK_INT(go(&l, 5 * MB, 70, GIB), 4);
}

TEST(what_gains_nothing_is_taken_back_for_good)
{
	struct lab l = begun(0);

	CHECK_INT(go(&l, 100 * MB, 90, GIB), 2);
	CHECK_INT(go(&l, 110 * MB, 90, GIB), 1);
	CHECK_INT(go(&l, 10 * MB, 90, GIB), 1);
	l = begun(0);
	CHECK_INT(go(&l, 10 * MB, 90, GIB), 2);
	CHECK_INT(go(&l, 20 * MB, 90, GIB), 4);
	CHECK_INT(go(&l, 21 * MB, 90, GIB), 2);
	CHECK_INT(go(&l, 20 * MB, 90, GIB), 2);
}

TEST(one_stays_one_where_the_node_the_link_or_the_end_is_the_limit)
{
	struct lab l = begun(0);

	CHECK_INT(go(&l, 100 * MB, 30, GIB), 1);
	CHECK_INT(go(&l, 100 * MB, 90, 300 * MB), 1);
	l = begun(125 * MB);
	CHECK_INT(go(&l, 101 * MB, 90, GIB), 1);
	CHECK_INT(go(&l, 60 * MB, 90, GIB), 2);
	/* Nearly twice as much, and the link is full now. */
	CHECK_INT(go(&l, 110 * MB, 90, GIB), 2);
	CHECK_INT(go(&l, 60 * MB, 90, GIB), 2);
}

TEST(lanes_that_fail_are_not_replaced)
{
	struct lab l = begun(0);

	CHECK_INT(go(&l, 10 * MB, 90, GIB), 2);
	concurrency_lost(&l.c, 1, l.now);
	CHECK_INT(go(&l, 1 * MB, 90, GIB), 1);
	concurrency_lost(&l.c, 0, l.now);
	CHECK_INT(l.c.connections, 1);
}

TEST(no_judgement_before_a_connection_is_up_to_speed)
{
	struct lab l = begun(0);

	CHECK_INT(concurrency_step(&l.c, 0, CONCURRENCY_SETTLE_NS, GIB,
		l.now + CONCURRENCY_SETTLE_NS), 1);
	CHECK_INT(concurrency_step(&l.c, MB, NSEC_PER_SEC, GIB,
			  l.now + CONCURRENCY_SETTLE_NS + CONCURRENCY_PERIOD_NS - 1), 1);
	CHECK_INT(concurrency_step(&l.c, MB, NSEC_PER_SEC, GIB,
			  l.now + CONCURRENCY_SETTLE_NS + CONCURRENCY_PERIOD_NS), 2);
}
