// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Questions over one port: tries, silence, late and foreign answers, and when the port is closed.
 */
#include "check.h"
#include "fabric/mad_client.h"
#include "madlab.h"

#define MS NSEC_PER_MSEC

struct bench {
	struct madlab lab;
	struct env env;
	struct mad_client client;
};

static void bench_new(struct bench *b)
{
	memset(b, 0, sizeof(*b));
	madlab_new(&b->lab);
	mad_client_init(&b->client, &b->env, &b->lab.ops, "mlx5_0", 1);
}

static void bench_free(struct bench *b)
{
	mad_client_shut(&b->client);
	madlab_free(&b->lab);
}

static int ask(struct bench *b, enum mad_query query, uint64_t now)
{
	const struct mad_ask a = {
		.query = query, .lid = 7, .sl = 2, .tries = 3, .period = 100 * MS};

	return mad_client_ask(&b->client, &a, now);
}

static struct mad_result next(struct bench *b)
{
	struct mad_result r;

	CHECK(mad_client_pop(&b->client, &r));
	return r;
}

static void nothing(struct bench *b)
{
	struct mad_result r;

	CHECK(!mad_client_pop(&b->client, &r));
}

TEST(an_answer_and_the_port_is_closed)
{
	struct mad_result r;
	struct bench b;

	bench_new(&b);
	CHECK_INT(mad_client_fd(&b.client), -1);
	CHECK(mad_client_deadline(&b.client) == NSEC_NEVER);
	CHECK_INT(ask(&b, MAD_SA_ALIVE, 1), 0);
	CHECK(mad_client_fd(&b.client) >= 0);
	CHECK(mad_client_deadline(&b.client) != NSEC_NEVER);
	CHECK_INT(b.lab.last_to.class, MAD_CLASS_SA);
	CHECK_INT(b.lab.last_to.lid, 7);
	CHECK_INT(b.lab.last_to.sl, 2);
	CHECK_INT(b.lab.last_timeout_ms, 100);
	mad_client_dispatch(&b.client, 2);
	CHECK_INT(mad_client_fd(&b.client), -1);
	CHECK_INT(b.lab.closed, 1);
	r = next(&b);
	CHECK_INT(r.outcome, MAD_ANSWERED);
	CHECK_INT(r.query, MAD_SA_ALIVE);
	nothing(&b);
	CHECK(mad_client_deadline(&b.client) == NSEC_NEVER);
	bench_free(&b);
}

TEST(silence_proves_nothing_to_who_is_outside)
{
	const struct mad_ask out = {
		.query = MAD_SA_ALIVE, .lid = 7, .pkey_index = 3, .outside = true, .tries = 1};
	struct mad_result r;
	struct bench b;

	bench_new(&b);
	b.lab.deaf[MAD_SA_ALIVE] = true;
	CHECK_INT(mad_client_ask(&b.client, &out, 0), 0);
	CHECK_INT(b.lab.last_to.pkey_index, 3);
	mad_client_dispatch(&b.client, 1);
	r = next(&b);
	CHECK_INT(r.outcome, MAD_FAILED);
	CHECK_INT(r.error, -ENOKEY);
	bench_free(&b);
}

TEST(silence_takes_three_tries)
{
	struct bench b;
	uint32_t first;

	bench_new(&b);
	b.lab.deaf[MAD_NODE_INFO] = true;
	CHECK_INT(ask(&b, MAD_NODE_INFO, 0), 0);
	CHECK_INT(b.lab.last_to.lid, 0xffff);
	first = b.lab.last[15];
	CHECK(mad_client_deadline(&b.client) == 100 * MS);
	mad_client_dispatch(&b.client, 99 * MS);
	CHECK_INT(b.lab.sent[MAD_NODE_INFO], 1);
	mad_client_dispatch(&b.client, 100 * MS);
	CHECK_INT(b.lab.sent[MAD_NODE_INFO], 2);
	/* Each try has a number of its own, and twice the patience. */
	CHECK(b.lab.last[15] != first);
	CHECK_INT(b.lab.last_timeout_ms, 200);
	CHECK(mad_client_deadline(&b.client) == 300 * MS);
	mad_client_dispatch(&b.client, 300 * MS);
	CHECK_INT(b.lab.sent[MAD_NODE_INFO], 3);
	CHECK(mad_client_deadline(&b.client) == 700 * MS);
	nothing(&b);
	mad_client_dispatch(&b.client, 700 * MS);
	CHECK_INT(b.lab.sent[MAD_NODE_INFO], 3);
	CHECK_INT(next(&b).outcome, MAD_SILENT);
	CHECK_INT(mad_client_fd(&b.client), -1);
	CHECK(mad_client_deadline(&b.client) == NSEC_NEVER);
	bench_free(&b);
}

/* An answer to the first try that comes after the second was sent is an answer to nobody. */
TEST(a_late_answer_is_not_taken_for_another)
{
	uint8_t first[MAD_SIZE], answer[MAD_SIZE];
	struct bench b;

	bench_new(&b);
	b.lab.deaf[MAD_SA_ALIVE] = true;
	CHECK_INT(ask(&b, MAD_SA_ALIVE, 0), 0);
	memcpy(first, b.lab.last, sizeof(first));
	mad_client_dispatch(&b.client, 100 * MS);
	madlab_answer(&b.lab, first, answer);
	madlab_push(&b.lab, answer, sizeof(answer), 0);
	mad_client_dispatch(&b.client, 101 * MS);
	nothing(&b);
	madlab_answer(&b.lab, b.lab.last, answer);
	madlab_push(&b.lab, answer, sizeof(answer), 0);
	mad_client_dispatch(&b.client, 102 * MS);
	CHECK_INT(next(&b).outcome, MAD_ANSWERED);
	bench_free(&b);
}

TEST(hostile_datagrams_do_not_end_a_question)
{
	uint8_t bytes[MAD_SIZE];
	struct bench b;

	bench_new(&b);
	b.lab.deaf[MAD_NODE_INFO] = true;
	CHECK_INT(ask(&b, MAD_NODE_INFO, 0), 0);
	memset(bytes, 0xff, sizeof(bytes));
	for (size_t len = 1; len < 60; len++)
		madlab_push(&b.lab, bytes, len, 0);
	/* Ours by its header, but cut off, or with a node type that cannot be. */
	madlab_answer(&b.lab, b.lab.last, bytes);
	madlab_push(&b.lab, bytes, 80, 0);
	bytes[66] = 9;
	madlab_push(&b.lab, bytes, sizeof(bytes), 0);
	mad_client_dispatch(&b.client, 1);
	nothing(&b);
	CHECK(mad_client_deadline(&b.client) != NSEC_NEVER);
	bytes[66] = FABRIC_NODE_SWITCH;
	madlab_push(&b.lab, bytes, sizeof(bytes), 0);
	mad_client_dispatch(&b.client, 2);
	CHECK_INT(next(&b).outcome, MAD_ANSWERED);
	bench_free(&b);
}

/* The loop has other work: a flood is taken in portions. */
TEST(a_flood_is_taken_in_portions)
{
	uint8_t bytes[MAD_SIZE] = {0};
	struct bench b;

	bench_new(&b);
	b.lab.deaf[MAD_NODE_INFO] = true;
	CHECK_INT(ask(&b, MAD_NODE_INFO, 0), 0);
	for (int i = 0; i < 70; i++)
		madlab_push(&b.lab, bytes, sizeof(bytes), 0);
	mad_client_dispatch(&b.client, 1);
	CHECK_INT(b.lab.n, 6);
	mad_client_dispatch(&b.client, 1);
	CHECK_INT(b.lab.n, 0);
	bench_free(&b);
}

TEST(what_the_kernel_gives_back_is_no_answer)
{
	uint8_t bytes[MAD_SIZE];
	struct bench b;

	bench_new(&b);
	b.lab.deaf[MAD_SA_ALIVE] = true;
	CHECK_INT(ask(&b, MAD_SA_ALIVE, 0), 0);
	madlab_answer(&b.lab, b.lab.last, bytes);
	madlab_push(&b.lab, bytes, 24, ETIMEDOUT);
	mad_client_dispatch(&b.client, 1);
	nothing(&b);
	CHECK(mad_client_deadline(&b.client) != NSEC_NEVER);
	bench_free(&b);
}

TEST(a_busy_node_is_asked_again)
{
	struct bench b;

	bench_new(&b);
	b.lab.status = 0x0001;
	CHECK_INT(ask(&b, MAD_SA_GROUP, 0), 0);
	mad_client_dispatch(&b.client, 1);
	nothing(&b);
	b.lab.status = 0;
	mad_client_dispatch(&b.client, 100 * MS);
	mad_client_dispatch(&b.client, 101 * MS);
	CHECK_INT(next(&b).outcome, MAD_ANSWERED);
	bench_free(&b);
}

/* OpenSM's queue is long when thousands of nodes ask: no reason to call it silent. */
TEST(an_sa_that_is_busy_is_alive)
{
	struct bench b;

	bench_new(&b);
	b.lab.status = 0x0001;
	CHECK_INT(ask(&b, MAD_SA_ALIVE, 0), 0);
	mad_client_dispatch(&b.client, 1);
	CHECK_INT(next(&b).outcome, MAD_ANSWERED);
	CHECK_INT(b.lab.sent[MAD_SA_ALIVE], 1);
	bench_free(&b);
}

/* Of the broadcast group, for one: "does not answer" would be said of a living subnet manager. */
TEST(a_node_that_stays_busy_is_not_silent)
{
	struct mad_result r;
	struct bench b;

	bench_new(&b);
	b.lab.status = 0x0001;
	CHECK_INT(ask(&b, MAD_SA_GROUP, 0), 0);
	for (uint64_t now = 0; now <= 700; now += 50)
		mad_client_dispatch(&b.client, now * MS);
	CHECK_INT(b.lab.sent[MAD_SA_GROUP], 3);
	r = next(&b);
	CHECK_INT(r.outcome, MAD_FAILED);
	CHECK_INT(r.error, -EBUSY);
	bench_free(&b);
}

TEST(an_error_status_is_an_answer)
{
	struct mad_result r;
	struct bench b;

	bench_new(&b);
	b.lab.status = 0x0300;
	CHECK_INT(ask(&b, MAD_SA_GROUP, 0), 0);
	mad_client_dispatch(&b.client, 1);
	r = next(&b);
	CHECK_INT(r.outcome, MAD_ANSWERED);
	CHECK_INT(r.answer.status, 0x0300);
	bench_free(&b);
}

TEST(what_cannot_be_asked_says_so)
{
	struct bench b;

	bench_new(&b);
	b.lab.open_error = -ENODEV;
	CHECK_INT(ask(&b, MAD_NODE_INFO, 0), -ENODEV);
	CHECK(mad_client_deadline(&b.client) == NSEC_NEVER);
	b.lab.open_error = 0;
	b.lab.send_error = -EPERM;
	CHECK_INT(ask(&b, MAD_NODE_INFO, 0), -EPERM);
	CHECK(mad_client_deadline(&b.client) == NSEC_NEVER);
	CHECK_INT(b.lab.opened, b.lab.closed);
	bench_free(&b);
}

/* The device went away between two tries, or while its fd was read. */
TEST(a_device_that_goes)
{
	struct mad_result r;
	struct bench b;

	bench_new(&b);
	b.lab.deaf[MAD_NODE_INFO] = true;
	CHECK_INT(ask(&b, MAD_NODE_INFO, 0), 0);
	b.lab.send_error = -EINVAL;
	mad_client_dispatch(&b.client, 100 * MS);
	r = next(&b);
	CHECK_INT(r.outcome, MAD_FAILED);
	CHECK_INT(r.error, -EINVAL);
	CHECK_INT(b.lab.opened, b.lab.closed);
	b.lab.send_error = 0;
	CHECK_INT(ask(&b, MAD_NODE_INFO, 0), 0);
	b.lab.recv_error = -EIO;
	mad_client_dispatch(&b.client, 1);
	r = next(&b);
	CHECK_INT(r.outcome, MAD_FAILED);
	CHECK_INT(r.error, -EIO);
	CHECK_INT(b.lab.opened, b.lab.closed);
	bench_free(&b);
}

TEST(asking_again_replaces_the_question)
{
	struct bench b;

	bench_new(&b);
	b.lab.deaf[MAD_SA_ALIVE] = true;
	CHECK_INT(ask(&b, MAD_SA_ALIVE, 0), 0);
	CHECK_INT(ask(&b, MAD_SA_ALIVE, 50 * MS), 0);
	CHECK(mad_client_deadline(&b.client) == 150 * MS);
	CHECK_INT(b.lab.opened, 1);
	mad_client_cancel(&b.client, MAD_SA_ALIVE);
	CHECK(mad_client_deadline(&b.client) == NSEC_NEVER);
	CHECK_INT(b.lab.opened, b.lab.closed);
	bench_free(&b);
}

TEST(groups_are_told_apart)
{
	struct bench b;
	struct mad_ask a = {.query = MAD_SA_GROUP, .lid = 1, .tries = 1, .period = MS};
	unsigned seen = 0;

	bench_new(&b);
	for (uint16_t pkey = 1; pkey <= 12; pkey++) {
		a.pkey = pkey;
		CHECK_INT(mad_client_ask(&b.client, &a, 0), 0);
	}
	a.pkey = 13;
	CHECK_INT(mad_client_ask(&b.client, &a, 0), -ENOSPC);
	mad_client_dispatch(&b.client, 0);
	for (int i = 0; i < 12; i++)
		seen |= 1U << next(&b).pkey;
	CHECK_INT(seen, 0x1ffe);
	bench_free(&b);
}
