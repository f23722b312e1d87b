// SPDX-License-Identifier: GPL-2.0-or-later
/* exchange: see exchange.h. */
#include "fetch/exchange.h"

#include <curl/curl.h>
#include <poll.h>
#include <sys/socket.h>

#include "fetch/resume.h"
#include "fetch/tls.h"

/* What libcurl reads at once: larger is hardly faster, and all of it is memory of this process. */
#define READ_SIZE     (128 * 1024L)
#define NEWS_EVERY    (1024 * 1024)
#define NEWS_EVERY_MS 250
/* Beyond what a decent proxy or server ever says before a body. */
#define HEAD_LINES_MAX 200

struct exchange {
	CURL *easy;
	CURLM *multi;
	struct tls *tls;
	struct sink *sink;
	struct fetch_setup setup;
	int ctl;

	struct resume resume;
	struct resume_now now;
	struct resume_ask ask;
	struct resume_body body;

	struct fetch_order order;
	struct head head;
	unsigned lines;
	uint64_t got, skipped, told; /* of the body; of them dropped; sink_at() when last told */
	enum fetch_verdict verdict;  /* VERDICT_DONE until something is wrong */
	char text[NEWS_TEXT_MAX];
	char error[CURL_ERROR_SIZE];
};

/* --- news ---------------------------------------------------------------------------------- */

static void tell(struct exchange *x, enum news_kind kind)
{
	struct fetch_news n = {
		.kind = kind,
		.serial = x->order.serial,
		.verdict = x->verdict,
		.status = x->head.status,
		.at = sink_at(x->sink),
		.size = x->setup.want.size ? x->setup.want.size : x->resume.size,
		.retry = x->head.has_retry ? x->head.retry : 0,
	};

	strscpy(n.text, x->text, sizeof(n.text));
	if (kind == NEWS_END && x->verdict == VERDICT_REDIRECT)
		strscpy(n.location, x->head.location, sizeof(n.location));
	x->told = n.at;
	/* Only how far it is may get lost. */
	send(x->ctl, &n, sizeof(n), MSG_NOSIGNAL | (kind == NEWS_BYTES ? MSG_DONTWAIT : 0));
}

/* A closed or readable control socket both mean the same: enough. */
static bool called_off(struct exchange *x)
{
	struct fetch_order o;
	ssize_t n = recv(x->ctl, &o, sizeof(o), MSG_DONTWAIT);

	if (n < 0)
		return false;
	return n != (ssize_t)sizeof(o) || o.kind != ORDER_GET;
}

/* --- what libcurl calls -------------------------------------------------------------------- */

static void end_with(struct exchange *x, enum fetch_verdict v)
{
	if (x->verdict == VERDICT_DONE)
		x->verdict = v;
}

/* A redirect's target as a whole URL; the agent decides whether to go there. */
static void locate(struct exchange *x)
{
	struct url base, to;
	char text[URL_TEXT_MAX];

	if (url_parse(&base, x->order.url, strlen(x->order.url)) < 0 ||
		url_resolve(&to, &base, x->head.location, strlen(x->head.location)) < 0) {
		x->verdict = VERDICT_LOCATION;
		return;
	}
	strscpy(x->head.location, url_text(&to, text), sizeof(x->head.location));
}

/* The head is complete: is its body one to take? */
static bool judge(struct exchange *x)
{
	enum fetch_verdict v = resume_judge(&x->resume, &x->now, &x->ask, &x->head, &x->body, x->text, sizeof(x->text));

	if (v == VERDICT_DONE && x->body.restart)
		v = sink_restart(x->sink);
	end_with(x, v);
	if (v == VERDICT_REDIRECT)
		locate(x);
	if (v == VERDICT_DONE)
		tell(x, NEWS_HEAD);
	return v == VERDICT_DONE;
}

static size_t on_head(char *line, size_t size, size_t n, void *data)
{
	struct exchange *x = data;
	bool was_final = x->head.ended && x->head.status >= 200;

	if (was_final)
		return size * n;
	if (++x->lines > HEAD_LINES_MAX) {
		end_with(x, VERDICT_PROTOCOL);
		return 0;
	}
	if (head_line(&x->head, line, size * n) && !(x->head.ended && x->head.status >= 200))
		return size * n;
	return judge(x) ? size * n : 0;
}

/* Until the reader takes more, or we are called off. */
static enum fetch_verdict wait_for_reader(struct exchange *x)
{
	struct pollfd p[] = {{.fd = sink_fd(x->sink), .events = POLLOUT}, {.fd = x->ctl, .events = POLLIN}};

	tell(x, NEWS_HELD);
	while (poll(p, ARRAY_SIZE(p), -1) < 0 && errno == EINTR)
		continue;
	if (p[1].revents && called_off(x))
		return VERDICT_STALLED;
	tell(x, NEWS_FLOWS);
	return VERDICT_DONE;
}

static enum fetch_verdict take(struct exchange *x, struct cursor *c)
{
	enum fetch_verdict v;

	do {
		v = sink_take(x->sink, c);
		if (v == VERDICT_WAIT && (v = wait_for_reader(x)) == VERDICT_DONE)
			v = VERDICT_WAIT;
	} while (v == VERDICT_WAIT);
	if (v == VERDICT_WRITE)
		snprintf(x->text, sizeof(x->text), "%s after %llu bytes", strerror(errno),
			(unsigned long long)sink_at(x->sink));
	if (v == VERDICT_TOO_LARGE)
		snprintf(x->text, sizeof(x->text), "more than the %llu bytes (%llu MiB) there is room for",
			(unsigned long long)x->now.limit, (unsigned long long)x->now.limit >> 20);
	if (v == VERDICT_CHUNK)
		snprintf(x->text, sizeof(x->text), "the chunk at byte %llu", (unsigned long long)sink_at(x->sink));
	return v;
}

static size_t on_body(char *data, size_t size, size_t n, void *self)
{
	struct exchange *x = self;
	struct cursor c = cursor_make(data, size * n);
	enum fetch_verdict v;

	if (!x->head.ended || x->verdict != VERDICT_DONE) {
		end_with(x, VERDICT_PROTOCOL);
		return 0;
	}
	x->got += c.left;
	if (x->body.has_length && x->got > x->body.length) {
		end_with(x, VERDICT_LENGTHS);
		return 0;
	}
	if (x->skipped < x->body.skip) {
		uint64_t drop = min_u64(c.left, x->body.skip - x->skipped);

		cursor_skip(&c, (size_t)drop);
		x->skipped += drop;
	}
	v = take(x, &c);
	end_with(x, v);
	if (sink_at(x->sink) - x->told >= NEWS_EVERY)
		tell(x, NEWS_BYTES);
	return v == VERDICT_DONE ? size * n : 0;
}

/* --- the end ------------------------------------------------------------------------------- */

static const struct {
	CURLcode code;
	enum fetch_verdict verdict;
} codes[] = {
	{CURLE_COULDNT_CONNECT, VERDICT_CONNECT},
	{CURLE_COULDNT_RESOLVE_HOST, VERDICT_CONNECT},
	{CURLE_COULDNT_RESOLVE_PROXY, VERDICT_CONNECT},
	{CURLE_OPERATION_TIMEDOUT, VERDICT_STALLED},
	{CURLE_PARTIAL_FILE, VERDICT_CUT},
	{CURLE_RECV_ERROR, VERDICT_CUT},
	{CURLE_SEND_ERROR, VERDICT_CUT},
	{CURLE_GOT_NOTHING, VERDICT_CUT},
	{CURLE_PEER_FAILED_VERIFICATION, VERDICT_CERT},
	{CURLE_SSL_CACERT_BADFILE, VERDICT_CERT},
	{CURLE_SSL_CONNECT_ERROR, VERDICT_TLS},
	{CURLE_SSL_CIPHER, VERDICT_TLS},
	{CURLE_SSL_CERTPROBLEM, VERDICT_TLS},
	{CURLE_UNSUPPORTED_PROTOCOL, VERDICT_PROTOCOL},
	{CURLE_OUT_OF_MEMORY, VERDICT_INTERNAL},
	{CURLE_FAILED_INIT, VERDICT_INTERNAL},
	{CURLE_WEIRD_SERVER_REPLY, VERDICT_PROTOCOL},
	{CURLE_HTTP_RETURNED_ERROR, VERDICT_STATUS},
	{CURLE_BAD_CONTENT_ENCODING, VERDICT_ENCODED},
	{CURLE_WRITE_ERROR, VERDICT_PROTOCOL},
};

static enum fetch_verdict verdict_of(CURLcode code)
{
	for (size_t i = 0; i < ARRAY_SIZE(codes); i++)
		if (codes[i].code == code)
			return codes[i].verdict;
	return VERDICT_PROTOCOL;
}

/* A proxy that does not open the way to the server says so with a status of its own. */
static void failed(struct exchange *x, CURLcode code)
{
	const char *reason = tls_reason(x->tls);

	if (x->verdict != VERDICT_DONE)
		return;
	x->verdict = *reason ? VERDICT_CERT : verdict_of(code);
	snprintf(x->text, sizeof(x->text), "%s%s%s", reason, *reason ? ": " : "",
		*x->error ? x->error : curl_easy_strerror(code));
}

/* All bytes are there. Are they the right ones? */
static void finish(struct exchange *x)
{
	char got[SHA256_TEXT], want[SHA256_TEXT];

	while ((x->verdict = sink_end(x->sink)) == VERDICT_WAIT)
		if (wait_for_reader(x) != VERDICT_DONE) {
			x->verdict = VERDICT_STALLED;
			return;
		}
	if (x->verdict == VERDICT_SIZE)
		snprintf(x->text, sizeof(x->text), "%llu bytes, but it should have %llu",
			(unsigned long long)sink_at(x->sink), (unsigned long long)x->now.size);
	if (x->verdict == VERDICT_DIGEST)
		snprintf(x->text, sizeof(x->text), "it is %s, not %s", sha256_text(sink_digest(x->sink), got),
			sha256_text(x->setup.want.sha256, want));
}

/* libcurl is content. Are we? */
static void completed(struct exchange *x)
{
	if (x->verdict != VERDICT_DONE)
		return;
	if (!x->head.ended || x->head.status < 200) {
		x->verdict = VERDICT_PROTOCOL;
		return;
	}
	if (x->body.has_length && x->got != x->body.length) {
		x->verdict = VERDICT_CUT;
		snprintf(x->text, sizeof(x->text), "%llu of %llu bytes came", (unsigned long long)x->got,
			(unsigned long long)x->body.length);
		return;
	}
	finish(x);
}

/* --- the beginning ------------------------------------------------------------------------- */

/* Settings of every exchange. libcurl's own time limits are off: the agent watches the pace. */
static CURLcode configure(struct exchange *x)
{
	const struct {
		CURLoption option;
		long value;
	} longs[] = {
		{CURLOPT_NOSIGNAL, 1},
		{CURLOPT_FOLLOWLOCATION, 0},
		{CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1},
		{CURLOPT_HTTP_CONTENT_DECODING, 0},
		{CURLOPT_SUPPRESS_CONNECT_HEADERS, 1},
		{CURLOPT_BUFFERSIZE, READ_SIZE},
		{CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2},
		{CURLOPT_TCP_KEEPALIVE, 1},
		{CURLOPT_CONNECTTIMEOUT, 600},
		{CURLOPT_DNS_CACHE_TIMEOUT, 0},
	};
	CURLcode e = CURLE_OK;

	for (size_t i = 0; i < ARRAY_SIZE(longs) && e == CURLE_OK; i++) {
		e = curl_easy_setopt(x->easy, longs[i].option, longs[i].value);
		/* A build without TLS does not know its options. */
		e = e == CURLE_UNKNOWN_OPTION || e == CURLE_NOT_BUILT_IN ? CURLE_OK : e;
	}
	curl_easy_setopt(x->easy, CURLOPT_HEADERFUNCTION, on_head);
	curl_easy_setopt(x->easy, CURLOPT_HEADERDATA, x);
	curl_easy_setopt(x->easy, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(x->easy, CURLOPT_WRITEDATA, x);
	curl_easy_setopt(x->easy, CURLOPT_ERRORBUFFER, x->error);
	curl_easy_setopt(x->easy, CURLOPT_USERAGENT, "initagent/" INITAGENT_VERSION);
	return e;
}

/* "HOST:PORT:ADDRESS:PORT", or the proxy's address as its URL. */
static CURLcode direct(struct exchange *x, struct curl_slist **to)
{
	const struct fetch_order *o = &x->order;
	char address[INET_ADDR_TEXT], text[INET_ADDR_TEXT + 32];
	bool v6 = o->address.family == AF_INET6;

	inet_text(&o->address, address);
	snprintf(text, sizeof(text), "%s%s%s%s:%u", o->proxied ? "http://" : "::", v6 ? "[" : "", address,
		v6 ? "]" : "", o->port);
	if (o->proxied)
		return curl_easy_setopt(x->easy, CURLOPT_PROXY, text);
	*to = curl_slist_append(NULL, text);
	if (!*to)
		return CURLE_OUT_OF_MEMORY;
	/* Not even a proxy that the environment names. */
	curl_easy_setopt(x->easy, CURLOPT_PROXY, "");
	return curl_easy_setopt(x->easy, CURLOPT_CONNECT_TO, *to);
}

static bool add(struct curl_slist **list, const char *text)
{
	struct curl_slist *more = curl_slist_append(*list, text);

	*list = more ? more : *list;
	return more;
}

/* A range by hand: libcurl's own option takes part in judging the answer. */
static CURLcode headers(struct exchange *x, struct curl_slist **list)
{
	char range[48], validator[HEAD_ETAG_MAX + 16];
	bool ok = add(list, "Accept-Encoding: identity") && add(list, "Accept: */*");

	if (x->ask.from) {
		snprintf(range, sizeof(range), "Range: bytes=%llu-", (unsigned long long)x->ask.from);
		ok = ok && add(list, range);
	}
	if (x->ask.if_range) {
		snprintf(validator, sizeof(validator), "If-Range: %s", x->ask.if_range);
		ok = ok && add(list, validator);
	}
	return ok ? curl_easy_setopt(x->easy, CURLOPT_HTTPHEADER, *list) : CURLE_OUT_OF_MEMORY;
}

/* Turns until libcurl is done, or we are called off. */
static CURLcode turn(struct exchange *x)
{
	int running = 1, left;

	for (;;) {
		struct curl_waitfd ctl = {.fd = x->ctl, .events = CURL_WAIT_POLLIN};
		const CURLMsg *m;

		if (curl_multi_perform(x->multi, &running) != CURLM_OK)
			return CURLE_FAILED_INIT;
		while ((m = curl_multi_info_read(x->multi, &left)))
			if (m->msg == CURLMSG_DONE)
				return m->data.result;
		if (curl_multi_wait(x->multi, &ctl, 1, NEWS_EVERY_MS, NULL) != CURLM_OK)
			return CURLE_FAILED_INIT;
		if (ctl.revents && called_off(x)) {
			end_with(x, VERDICT_STALLED);
			return CURLE_ABORTED_BY_CALLBACK;
		}
		if (sink_at(x->sink) != x->told)
			tell(x, NEWS_BYTES);
	}
}

static void perform(struct exchange *x)
{
	struct curl_slist *to = NULL, *list = NULL;
	CURLcode e;

	/* Live connections stay with the multi handle. */
	curl_easy_reset(x->easy);
	e = configure(x);
	e = e ? e : direct(x, &to);
	e = e ? e : headers(x, &list);
	e = e ? e : curl_easy_setopt(x->easy, CURLOPT_URL, x->order.url);
	e = e ? e : tls_apply(x->tls, x->easy);
	if (e == CURLE_OK && curl_multi_add_handle(x->multi, x->easy) == CURLM_OK) {
		e = turn(x);
		curl_multi_remove_handle(x->multi, x->easy);
	} else {
		e = e ? e : CURLE_FAILED_INIT;
	}
	curl_slist_free_all(to);
	curl_slist_free_all(list);
	if (e == CURLE_OK)
		completed(x);
	else
		failed(x, e);
}

/* Reading what is there takes its time, which is nobody's fault. */
static enum fetch_verdict adopt(struct exchange *x)
{
	enum fetch_verdict v;

	if (!x->setup.have)
		return VERDICT_DONE;
	tell(x, NEWS_HELD);
	v = sink_adopt(x->sink, x->setup.have);
	x->setup.have = 0;
	tell(x, NEWS_FLOWS);
	return v;
}

/* The last byte came before the break, or long ago: there is nothing to ask for. */
static bool all_there(const struct exchange *x)
{
	return x->setup.want.size && sink_at(x->sink) == x->setup.want.size;
}

void exchange_run(struct exchange *x, const struct fetch_order *order)
{
	enum fetch_verdict v = order->restart ? sink_restart(x->sink) : VERDICT_DONE;

	x->order = *order;
	x->verdict = VERDICT_DONE;
	v = v ? v : adopt(x);
	x->order.url[sizeof(x->order.url) - 1] = 0;
	x->got = x->skipped = x->lines = 0;
	x->text[0] = x->error[0] = 0;
	x->body = (struct resume_body){0};
	head_init(&x->head);
	x->now = (struct resume_now){
		.at = sink_at(x->sink),
		.size = x->setup.want.size,
		.limit = x->setup.want.limit,
		.pinned = sink_pinned(x->sink),
		.can_restart = sink_can_restart(x->sink),
		.origin = order->origin,
	};
	if (v == VERDICT_DONE)
		v = resume_ask(&x->resume, &x->now, &x->ask);
	if (v == VERDICT_DONE && x->ask.restart)
		v = sink_restart(x->sink);
	x->verdict = v;
	if (v == VERDICT_DONE && all_there(x))
		finish(x);
	else if (v == VERDICT_DONE)
		perform(x);
	tell(x, NEWS_END);
}

int exchange_new(struct exchange **ret, const struct fetch_setup *setup, int ctl)
{
	_cleanup_(exchange_freep) struct exchange *x = calloc(1, sizeof(*x));
	int e;

	if (!x)
		return -ENOMEM;
	x->setup = *setup;
	x->ctl = ctl;
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		return -ENOMEM;
	x->easy = curl_easy_init();
	x->multi = curl_multi_init();
	if (!x->easy || !x->multi)
		return -ENOMEM;
	e = sink_new(&x->sink, setup->sink, setup->stream, &x->setup.want);
	e = e ? e : tls_new(&x->tls, setup);
	if (e < 0)
		return e;
	*ret = x;
	x = NULL;
	return 0;
}

struct exchange *exchange_free(struct exchange *x)
{
	if (!x)
		return NULL;
	if (x->easy)
		curl_easy_cleanup(x->easy);
	if (x->multi)
		curl_multi_cleanup(x->multi);
	tls_free(x->tls);
	sink_free(x->sink);
	free(x);
	return NULL;
}
