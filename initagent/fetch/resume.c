// SPDX-License-Identifier: GPL-2.0-or-later
/* resume: see resume.h. */
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

enum fetch_verdict resume_ask(const struct resume *r, const struct resume_now *now, struct resume_ask *ret)
{
	*ret = (struct resume_ask){0};
	if (now->at == 0)
		return VERDICT_DONE;
	ret->if_range = validator(r, now->origin);
	if (!r->anew && (ret->if_range || now->pinned)) {
		ret->from = now->at;
		return VERDICT_DONE;
	}
	ret->if_range = NULL;
	ret->restart = true;
	return now->can_restart ? VERDICT_DONE : VERDICT_LOST;
}

bool resume_can_part(const struct resume *r, uint32_t origin)
{
	return r->origin == origin && *r->etag && !r->weak && !r->anew && r->size;
}

void resume_ask_part(const struct resume *r, uint64_t from, uint64_t until, struct resume_ask *ret)
{
	*ret = (struct resume_ask){.from = from, .until = until, .if_range = r->etag, .strict = true};
}

/* --- judging ------------------------------------------------------------------------------- */

_printf_(4, 5) static enum fetch_verdict say(enum fetch_verdict v, char *text, size_t size, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, size, fmt, ap);
	va_end(ap);
	return v;
}

static bool redirects(unsigned status)
{
	return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

/* What may pass by itself: RFC 9110 15.5.9, RFC 8470, RFC 6585, and the server's own troubles. */
static bool passes(unsigned status)
{
	return status == 408 || status == 425 || status == 429 || (status >= 500 && status != 501 && status != 505);
}

static const enum fetch_verdict faults[HEAD_FAULT_MAX] = {
	[HEAD_MALFORMED] = VERDICT_PROTOCOL,
	[HEAD_LENGTHS] = VERDICT_LENGTHS,
	[HEAD_ENCODED] = VERDICT_ENCODED,
};

/* Everything but 200 and 206. A file may be published, or its mode be put right, while the node waits. */
static enum fetch_verdict judge_status(const struct head *h, char *text, size_t size)
{
	if (redirects(h->status) && *h->location)
		return say(VERDICT_REDIRECT, text, size, "to %s", h->location);
	if (passes(h->status))
		return say(VERDICT_BUSY, text, size, "HTTP status %u", h->status);
	if (h->status == 403 || h->status == 404)
		return say(VERDICT_ABSENT, text, size, "HTTP status %u", h->status);
	return say(VERDICT_STATUS, text, size, "HTTP status %u", h->status);
}

/* Did this mirror tell of another version before? */
static bool other_version(const struct resume *r, const struct resume_now *now, const struct head *h)
{
	if (r->origin != now->origin)
		return false;
	if (*r->etag && *h->etag)
		return strcmp(r->etag, h->etag) != 0;
	return *r->modified && *h->modified && strcmp(r->modified, h->modified) != 0;
}

/*
 * Are these bytes that were asked for? There may be fewer of them, which the answer says itself, and the size of the whole
 * may be unknown (RFC 9110 15.3.7, 14.4); the rest is asked for next.
 */
static bool fits(const struct resume_ask *ask, const struct head *h)
{
	return h->first == ask->from && (!ask->until || h->last < ask->until);
}

static uint64_t known_size(const struct resume *r, const struct resume_now *now)
{
	return now->size ? now->size : r->size;
}

/* One of several parts must say itself that it is of the same version. */
static bool same_version(const struct resume *r, const struct resume_now *now, const struct resume_ask *ask,
	const struct head *h)
{
	uint64_t known = known_size(r, now);

	if (ask->strict && (h->weak || !*h->etag))
		return false;
	return !other_version(r, now, h) && (!known || (h->total ? known == h->total : h->last < known));
}

/* The part asked for, or its beginning, of a file of the size known. */
static enum fetch_verdict judge_part(struct resume *r, const struct resume_now *now, const struct resume_ask *ask,
	const struct head *h, struct resume_body *ret, char *text, size_t size)
{
	if (!ask->from && !ask->until)
		return say(VERDICT_RANGE, text, size, "206 though the whole file was asked for");
	if (!h->has_range)
		return say(VERDICT_RANGE, text, size, "206 that does not say of which bytes");
	if (!fits(ask, h))
		return say(VERDICT_RANGE, text, size, "asked for the bytes from %llu on, got %llu-%llu of %llu",
			(unsigned long long)ask->from, (unsigned long long)h->first,
			(unsigned long long)h->last, (unsigned long long)h->total);
	ret->length = h->last - h->first + 1;
	ret->has_length = true;
	ret->size = h->total ? h->total : known_size(r, now);
	ret->partial = h->last + 1 != ret->size;
	if (h->has_length && h->length != ret->length)
		return say(VERDICT_LENGTHS, text, size, "Content-Length %llu, but a range of %llu",
			(unsigned long long)h->length, (unsigned long long)ret->length);
	if (!same_version(r, now, ask, h)) {
		r->anew = now->can_restart && !now->size && !ask->strict;
		return say(VERDICT_CHANGED, text, size, "another version: %llu bytes, ETag %s",
			(unsigned long long)h->total, *h->etag ? h->etag : "none");
	}
	return VERDICT_DONE;
}

/* A whole file in answer to a part: is it the one we have the beginning of? */
static enum fetch_verdict judge_again(struct resume *r, const struct resume_now *now, const struct resume_ask *ask,
	const struct head *h, struct resume_body *ret, char *text, size_t size)
{
	bool same_size = !ret->size || !r->size || ret->size == r->size;
	bool proven = validator(r, now->origin) && ask->if_range && (*h->etag || *h->modified);

	if (!other_version(r, now, h) && same_size && (now->pinned || proven)) {
		ret->skip = ask->from;
		return VERDICT_DONE;
	}
	if (!now->can_restart)
		return say(VERDICT_CHANGED, text, size, "another version of the file, ETag %s", *h->etag ? h->etag : "none");
	ret->restart = true;
	return VERDICT_DONE;
}

static enum fetch_verdict judge_whole(struct resume *r, const struct resume_now *now, const struct resume_ask *ask,
	const struct head *h, struct resume_body *ret, char *text, size_t size)
{
	if (!h->has_length && !h->chunked && !now->size)
		return say(VERDICT_NO_LENGTH, text, size,
			"no Content-Length: whether the file is complete could not be told");
	ret->has_length = h->has_length || now->size;
	ret->length = h->has_length ? h->length : now->size;
	ret->size = ret->length;
	if (ask->from)
		return judge_again(r, now, ask, h, ret, text, size);
	return VERDICT_DONE;
}

/* A part need not repeat what the validator that was sent with the question says already (RFC 9110 15.3.7). */
static void learn(struct resume *r, const struct resume_now *now, const struct head *h, uint64_t size)
{
	bool keep = h->status != 200 && r->origin == now->origin;

	r->origin = now->origin;
	r->size = size;
	r->anew = false;
	if (*h->etag || !keep) {
		r->weak = h->weak;
		strscpy(r->etag, h->etag, sizeof(r->etag));
	}
	if (*h->modified || !keep)
		strscpy(r->modified, h->modified, sizeof(r->modified));
}

static enum fetch_verdict judge_size(const struct resume_now *now, const struct resume_body *body, char *text,
	size_t size)
{
	if (now->size && body->has_length && body->size != now->size)
		return say(VERDICT_SIZE, text, size, "%llu bytes, but it should have %llu",
			(unsigned long long)body->size, (unsigned long long)now->size);
	if (now->limit && body->size > now->limit)
		return say(VERDICT_TOO_LARGE, text, size, "%llu bytes (%llu MiB), room for %llu (%llu MiB)",
			(unsigned long long)body->size, (unsigned long long)body->size >> 20,
			(unsigned long long)now->limit, (unsigned long long)now->limit >> 20);
	return VERDICT_DONE;
}

/*
 * There is no such byte. If the file ends where we are, all of it is there: only its end had not been told. Otherwise what
 * we have is of a longer version, or of none.
 */
static enum fetch_verdict judge_gone(struct resume *r, const struct resume_now *now, const struct resume_ask *ask,
	const struct head *h, struct resume_body *ret, char *text, size_t size)
{
	if (h->has_current && h->current == ask->from && !ask->strict && !other_version(r, now, h)) {
		ret->complete = true;
		ret->size = h->current;
		return VERDICT_DONE;
	}
	r->anew = now->can_restart;
	if (h->has_current)
		return say(VERDICT_CHANGED, text, size, "the file has no byte %llu, but %llu bytes", (unsigned long long)ask->from,
			(unsigned long long)h->current);
	return say(VERDICT_CHANGED, text, size, "the file has no byte %llu", (unsigned long long)ask->from);
}

enum fetch_verdict resume_judge(struct resume *r, const struct resume_now *now, const struct resume_ask *ask,
	const struct head *h, struct resume_body *ret, char *text, size_t size)
{
	enum fetch_verdict v;

	*ret = (struct resume_body){0};
	*text = 0;
	if (h->fault != HEAD_FINE && h->fault < HEAD_FAULT_MAX)
		return faults[h->fault];
	if (ask->strict && h->status == 200)
		return say(VERDICT_CHANGED, text, size, "the whole file in answer to a part of it, ETag %s",
			*h->etag ? h->etag : "none");
	if (h->status == 416 && ask->from)
		v = judge_gone(r, now, ask, h, ret, text, size);
	else if (h->status == 206)
		v = judge_part(r, now, ask, h, ret, text, size);
	else if (h->status == 200)
		v = judge_whole(r, now, ask, h, ret, text, size);
	else
		return judge_status(h, text, size);
	if (v == VERDICT_DONE)
		v = judge_size(now, ret, text, size);
	if (v == VERDICT_DONE)
		learn(r, now, h, ret->size);
	return v;
}
