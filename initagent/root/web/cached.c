// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cached: the steps with a local cache: whether it has the image, before it is fetched, and to keep
 * the image there, after it was proved. What goes wrong here is told and costs time, nothing else.
 */
#include "report/report.h"
#include "root/web/private.h"

static bool wanted(const struct web *w)
{
	return w->cfg.plan->cache && w->has_key && !w->cache_bad;
}

static int begin(struct web *w, struct cache_config *cfg, enum web_state state, uint64_t now)
{
	int r;

	cfg->place = w->cfg.plan->cache;
	cfg->file = w->file;
	memcpy(cfg->sha256, w->key, sizeof(cfg->sha256));
	r = cache_new(&w->cache, w->env, cfg, now);
	if (r == 0)
		web_set_state(w, state, now);
	return r;
}

bool web_cache_look(struct web *w, uint64_t now)
{
	struct cache_config cfg = {
		.size = w->manifest ? w->manifest->size : 0, .limit = web_room(w)};

	if (!w->cfg.plan->cache)
		return false;
	if (!w->has_key)
		report_log(w->env->report, REPORT_INFO, "root", now,
			"rd.root.cache= is not used: neither rd.root.digest= nor a manifest says "
			"beforehand which image it is");
	return wanted(w) && begin(w, &cfg, WEB_CACHE, now) == 0;
}

bool web_cache_keep(struct web *w, uint64_t now)
{
	struct cache_config cfg = {.keep = true};

	return wanted(w) && !w->result.cached && begin(w, &cfg, WEB_KEEPING, now) == 0;
}

static void missed(struct web *w, uint64_t now)
{
	const char *text;
	enum cause cause = cache_failure(w->cache, &text);
	uint64_t bytes, size;

	if (cause == CAUSE_NONE) {
		report_log(w->env->report, REPORT_INFO, "root", now, "cache %s", text);
	} else {
		w->source.cause = cause;
		strscpy(w->source.text, text, sizeof(w->source.text));
		source_raise(&w->source, SOURCE_FAILED);
	}
	/* What a bad entry wrote over is nothing to build upon, and takes room. */
	cache_progress(w->cache, &bytes, &size);
	if (w->state == WEB_CACHE && size) {
		w->have = 0;
		(void)!ftruncate(w->file, 0);
	}
	/* A disk that is not there now is not looked for again. */
	w->cache_bad = cause == CAUSE_CACHE;
}

static void found(struct web *w, uint64_t now)
{
	uint64_t size;

	cache_progress(w->cache, &w->result.bytes, &size);
	w->result.cached = true;
	sha256_text(w->key, w->result.sha256);
	w->source.phase_end = now;
	strscpy(w->result.site, w->cfg.plan->cache, sizeof(w->result.site));
}

enum web_cache_verdict web_cache_step(struct web *w, uint64_t now)
{
	bool looking = w->state == WEB_CACHE, good;

	cache_dispatch(w->cache, now);
	switch (cache_pop_event(w->cache)) {
	case CACHE_EVENT_NONE: return WEB_CACHE_BUSY;
	case CACHE_EVENT_PROGRESS: source_raise(&w->source, SOURCE_STEP); return WEB_CACHE_BUSY;
	case CACHE_EVENT_MISSED: good = false; break;
	case CACHE_EVENT_DONE: good = true; break;
	default: return WEB_CACHE_BUSY;
	}
	if (!good)
		missed(w, now);
	else if (looking)
		found(w, now);
	w->cache = cache_free(w->cache);
	return !looking ? WEB_CACHE_KEPT : good ? WEB_CACHE_FOUND : WEB_CACHE_MISSED;
}
