// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * listed: the steps with a list of mirrors, a file "mirrors" beside the image. Most sites have
 * none, and no boot shall wait for it: one question to each of the URLs known, a few seconds, and
 * it goes on without.
 */
#include "report/report.h"
#include "root/web/private.h"

/* For the question and the answer; a server that is late is waited for with the image. */
#define LIST_LIMIT (8 * NSEC_PER_SEC)

void web_list_begin(struct web *w, uint64_t now)
{
	w->list_end = now + LIST_LIMIT;
	web_begin_note(w, WEB_MIRRORS, "mirrors", NULL, now);
}

static bool done(struct web *w)
{
	w->list_end = NSEC_NEVER;
	w->list = mirror_list_free(w->list);
	w->fetch = fetch_free(w->fetch);
	w->mirror_bytes = fetch_free(w->mirror_bytes);
	return true;
}

bool web_list_failed(struct web *w, bool fatal)
{
	struct fetch_progress p;

	fetch_progress(w->fetch, &p);
	return (fatal || p.attempts >= w->urls.n) && done(w);
}

bool web_list_there(struct web *w, uint64_t now)
{
	const char *text;
	size_t len;

	w->mirror_bytes = web_take_fetch(w);
	text = fetch_memory(w->mirror_bytes, &len);
	if (mirror_list_new(&w->list, text, len, w->cfg.plan->url, w->cfg.node) < 0)
		return done(w);
	web_set_state(w, WEB_LISTING, now);
	return false;
}

static void take(struct web *w, const struct mirror_list_result *r, uint64_t now)
{
	for (size_t i = 0; i < r->n; i++)
		urls_add(&w->listed, r->urls[i], NULL, "");
	report_log(w->env->report, REPORT_INFO, "root", now,
		"list of mirrors: %u used, %u too many, %u lines not valid URLs", r->n,
		r->left, r->bad);
}

bool web_list_step(struct web *w, uint64_t now)
{
	const struct mirror_list_result *r;

	if (w->list && !mirror_list_dispatch(w->list) && now < w->list_end)
		return false;
	r = w->list ? mirror_list_result(w->list) : NULL;
	if (r)
		take(w, r, now);
	return done(w);
}
