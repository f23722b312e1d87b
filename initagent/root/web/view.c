// SPDX-License-Identifier: GPL-2.0-or-later
/* view: what console, state.json and the boot are told of the web room. */
#include "root/web/private.h"

#include "url.h"

static const struct image *image_of(const struct web *w)
{
	return w->stream ? stream_image(w->stream) : w->image;
}

static void progress(const struct web *w, struct source_progress *ret)
{
	struct fetch_progress p;

	*ret = (struct source_progress){.step = web_states[w->state].name, .left = UINT64_MAX};
	if (w->state == WEB_MOUNTING)
		ret->bytes = image_progress(image_of(w));
	if (w->cache)
		cache_progress(w->cache, &ret->bytes, &ret->size);
	if (!w->fetch)
		return;
	fetch_progress(w->fetch, &p);
	ret->bytes = p.bytes;
	ret->size = p.size;
	ret->rate = p.rate;
	ret->digest_slow = p.digest_slow;
	ret->left = p.eta;
	ret->attempts = p.attempts;
	strscpy(ret->site, p.site, sizeof(ret->site));
}

void web_progress(const struct source *s, struct source_progress *ret)
{
	const struct web *w = (const struct web *)s;
	const char *site;
	struct url url;

	progress(w, ret);
	site = *ret->site ? ret->site : w->cfg.plan->url;
	if (url_parse(&url, site, strlen(site)) == 0)
		ret->asked = url.address;
}

static const char *mib(uint64_t bytes, char *buf, size_t size)
{
	snprintf(buf, size, bytes < UINT64_C(10) << 20 ? "%.1f" : "%.0f",
		(double)bytes / (1 << 20));
	return buf;
}

static void describe_fetch(const struct web *w, char *buf, size_t size)
{
	char have[24], all[24], rate[24], left[40] = "";
	struct source_progress p;

	progress(w, &p);
	if (!p.bytes) {
		snprintf(buf, size, "waiting for the %s%s%s", web_states[w->state].words,
			*p.site ? " from " : "", p.site);
		return;
	}
	if (p.left != UINT64_MAX)
		snprintf(left, sizeof(left), ", %llu s left", (unsigned long long)p.left);
	snprintf(buf, size, "%s: %s of %s MiB, %s MiB/s%s%s, from %s", web_states[w->state].words,
		mib(p.bytes, have, sizeof(have)), p.size ? mib(p.size, all, sizeof(all)) : "?",
		mib(p.rate, rate, sizeof(rate)),
		p.digest_slow ? " (limited by the digest, not by the network)" : "", left, p.site);
}

static void describe_cache(const struct web *w, char *buf, size_t size)
{
	char have[24], all[24];
	struct source_progress p;

	progress(w, &p);
	if (p.size)
		snprintf(buf, size, "%s: %s of %s MiB", web_states[w->state].words,
			mib(p.bytes, have, sizeof(have)), mib(p.size, all, sizeof(all)));
	else
		snprintf(buf, size, "looking in the cache %s", w->cfg.plan->cache);
}

/* While bytes come, nothing is wrong. What the cache failed of is over. */
static enum cause waits_for(const struct web *w)
{
	enum cause last = w->source.cause;
	bool of_fetch = last && last != CAUSE_CACHE && last != CAUSE_CACHE_DAMAGED && w->fetch;
	struct source_progress p;

	progress(w, &p);
	if ((w->fetch || w->cache) && p.bytes)
		return CAUSE_NONE;
	return of_fetch ? last : web_states[w->state].cause;
}

enum cause web_describe(const struct source *s, char *buf, size_t size)
{
	const struct web *w = (const struct web *)s;
	char have[24];

	if (w->fetch)
		describe_fetch(w, buf, size);
	else if (w->cache)
		describe_cache(w, buf, size);
	else if (w->state == WEB_MOUNTING && image_progress(image_of(w)))
		snprintf(buf, size, "unpacking the image, %s MiB so far",
			mib(image_progress(image_of(w)), have, sizeof(have)));
	else
		strscpy(buf, web_states[w->state].words, size);
	return waits_for(w);
}

bool web_unpacks(const struct source *s)
{
	return image_of((const struct web *)s);
}
