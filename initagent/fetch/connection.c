// SPDX-License-Identifier: GPL-2.0-or-later

#include "fetch/connection.h"

/* Beyond what a decent proxy or server ever says before a body. */
#define HEAD_LINES_MAX 200

static void end_with(struct connection *l, enum fetch_verdict v)
{
	if (l->verdict == VERDICT_DONE)
		l->verdict = v;
}

void connection_decides(struct connection *l, enum exchange_state state)
{
	l->x->state = state;
	l->x->last = l;
}

/* --- the head -------------------------------------------------------------------------------- */

/* A redirect's target as a whole URL; the agent decides whether to go there. */
static void locate(struct connection *l)
{
	struct url base, to;
	char text[URL_TEXT_MAX];
	const char *url = l->x->request.url;

	if (url_parse(&base, url, strlen(url)) < 0 ||
		url_resolve(&to, &base, l->head.location, strlen(l->head.location)) < 0) {
		l->verdict = VERDICT_LOCATION;
		return;
	}
	strscpy(l->head.location, url_text(&to, text), sizeof(l->head.location));
}

enum fetch_verdict connection_restart(struct exchange *x)
{
	window_reset(&x->window, x->window.part);
	return sink_restart(&x->sink);
}

/* The head is complete: is its body one to take? */
static bool judge(struct connection *l)
{
	struct exchange *x = l->x;
	enum fetch_verdict v = resume_judge(&x->resume, &x->now, &l->ask, &l->head, &l->body,
		l->text, sizeof(l->text));

	if (v == VERDICT_DONE && l->body.restart)
		v = connection_restart(x);
	l->at = l->head.status == 206 ? l->ask.from : 0;
	end_with(l, v);
	if (v == VERDICT_REDIRECT)
		locate(l);
	if (v != VERDICT_DONE)
		return false;
	/* All of it is there: the body is about the error. */
	l->enough = l->body.complete;
	if (l->enough) {
		sink_size(&x->sink, x->resume.size);
		return false;
	}
	if (l->head.status == 200)
		window_reset(&x->window, x->window.part);
	window_sure(&x->window, l->number);
	if (!l->ask.strict) {
		x->last = l;
		sink_size(&x->sink, x->resume.size);
	}
	return true;
}

static size_t on_head(char *line, size_t size, size_t n, void *data)
{
	struct connection *l = data;
	bool was_final = l->head.ended && l->head.status >= 200;

	if (was_final)
		return size * n;
	if (++l->lines > HEAD_LINES_MAX) {
		end_with(l, VERDICT_PROTOCOL);
		return 0;
	}
	if (head_line(&l->head, line, size * n) && !(l->head.ended && l->head.status >= 200))
		return size * n;
	return judge(l) ? size * n : 0;
}

/* --- the body -------------------------------------------------------------------------------- */

static void explain(struct connection *l, enum fetch_verdict v)
{
	unsigned long long limit = l->x->now.limit;

	if (v == VERDICT_WRITE)
		snprintf(l->text, sizeof(l->text), "%s", strerror(errno));
	if (v == VERDICT_TOO_LARGE)
		snprintf(l->text, sizeof(l->text),
			"more than the %llu bytes (%llu MiB) there is room for", limit,
			limit >> 20);
}

/* Bytes whose turn it is. What is wrong with them is wrong with the file, and ends the exchange. */
static enum fetch_verdict take(struct connection *l, struct cursor *c)
{
	enum fetch_verdict v = sink_take(&l->x->sink, c);

	if (v == VERDICT_DONE)
		return v;
	explain(l, v);
	connection_decides(l, EXCHANGE_FAILED);
	return v;
}

/* What came before its turn, and has it now. */
static enum fetch_verdict take_parked(struct connection *l)
{
	static uint8_t piece[65536];
	struct exchange *x = l->x;
	ssize_t n;

	while ((n = window_get(&x->window, x->sink.at, piece, sizeof(piece))) > 0) {
		struct cursor c = cursor_make(piece, (size_t)n);
		enum fetch_verdict v = take(l, &c);

		if (v != VERDICT_DONE)
			return v;
	}
	if (n == 0)
		return VERDICT_DONE;
	connection_decides(l, EXCHANGE_FAILED);
	return VERDICT_INTERNAL;
}

static enum fetch_verdict park(struct connection *l, struct cursor *c)
{
	ssize_t n = window_put(&l->x->window, l->at, c->at, c->left);

	/* No memory for more than one connection. */
	if (n < 0)
		return VERDICT_INTERNAL;
	/* No place: another connection has these bytes. */
	l->enough = n == 0;
	cursor_skip(c, (size_t)n);
	l->at += (uint64_t)n;
	return VERDICT_DONE;
}

/* Up to the end of a part, if there are others that fetch parts. */
static size_t piece_of(const struct connection *l, size_t len)
{
	const struct window *w = &l->x->window;

	return window_empty(w) ? len : (size_t)min_u64(len, w->part - l->at % w->part);
}

/* From one part into the next, which may be another connection's. */
static void enter(struct connection *l)
{
	struct window *w = &l->x->window;

	if (window_empty(w) || l->at % w->part)
		return;
	l->enough = window_others(w, l->at, l->number);
	if (!l->enough)
		window_claim(w, l->at, l->number);
}

static enum fetch_verdict deliver_some(struct connection *l, struct cursor *c)
{
	uint64_t at = l->x->sink.at;
	struct cursor piece;
	enum fetch_verdict v;

	if (l->at < at) {
		size_t known = (size_t)min_u64(c->left, at - l->at);

		cursor_skip(c, known);
		l->at += known;
		l->x->sink.known += known;
		return VERDICT_DONE;
	}
	if (l->at > at)
		return park(l, c);
	enter(l);
	if (l->enough)
		return VERDICT_DONE;
	piece = cursor_make(c->at, piece_of(l, c->left));
	cursor_skip(c, piece.left);
	l->at += piece.left;
	v = take(l, &piece);
	v = v ? v : take_parked(l);
	/* The rest of what was asked for is another connection's. */
	l->enough = l->x->sink.at > l->at &&
			(c->left || !l->body.has_length || l->got < l->body.length);
	return v;
}

static size_t on_body(char *data, size_t size, size_t n, void *self)
{
	struct connection *l = self;
	struct exchange *x = l->x;
	struct cursor c = cursor_make(data, size * n);

	if (!l->head.ended || l->verdict != VERDICT_DONE) {
		end_with(l, VERDICT_PROTOCOL);
		return 0;
	}
	l->heard = now_ns();
	l->got += c.left;
	x->came += c.left;
	if (l->body.has_length && l->got > l->body.length) {
		end_with(l, VERDICT_LENGTHS);
		return 0;
	}
	while (c.left && !l->enough && l->verdict == VERDICT_DONE)
		end_with(l, deliver_some(l, &c));
	return l->verdict == VERDICT_DONE && !l->enough ? size * n : 0;
}

/* --- the end --------------------------------------------------------------------------------- */

/*
 * A receive error that is none of the socket's is about what came: a chunk's size that is no
 * number, a protocol not asked for. With TLS it may be a connection that was closed without notice,
 * so libcurl's words must say it.
 */
static bool framing(const struct connection *l, CURLcode code)
{
	bool tls = strncmp(l->x->request.url, "https:", 6) == 0;
	long error = 0;

	curl_easy_getinfo(l->easy, CURLINFO_OS_ERRNO, &error);
	if (code == CURLE_GOT_NOTHING)
		return l->lines > 0;
	return code == CURLE_RECV_ERROR && !error && (!tls || strstr(l->error, "chunk"));
}

/* Closed during the handshake of TLS, which is no word against it: what balances load does so while
 * nothing is behind it. mbedTLS has a code for it, OpenSSL a word. */
static bool hung_up(const struct connection *l, CURLcode code)
{
	long error = 0;

	curl_easy_getinfo(l->easy, CURLINFO_OS_ERRNO, &error);
	return code == CURLE_SSL_CONNECT_ERROR && (error || strstr(l->error, "(-0x7280)") ||
		strstr(l->error, "SSL_ERROR_SYSCALL"));
}

/* libcurl's words leave out why there is no connection. */
static void explain_connect(struct connection *l)
{
	long error = 0;

	curl_easy_getinfo(l->easy, CURLINFO_OS_ERRNO, &error);
	if (error)
		str_add(l->text, sizeof(l->text), ": %s%s",
			error == ENETUNREACH || error == EHOSTUNREACH ? "no route: " : "",
			strerror((int)error));
}

/* libcurl puts the time it took into its text: each attempt would be another cause to the
 * console. */
static void drop_time(char *text)
{
	static const char *const units[] = {" ms", " milliseconds"};
	char *at = strstr(text, " after "), *end;

	if (!at)
		return;
	(void)strtoul(at + strlen(" after "), &end, 10);
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (strncmp(end, units[i], strlen(units[i])) == 0) {
			end += strlen(units[i]);
			memmove(at, end, strlen(end) + 1);
			return;
		}
}

/* This mbedTLS has no words for its errors (include/mbedtls/ssl.h). */
static const char *handshake_words(const char *text)
{
	static const struct {
		const char *code, *words;
	} errors[] = {
		{"(-0x7200)", "the answer is not TLS"},		 /* INVALID_RECORD */
		{"(-0x7780)", "the server ended it by an alert"}, /* FATAL_ALERT_MESSAGE */
		{"(-0x6E80)", "no common version of TLS"},	 /* BAD_PROTOCOL_VERSION */
	};

	for (size_t i = 0; i < ARRAY_SIZE(errors); i++)
		if (strstr(text, errors[i].code))
			return errors[i].words;
	return "";
}

/* A proxy that does not open the way to the server says so with a status of its own. */
static void failed(struct connection *l, CURLcode code)
{
	const char *reason = tls_reason(&l->x->tls);

	l->verdict = framing(l, code) ? VERDICT_PROTOCOL
		: hung_up(l, code)    ? VERDICT_CUT
				      : http_request_verdict(code);
	if (*reason)
		l->verdict = VERDICT_CERT;
	else
		reason = handshake_words(l->error);
	drop_time(l->error);
	/* this libcurl has no words for its codes (--disable-verbose) */
	if (!*l->error)
		snprintf(l->error, sizeof(l->error), "libcurl's error %d", (int)code);
	snprintf(l->text, sizeof(l->text), "%s%s%s", reason, *reason ? ": " : "", l->error);
	if (l->verdict == VERDICT_CONNECT)
		explain_connect(l);
}

/* libcurl's content is not enough. */
void connection_end(struct connection *l, CURLcode code)
{
	if (l->verdict != VERDICT_DONE || l->enough)
		return;
	if (code != CURLE_OK) {
		failed(l, code);
	} else if (!l->head.ended || l->head.status < 200) {
		l->verdict = VERDICT_PROTOCOL;
	} else if (l->body.has_length && l->got != l->body.length) {
		l->verdict = VERDICT_CUT;
		snprintf(l->text, sizeof(l->text), "%llu of %llu bytes received",
			(unsigned long long)l->got, (unsigned long long)l->body.length);
	}
}

/* --- the beginning --------------------------------------------------------------------------- */

void connection_clear(struct connection *l)
{
	l->verdict = VERDICT_DONE;
	l->enough = false;
	l->got = l->lines = 0;
	l->text[0] = l->error[0] = 0;
	l->body = (struct resume_body){0};
	head_init(&l->head, l->x->request.url);
}

CURLcode connection_start(struct connection *l)
{
	struct exchange *x = l->x;
	CURLcode e;

	connection_clear(l);
	l->began = l->heard = now_ns();
	e = http_request_apply(l->easy, &x->tls, &x->request, &l->ask, &l->lists);
	curl_easy_setopt(l->easy, CURLOPT_HEADERFUNCTION, on_head);
	curl_easy_setopt(l->easy, CURLOPT_HEADERDATA, l);
	curl_easy_setopt(l->easy, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(l->easy, CURLOPT_WRITEDATA, l);
	curl_easy_setopt(l->easy, CURLOPT_ERRORBUFFER, l->error);
	curl_easy_setopt(l->easy, CURLOPT_PRIVATE, l);
	if (e == CURLE_OK && curl_multi_add_handle(x->multi, l->easy) != CURLM_OK)
		e = CURLE_FAILED_INIT;
	l->busy = e == CURLE_OK;
	if (!l->busy)
		connection_stop(l);
	return e;
}

bool connection_connected(const struct connection *l)
{
	curl_off_t us = 0;

	return l->lines || l->got ||
		(curl_easy_getinfo(l->easy, CURLINFO_CONNECT_TIME_T, &us) == CURLE_OK && us > 0);
}

void connection_stop(struct connection *l)
{
	if (l->busy)
		curl_multi_remove_handle(l->x->multi, l->easy);
	l->busy = false;
	http_request_done(&l->lists);
	window_release(&l->x->window, l->number);
}
