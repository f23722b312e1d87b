/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lane: one connection's share of an exchange: a request, its head judged, its bytes brought to where they belong. Private to
 * exchange.c and lane.c.
 */
#pragma once

#include "fetch/climb.h"
#include "fetch/exchange.h"
#include "fetch/request.h"
#include "fetch/sink.h"
#include "fetch/window.h"

struct lane {
	struct exchange *x;
	unsigned number; /* from 1 */
	CURL *easy;
	struct request_lists lists;
	bool busy;	 /* a request is under way */
	bool enough;	 /* ended by us: the next bytes are somebody else's */

	struct resume_ask ask;
	struct resume_body body;
	struct head head;
	unsigned lines;
	uint64_t got;		    /* bytes of the body */
	uint64_t began, heard;	    /* when it was asked, and the last bytes came */
	uint64_t at;		    /* where the next one belongs in the file */
	enum fetch_verdict verdict; /* VERDICT_DONE until something is wrong */
	char text[NEWS_TEXT_MAX];
	char error[CURL_ERROR_SIZE];
};

struct exchange {
	CURLM *multi;
	struct tls *tls;
	struct sink sink;
	struct fetch_setup setup;
	int ctl;

	struct fetch_order order;
	struct resume resume;
	struct resume_now now;
	struct window window;
	struct climb climb;
	struct lane lanes[CLIMB_LANES_MAX];

	struct lane *last;	   /* whose head is told of */
	enum fetch_verdict ending; /* of the whole, whatever the other lanes do; VERDICT_DONE: none yet */
	bool over;
	bool whole;		   /* all of the file was given */
	uint64_t came, idle;	   /* bytes of bodies; ns spent waiting for them */
	uint64_t told, told_ns;	   /* sink.at when last told, and when that was */
};

/* exchange_called_off: was the order withdrawn? exchange_restart: begins the file anew. */
bool exchange_called_off(struct exchange *x);
enum fetch_verdict exchange_restart(struct exchange *x);

/* lane_clear: nothing was asked yet. */
void lane_clear(struct lane *l);

/* lane_start: sends the request that l->ask describes. CURLE_OK, or what is wrong with it. */
CURLcode lane_start(struct lane *l);

/* lane_stop: the request is over, or to be: its part is nobody's again. */
void lane_stop(struct lane *l);

/* lane_connected: is there a TCP connection? */
bool lane_connected(const struct lane *l);

/* lane_end: how a request that libcurl ended so is to be seen: l->verdict, l->text. */
void lane_end(struct lane *l, CURLcode code);
