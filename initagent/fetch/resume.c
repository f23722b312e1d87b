// SPDX-License-Identifier: GPL-2.0-or-later

#include "fetch/resume.h"

#include <stdarg.h>

/* The validator to send, if this mirror gave one that means "the same bytes". */
static const char *validator(const struct resume *r, uint32_t origin)
{
	if (r->origin != origin)
		return NULL;
	if (*r->etag && !r->weak)
		return r->etag;
	return *r->modified ? r->modified : NULL;
}

void resume_ask(const struct resume *r, const struct resume_now *now, struct resume_ask *ret)
{
	*ret = (struct resume_ask){0};
	if (now->at == 0)
		return;
	ret->if_range = validator(r, now->origin);
	if (!r->restart && (ret->if_range || now->pinned)) {
		ret->from = now->at;
		return;
	}
	ret->if_range = NULL;
	ret->restart = true;
}

bool resume_can_part(const struct resume *r, uint32_t origin)
{
	return r->origin == origin && *r->etag && !r->weak && !r->restart && r->size;
}

void resume_ask_part(const struct resume *r, uint64_t from, uint64_t until, struct resume_ask *ret)
{
	*ret = (struct resume_ask){
		.from = from, .until = until, .if_range = r->etag, .strict = true};
}

/* --- judging --------------------------------------------------------------------------------- */

/* What resume_judge() was called with. */
struct judging {
	struct resume *r;
	const struct resume_now *now;
	const struct resume_ask *ask;
	const struct head *h;
	struct resume_body *body;
	char *text;
	size_t size;
};

_printf_(3, 4) static enum fetch_verdict refuse(const struct judging *j, enum fetch_verdict v,
	const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(j->text, j->size, fmt, ap);
	va_end(ap);
	return v;
}

static unsigned long long ull(uint64_t n)
{
	return n;
}

static bool redirects(unsigned status)
{
	return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

/* What may pass by itself: RFC 9110 15.5.9, RFC 8470, RFC 6585, and the server's own troubles. */
static bool passes(unsigned status)
{
	return status == 408 || status == 425 || status == 429 ||
		(status >= 500 && status != 501 && status != 505);
}

static const enum fetch_verdict faults[HEAD_FAULT_MAX] = {
	[HEAD_MALFORMED] = VERDICT_PROTOCOL,
	[HEAD_LENGTHS] = VERDICT_LENGTHS,
	[HEAD_ENCODED] = VERDICT_ENCODED,
};

/* Everything but 200 and 206. A file may be published, or its mode be put right, while the node
 * waits. */
static enum fetch_verdict judge_status(const struct judging *j)
{
	const struct head *h = j->h;

	if (redirects(h->status) && *h->location)
		return refuse(j, VERDICT_REDIRECT, "to %s", h->location);
	if (passes(h->status))
		return refuse(j, VERDICT_BUSY, "HTTP status %u", h->status);
	if (h->status == 403 || h->status == 404)
		return refuse(j, VERDICT_ABSENT, "HTTP status %u", h->status);
	return refuse(j, VERDICT_STATUS, "HTTP status %u", h->status);
}

/* Did this mirror tell of another version before? */
static bool other_version(const struct judging *j)
{
	const struct resume *r = j->r;

	if (r->origin != j->now->origin)
		return false;
	if (*r->etag && *j->h->etag)
		return strcmp(r->etag, j->h->etag) != 0;
	return *r->modified && *j->h->modified && strcmp(r->modified, j->h->modified) != 0;
}

/*
 * Are these bytes that were asked for? There may be fewer of them, which the answer says itself,
 * and the size of the whole may be unknown (RFC 9110 15.3.7, 14.4); the rest is asked for next.
 */
static bool range_fits(const struct resume_ask *ask, const struct head *h)
{
	return h->first == ask->from && (!ask->until || h->last < ask->until);
}

static uint64_t known_size(const struct judging *j)
{
	return j->now->size ? j->now->size : j->r->size;
}

/* One of several parts must say itself that it is of the same version. */
static bool same_version(const struct judging *j)
{
	const struct head *h = j->h;
	uint64_t known = known_size(j);

	if (j->ask->strict && (h->weak || !*h->etag))
		return false;
	return !other_version(j) && (!known || (h->total ? known == h->total : h->last < known));
}

/* The part asked for, or its beginning, of a file of the size known. */
static enum fetch_verdict judge_part(const struct judging *j)
{
	const struct head *h = j->h;
	struct resume_body *body = j->body;

	if (!j->ask->from && !j->ask->until)
		return refuse(j, VERDICT_RANGE, "206 although the whole file was requested");
	if (!h->has_range)
		return refuse(j, VERDICT_RANGE, "206 that does not say for which bytes");
	if (!range_fits(j->ask, h))
		return refuse(j, VERDICT_RANGE,
			"asked for the bytes from %llu on, got %llu-%llu of %llu",
			ull(j->ask->from), ull(h->first), ull(h->last), ull(h->total));
	body->length = h->last - h->first + 1;
	body->has_length = true;
	body->size = h->total ? h->total : known_size(j);
	body->partial = h->last + 1 != body->size;
	if (h->has_length && h->length != body->length)
		return refuse(j, VERDICT_RANGE, "Content-Length %llu, but a range of %llu",
			ull(h->length), ull(body->length));
	if (!same_version(j)) {
		j->r->restart = !j->now->size && !j->ask->strict;
		return refuse(j, VERDICT_CHANGED, "another version: %llu bytes, ETag %s",
			ull(h->total), *h->etag ? h->etag : "none");
	}
	return VERDICT_DONE;
}

/* A whole file in answer to a part: is it the one we have the beginning of? Else it starts again */
static enum fetch_verdict judge_again(const struct judging *j)
{
	const struct resume *r = j->r;
	bool same_size = !j->body->size || !r->size || j->body->size == r->size;
	bool proven = validator(r, j->now->origin) && j->ask->if_range &&
		(*j->h->etag || *j->h->modified);

	j->body->restart = other_version(j) || !same_size || !(j->now->pinned || proven);
	return VERDICT_DONE;
}

static enum fetch_verdict judge_whole(const struct judging *j)
{
	const struct head *h = j->h;
	struct resume_body *body = j->body;

	if (!h->has_length && !h->chunked && !j->now->size)
		return refuse(j, VERDICT_NO_LENGTH,
			"no Content-Length, so a truncated file would go unnoticed");
	body->has_length = h->has_length || j->now->size;
	body->length = h->has_length ? h->length : j->now->size;
	body->size = body->length;
	return j->ask->from ? judge_again(j) : VERDICT_DONE;
}

/* A part need not repeat what the validator sent with the request says already (RFC 9110 15.3.7) */
static void learn(const struct judging *j)
{
	const struct head *h = j->h;
	struct resume *r = j->r;
	bool keep = h->status != 200 && r->origin == j->now->origin;

	r->origin = j->now->origin;
	r->size = j->body->size;
	r->restart = false;
	if (*h->etag || !keep) {
		r->weak = h->weak;
		strscpy(r->etag, h->etag, sizeof(r->etag));
	}
	if (*h->modified || !keep)
		strscpy(r->modified, h->modified, sizeof(r->modified));
}

static enum fetch_verdict judge_size(const struct judging *j)
{
	uint64_t size = j->body->size, limit = j->now->limit;

	if (j->now->size && j->body->has_length && size != j->now->size)
		return refuse(j, VERDICT_SIZE, "%llu bytes, but it should have %llu", ull(size),
			ull(j->now->size));
	if (limit && size > limit)
		return refuse(j, VERDICT_TOO_LARGE,
			"%llu bytes (%llu MiB), room for %llu (%llu MiB)", ull(size),
			ull(size) >> 20, ull(limit), ull(limit) >> 20);
	return VERDICT_DONE;
}

/*
 * There is no such byte. If the file ends where we are, all of it is there: only its end had not
 * been told. Otherwise what we have is of a longer version, or of none.
 */
static enum fetch_verdict judge_gone(const struct judging *j)
{
	const struct head *h = j->h;
	uint64_t from = j->ask->from;

	if (h->has_current && h->current == from && !j->ask->strict && !other_version(j)) {
		j->body->complete = true;
		j->body->size = h->current;
		return VERDICT_DONE;
	}
	j->r->restart = true;
	if (h->has_current)
		return refuse(j, VERDICT_CHANGED, "the file has no byte %llu, but %llu bytes",
			ull(from), ull(h->current));
	return refuse(j, VERDICT_CHANGED, "the file has no byte %llu", ull(from));
}

enum fetch_verdict resume_judge(struct resume *r, const struct resume_now *now,
	const struct resume_ask *ask, const struct head *h, struct resume_body *ret, char *text,
	size_t size)
{
	const struct judging j = {r, now, ask, h, ret, text, size};
	enum fetch_verdict v;

	*ret = (struct resume_body){0};
	*text = 0;
	if (h->fault != HEAD_FINE && h->fault < HEAD_FAULT_MAX)
		return faults[h->fault];
	if (ask->strict && h->status == 200)
		return refuse(&j, VERDICT_CHANGED,
			"the whole file in reply to a range request, ETag %s",
			*h->etag ? h->etag : "none");
	if (h->status == 416 && ask->from)
		v = judge_gone(&j);
	else if (h->status == 206)
		v = judge_part(&j);
	else if (h->status == 200)
		v = judge_whole(&j);
	else
		return judge_status(&j);
	if (v == VERDICT_DONE)
		v = judge_size(&j);
	if (v == VERDICT_DONE)
		learn(&j);
	return v;
}
