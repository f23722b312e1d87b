// SPDX-License-Identifier: GPL-2.0-or-later

#include "fetch/http_request.h"

#include <netinet/in.h>
#include <sys/socket.h>

/* What libcurl reads at once; larger is hardly faster, and memory of this process. */
#define READ_SIZE (256 * 1024L)

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
	{CURLE_ABORTED_BY_CALLBACK, VERDICT_INTERNAL},
};

enum fetch_verdict http_request_verdict(CURLcode code)
{
	for (size_t i = 0; i < ARRAY_SIZE(codes); i++)
		if (codes[i].code == code)
			return codes[i].verdict;
	return VERDICT_PROTOCOL;
}

/* Settings of every request. libcurl's own time limits are off: the agent watches the rate. */
static CURLcode configure(CURL *easy)
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
		e = curl_easy_setopt(easy, longs[i].option, longs[i].value);
		/* A build without TLS does not know its options. */
		e = e == CURLE_UNKNOWN_OPTION || e == CURLE_NOT_BUILT_IN ? CURLE_OK : e;
	}
	return e ? e : curl_easy_setopt(easy, CURLOPT_USERAGENT, "initagent/" INITAGENT_VERSION);
}

/* "HOST:PORT:ADDRESS:PORT", or the proxy's address as its URL. */
static CURLcode direct(CURL *easy, const struct fetch_request *o, struct curl_slist **to)
{
	char address[INET_ADDR_TEXT], text[INET_ADDR_TEXT + 32];
	bool v6 = o->address.family == AF_INET6;

	/* Whatever the environment says of proxies. */
	curl_easy_setopt(easy, CURLOPT_NOPROXY, "");
	inet_text(&o->address, address);
	snprintf(text, sizeof(text), "%s%s%s%s:%u", o->proxied ? "http://" : "::", v6 ? "[" : "",
		address, v6 ? "]" : "", o->port);
	if (o->proxied)
		return curl_easy_setopt(easy, CURLOPT_PROXY, text);
	*to = curl_slist_append(NULL, text);
	if (!*to)
		return CURLE_OUT_OF_MEMORY;
	curl_easy_setopt(easy, CURLOPT_PROXY, "");
	return curl_easy_setopt(easy, CURLOPT_CONNECT_TO, *to);
}

#define PORT_FIRST 512
#define PORT_END   1024

/* libcurl is built without a way to choose the local port. One that is in use makes room for the
 * next. */
static int bind_low(void *data, curl_socket_t fd, curlsocktype purpose)
{
	bool v6 = *(const sa_family_t *)data == AF_INET6;
	/* The port's place is the same in both. */
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	} to = {.v6 = {.sin6_family = v6 ? AF_INET6 : AF_INET}};
	int r = -1;

	(void)purpose;
	for (uint16_t port = PORT_FIRST; r < 0 && port < PORT_END; port++) {
		to.v6.sin6_port = htons(port);
		r = bind(fd, &to.any, v6 ? sizeof(to.v6) : sizeof(to.v4));
	}
	return r < 0 ? CURL_SOCKOPT_ERROR : CURL_SOCKOPT_OK;
}

static CURLcode from_low_port(CURL *easy, const struct fetch_request *o)
{
	if (!o->privileged)
		return CURLE_OK;
	curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, bind_low);
	return curl_easy_setopt(easy, CURLOPT_SOCKOPTDATA, &o->address.family);
}

static bool add(struct curl_slist **list, const char *text)
{
	struct curl_slist *more = curl_slist_append(*list, text);

	*list = more ? more : *list;
	return more;
}

/* A range by hand: libcurl's own option takes part in judging the answer. */
static bool add_range(struct curl_slist **list, const struct resume_ask *ask)
{
	unsigned long long from = ask->from, until = ask->until;
	char range[64];

	if (until)
		snprintf(range, sizeof(range), "Range: bytes=%llu-%llu", from, until - 1);
	else
		snprintf(range, sizeof(range), "Range: bytes=%llu-", from);
	return (!from && !until) || add(list, range);
}

static CURLcode headers(CURL *easy, const struct resume_ask *ask, struct curl_slist **list)
{
	char validator[HEAD_ETAG_MAX + 16];
	bool ok = add(list, "Accept-Encoding: identity") && add(list, "Accept: */*") &&
		  add_range(list, ask);

	if (ask->if_range) {
		snprintf(validator, sizeof(validator), "If-Range: %s", ask->if_range);
		ok = ok && add(list, validator);
	}
	return ok ? curl_easy_setopt(easy, CURLOPT_HTTPHEADER, *list) : CURLE_OUT_OF_MEMORY;
}

CURLcode http_request_apply(CURL *easy, struct tls *tls, const struct fetch_request *o,
	const struct resume_ask *ask, struct http_request_lists *lists)
{
	CURLcode e;

	/* Live connections stay with the multi handle. */
	curl_easy_reset(easy);
	e = configure(easy);
	e = e ? e : direct(easy, o, &lists->to);
	e = e ? e : from_low_port(easy, o);
	e = e ? e : headers(easy, ask, &lists->headers);
	e = e ? e : curl_easy_setopt(easy, CURLOPT_URL, o->url);
	e = e ? e : curl_easy_setopt(easy, CURLOPT_ADDRESS_SCOPE, (long)o->scope);
	return e ? e : tls_apply(tls, easy);
}

void http_request_done(struct http_request_lists *lists)
{
	curl_slist_free_all(lists->to);
	curl_slist_free_all(lists->headers);
	*lists = (struct http_request_lists){0};
}
