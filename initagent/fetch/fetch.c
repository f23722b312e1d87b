// SPDX-License-Identifier: GPL-2.0-or-later
/* fetch: see fetch.h. How it is made is in create.c. */
#include "fetch/private.h"

#include <sys/stat.h>

#include "address/random.h"

#define LOOKUP_LIMIT (10 * NSEC_PER_SEC)
/* A child that was told to stop may be busy writing; one that does not answer is replaced. */
#define STOP_LIMIT   (5 * NSEC_PER_SEC)
#define HOPS_MAX     8
#define CHILDREN_MAX 3

static const char *const state_names[STATE_MAX] = {
	[STATE_IDLE] = "idle",
	[STATE_LOOKUP] = "look-up",
	[STATE_TRANSFER] = "transfer",
	[STATE_STOPPING] = "stopping",
	[STATE_BACKOFF] = "backoff",
	[STATE_DONE] = "done",
	[STATE_STOPPED] = "stopped",
};

static void set_state(struct fetch *f, enum fetch_state to, uint64_t now)
{
	if (f->state != to)
		report_state(f->env->report, "fetch", f->site, state_names[f->state], state_names[to], now);
	f->state = to;
	/* A question that nobody waits for any more. */
	if (to != STATE_LOOKUP)
		f->events &= ~(1U << FETCH_EVENT_LOOKUP);
}

static void raise_event(struct fetch *f, enum fetch_event e)
{
	f->events |= 1U << e;
}

/* --- how an attempt ends ------------------------------------------------------------------- */

static void choose(struct fetch *f, uint64_t now);

static void stop(struct fetch *f, uint64_t now)
{
	f->deadline = NSEC_NEVER;
	f->child = child_free(f->child);
	raise_event(f, FETCH_EVENT_FATAL);
	set_state(f, STATE_STOPPED, now);
}

/* What is remembered of the mirror. */
static void remember(struct fetch *f, enum fetch_remedy remedy, uint64_t after, uint64_t now)
{
	/* Bytes that came in order count as a success, whatever the end was. */
	if (f->progressed)
		mirror_good(f->mirror);
	if (remedy == REMEDY_OTHER)
		f->mirror->out = true;
	else if (remedy == REMEDY_DAMAGE)
		mirror_damaged(f->mirror, random_u32(), now);
	else
		mirror_failed(f->mirror, after, random_u32(), now);
}

static void failed(struct fetch *f, enum fetch_verdict verdict, const char *text, uint64_t after, uint64_t now)
{
	const struct verdict_row *row = verdict_row(verdict);
	enum fetch_remedy remedy = row->remedy;
	uint64_t when;

	f->cause = row->cause;
	snprintf(f->text, sizeof(f->text), "%.200s: %s%s%s", f->site, row->words, *text ? ": " : "", text);
	report_span(f->env->report, "fetch", row->name, f->began, now, -EIO);
	/* The right answer to the wrong digest is to begin anew elsewhere. */
	f->restart = f->restart || verdict == VERDICT_DIGEST;
	/* Old bytes may be the wrong ones: the mirror gets another go. */
	if (verdict == VERDICT_DIGEST && f->adopted)
		remedy = REMEDY_DAMAGE;
	if (verdict == VERDICT_DIGEST)
		f->adopted = false;
	if (remedy == REMEDY_STOP || (verdict == VERDICT_DIGEST && f->setup.stream)) {
		stop(f, now);
		return;
	}
	remember(f, remedy, after, now);
	mirrors_pick(&f->mirrors, now, &when);
	if (when == NSEC_NEVER) {
		stop(f, now);
		return;
	}
	raise_event(f, FETCH_EVENT_RETRY);
	choose(f, now);
}

/* --- the process --------------------------------------------------------------------------- */

static void child_died(struct fetch *f, uint64_t now)
{
	bool lost = f->setup.stream && f->bytes;
	char how[160];

	child_end(f->child, how, sizeof(how));
	f->child = child_free(f->child);
	f->restart = true;
	/* Between two attempts no mirror has to do with it; the next attempt gets another process. */
	if (f->state != STATE_TRANSFER && f->state != STATE_STOPPING)
		return;
	failed(f, lost || f->children >= CHILDREN_MAX ? VERDICT_LOST : VERDICT_DIED, how, 0, now);
	if (f->state == STATE_STOPPED)
		f->cause = CAUSE_FETCH_DIED;
}

static int need_child(struct fetch *f)
{
	if (f->child)
		return 0;
	/* Only the first one finds the file as it was. */
	if (f->children++)
		f->setup.have = 0;
	return child_new(&f->child, &f->setup);
}

/* --- asking -------------------------------------------------------------------------------- */

static void ask(struct fetch *f, const struct inet_addr *address, uint16_t port, uint64_t now)
{
	struct fetch_order *o = &f->order;

	o->kind = ORDER_GET;
	o->serial++;
	o->origin = (uint32_t)(f->mirror - f->mirrors.list) + 1;
	o->restart = f->restart;
	o->proxied = f->has_proxy;
	o->address = *address;
	o->port = port;
	url_text(&f->url, o->url);
	f->restart = false;
	f->progressed = false;
	f->attempts++;
	pace_begin(&f->pace, f->stall, f->bytes, now);
	f->deadline = pace_deadline(&f->pace);
	set_state(f, STATE_TRANSFER, now);
	if (need_child(f) < 0 || child_send(f->child, o) < 0)
		failed(f, VERDICT_INTERNAL, "no process", 0, now);
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

void fetch_resolved(struct fetch *f, const struct inet_addr *addr, const char *why, uint64_t now)
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
	ask(f, addr, peer(f)->port, now);
}

/* --- what comes back ----------------------------------------------------------------------- */

static void redirected(struct fetch *f, const struct fetch_news *n, uint64_t now)
{
	struct url to;

	if (url_parse(&to, n->location, strlen(n->location)) < 0) {
		failed(f, VERDICT_LOCATION, "not a URL", 0, now);
	} else if (f->url.https && !to.https) {
		failed(f, VERDICT_LOCATION, "from https to http", 0, now);
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

/* The process said so; that all bytes are in the file can be seen from here. */
static void done(struct fetch *f, uint64_t now)
{
	struct stat st;

	if (!f->setup.stream && (fstat(f->setup.sink, &st) < 0 || (uint64_t)st.st_size != f->bytes ||
		(f->setup.want.size && f->bytes != f->setup.want.size))) {
		f->restart = true;
		failed(f, VERDICT_SIZE, "what is there is not what was said to be", 0, now);
		return;
	}
	if (f->memory >= 0 && load_memory(f) < 0) {
		failed(f, VERDICT_INTERNAL, "cannot read it back", 0, now);
		return;
	}
	report_span(f->env->report, "fetch", "transfer", f->began, now, 0);
	f->size = f->bytes;
	f->deadline = NSEC_NEVER;
	f->child = child_free(f->child);
	raise_event(f, FETCH_EVENT_DONE);
	set_state(f, STATE_DONE, now);
}

/* An address that does not answer is asked for again next time. */
static void forget_name(struct fetch *f)
{
	struct known_name *name = find_name(f, peer(f)->host);

	if (name)
		name->host[0] = 0;
}

static void ended(struct fetch *f, const struct fetch_news *n, uint64_t now)
{
	enum fetch_verdict v = f->state == STATE_STOPPING && n->verdict != VERDICT_DONE ? VERDICT_STALLED : n->verdict;
	char text[64];

	if (v == VERDICT_CONNECT || (v == VERDICT_STALLED && !f->progressed))
		forget_name(f);
	if (v == VERDICT_STALLED) {
		snprintf(text, sizeof(text), "%llu bytes there", (unsigned long long)f->bytes);
		failed(f, v, text, 0, now);
	} else if (v == VERDICT_REDIRECT) {
		redirected(f, n, now);
	} else if (v == VERDICT_DONE) {
		done(f, now);
	} else if (v == VERDICT_CERT && *f->no_ca) {
		failed(f, v, f->no_ca, 0, now);
	} else {
		failed(f, v, n->text, n->retry, now);
	}
}

static void on_bytes(struct fetch *f, const struct fetch_news *n, uint64_t now)
{
	f->progressed = f->progressed || n->at > f->bytes;
	/* Of each new beginning there is word: heads and ends do not get lost. */
	f->restarts += !n->at && f->bytes;
	f->bytes = n->at;
	f->free_to = n->free_to;
	f->size = n->size;
	pace_bytes(&f->pace, n->at, now);
	if (n->kind == NEWS_HELD || n->kind == NEWS_FLOWS)
		pace_hold(&f->pace, n->kind == NEWS_HELD, now);
	if (n->kind == NEWS_HEAD)
		raise_event(f, FETCH_EVENT_SIZE);
	if (f->state == STATE_TRANSFER)
		f->deadline = pace_deadline(&f->pace);
}

static void take_news(struct fetch *f, const struct fetch_news *n, uint64_t now)
{
	if (n->serial != f->order.serial || (f->state != STATE_TRANSFER && f->state != STATE_STOPPING))
		return;
	on_bytes(f, n, now);
	if (n->kind == NEWS_END)
		ended(f, n, now);
}

/* --- time ---------------------------------------------------------------------------------- */

static void stalled(struct fetch *f, uint64_t now)
{
	const struct fetch_order o = {.kind = ORDER_STOP, .serial = f->order.serial};

	f->deadline = now + STOP_LIMIT;
	set_state(f, STATE_STOPPING, now);
	if (child_send(f->child, &o) < 0)
		child_died(f, now);
}

static void timed_out(struct fetch *f, uint64_t now)
{
	switch (f->state) {
	case STATE_LOOKUP: failed(f, VERDICT_LOOKUP, "no answer", 0, now); break;
	case STATE_TRANSFER: stalled(f, now); break;
	case STATE_STOPPING: child_died(f, now); break;
	case STATE_BACKOFF: choose(f, now); break;
	case STATE_IDLE:
	case STATE_DONE:
	case STATE_STOPPED:
	case STATE_MAX: break;
	}
}

/* --- the owner's side ---------------------------------------------------------------------- */

int fetch_fd(const struct fetch *f)
{
	return f->child ? child_fd(f->child) : -1;
}

uint64_t fetch_deadline(const struct fetch *f)
{
	return f->deadline;
}

/* As many news as there are, but not without end: others wait for their turn. */
int fetch_dispatch(struct fetch *f, uint64_t now)
{
	for (int budget = 64; f->child && budget; budget--) {
		struct fetch_news n;
		int r = child_pop(f->child, &n);

		if (r < 0)
			child_died(f, now);
		if (r <= 0)
			break;
		take_news(f, &n, now);
	}
	if (now >= f->deadline)
		timed_out(f, now);
	return 0;
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
		.free_to = f->free_to,
		.size = f->size,
		.rate = f->pace.rate,
		.eta = f->size && f->pace.rate ? left / f->pace.rate : UINT64_MAX,
		.site = f->site,
		.attempts = f->attempts,
		.restarts = f->restarts,
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
	return f->child ? child_pid(f->child) : -1;
}
