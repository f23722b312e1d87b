// SPDX-License-Identifier: GPL-2.0-or-later
/* transfer: what every transfer of the web room begins with: where from, which certificates, how
 * much. */
#include "root/web/private.h"

#include "base/meminfo.h"

#ifndef BUILD_TIME
#define BUILD_TIME 0 /* the clock is believed */
#endif

/* The same thing on every mirror: what stands beside URL and mirrors. */
int web_find_urls(struct web *w, const char *name, const char *suffix)
{
	const struct plan_image *p = w->cfg.plan;
	int r;

	urls_clear(&w->urls);
	r = urls_add(&w->urls, p->url, name, suffix);
	for (size_t i = 0; i < p->n_mirrors && r == 0; i++)
		r = urls_add(&w->urls, p->mirrors[i], name, suffix);
	for (size_t i = 0; i < w->listed.n && r == 0; i++)
		r = urls_add(&w->urls, w->listed.list[i], name, suffix);
	return r;
}

/* An image without certificates is the rule; one that was named and is not there is a mistake. */
static const char *certificates(const struct web *w)
{
	if (w->cfg.ca || w->cfg.plan->ca)
		return w->cfg.ca ? w->cfg.ca : w->cfg.plan->ca;
	return env_exists(w->env, KEYS_CA) ? KEYS_CA : NULL;
}

void web_transfer(struct web *w, struct fetch_config *cfg, enum web_state state, uint64_t now)
{
	const struct plan_image *p = w->cfg.plan;
	const char *bad = "";
	int r;

	cfg->urls = (const char *const *)w->urls.list;
	cfg->n_urls = w->urls.n;
	cfg->ca = certificates(w);
	cfg->any_certificate = p->insecure;
	cfg->proxy = p->proxy;
	cfg->privileged = w->cfg.privileged;
	cfg->node = w->cfg.node;
	cfg->link = w->cfg.link;
	cfg->clock_floor = BUILD_TIME;
	w->fetch = fetch_free(w->fetch);
	r = fetch_new(&w->fetch, w->env, cfg, &bad);
	if (r >= 0)
		r = fetch_start(w->fetch, now);
	if (r >= 0) {
		web_set_state(w, state, now);
		return;
	}
	if (!*bad && cfg->ca && r != -ENOMEM)
		bad = cfg->ca;
	snprintf(w->source.text, sizeof(w->source.text), "%.240s%s%s", bad,
		*bad ? ": " : "", strerror(-r));
	web_stop(w, CAUSE_FETCH_URL, w->source.text, now);
}

/* The most that each of them may have, and what follows the URL's own name. */
static const struct {
	uint64_t limit;
	const char *suffix;
} notes[WEB_STATE_MAX] = {
	[WEB_MIRRORS] = {MIRROR_LIST_TEXT_MAX, ""},
	[WEB_MANIFEST] = {MANIFEST_TEXT_MAX, ""},
	[WEB_SIGNATURE] = {MINISIG_TEXT_MAX, ".minisig"},
};

void web_begin_note(struct web *w, enum web_state state, const char *name, const uint8_t *sha256,
	uint64_t now)
{
	struct fetch_config cfg = {.sink = -1, .limit = notes[state].limit, .sha256 = sha256};

	/* Without a list of mirrors the boot goes on, too: no long wait for one. */
	if (state == WEB_MIRRORS)
		cfg.stall = 3 * NSEC_PER_SEC;
	if (web_find_urls(w, name, notes[state].suffix) < 0)
		web_stop(w, CAUSE_INTERNAL, "out of memory", now);
	else
		web_transfer(w, &cfg, state, now);
}

/* Every mirror has the image under its own URL's name: that of the first one counts. */
void web_sums_begin(struct web *w, uint64_t now)
{
	char name[sizeof(w->summed) + sizeof(".sha256")];
	size_t len;
	const char *image = urls_name(w->cfg.plan->url, &len);

	snprintf(w->summed, sizeof(w->summed), "%.*s", (int)len, image);
	snprintf(name, sizeof(name), "%s.sha256", w->summed);
	web_begin_note(w, WEB_MANIFEST, w->sums_of_folder ? "SHA256SUMS" : name, NULL, now);
}

bool web_sums_absent(struct web *w, uint64_t now)
{
	if (w->state != WEB_MANIFEST || !*w->summed || w->sums_of_folder)
		return false;
	w->sums_of_folder = true;
	web_sums_begin(w, now);
	return true;
}

uint64_t web_room(const struct web *w)
{
	uint64_t left = meminfo_left(w->env, w->cfg.plan->minmem_mib);

	return left ? left : 1;
}
