// SPDX-License-Identifier: GPL-2.0-or-later
/* fetch: what is decided without a server: configurations, look-ups and waits, at times that are
 * told. */
#include "fetch/fetch.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include "check.h"
#include "fetch/mirrors.h"

#define START (1000 * NSEC_PER_SEC)

static const struct env env = {.prefix = "/nonexistent"};

static const char *const two[] = {"http://a.example/i", "http://b.example/i"};

static struct fetch *make(const struct fetch_config *cfg)
{
	struct fetch *f = NULL;
	const char *bad;

	CHECK_INT(fetch_new(&f, &env, cfg, &bad), 0);
	return f;
}

static const char *refused(const struct fetch_config *cfg)
{
	struct fetch *f = NULL;
	const char *bad = NULL;

	CHECK_INT(fetch_new(&f, &env, cfg, &bad), -EINVAL);
	CHECK(!f);
	return bad;
}

TEST(configurations)
{
	static const uint8_t digests[3][SHA256_SIZE];
	const char *const nonsense[] = {"http://a/", "gopher://b/"};
	struct fetch_config c = {.urls = nonsense, .n_urls = 2, .sink = -1};

	CHECK_STR(refused(&c), "gopher://b/");
	c.n_urls = 0;
	refused(&c);
	c = (struct fetch_config){.urls = two, .n_urls = 2, .sink = -1, .proxy = "https://p:1"};
	CHECK_STR(refused(&c), "https://p:1");
	c.proxy = "p:80x";
	CHECK_STR(refused(&c), "p:80x");
	c.proxy = NULL;
	c.chunk_size = 100;
	c.chunks = digests;
	c.n_chunks = 3;
	CHECK_STR(refused(&c), "chunks");
	c.size = 301;
	CHECK_STR(refused(&c), "chunks");
	c.size = 200;
	CHECK_STR(refused(&c), "chunks");
	c.size = 300;
	fetch_free(make(&c));
	c.size = 201;
	fetch_free(make(&c));
}

/* Both mirrors' names are asked for, then it waits, no longer than said. */
TEST(names_nobody_answers_for)
{
	const struct fetch_config c = {.urls = two, .n_urls = 2, .sink = -1, .node = 5};
	_cleanup_(fetch_freep) struct fetch *f = make(&c);
	uint64_t now = START;
	const char *text;
	char first[64];

	CHECK_INT(fetch_start(f, now), 0);
	CHECK_INT(fetch_start(f, now), -EALREADY);
	CHECK_INT(fetch_pop_event(f), FETCH_EVENT_LOOKUP);
	CHECK_INT(fetch_pop_event(f), FETCH_EVENT_NONE);
	strscpy(first, fetch_lookup(f), sizeof(first));
	CHECK_INT(fetch_deadline(f), now + 10 * NSEC_PER_SEC);
	now += 10 * NSEC_PER_SEC;
	fetch_dispatch(f, now);
	CHECK_INT(fetch_pop_event(f), FETCH_EVENT_LOOKUP);
	CHECK_INT(fetch_pop_event(f), FETCH_EVENT_RETRY);
	CHECK_INT(fetch_failure(f, &text), CAUSE_FETCH_LOOKUP);
	CHECK(strstr(text, first) && strcmp(fetch_lookup(f), first) != 0);
	fetch_resolved(f, NULL, 0, "no such name", now);
	CHECK_INT(fetch_pop_event(f), FETCH_EVENT_RETRY);
	fetch_failure(f, &text);
	CHECK(strstr(text, "no such name"));
	CHECK(!fetch_lookup(f));
	CHECK(fetch_deadline(f) > now && fetch_deadline(f) <= now + BACKOFF_FIRST_NS);
	/* The wait is over: from the beginning. */
	now = fetch_deadline(f);
	fetch_dispatch(f, now);
	CHECK_INT(fetch_pop_event(f), FETCH_EVENT_LOOKUP);
	CHECK(fetch_lookup(f));
	CHECK_INT(fetch_child(f), -1);
}

/* With a proxy its name is the one that counts. */
TEST(a_proxy_is_looked_up_instead)
{
	const struct fetch_config c = {
		.urls = two, .n_urls = 2, .sink = -1, .proxy = "proxy.example:3128"};
	_cleanup_(fetch_freep) struct fetch *f = make(&c);

	CHECK_INT(fetch_start(f, START), 0);
	CHECK_STR(fetch_lookup(f), "proxy.example");
}

TEST(an_answer_nobody_waits_for)
{
	const struct fetch_config c = {.urls = two, .n_urls = 2, .sink = -1};
	_cleanup_(fetch_freep) struct fetch *f = make(&c);
	const struct inet_addr a = {.family = AF_INET};
	struct fetch_progress p;

	fetch_resolved(f, &a, 1, "", START);
	CHECK_INT(fetch_child(f), -1);
	CHECK_INT(fetch_pop_event(f), FETCH_EVENT_NONE);
	fetch_progress(f, &p);
	CHECK(p.bytes == 0 && p.size == 0 && p.eta == UINT64_MAX && p.attempts == 0);
	CHECK_STR(p.site, "");
}

/* Until the first attempt has failed; no time-out of its own comes before. */
static void first_failure(struct fetch *f)
{
	enum fetch_event e;

	CHECK_INT(fetch_start(f, START), 0);
	while ((e = fetch_pop_event(f)) != FETCH_EVENT_RETRY) {
		struct pollfd p = {.fd = fetch_fd(f), .events = POLLIN};

		if (e != FETCH_EVENT_NONE)
			continue;
		CHECK_INT(poll(&p, 1, -1), 1);
		fetch_dispatch(f, START);
	}
}

/* Waits for the end of the process that fetches, and lets f see it. */
static void kill_child(struct fetch *f)
{
	pid_t pid = fetch_child(f);
	siginfo_t info;

	CHECK(pid > 0);
	CHECK_INT(kill(pid, SIGKILL), 0);
	CHECK_INT(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	fetch_dispatch(f, START);
}

/* Nothing listens there: all mirrors are in back-off, none is being asked. */
TEST(dies_in_backoff)
{
	static const char *const refuses[] = {"http://127.0.0.1:1/i"};
	const struct fetch_config c = {.urls = refuses, .n_urls = 1, .sink = -1};
	_cleanup_(fetch_freep) struct fetch *f = make(&c);
	uint64_t deadline;
	const char *text;

	first_failure(f);
	deadline = fetch_deadline(f);
	CHECK(deadline > START && deadline <= START + BACKOFF_FIRST_NS);
	kill_child(f);
	/* The wait goes on, and the next attempt has a process of its own. */
	CHECK_INT(fetch_child(f), -1);
	CHECK_INT(fetch_deadline(f), deadline);
	CHECK_INT(fetch_pop_event(f), FETCH_EVENT_NONE);
	fetch_dispatch(f, deadline);
	CHECK(fetch_child(f) > 0);
	CHECK_INT(fetch_failure(f, &text), CAUSE_FETCH_CONNECT);
}

/* What was silent over one interface may answer over the other: it is not made to wait for it. */
TEST(another_way_ends_the_backoff)
{
	static const char *const refuses[] = {"http://127.0.0.1:1/i"};
	const struct fetch_config c = {.urls = refuses, .n_urls = 1, .sink = -1};
	_cleanup_(fetch_freep) struct fetch *f = make(&c);
	struct fetch_progress p;

	first_failure(f);
	CHECK(fetch_deadline(f) > START);
	fetch_way_lost(f, START);
	CHECK_INT(fetch_deadline(f), START);
	fetch_dispatch(f, START);
	fetch_progress(f, &p);
	CHECK_INT(p.attempts, 2);
}

/* The same while a name is being looked up: the answer is still waited for. */
TEST(dies_in_lookup)
{
	static const char *const urls[] = {"http://127.0.0.1:1/i", "http://a.example/i"};
	struct fetch_config c = {.urls = urls, .n_urls = 2, .sink = -1};
	const struct inet_addr a = {.family = AF_INET, .bytes = {127, 0, 0, 1}};
	_cleanup_(fetch_freep) struct fetch *f = NULL;

	/* The node that asks the address first. */
	for (c.node = 0; !f; c.node++) {
		f = make(&c);
		fetch_start(f, START);
		f = fetch_lookup(f) ? fetch_free(f) : f;
	}
	fetch_free(f);
	c.node--;
	f = make(&c);
	first_failure(f);
	CHECK_STR(fetch_lookup(f), "a.example");
	kill_child(f);
	CHECK_STR(fetch_lookup(f), "a.example");
	fetch_resolved(f, &a, 1, "", START);
	CHECK(fetch_child(f) > 0);
}
