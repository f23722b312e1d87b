// SPDX-License-Identifier: GPL-2.0-or-later
/* fetch: see fetch.h. How it is made is in create.c. */
#include "fetch/private.h"

#include "base/random.h"
#include "report/report.h"

#include <net/if.h>

#define LOOKUP_LIMIT (10 * NSEC_PER_SEC)
/* A child that was told to stop may be busy writing; one that does not answer is replaced. */
#define STOP_LIMIT   (5 * NSEC_PER_SEC)
#define HOPS_MAX     8
#define DEATHS_MAX   3

static const char *const state_names[STATE_MAX] = {
	[STATE_IDLE] = "idle",
	[STATE_LOOKUP] = "look-up",
	[STATE_READING] = "reading",
	[STATE_TRANSFER] = "transfer",
	[STATE_STOPPING] = "stopping",
	[STATE_BACKOFF] = "backoff",
	[STATE_DONE] = "done",
	[STATE_STOPPED] = "stopped",
};

static void set_state(struct fetch *f, enum fetch_state to, uint64_t now)
{
	if (f->state != to)
		report_state(f->env->report, "fetch", f->site, state_names[f->state],
			state_names[to], now);
	f->state = to;
	/* A lookup that is not waited for any more. */
	if (to != STATE_LOOKUP)
		f->events &= ~(1U << FETCH_EVENT_LOOKUP);
}

static void raise_event(struct fetch *f, enum fetch_event e)
{
	f->events |= 1U << e;
}

/* --- how an attempt ends --------------------------------------------------------------------- */

static void choose(struct fetch *f, uint64_t now);

static void stop(struct fetch *f, uint64_t now)
{
	f->deadline = NSEC_NEVER;
	fetch_end_processes(f);
	raise_event(f, FETCH_EVENT_FATAL);
	set_state(f, STATE_STOPPED, now);
}

static struct known_name *find_name(struct fetch *f, const char *host)
{
	for (size_t i = 0; i < FETCH_NAMES_MAX; i++)
		if (*f->names[i].host && streq(f->names[i].host, host))
			return &f->names[i];
	return NULL;
}

/* Who is to be connected to: the proxy, if there is one, which then looks names up itself. */
static const struct url *peer(const struct fetch *f)
{
	return f->has_proxy ? &f->proxy : &f->url;
}

/* What is remembered of the mirror. Where its name has several addresses, the next one has its
 * turn, unless this one can go on (stay); each has its say before the mirror is out. */
static void remember(struct fetch *f, enum fetch_remedy remedy, bool stay, uint64_t after,
	uint64_t now)
{
	struct known_name *name = find_name(f, peer(f)->host);

	/* Bytes that came in order count as a success, whatever the end was. */
	if (f->progressed)
		mirror_good(f->mirror);
	if (remedy == REMEDY_OTHER && ++f->mirror->refused >= (name ? name->addresses : 1))
		f->mirror->out = true;
	else if (remedy == REMEDY_DAMAGE)
		mirror_damaged(f->mirror, random_u32(), now);
	else
		mirror_failed(f->mirror, after, random_u32(), now);
	if (name && !(stay && remedy == REMEDY_LATER))
		name->host[0] = 0;
}

/* For the console and the timeline. */
static void note_failure(struct fetch *f, enum fetch_verdict verdict, const char *text,
	uint64_t now)
{
	const struct verdict_row *row = verdict_row(verdict);

	f->cause = row->cause;
	snprintf(f->text, sizeof(f->text), "%.200s: %s%s%s", f->site, row->words, *text ? ": " : "",
		text);
	report_span(f->env->report, "fetch", row->name, f->began, now, -EIO);
}

static void failed(struct fetch *f, enum fetch_verdict verdict, const char *text, uint64_t after,
	uint64_t now)
{
	enum fetch_remedy remedy = verdict_row(verdict)->remedy;
	uint64_t when;

	note_failure(f, verdict, text, now);
	/* Bytes of several answers may be of two versions, and a source that changes may change
	 * again: the mirror gets another go. */
	if (verdict == VERDICT_DIGEST && (f->joined || f->changed))
		remedy = REMEDY_DAMAGE;
	f->changed = f->changed || verdict == VERDICT_CHANGED;
	if (remedy == REMEDY_STOP) {
		stop(f, now);
		return;
	}
	/* what is there of the file is this server's, which answers */
	remember(f, remedy, f->progressed || (f->bytes && verdict == VERDICT_BUSY), after, now);
	mirrors_pick(&f->mirrors, now, &when);
	if (when == NSEC_NEVER) {
		stop(f, now);
		return;
	}
	raise_event(f, FETCH_EVENT_RETRY);
	choose(f, now);
}

/* One of the two ended, or was ended for what it said. Between two attempts no mirror has to do
 * with it. */
static void died(struct fetch *f, const char *how, uint64_t now)
{
	bool between = f->state == STATE_BACKOFF || f->state == STATE_LOOKUP;

	fetch_drop_processes(f);
	if (++f->deaths >= DEATHS_MAX) {
		note_failure(f, VERDICT_DIED, how, now);
		stop(f, now);
	} else if (between) {
		report_log(f->env->report, REPORT_WARN, "fetch", now, "%s: %s",
			verdict_row(VERDICT_DIED)->words, how);
	} else {
		failed(f, VERDICT_DIED, how, 0, now);
	}
}

static void fetcher_died(struct fetch *f, uint64_t now)
{
	worker_end(f->fetcher);
	died(f, worker_end_text(f->fetcher), now);
}

/* It ends because of what it got, or because the fetcher did. */
static void verifier_died(struct fetch *f, uint64_t now)
{
	const char *how;

	worker_end(f->verifier);
	how = fetch_verifier_end(f->verifier);
	if (how)
		died(f, how, now);
	else
		fetcher_died(f, now);
}

/* --- asking ---------------------------------------------------------------------------------- */

/* From where the verifier is, who has nothing else to do just then. */
static void send_request(struct fetch *f, uint64_t now)
{
	f->request.serial++;
	f->request.at = f->bytes;
	f->joined = f->bytes;
	f->stalled = false;
	f->progressed = false;
	stall_limit_begin(&f->stall_limit, f->stall, f->bytes, now);
	f->deadline = stall_limit_deadline(&f->stall_limit);
	set_state(f, STATE_TRANSFER, now);
	if (worker_send(f->fetcher, &f->request) < 0)
		fetcher_died(f, now);
}

static void ask(struct fetch *f, const struct inet_addr *address, uint16_t port, uint64_t now)
{
	struct fetch_request *o = &f->request;

	o->kind = REQUEST_GET;
	o->origin = (uint32_t)(f->mirror - f->mirrors.list) + 1;
	o->proxied = f->has_proxy;
	o->privileged = f->setup.privileged;
	o->address = *address;
	o->port = port;
	url_text(&f->url, o->url);
	f->attempts++;
	if (f->fetcher) {
		send_request(f, now);
		return;
	}
	f->deadline = NSEC_NEVER;
	set_state(f, STATE_READING, now);
	if (fetch_start_processes(f) < 0)
		failed(f, VERDICT_INTERNAL, "no process", 0, now);
}

static void visit(struct fetch *f, uint64_t now)
{
	const struct url *to = peer(f);
	const struct known_name *name = find_name(f, to->host);

	url_site(&f->url, f->site);
#ifndef FEATURE_TLS
	if (f->url.https) {
		failed(f, VERDICT_NO_TLS, "", 0, now);
		return;
	}
#endif
	f->request.scope = *to->zone ? if_nametoindex(to->zone) : 0;
	if (*to->zone && !f->request.scope) {
		failed(f, VERDICT_CONNECT, "there is no such interface yet", 0, now);
		return;
	}
	if (to->address.family || name) {
		ask(f, to->address.family ? &to->address : &name->address, to->port, now);
		return;
	}
	f->deadline = now + LOOKUP_LIMIT;
	set_state(f, STATE_LOOKUP, now);
	raise_event(f, FETCH_EVENT_LOOKUP);
}

/* The next mirror, now or when one is ready. */
static void choose(struct fetch *f, uint64_t now)
{
	uint64_t when;

	f->mirror = mirrors_pick(&f->mirrors, now, &when);
	if (!f->mirror) {
		f->deadline = when;
		set_state(f, STATE_BACKOFF, now);
		return;
	}
	f->url = f->mirror->url;
	f->hops = 0;
	f->began = now;
	visit(f, now);
}

int fetch_start(struct fetch *f, uint64_t now)
{
	if (f->state != STATE_IDLE)
		return -EALREADY;
	choose(f, now);
	return 0;
}

const char *fetch_lookup(const struct fetch *f)
{
	return f->state == STATE_LOOKUP ? peer(f)->host : NULL;
}

void fetch_resolved(struct fetch *f, const struct inet_addr *addr, unsigned addresses,
	const char *why, uint64_t now)
{
	struct known_name *name = &f->names[f->next_name];

	if (f->state != STATE_LOOKUP)
		return;
	if (!addr || !addr->family) {
		failed(f, VERDICT_LOOKUP, why, 0, now);
		return;
	}
	f->next_name = (f->next_name + 1) % FETCH_NAMES_MAX;
	strscpy(name->host, peer(f)->host, sizeof(name->host));
	name->address = *addr;
	name->addresses = addresses;
	ask(f, addr, peer(f)->port, now);
}

/* --- what comes back ------------------------------------------------------------------------- */

static void redirected(struct fetch *f, const struct fetch_reply *n, uint64_t now)
{
	struct url to;

	if (url_parse(&to, n->location, strlen(n->location)) < 0) {
		failed(f, VERDICT_LOCATION, "not a URL", 0, now);
	} else if (f->url.https && !to.https) {
		failed(f, VERDICT_LOCATION, "from https to http", 0, now);
	} else if (f->setup.privileged && !streq(f->url.host, to.host)) {
		failed(f, VERDICT_LOCATION, "to another server", 0, now);
	} else if (++f->hops > HOPS_MAX) {
		failed(f, VERDICT_LOCATION, "too many in a row", 0, now);
	} else {
		f->url = to;
		visit(f, now);
	}
}

/* The bytes of a memory file as a string. */
static int load_memory(struct fetch *f)
{
	size_t have = 0, len = (size_t)f->bytes;

	f->content = calloc(1, len + 1);
	if (!f->content)
		return -ENOMEM;
	while (have < len) {
		ssize_t n = pread(f->memory, f->content + have, len - have, (off_t)have);

		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		have += (size_t)n;
	}
	return 0;
}

/* The verifier said so. */
static void done(struct fetch *f, uint64_t now)
{
	fetch_end_processes(f);
	if (f->memory >= 0 && load_memory(f) < 0) {
		fetch_drop_processes(f);
		failed(f, VERDICT_INTERNAL, "cannot read the file back", 0, now);
		return;
	}
	report_span(f->env->report, "fetch", "transfer", f->began, now, 0);
	f->size = f->bytes;
	f->deadline = NSEC_NEVER;
	raise_event(f, FETCH_EVENT_DONE);
	set_state(f, STATE_DONE, now);
}

/* What the verifier refused, in words. */
static void explain(const struct fetch *f, const struct verified *v, char *buf, size_t size)
{
	unsigned long long at = v->at, want = f->size, limit = f->setup.want.limit;
	char is[SHA256_TEXT], digest[SHA256_TEXT];

	*buf = 0;
	if (v->verdict == VERDICT_WRITE)
		snprintf(buf, size, "%s after %llu bytes", strerror(v->error), at);
	else if (v->verdict == VERDICT_CHUNK)
		snprintf(buf, size, "the chunk at byte %llu", at);
	else if (v->verdict == VERDICT_SIZE)
		snprintf(buf, size, "%llu bytes, but it should have %llu", at, want);
	else if (v->verdict == VERDICT_TOO_LARGE)
		snprintf(buf, size, "more than the %llu bytes (%llu MiB) there is room for", limit,
			limit >> 20);
	else if (v->verdict == VERDICT_DIGEST)
		snprintf(buf, size, "it is %s, not %s", sha256_text(v->digest, is),
			sha256_text(f->sha256, digest));
}

static void refused(struct fetch *f, const struct verified *v, uint64_t now)
{
	char text[REPLY_TEXT_MAX];

	explain(f, v, text, sizeof(text));
	failed(f, (enum fetch_verdict)v->verdict, text, 0, now);
}

/* Both have ended the request, the verifier with nothing wrong in what it got. */
static void ended(struct fetch *f, const struct fetch_reply *n, uint64_t now)
{
	enum fetch_verdict v =
		f->stalled && n->verdict != VERDICT_CONNECT ? VERDICT_STALLED : n->verdict;
	char text[64];

	if (v == VERDICT_STALLED) {
		snprintf(text, sizeof(text), "%llu bytes there", (unsigned long long)f->bytes);
		failed(f, v, text, 0, now);
	} else if (v == VERDICT_REDIRECT) {
		redirected(f, n, now);
	} else if (v == VERDICT_DONE) {
		died(f, "invalid reply: done before all data arrived", now);
	} else if (v == VERDICT_CERT && *f->no_ca) {
		failed(f, v, f->no_ca, 0, now);
	} else {
		failed(f, v, n->text, n->retry, now);
	}
}

/* One of the two has ended the request: the other one will, soon. */
static void settle(struct fetch *f, uint64_t now)
{
	if (f->end.serial != f->request.serial || f->reply.serial != f->request.serial) {
		f->deadline = f->state == STATE_STOPPING ? f->deadline : now + STALL_LIMIT_NS;
		set_state(f, STATE_STOPPING, now);
	} else if (f->end.verdict != VERDICT_DONE) {
		refused(f, &f->end, now);
	} else {
		ended(f, &f->reply, now);
	}
}

static bool transfers(const struct fetch *f)
{
	return f->state == STATE_TRANSFER || f->state == STATE_STOPPING;
}

/* Once for a request that is under way. */
static void take_reply(struct fetch *f, const struct fetch_reply *n, uint64_t now)
{
	if (!transfers(f) || n->serial != f->request.serial ||
		f->reply.serial == f->request.serial) {
		died(f, "invalid reply: to no request", now);
		return;
	}
	f->reply = *n;
	settle(f, now);
}

static void call_off(struct fetch *f, uint64_t now)
{
	const struct fetch_request o = {.kind = REQUEST_STOP, .serial = f->request.serial};

	if (f->state != STATE_TRANSFER)
		return;
	f->deadline = now + STOP_LIMIT;
	set_state(f, STATE_STOPPING, now);
	if (worker_send(f->fetcher, &o) < 0)
		fetcher_died(f, now);
}

static void take_end(struct fetch *f, const struct verified *v, uint64_t now)
{
	if (!transfers(f) || v->serial != f->request.serial || f->end.serial == f->request.serial) {
		died(f, "invalid reply: to no request", now);
		return;
	}
	f->end = *v;
	if (!v->whole) {
		settle(f, now);
	} else if (v->verdict == VERDICT_DONE) {
		done(f, now);
	} else {
		fetch_drop_processes(f);
		refused(f, v, now);
	}
}

static void take_verified(struct fetch *f, const struct verified *v, uint64_t now)
{
	f->progressed = f->progressed || v->at > f->bytes;
	/* In the middle of it, that is another version. */
	if (v->kind == VERIFIED_RESTART && f->bytes) {
		f->restarts++;
		f->changed = true;
		f->joined = false;
	}
	f->bytes = v->at;
	f->final = v->final;
	f->size = v->size;
	stall_limit_bytes(&f->stall_limit, v->at + v->known, v->waited, now);
	if (f->state == STATE_TRANSFER)
		f->deadline = stall_limit_deadline(&f->stall_limit);
	if (v->kind == VERIFIED_READY && f->state == STATE_READING)
		send_request(f, now);
	else if (v->kind == VERIFIED_SIZE)
		raise_event(f, FETCH_EVENT_SIZE);
	else if (v->kind == VERIFIED_REFUSED && f->state == STATE_READING)
		refused(f, v, now);
	else if (v->kind == VERIFIED_REFUSED)
		call_off(f, now);
	else if (v->kind == VERIFIED_END)
		take_end(f, v, now);
}

/* --- time ------------------------------------------------------------------------------------ */

static void stalled(struct fetch *f, uint64_t now)
{
	f->stalled = true;
	call_off(f, now);
}

static void timed_out(struct fetch *f, uint64_t now)
{
	switch (f->state) {
	case STATE_LOOKUP: failed(f, VERDICT_LOOKUP, "no answer", 0, now); break;
	case STATE_TRANSFER: stalled(f, now); break;
	case STATE_STOPPING: died(f, "did not stop when told to", now); break;
	case STATE_BACKOFF: choose(f, now); break;
	case STATE_IDLE:
	case STATE_READING:
	case STATE_DONE:
	case STATE_STOPPED:
	case STATE_MAX: break;
	}
}

/* --- the owner's side ------------------------------------------------------------------------ */

int fetch_fd(const struct fetch *f)
{
	return f->epoll;
}

uint64_t fetch_deadline(const struct fetch *f)
{
	return f->deadline;
}

void fetch_way_lost(struct fetch *f, uint64_t now)
{
	if (f->state == STATE_BACKOFF)
		mirrors_other_way(&f->mirrors, now);
	if (f->state == STATE_TRANSFER || f->state == STATE_BACKOFF)
		f->deadline = now;
}

/* As many messages as there are, but not without end: others wait for their turn. */
static void hear_verifier(struct fetch *f, uint64_t now)
{
	for (int budget = 64; f->verifier && budget; budget--) {
		struct verified v;
		int r = worker_receive(f->verifier, &v, now);

		if (r < 0)
			verifier_died(f, now);
		if (r <= 0)
			break;
		take_verified(f, &v, now);
	}
}

static void hear_fetcher(struct fetch *f, uint64_t now)
{
	for (int budget = 64; f->fetcher && budget; budget--) {
		struct fetch_reply n;
		int r = worker_receive(f->fetcher, &n, now);

		if (r < 0)
			fetcher_died(f, now);
		if (r <= 0)
			break;
		take_reply(f, &n, now);
	}
}

void fetch_dispatch(struct fetch *f, uint64_t now)
{
	hear_verifier(f, now);
	hear_fetcher(f, now);
	if (now >= f->deadline)
		timed_out(f, now);
}

enum fetch_event fetch_pop_event(struct fetch *f)
{
	for (unsigned e = FETCH_EVENT_NONE + 1; e < FETCH_EVENT_MAX; e++)
		if (f->events & 1U << e) {
			f->events &= ~(1U << e);
			return (enum fetch_event)e;
		}
	return FETCH_EVENT_NONE;
}

void fetch_progress(const struct fetch *f, struct fetch_progress *ret)
{
	uint64_t left = f->size > f->bytes ? f->size - f->bytes : 0;

	*ret = (struct fetch_progress){
		.bytes = f->bytes,
		.free_to = f->final,
		.size = f->size,
		.rate = f->stall_limit.rate,
		.digest_slow = f->stall_limit.busy &&
			(f->setup.want.sha256 || f->setup.want.chunk_size),
		.eta = f->size && f->stall_limit.rate ? left / f->stall_limit.rate : UINT64_MAX,
		.site = f->site,
		.attempts = f->attempts,
		.restarts = f->restarts,
		.changed = f->changed,
	};
}

enum cause fetch_failure(const struct fetch *f, const char **ret_text)
{
	*ret_text = f->text;
	return f->cause;
}

const char *fetch_memory(const struct fetch *f, size_t *ret_len)
{
	*ret_len = f->content ? (size_t)f->bytes : 0;
	return f->content;
}

pid_t fetch_child(const struct fetch *f)
{
	return worker_pid(f->fetcher);
}
