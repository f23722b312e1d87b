/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * connection: one connection's share of an exchange: a request, its head judged, its bytes brought
 * to where they belong. Private to exchange.c and connection.c.
 */
#pragma once

#include "fetch/concurrency.h"
#include "fetch/exchange.h"
#include "fetch/http_request.h"
#include "fetch/sink.h"
#include "fetch/window.h"

struct connection {
	struct exchange *x;
	unsigned number; /* from 1 */
	CURL *easy;
	struct http_request_lists lists;
	bool busy;	 /* a request is under way */
	bool enough;	 /* ended by us: the next bytes are another connection's */

	struct resume_ask ask;
	struct resume_body body;
	struct head head;
	unsigned lines;
	uint64_t got;		    /* bytes of the body */
	uint64_t began, heard;	    /* when it was asked, and the last bytes came */
	uint64_t at;		    /* where the next one belongs in the file */
	enum fetch_verdict verdict; /* VERDICT_DONE until something is wrong */
	char text[REPLY_TEXT_MAX];
	char error[CURL_ERROR_SIZE];
};

/* Once it is not RUNS, struct exchange's last says why. */
enum exchange_state { EXCHANGE_RUNS, EXCHANGE_WHOLE, EXCHANGE_FAILED };

struct exchange {
	CURLM *multi;
	struct tls tls;
	struct sink sink;
	struct fetch_setup setup;
	int ctl;

	struct fetch_request request;
	struct resume resume;
	struct resume_now now;
	struct window window;
	struct concurrency concurrency;
	struct connection connections[CONNECTIONS_MAX];

	enum exchange_state state;
	struct connection *last;   /* whose head and verdict are told of */
	uint64_t came, idle;	   /* bytes of bodies; ns spent waiting for them */
	uint64_t told, told_ns;	   /* sink.at + sink.known when last told, and when that was */
};

/* connection_restart: the file begins again. */
enum fetch_verdict connection_restart(struct exchange *x);

/* connection_decides: the exchange is over, whatever the other connections do: WHOLE, all of the
 * file was given, or FAILED, as l->verdict says. */
void connection_decides(struct connection *l, enum exchange_state state);

/* connection_clear: nothing was asked yet. */
void connection_clear(struct connection *l);

/* connection_start: sends the request that l->ask describes. CURLE_OK, or what is wrong with it. */
CURLcode connection_start(struct connection *l);

/* connection_stop: the request is over, or to be: its part is nobody's again. */
void connection_stop(struct connection *l);

/* connection_connected: is there a TCP connection? */
bool connection_connected(const struct connection *l);

/* connection_end: how a request that libcurl ended so is to be seen: l->verdict, l->text. */
void connection_end(struct connection *l, CURLcode code);
