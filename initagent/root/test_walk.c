// SPDX-License-Identifier: GPL-2.0-or-later
/* Whose turn it is among the addresses of a name. */
#include "check.h"

#include "root/walk.h"

static struct inet_addr address(unsigned last)
{
	struct inet_addr a = {.family = AF_INET};

	a.v4.s_addr = htonl(0x0a000000 + last);
	return a;
}

static unsigned next(struct walk *w, const char *name, const struct inet_addr *addrs, size_t n)
{
	return ntohl(walk_next(w, name, addrs, n)->v4.s_addr) & 0xff;
}

/* In any order that DNS gives them, round after round. */
TEST(each_has_its_turn_again)
{
	const struct inet_addr there[] = {address(1), address(2), address(3)};
	const struct inet_addr back[] = {address(3), address(2), address(1)};
	struct walk w = {0};

	for (int round = 0; round < 3; round++)
		for (unsigned i = 1; i <= 3; i++)
			CHECK_INT(next(&w, "nfs", round == 1 ? back : there, 3), i);
}

TEST(one_that_is_new_comes_first)
{
	const struct inet_addr addrs[] = {address(1), address(2), address(3)};
	struct walk w = {0};

	CHECK_INT(next(&w, "nfs", addrs, 2), 1);
	CHECK_INT(next(&w, "nfs", addrs, 3), 2);
	CHECK_INT(next(&w, "nfs", addrs, 3), 3);
	CHECK_INT(next(&w, "nfs", addrs, 3), 1);
}

/* A server beside the root's has names of its own. */
TEST(names_do_not_share_turns)
{
	const struct inet_addr addrs[] = {address(1), address(2)};
	struct walk w = {0};

	CHECK_INT(next(&w, "nfs", addrs, 2), 1);
	CHECK_INT(next(&w, "web", addrs, 2), 1);
	CHECK_INT(next(&w, "nfs", addrs, 2), 2);
	CHECK_INT(next(&w, "web", addrs, 2), 2);
}

TEST(more_than_are_remembered)
{
	struct inet_addr addrs[2 * WALK_MAX];
	struct walk w = {0};

	for (unsigned i = 0; i < ARRAY_SIZE(addrs); i++)
		addrs[i] = address(i);
	for (unsigned i = 0; i < ARRAY_SIZE(addrs); i++)
		CHECK_INT(next(&w, "nfs", &addrs[i], 1), i);
	CHECK(w.n <= WALK_MAX);
	CHECK_INT(next(&w, "nfs", &addrs[WALK_MAX], WALK_MAX), WALK_MAX);
}
