// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/tell/post.h"

#include <curl/curl.h>
#include <poll.h>

#include "base/random.h"
#include "fetch/http_request.h"
#include "report/tell/life.h"

#ifndef BUILD_TIME
#define BUILD_TIME 0 /* the clock is believed */
#endif

/* An answer is a line or a page; more is not read. */
#define ANSWER_MAX 65536
#define TRY_FIRST  500 /* ms: the span from which the first pause is drawn; it doubles */
#define TRY_LIMIT  5000 /* ms one attempt may take */
#define LAST_WORDS 1000 /* ms before the kernel ends the process */

struct sender {
	const struct post_request *request;
	uint64_t end; /* CLOCK_BOOTTIME ns: no attempt after it */
	CURL *easy;
	CURLM *multi; /* created early: it opens descriptors, which the sandbox forbids */
	struct tls tls;
	struct http_request_lists lists;
	struct curl_slist *headers;
	char error[CURL_ERROR_SIZE];
	size_t answered;
};

static size_t on_answer(char *data, size_t size, size_t n, void *arg)
{
	struct sender *s = arg;

	(void)data;
	s->answered += size * n;
	return s->answered <= ANSWER_MAX ? size * n : 0;
}

/* "Expect:" alone: the body goes at once, without asking whether it is welcome. */
static CURLcode headers(struct sender *s)
{
	static const char *const lines[] = {"Content-Type: application/json", "Expect:"};

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		struct curl_slist *more = curl_slist_append(s->headers, lines[i]);

		if (!more)
			return CURLE_OUT_OF_MEMORY;
		s->headers = more;
	}
	return curl_easy_setopt(s->easy, CURLOPT_HTTPHEADER, s->headers);
}

/* With a URL that is a folder, a file below it. */
static bool is_folder(const struct post_request *o)
{
	size_t len = strlen(o->url);

	return len && o->url[len - 1] == '/';
}

static CURLcode body(struct sender *s)
{
	const struct post_request *o = s->request;
	CURLcode e = curl_easy_setopt(s->easy, CURLOPT_POSTFIELDS, o->body);

	e = e ? e : curl_easy_setopt(s->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)o->len);
	return e || !is_folder(o) ? e : curl_easy_setopt(s->easy, CURLOPT_CUSTOMREQUEST, "PUT");
}

/* As a fetch would ask, but that there is something to bring. */
static CURLcode configure(struct sender *s)
{
	const struct post_request *o = s->request;
	struct fetch_request to = {.address = o->address, .port = o->port};
	int n = snprintf(to.url, sizeof(to.url), "%s%s", o->url, is_folder(o) ? o->file : "");
	CURLcode e;

	if (n < 0 || (size_t)n >= sizeof(to.url))
		return CURLE_URL_MALFORMAT;
	e = http_request_apply(s->easy, &s->tls, &to, &(struct resume_ask){0}, &s->lists);
	curl_easy_setopt(s->easy, CURLOPT_WRITEFUNCTION, on_answer);
	curl_easy_setopt(s->easy, CURLOPT_WRITEDATA, s);
	curl_easy_setopt(s->easy, CURLOPT_ERRORBUFFER, s->error);
	e = e ? e : headers(s);
	return e ? e : body(s);
}

/* Everything that needs memory maps, files or entropy, before the rights are dropped. */
static bool prepare(struct sender *s, const struct post_request *o)
{
	s->request = o;
	s->tls = (struct tls){.ca = o->ca, .ca_len = o->ca_len, .clock_floor = BUILD_TIME};
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		return false;
	s->easy = curl_easy_init();
	s->multi = curl_multi_init();
	return s->easy && s->multi && configure(s) == CURLE_OK;
}

static CURLcode perform(struct sender *s)
{
	CURLcode e = CURLE_FAILED_INIT;
	int running = 1, left;
	const CURLMsg *m;

	if (curl_multi_add_handle(s->multi, s->easy) != CURLM_OK)
		return e;
	while (running && curl_multi_perform(s->multi, &running) == CURLM_OK)
		if (running && curl_multi_wait(s->multi, NULL, 0, TRY_LIMIT, NULL) != CURLM_OK)
			break;
	while ((m = curl_multi_info_read(s->multi, &left)))
		if (m->msg == CURLMSG_DONE)
			e = m->data.result;
	curl_multi_remove_handle(s->multi, s->easy);
	return e;
}

/* Another attempt may succeed: the server was not reached, or is overloaded. */
static bool attempt(struct sender *s, long limit_ms, struct post_result *result)
{
	long status = 0;
	CURLcode e;

	curl_easy_setopt(s->easy, CURLOPT_TIMEOUT_MS, limit_ms < TRY_LIMIT ? limit_ms : TRY_LIMIT);
	s->answered = 0;
	s->error[0] = 0;
	e = perform(s);
	curl_easy_getinfo(s->easy, CURLINFO_RESPONSE_CODE, &status);
	result->stored = e == CURLE_OK && status >= 200 && status < 300;
	/* this libcurl has no words for its codes (--disable-verbose) */
	if (e != CURLE_OK && !*s->error)
		snprintf(s->error, sizeof(s->error), "libcurl's error %d", (int)e);
	if (e != CURLE_OK)
		snprintf(result->text, sizeof(result->text), "%.100s%s%.60s", s->error,
			*tls_reason(&s->tls) ? ": " : "", tls_reason(&s->tls));
	else
		snprintf(result->text, sizeof(result->text), "the server answered %ld", status);
	return e == CURLE_COULDNT_CONNECT || e == CURLE_SEND_ERROR || e == CURLE_RECV_ERROR ||
		e == CURLE_GOT_NOTHING || e == CURLE_OPERATION_TIMEDOUT || status == 429 ||
			status >= 500;
}

/*
 * Nodes that failed together shall not come back together. false: there is no time left for that.
 */
static bool pause_ms(uint64_t span, uint64_t end)
{
	uint64_t pause = span ? random_u32() % span : 0;

	if (now_ns() + pause * NSEC_PER_MSEC >= end)
		return false;
	poll(NULL, 0, (int)pause);
	return true;
}

static void send_state(struct sender *s, struct post_result *result)
{
	uint64_t span = s->request->delay / NSEC_PER_MSEC, now;

	for (uint64_t next = TRY_FIRST; pause_ms(span, s->end); next *= 2) {
		now = now_ns();
		if (now >= s->end ||
			!attempt(s, (long)((s->end - now) / NSEC_PER_MSEC) + 1, result))
			return;
		span = next;
	}
}

/* The kernel's log has the outcome even if the agent is gone. */
static void write_outcome(const struct post_request *o, int kmsg, const struct post_result *result)
{
	char line[512];
	int n = snprintf(line, sizeof(line), "<%d>initagent: report to %.200s: %s: %s\n",
		result->stored ? 6 : 4, o->url, result->stored ? "stored" : "not stored",
			result->text);

	if (o->kmsg >= 0 && n > 0 && write(kmsg, line, (size_t)n) < 0)
		return; /* then only the agent learns it */
}

/* In the process, before its rights are dropped. */
static const void *prepare_sender(const void *arg)
{
	static struct sender s;

	s.end = now_ns() + POST_LIFE_S * NSEC_PER_SEC - LAST_WORDS * NSEC_PER_MSEC;
	if (limit_life(POST_LIFE_S) == 0 && prepare(&s, arg))
		return &s;
	write_outcome(arg, WORKER_FILE(0), &(struct post_result){.text = "no process"});
	return NULL;
}

static int run_sender(const void *arg)
{
	struct sender *s = (struct sender *)(uintptr_t)arg;
	struct post_result result = {0};

	send_state(s, &result);
	write_outcome(s->request, WORKER_FILE(0), &result);
	return worker_reply(&result, sizeof(result));
}

static bool is_result(void *reply, const void *context)
{
	const struct post_result *r = reply;

	(void)context;
	return memchr(r->text, 0, sizeof(r->text)) != NULL;
}

int post_start(struct worker **ret, const struct post_request *o)
{
	const struct worker_spec spec = {
		.run = run_sender,
		.prepare = prepare_sender,
		.arg = o,
		.name = "initagent-post",
		.files = {o->kmsg},
		.n_files = 1,
		.sandbox = {.role = SANDBOX_INTERNET, .outlives = true},
		.reply_size = sizeof(struct post_result),
		.valid = is_result,
	};

	return worker_start(ret, &spec, now_ns());
}
