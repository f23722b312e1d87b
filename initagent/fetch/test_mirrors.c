// SPDX-License-Identifier: GPL-2.0-or-later
/* mirrors, rendezvous, backoff, stall limit: who is asked, when, and for how long. */
#include "fetch/mirrors.h"

#include "check.h"
#include "fetch/stall_limit.h"

static const char *const four[] = {"http://a/i", "http://b/i", "http://c/i", "http://d/i"};

/* GUIDs of one vendor's cards, numbered on: the worst that is usual. */
static uint64_t guid(unsigned i)
{
	return UINT64_C(0x0002c903004a5b00) + i * 4;
}

TEST(nodes_spread_evenly)
{
	enum { NODES = 10000 };
	unsigned first[4] = {0}, second[4][4] = {{0}};
	uint8_t order[4];

	for (unsigned i = 0; i < NODES; i++) {
		rendezvous_order(guid(i), four, 4, order);
		first[order[0]]++;
		second[order[0]][order[1]]++;
	}
	for (unsigned i = 0; i < 4; i++) {
		/* Five standard deviations of the binomial distribution: 43 and 25. */
		CHECK(first[i] > 2500 - 216 && first[i] < 2500 + 216);
		/* When a mirror dies its nodes spread over all the others. */
		for (unsigned j = 0; j < 4; j++)
			CHECK(i == j ? second[i][j] == 0
					: second[i][j] > 833 - 140 && second[i][j] < 833 + 140);
	}
}

TEST(a_lost_mirror_moves_only_its_own_nodes)
{
	uint8_t all[4], less[3];

	for (unsigned i = 0; i < 1000; i++) {
		rendezvous_order(guid(i), four, 4, all);
		rendezvous_order(guid(i), four, 3, less);
		if (all[0] != 3)
			CHECK_INT(less[0], all[0]);
		else
			CHECK_INT(less[0], all[1]);
	}
}

TEST(the_order_depends_on_nothing_but_node_and_urls)
{
	const char *const turned[] = {four[2], four[0], four[3], four[1]};
	uint8_t a[4], b[4];

	for (unsigned i = 0; i < 100; i++) {
		rendezvous_order(guid(i), four, 4, a);
		rendezvous_order(guid(i), turned, 4, b);
		for (size_t k = 0; k < 4; k++)
			CHECK_STR(four[a[k]], turned[b[k]]);
	}
}

TEST(backoff_draws_from_the_whole_span)
{
	CHECK_INT(backoff_ns(1, 0), BACKOFF_LEAST_NS);
	CHECK_INT(backoff_ns(1, UINT32_MAX), BACKOFF_FIRST_NS);
	CHECK_INT(backoff_ns(3, UINT32_MAX), 4 * BACKOFF_FIRST_NS);
	CHECK_INT(backoff_ns(6, UINT32_MAX), BACKOFF_LAST_NS);
	CHECK_INT(backoff_ns(4000000000U, UINT32_MAX), BACKOFF_LAST_NS);
	CHECK(backoff_ns(1, UINT32_MAX / 2) < BACKOFF_FIRST_NS * 6 / 10);
	CHECK(backoff_ns(0, UINT32_MAX) == BACKOFF_FIRST_NS);
}

TEST(retry_after_is_kept_within_reason)
{
	CHECK(backoff_after_ns(7, 1, 0) >= 7 * NSEC_PER_SEC);
	CHECK(backoff_after_ns(7, 1, UINT32_MAX) <= 8 * NSEC_PER_SEC);
	CHECK(backoff_after_ns(UINT64_MAX, 1, UINT32_MAX) <=
		(BACKOFF_AFTER_MAX_S + 1) * NSEC_PER_SEC);
}

TEST(the_healthy_ones_first)
{
	struct mirrors m;
	struct mirror *first, *second;
	uint64_t when, now = NSEC_PER_SEC;
	const char *bad;

	CHECK_INT(mirrors_set(&m, four, 4, guid(1), &bad), 0);
	first = mirrors_pick(&m, now, &when);
	CHECK(first == &m.list[0]);
	mirror_failed(first, 0, UINT32_MAX, now);
	second = mirrors_pick(&m, now, &when);
	CHECK(second == &m.list[1]);
	/* Ready again, but with a failure: the others still go first. */
	now += 2 * NSEC_PER_SEC;
	CHECK(mirrors_pick(&m, now, &when) == second);
	mirror_good(first);
	CHECK(mirrors_pick(&m, now, &when) == first);
}

TEST(none_is_ready)
{
	struct mirrors m;
	uint64_t when, now = 5 * NSEC_PER_SEC;
	const char *bad;

	CHECK_INT(mirrors_set(&m, four, 2, guid(1), &bad), 0);
	mirror_failed(&m.list[0], 30, 0, now);
	mirror_failed(&m.list[1], 10, 0, now);
	CHECK(!mirrors_pick(&m, now, &when));
	CHECK_INT(when, now + 10 * NSEC_PER_SEC + BACKOFF_LEAST_NS);
	m.list[1].out = true;
	CHECK(!mirrors_pick(&m, now, &when));
	CHECK_INT(when, now + 30 * NSEC_PER_SEC + BACKOFF_LEAST_NS);
	m.list[0].out = true;
	CHECK(!mirrors_pick(&m, now, &when));
	CHECK(when == NSEC_NEVER);
}

TEST(three_times_damaged_is_out)
{
	struct mirrors m;
	const char *bad;

	CHECK_INT(mirrors_set(&m, four, 1, guid(1), &bad), 0);
	mirror_damaged(&m.list[0], 0, 0);
	mirror_good(&m.list[0]);
	mirror_damaged(&m.list[0], 0, 0);
	CHECK(!m.list[0].out);
	mirror_damaged(&m.list[0], 0, 0);
	CHECK(m.list[0].out);
}

TEST(urls_that_are_none)
{
	const char *const urls[] = {"http://a/", "nonsense"};
	const char *many[MIRRORS_MAX + 1], *bad = NULL;
	struct mirrors m;

	CHECK_INT(mirrors_set(&m, urls, 2, 1, &bad), -EINVAL);
	CHECK_STR(bad, "nonsense");
	CHECK_INT(mirrors_set(&m, urls, 0, 1, &bad), -E2BIG);
	for (size_t i = 0; i < ARRAY_SIZE(many); i++)
		many[i] = urls[0];
	CHECK_INT(mirrors_set(&m, many, ARRAY_SIZE(many), 1, &bad), -E2BIG);
	CHECK_INT(mirrors_set(&m, many, MIRRORS_MAX, 1, &bad), 0);
}

/* A byte a second is as good as none. */
TEST(a_drip_is_a_stall)
{
	struct stall_limit p = {0};
	uint64_t now = 100 * NSEC_PER_SEC;

	stall_limit_begin(&p, 0, 0, now);
	for (uint64_t i = 1; i < STALL_LIMIT_NS / NSEC_PER_SEC; i++) {
		stall_limit_bytes(&p, i, 0, now + i * NSEC_PER_SEC);
		CHECK(stall_limit_deadline(&p) > now + i * NSEC_PER_SEC);
	}
	CHECK(stall_limit_deadline(&p) <= now + STALL_LIMIT_NS);
}

TEST(enough_bytes_begin_a_new_window)
{
	struct stall_limit p = {0};
	uint64_t now = 100 * NSEC_PER_SEC;

	stall_limit_begin(&p, NSEC_PER_SEC, 1000, now);
	stall_limit_bytes(&p, 1000 + STALL_LIMIT_BYTES, 0, now + NSEC_PER_SEC / 2);
	CHECK_INT(stall_limit_deadline(&p), now + NSEC_PER_SEC * 3 / 2);
	/* Going back is no stall either, but does not last for ever. */
	stall_limit_bytes(&p, 0, 0, now + NSEC_PER_SEC);
	CHECK_INT(stall_limit_deadline(&p), now + 2 * NSEC_PER_SEC);
}

TEST(the_rate)
{
	struct stall_limit p = {0};
	uint64_t now = 0;

	stall_limit_begin(&p, 0, 0, now);
	for (uint64_t i = 1; i <= 10; i++)
		stall_limit_bytes(&p, i * 50000000, 0, now + i * NSEC_PER_SEC / 2);
	CHECK_INT(p.rate, 100000000);
}

/* Who waits for whom: the receiver for bytes, or the bytes for the receiver. */
TEST(what_limits_the_rate)
{
	struct stall_limit p = {0};
	uint64_t now = NSEC_PER_SEC, waited = 7 * NSEC_PER_SEC;

	/* a receiver says that it is ready */
	stall_limit_bytes(&p, 0, 0, now);
	CHECK(!p.busy);
	stall_limit_begin(&p, 0, 0, now);
	stall_limit_bytes(&p, 1000000, waited, now += NSEC_PER_SEC);
	CHECK(!p.busy);
	stall_limit_bytes(&p, 2000000, waited += NSEC_PER_SEC / 5, now += NSEC_PER_SEC);
	CHECK(p.busy);
	stall_limit_bytes(&p, 3000000, waited += NSEC_PER_SEC / 2, now += NSEC_PER_SEC);
	CHECK(!p.busy);
	/* a new receiver begins to count */
	stall_limit_bytes(&p, 4000000, 0, now += NSEC_PER_SEC);
	CHECK(!p.busy);
	stall_limit_bytes(&p, 5000000, 0, now += NSEC_PER_SEC);
	CHECK(p.busy);
	stall_limit_begin(&p, 0, 5000000, now);
	CHECK(!p.busy);
}
