// SPDX-License-Identifier: GPL-2.0-or-later
/* window: who fetches what, what is there before its turn, and that no byte comes back as another
 * one. */
#include "fetch/window.h"

#include "check.h"

#define MIB (UINT64_C(1) << 20)

static uint8_t piece[2 * MIB];

static void make(struct window *w)
{
	CHECK_INT(window_make(w), 0);
	window_reset(w, MIB);
}

static bool next(struct window *w, uint64_t at, uint64_t size, unsigned owner, uint64_t from,
	uint64_t to)
{
	uint64_t f, t;

	return window_next(w, at, size, owner, &f, &t) && f == from && t == to;
}

TEST(parts_are_given_out_in_order_and_end_with_the_window_or_the_file)
{
	struct window w;
	uint64_t from, to;

	make(&w);
	CHECK(window_empty(&w));
	CHECK(next(&w, MIB / 2, 100 * MIB, 1, MIB / 2, MIB));
	for (uint64_t i = 1; i < WINDOW_PARTS; i++)
		CHECK(next(&w, MIB / 2, 100 * MIB, 2, i * MIB, (i + 1) * MIB));
	CHECK(!window_next(&w, MIB / 2, 100 * MIB, 3, &from, &to));
	CHECK(window_full(&w, MIB / 2, 100 * MIB) && !window_full(&w, MIB / 2, 8 * MIB));
	/* The first part was taken: one more is within reach. */
	CHECK(next(&w, MIB, 100 * MIB, 3, 8 * MIB, 9 * MIB));
	window_reset(&w, MIB);
	CHECK(next(&w, 0, MIB + 5, 1, 0, MIB));
	CHECK(next(&w, 0, MIB + 5, 2, MIB, MIB + 5));
	CHECK(!window_next(&w, 0, MIB + 5, 3, &from, &to));
	close(w.fd);
}

TEST(a_part_let_go_is_given_out_again_from_where_it_broke)
{
	struct window w;

	make(&w);
	CHECK(next(&w, 0, 10 * MIB, 1, 0, MIB) && next(&w, 0, 10 * MIB, 2, MIB, 2 * MIB));
	CHECK_INT(window_put(&w, MIB, piece, 1000), 1000);
	window_release(&w, 2);
	CHECK_INT(window_owner(&w, MIB), 0);
	CHECK_INT((long long)window_free_to(&w, 0), (long long)MIB);
	CHECK(next(&w, 0, 10 * MIB, 3, MIB + 1000, 2 * MIB));
	CHECK_INT(window_owner(&w, MIB + 5), 3);
	CHECK_INT((long long)window_free_to(&w, MIB), 0);
	close(w.fd);
}

TEST(what_is_there_comes_back_and_nothing_else)
{
	struct window w;
	uint8_t got[64];

	make(&w);
	memset(piece, 7, sizeof(piece));
	CHECK(next(&w, 0, 100 * MIB, 1, 0, MIB) && next(&w, 0, 100 * MIB, 2, MIB, 2 * MIB));
	CHECK_INT(window_get(&w, MIB, got, sizeof(got)), 0);
	CHECK_INT(window_put(&w, MIB, piece, 40), 40);
	CHECK_INT(window_get(&w, MIB, got, sizeof(got)), 40);
	CHECK_INT(window_get(&w, MIB + 30, got, sizeof(got)), 10);
	CHECK_MEM(got, piece, 10);
	CHECK_INT(window_get(&w, MIB + 40, got, sizeof(got)), 0);
	/* A gap, what is there already, and the next part, which has no place yet. */
	CHECK_INT(window_put(&w, MIB + 50, piece, 10), 0);
	CHECK_INT(window_put(&w, MIB, piece, 10), 0);
	CHECK_INT(window_put(&w, MIB + 40, piece, 2 * MIB), (long long)MIB - 40);
	CHECK_INT(window_put(&w, 2 * MIB, piece, 10), 0);
	/* The same place in the file eight parts later. */
	CHECK_INT(window_get(&w, MIB + WINDOW_PARTS * MIB, got, sizeof(got)), 0);
	CHECK_INT(window_put(&w, MIB + WINDOW_PARTS * MIB, piece, 10), 0);
	close(w.fd);
}

TEST(who_was_first_goes_on_unless_another_one_surely_has_the_next_part)
{
	struct window w;

	make(&w);
	window_claim(&w, MIB / 2, 1);
	CHECK(next(&w, MIB / 2, 10 * MIB, 2, MIB, 2 * MIB));
	CHECK(!window_others(&w, MIB, 1));
	window_sure(&w, 2);
	CHECK(window_others(&w, MIB, 1) && !window_others(&w, MIB, 2) &&
		!window_others(&w, 2 * MIB, 1));
	window_claim(&w, 2 * MIB, 1);
	CHECK_INT(window_owner(&w, 0), 0);
	CHECK_INT(window_owner(&w, 2 * MIB), 1);
	close(w.fd);
}

TEST(the_size_of_parts_is_bounded_and_a_reset_forgets)
{
	struct window w;

	make(&w);
	CHECK(next(&w, 0, 10 * MIB, 1, 0, MIB));
	window_reset(&w, 5);
	CHECK(window_empty(&w));
	CHECK_INT((long long)w.part, (long long)WINDOW_PART_MIN);
	window_reset(&w, UINT64_MAX);
	CHECK_INT((long long)w.part, (long long)WINDOW_PART_MAX);
	close(w.fd);
}
