// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * http_head: the lines of an answer, then the judgement of it, in each of the situations a transfer
 * can be in. What may never happen, whatever the bytes: a part is taken that does not begin where
 * the last one ended, a length beyond the limit, or a validator or URL that could break a request
 * apart.
 */
#include "fetch/resume.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool fact)
{
	if (!fact)
		__builtin_trap();
}

static bool clean(const char *s)
{
	for (; *s; s++)
		if (*s < ' ' || *s > '~')
			return false;
	return true;
}

static void feed(struct head *h, const uint8_t *data, size_t size)
{
	head_init(h, "http://192.0.2.1/root.cpio.gz?x");
	while (size) {
		const uint8_t *end = memchr(data, '\n', size);
		size_t n = end ? (size_t)(end - data) + 1 : size;

		head_line(h, data, n);
		data += n;
		size -= n;
	}
}

/* What is taken as a body. */
static void check(const struct resume *r, const struct resume_now *now,
	const struct resume_ask *ask, const struct resume_body *body, const struct head *h)
{
	must(h->status == 200 ||
		(h->status == 206 && h->has_range && h->first == ask->from && ask->from) ||
		(h->status == 416 && body->complete && h->current == ask->from));
	must(!body->complete || h->status == 416);
	must(body->size <= now->limit &&
		(!now->size || !body->has_length || body->size == now->size));
	must(clean(r->etag) && clean(r->modified));
}

static void judge(const struct head *h, unsigned situation)
{
	struct resume r = {.size = situation & 1 ? 1000 : 0,
		.origin = situation & 2 ? 1 : 2,
		.etag = "\"v1\""};
	struct resume_now now = {.at = situation & 4 ? 400 : 0,
		.size = situation & 8 ? 1000 : 0,
		.limit = 5000,
		.pinned = situation & 16,
		.origin = 1};
	struct resume_ask ask;
	struct resume_body body;
	char text[160];
	enum fetch_verdict v;

	resume_ask(&r, &now, &ask);
	v = resume_judge(&r, &now, &ask, h, &body, text, sizeof(text));
	must(v < VERDICT_MAX);
	if (v == VERDICT_DONE)
		check(&r, &now, &ask, &body, h);
}

static void locate(const struct head *h)
{
	static const char base_text[] = "https://a:8443/folder/file?q";
	struct url base, to;
	char text[URL_TEXT_MAX];

	if (url_parse(&base, base_text, sizeof(base_text) - 1) < 0 ||
		url_resolve(&to, &base, h->location, strlen(h->location)) < 0)
		return;
	url_text(&to, text);
	must(clean(text) && to.port && *to.host && *to.path == '/');
	must(url_parse(&to, text, strlen(text)) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct head h;

	feed(&h, data, size);
	for (unsigned situation = 0; situation < 32; situation++)
		judge(&h, situation);
	locate(&h);
	return 0;
}
