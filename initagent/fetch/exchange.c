// SPDX-License-Identifier: GPL-2.0-or-later

#include "fetch/connection.h"

#include <sys/socket.h>

#define TELL_EVERY_MS 250
/* SYNs at 0, 1, 3 and 7 s (RFC 6298 5.7, as Linux does): who did not answer the fourth is not
 * there, or not for us. */
#define CONNECT_NS    (8 * NSEC_PER_SEC)
/* One connection of several without a byte for so long is left; the last one is the agent's. */
#define SILENCE_NS    (5 * NSEC_PER_SEC)

/* --- replies --------------------------------------------------------------------------------- */

/* How the request ended. */
static void tell_end(struct exchange *x)
{
	const struct connection *l = x->last;
	struct fetch_reply n = {
		.serial = x->request.serial,
		.verdict = l->verdict,
		.retry = l->head.has_retry ? l->head.retry : 0,
	};

	strscpy(n.text, l->text, sizeof(n.text));
	if (l->verdict == VERDICT_REDIRECT)
		strscpy(n.location, l->head.location, sizeof(n.location));
	send(x->ctl, &n, sizeof(n), MSG_NOSIGNAL);
}

/* How far it is, four times a second; of each MiB the process that verifies tells by itself. */
static void tell_bytes(struct exchange *x)
{
	uint64_t now = now_ns(), there = x->sink.at + x->sink.known;

	if (there == x->told || now - x->told_ns < TELL_EVERY_MS * NSEC_PER_MSEC)
		return;
	sink_tell(&x->sink);
	x->told = there;
	x->told_ns = now;
}

/* A closed or readable control socket both mean the same: enough. */
static bool called_off(struct exchange *x)
{
	struct fetch_request o;
	ssize_t n = recv(x->ctl, &o, sizeof(o), MSG_DONTWAIT);

	if (n < 0)
		return false;
	return n != (ssize_t)sizeof(o) || o.kind != REQUEST_GET;
}

/* --- the end --------------------------------------------------------------------------------- */

static void fail(struct connection *l, enum fetch_verdict v)
{
	l->verdict = v;
	connection_decides(l, EXCHANGE_FAILED);
}

/* All bytes are there, unless there should be more of them. */
static void finish(struct exchange *x, struct connection *l)
{
	const struct sink *s = &x->sink;

	if (!s->size || s->at == s->size) {
		l->verdict = VERDICT_DONE;
		connection_decides(l, EXCHANGE_WHOLE);
		return;
	}
	snprintf(l->text, sizeof(l->text), "%llu bytes, but it should have %llu",
		(unsigned long long)s->at, (unsigned long long)s->size);
	fail(l, VERDICT_SIZE);
}

/* --- connections ----------------------------------------------------------------------------- */

static unsigned busy_connections(const struct exchange *x)
{
	unsigned n = 0;

	for (size_t i = 0; i < CONNECTIONS_MAX; i++)
		n += x->connections[i].busy;
	return n;
}

/* A lone connection asks for all that is missing, up to what is there already; so it does where
 * parts cannot be asked for. */
static bool plan_rest(struct exchange *x, struct connection *l)
{
	uint64_t at = x->sink.at, until;

	window_release(&x->window, l->number);
	until = window_free_to(&x->window, at);
	if (!until)
		window_reset(&x->window, x->window.part);
	x->now.at = at;
	if (resume_can_part(&x->resume, x->request.origin))
		resume_ask_part(&x->resume, at, until, &l->ask);
	else
		resume_ask(&x->resume, &x->now, &l->ask);
	if (l->ask.restart)
		return false;
	l->ask.until = until;
	return true;
}

/* What a connection without work shall ask for; false: nothing. */
static bool plan(struct exchange *x, struct connection *l)
{
	uint64_t at = x->sink.at, from, to;

	if (x->concurrency.connections == 1 && window_empty(&x->window))
		return plan_rest(x, l);
	if (!window_next(&x->window, at, x->resume.size, l->number, &from, &to))
		return false;
	if (x->concurrency.connections == 1 && from == at)
		return plan_rest(x, l);
	resume_ask_part(&x->resume, from, to, &l->ask);
	return true;
}

/* What a connection that is much slower than the others, or silent, had to fetch becomes theirs. */
static void drop(struct exchange *x, struct connection *l)
{
	connection_stop(l);
	concurrency_lost(&x->concurrency, x->concurrency.connections - 1, now_ns());
}

static void drop_silent(struct exchange *x)
{
	for (size_t i = 0; i < CONNECTIONS_MAX && x->concurrency.connections > 1; i++)
		if (x->connections[i].busy && now_ns() - x->connections[i].heard >= SILENCE_NS)
			drop(x, &x->connections[i]);
}

/* One that holds up all the others, who are many parts ahead. */
static bool drop_slowest(struct exchange *x)
{
	uint64_t at = x->sink.at;
	unsigned owner = window_owner(&x->window, at);

	if (!owner || !window_full(&x->window, at, x->resume.size))
		return false;
	drop(x, &x->connections[owner - 1]);
	return true;
}

/* What l is to ask for, at the cost of a connection that holds up the others if need be. */
static bool find_work(struct exchange *x, struct connection *l)
{
	return plan(x, l) || (drop_slowest(x) && plan(x, l));
}

/* As many connections at work as there shall be. */
static void employ(struct exchange *x)
{
	for (size_t i = 0; i < CONNECTIONS_MAX && busy_connections(x) < x->concurrency.connections;
		i++) {
		struct connection *l = &x->connections[i];

		if (l->busy)
			continue;
		if (!find_work(x, l))
			break;
		if (connection_start(l) != CURLE_OK) {
			fail(l, VERDICT_INTERNAL);
			return;
		}
	}
	if (!busy_connections(x))
		fail(x->last, VERDICT_INTERNAL);
}

/* A part that cannot be used says nothing about the whole file: that is asked for before the mirror
 * is given up. */
static void give_up_ranges(struct exchange *x, struct connection *l)
{
	if (l->verdict != VERDICT_RANGE || !(l->ask.from || l->ask.until))
		return;
	l->verdict = VERDICT_NO_RANGES;
	x->resume.restart = true;
}

/* A connection that fails is no reason to end as long as others go on: its part becomes theirs. */
static void connection_over(struct exchange *x, struct connection *l, CURLcode code)
{
	uint64_t size = x->setup.want.size ? x->setup.want.size : x->resume.size;
	bool all;

	connection_end(l, code);
	connection_stop(l);
	all = l->body.complete || (!l->ask.until && !l->enough && !l->body.partial);
	if (l->verdict == VERDICT_DONE) {
		if (all || (size && x->sink.at == size))
			finish(x, l);
	} else if (x->concurrency.connections > 1) {
		concurrency_lost(&x->concurrency, x->concurrency.connections - 1, now_ns());
	} else {
		give_up_ranges(x, l);
		fail(l, l->verdict);
	}
}

/* From one connection to two: where the one is now, the window begins. */
static void open_window(struct exchange *x)
{
	if (window_empty(&x->window))
		window_reset(&x->window, x->concurrency.rate / 2);
	for (size_t i = 0; i < CONNECTIONS_MAX; i++)
		if (x->connections[i].busy)
			window_claim(&x->window, x->sink.at, x->connections[i].number);
}

/* Bytes a second of a connection's request. */
static uint64_t speed(const struct connection *l, uint64_t now)
{
	return l->busy ? l->got * 1000 / ((now - l->began) / NSEC_PER_MSEC + 1) : 0;
}

/* Connections too many end with their part; those that are much slower than another one end at
 * once. */
static void dismiss(struct exchange *x, uint64_t now)
{
	uint64_t best = 0;

	for (size_t i = 0; i < CONNECTIONS_MAX; i++) {
		uint64_t one = speed(&x->connections[i], now);

		best = one > best ? one : best;
	}
	for (size_t i = 0; i < CONNECTIONS_MAX && busy_connections(x) > x->concurrency.connections;
		i++)
		if (x->connections[i].busy && speed(&x->connections[i], now) < best / 2)
			connection_stop(&x->connections[i]);
}

static void adjust_concurrency(struct exchange *x)
{
	uint64_t at = x->sink.at, size = x->resume.size, now = now_ns();
	unsigned before = x->concurrency.connections, to;

	if (!x->came || !resume_can_part(&x->resume, x->request.origin))
		return;
	to = concurrency_step(&x->concurrency, x->came, x->idle, size > at ? size - at : 0, now);
	if (before == 1 && to > 1)
		open_window(x);
	else if (to < before)
		dismiss(x, now);
}

/* --- turns ----------------------------------------------------------------------------------- */

/* Some bytes, or the ends of requests. */
static void transfer(struct exchange *x)
{
	const CURLMsg *m;
	int n;

	if (curl_multi_perform(x->multi, &n) != CURLM_OK)
		fail(x->last, VERDICT_INTERNAL);
	while (x->state == EXCHANGE_RUNS && (m = curl_multi_info_read(x->multi, &n))) {
		struct connection *l;

		if (m->msg != CURLMSG_DONE)
			continue;
		curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &l);
		connection_over(x, l, m->data.result);
	}
}

/* A lone connection that has no connection: without that there is nothing to be slow. */
static bool unconnected(const struct exchange *x)
{
	const struct connection *l = &x->connections[0];

	return x->concurrency.connections == 1 && l->busy && !connection_connected(l);
}

static void drop_unconnected(struct exchange *x)
{
	struct connection *l = &x->connections[0];

	if (!unconnected(x) || now_ns() - l->began < CONNECT_NS)
		return;
	snprintf(l->text, sizeof(l->text), "no answer within %llu s",
		(unsigned long long)(CONNECT_NS / NSEC_PER_SEC));
	fail(l, VERDICT_CONNECT);
}

/* Until something comes, or we are called off. */
static void wait_for_more(struct exchange *x)
{
	struct curl_waitfd ctl = {.fd = x->ctl, .events = CURL_WAIT_POLLIN};
	uint64_t before = now_ns();

	if (curl_multi_wait(x->multi, &ctl, 1, TELL_EVERY_MS, NULL) != CURLM_OK)
		fail(x->last, VERDICT_INTERNAL);
	x->idle += now_ns() - before;
	if (ctl.revents && called_off(x))
		fail(x->last, unconnected(x) ? VERDICT_CONNECT : VERDICT_STALLED);
}

static void run(struct exchange *x)
{
	/* Each may end the exchange, and with it the turn. */
	static void (*const turn[])(struct exchange *x) = {
		transfer, adjust_concurrency, drop_silent, drop_unconnected, employ, wait_for_more,
		tell_bytes,
	};

	concurrency_begin(&x->concurrency, CONNECTIONS_MAX, x->setup.link / 8, now_ns());
	x->came = x->idle = 0;
	for (size_t i = 0; x->state == EXCHANGE_RUNS; i = (i + 1) % ARRAY_SIZE(turn))
		turn[i](x);
	for (size_t i = 0; i < CONNECTIONS_MAX; i++)
		connection_stop(&x->connections[i]);
}

/* --- the beginning --------------------------------------------------------------------------- */

/* The last byte came before the break, or long ago: there is nothing to ask for. */
static bool all_there(const struct exchange *x)
{
	return x->sink.size && x->sink.at == x->sink.size;
}

/* The first question of a request, on the first connection. */
static enum fetch_verdict first_ask(struct exchange *x)
{
	struct connection *l = &x->connections[0];
	enum fetch_verdict v = VERDICT_DONE;

	x->now = (struct resume_now){
		.at = x->sink.at,
		.size = x->setup.want.size,
		.limit = x->setup.want.limit,
		.pinned = x->sink.pinned,
		.origin = x->request.origin,
	};
	resume_ask(&x->resume, &x->now, &l->ask);
	if (l->ask.restart)
		v = connection_restart(x);
	if (l->ask.from)
		l->ask.until = window_free_to(&x->window, l->ask.from);
	return v;
}

static void begin(struct exchange *x, const struct fetch_request *request)
{
	x->request = *request;
	x->request.url[sizeof(x->request.url) - 1] = 0;
	/* A part of what was given was not taken. */
	if (x->sink.at != x->request.at)
		window_reset(&x->window, x->window.part);
	x->sink.at = x->request.at;
	x->sink.known = 0;
	x->state = EXCHANGE_RUNS;
	x->last = &x->connections[0];
	for (size_t i = 0; i < CONNECTIONS_MAX; i++)
		connection_clear(&x->connections[i]);
}

void exchange_run(struct exchange *x, const struct fetch_request *request)
{
	struct connection *l = &x->connections[0];

	begin(x, request);
	l->verdict = first_ask(x);
	if (l->verdict == VERDICT_DONE && all_there(x))
		finish(x, l);
	else if (l->verdict == VERDICT_DONE && connection_start(l) == CURLE_OK)
		run(x);
	else if (l->verdict == VERDICT_DONE)
		l->verdict = VERDICT_INTERNAL;
	sink_end(&x->sink, x->request.serial, x->state == EXCHANGE_WHOLE);
	tell_end(x);
}

struct exchange *exchange_make(const struct fetch_setup *setup, int ctl, int out)
{
	static struct exchange x;

	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		return NULL;
	x.setup = *setup;
	x.ctl = ctl;
	x.sink = (struct sink){.fd = out, .size = setup->want.size, .limit = setup->want.limit,
		.pinned = setup->want.sha256 || setup->want.chunk_size};
	x.tls = (struct tls){.ca = setup->ca, .ca_len = setup->ca_len,
		.any = setup->any_certificate, .clock_floor = setup->clock_floor};
	x.last = &x.connections[0];
	x.multi = curl_multi_init();
	for (size_t i = 0; i < CONNECTIONS_MAX; i++) {
		x.connections[i] = (struct connection){
			.x = &x, .number = (unsigned)i + 1, .easy = curl_easy_init()};
		if (!x.connections[i].easy)
			return NULL;
	}
	return x.multi && window_make(&x.window) == 0 ? &x : NULL;
}
