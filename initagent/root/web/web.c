// SPDX-License-Identifier: GPL-2.0-or-later
/* web: see web.h. The order of the steps; each one's object does the work. */
#include "root/web/private.h"

#include <strings.h>
#include <sys/utsname.h>

#include "base/mountpoint.h"
#include "report/report.h"
#include "url.h"
#include "root/source/note.h"

/* Beside the image in its tmpfs: a page or two of rounding must not end a transfer. */
#define SPARE (1 << 20)

void web_end(struct source *s)
{
	struct web *w = (struct web *)s;

	fetch_free(w->fetch);
	fetch_free(w->mirror_bytes);
	mirror_list_free(w->list);
	urls_clear(&w->listed);
	fetch_free(w->manifest_bytes);
	fetch_free(w->signature_bytes);
	proof_free(w->proof);
	stream_free(w->stream);
	image_free(w->image);
	cache_free(w->cache);
	urls_clear(&w->urls);
	/* A root has the name of its file as long as it is not there. */
	if (w->cfg.layer.beside)
		store_drop(w->env);
	free(w->manifest);
	closep(&w->file);
	free(w);
}

/* Is every server that may give a part of it known by its certificate? */
static bool by_certificates(const struct web *w)
{
	for (size_t i = 0; i < w->urls.n; i++)
		if (strncasecmp(w->urls.list[i], "https:", 6) != 0)
			return false;
	return !w->cfg.plan->insecure;
}

/* What is known of the image before its first byte. */
static void note_proof(struct web *w)
{
	const uint8_t *sha256 = w->manifest ? w->manifest->sha256 : w->cfg.plan->digest;
	struct web_result *r = &w->result;

	strscpy(r->url, w->urls.list[0], sizeof(r->url));
	if (w->manifest || w->cfg.plan->has_digest)
		memcpy(w->key, sha256, sizeof(w->key));
	w->has_key |= w->manifest || w->cfg.plan->has_digest;
	/* Chunks prove the image, and what a manifest says of the whole is worth its own proof. */
	if (w->has_key && (!w->manifest || !w->manifest->n_chunks || w->keys.n ||
		w->cfg.plan->has_digest))
		sha256_text(w->key, r->sha256);
	strscpy(r->proof, w->keys.n ? "signature" : w->cfg.plan->has_digest ? "digest" :
		by_certificates(w) ? "certificate" : "none", sizeof(r->proof));
}

static void fetch_image(struct web *w, uint64_t now)
{
	const struct manifest *m = w->manifest;
	struct fetch_config cfg = {
		.limit = web_room(w) + w->have, .sink = w->file, .have = w->have};

	if (m) {
		cfg.size = m->size;
		cfg.sha256 = m->n_chunks ? NULL : m->sha256;
		cfg.chunk_size = m->chunk_size;
		cfg.chunks = m->chunks;
		cfg.n_chunks = m->n_chunks;
	} else if (w->has_key) {
		cfg.sha256 = w->key;
	}
	web_transfer(w, &cfg, WEB_IMAGE, now);
}

static void begin_image(struct web *w, uint64_t now)
{
	if (web_find_urls(w, w->manifest ? w->manifest->name : NULL, "") < 0) {
		web_stop(w, CAUSE_INTERNAL, "out of memory", now);
		return;
	}
	note_proof(w);
	w->file = store_open(w->env, w->has_key ? w->key : NULL, web_room(w) + SPARE, &w->have);
	if (w->file < 0) {
		web_stop(w, CAUSE_INTERNAL, strerror(-w->file), now);
		return;
	}
	if (w->have)
		report_log(w->env->report, REPORT_INFO, "root", now,
			"%llu bytes of the image are there from an earlier attempt",
			(unsigned long long)w->have);
	w->result.began = now;
	if (!web_cache_look(w, now))
		fetch_image(w, now);
}

/* --- proofs ---------------------------------------------------------------------------------- */

static void begin_proof(struct web *w, struct proof_config *cfg, enum web_state state, uint64_t now)
{
	int r;

	cfg->keys = w->keys.keys;
	cfg->n_keys = w->keys.n;
	if (w->signature_bytes)
		cfg->signature = fetch_memory(w->signature_bytes, &cfg->signature_len);
	r = proof_new(&w->proof, cfg);
	/* The process has copies. */
	w->manifest_bytes = fetch_free(w->manifest_bytes);
	w->signature_bytes = fetch_free(w->signature_bytes);
	if (r < 0)
		web_stop(w, CAUSE_INTERNAL, strerror(-r), now);
	else
		web_set_state(w, state, now);
}

static void prove_manifest(struct web *w, uint64_t now)
{
	const struct plan_image *p = w->cfg.plan;
	struct proof_config cfg = {.digest = p->has_digest ? p->digest : NULL};
	struct utsname uts;

	cfg.manifest = fetch_memory(w->manifest_bytes, &cfg.manifest_len);
	cfg.summed = *w->summed ? w->summed : NULL;
	cfg.release = uname(&uts) == 0 ? uts.release : NULL;
	begin_proof(w, &cfg, WEB_PROVING, now);
}

static void prove_image(struct web *w, uint64_t now)
{
	struct proof_config cfg = {.read_image = true, .image = w->file};

	begin_proof(w, &cfg, WEB_JUDGING, now);
}

static void mount_image(struct web *w, uint64_t now)
{
	const struct image_config cfg = {
		.target = w->cfg.target,
		.plan = w->cfg.plan,
		.fd = w->file,
		.consume = true,
		.init = w->cfg.init,
		.kind = w->manifest ? (enum image_kind)w->manifest->format : IMAGE_UNKNOWN,
		.layer = w->cfg.layer,
	};
	int r = image_start(&w->image, w->env, &cfg, now);

	if (r < 0)
		web_stop(w, CAUSE_IMAGE_MOUNT, strerror(-r), now);
	else
		web_set_state(w, WEB_MOUNTING, now);
}

static void prepare_mount(struct web *w, uint64_t now)
{
	enum image_kind kind = (enum image_kind)image_kind_read(w->file, 0, NULL);

	/* What is freed behind the unpacker is nothing to build upon. */
	if (image_kind_way(kind) == IMAGE_WAY_UNPACK)
		store_drop(w->env);
	/* a layer is an archive; a file system is refused as it is */
	if (!w->cfg.layer.part)
		w->module = image_kind_module(kind);
	if (!w->module) {
		mount_image(w, now);
		return;
	}
	source_raise(&w->source, SOURCE_MODULE);
	web_set_state(w, WEB_MODULE, now);
}

static void proved(struct web *w, uint64_t now)
{
	if (!web_cache_keep(w, now))
		prepare_mount(w, now);
}

/* --- what follows what ----------------------------------------------------------------------- */

static void begin_first(struct web *w, uint64_t now)
{
	const struct plan_image *p = w->cfg.plan;

	if (p->sums && !p->has_digest && !w->keys.n)
		web_sums_begin(w, now);
	else if (p->manifest)
		web_begin_note(w, WEB_MANIFEST, NULL, p->has_digest ? p->digest : NULL, now);
	else if (w->keys.n)
		web_begin_note(w, WEB_SIGNATURE, NULL, NULL, now);
	else
		begin_image(w, now);
}

static void begin(struct web *w, uint64_t now)
{
	const struct plan_image *p = w->cfg.plan;

	/* One image and no other is asked for, and it is not known which. */
	if (p->unprovable)
		web_stop(w, CAUSE_CMDLINE_MALFORMED,
			"rd.root.digest= or rd.root.key= is invalid, so no image can be proved",
			now);
	else if (w->cfg.layer.part && !w->cfg.layer.beside)
		begin_image(w, now);
	else if (keys_load(w->env, p, &w->keys) < 0)
		web_stop(w, CAUSE_KEY_UNREADABLE, w->keys.text, now);
	else if (p->must_prove && !p->has_digest && !w->keys.n)
		web_stop(w, CAUSE_SIGNATURE_MISSING, w->cfg.layer.beside
			? "one is asked for, and neither rd.root.key= nor the initramfs has a key "
			"to prove the image by" :
			"rd.systemd.pull= asks for one, and no rd.root.key= or rd.root.digest= "
			"is there to prove the image by", now);
	else if (w->cfg.layer.beside)
		begin_first(w, now);
	else
		web_list_begin(w, now);
}

static void manifest_there(struct web *w, uint64_t now)
{
	w->manifest_bytes = web_take_fetch(w);
	if (w->keys.n)
		web_begin_note(w, WEB_SIGNATURE, NULL, NULL, now);
	else
		prove_manifest(w, now);
}

static void signature_there(struct web *w, uint64_t now)
{
	w->signature_bytes = web_take_fetch(w);
	if (w->manifest_bytes)
		prove_manifest(w, now);
	else
		begin_image(w, now);
}

static void image_there(struct web *w, uint64_t now)
{
	if (w->signature_bytes)
		prove_image(w, now);
	else
		proved(w, now);
}

static void image_fetched(struct web *w, uint64_t now)
{
	struct fetch_progress p;
	struct url url;

	fetch_progress(w->fetch, &p);
	w->result.bytes = p.bytes;
	w->result.attempts = p.attempts;
	w->source.phase_end = now;
	strscpy(w->result.site, p.site, sizeof(w->result.site));
	if (url_parse(&url, p.site, strlen(p.site)) == 0 && url.address.family)
		w->source.server = url.address;
	w->fetch = fetch_free(w->fetch);
	if (w->stream_cause)
		web_stop(w, w->stream_cause, w->stream_text, now);
	else if (w->stream)
		web_stream_end(w, now);
	else
		image_there(w, now);
}

static void fetched(struct web *w, uint64_t now)
{
	/* What went wrong on the way is over. */
	w->source.cause = CAUSE_NONE;
	switch (w->state) {
	case WEB_MIRRORS:
		if (web_list_there(w, now))
			begin_first(w, now);
		break;
	case WEB_MANIFEST: manifest_there(w, now); break;
	case WEB_SIGNATURE: signature_there(w, now); break;
	default: image_fetched(w, now); break;
	}
}

/* A missing signature has a cause of its own. */
static void fetch_failed(struct web *w, bool fatal, uint64_t now)
{
	const char *text;
	enum cause cause = fetch_failure(w->fetch, &text);

	if (w->state == WEB_MIRRORS) {
		if (web_list_failed(w, fatal))
			begin_first(w, now);
		return;
	}
	if (cause == CAUSE_FETCH_STATUS && web_sums_absent(w, now))
		return;
	if (w->state == WEB_SIGNATURE && cause == CAUSE_FETCH_STATUS)
		cause = CAUSE_SIGNATURE_MISSING;
	if (fatal) {
		web_stop(w, cause, text, now);
		return;
	}
	w->source.cause = cause;
	strscpy(w->source.text, text, sizeof(w->source.text));
	source_raise(&w->source, SOURCE_FAILED);
}

static void fetch_event(struct web *w, enum fetch_event event, uint64_t now)
{
	switch (event) {
	case FETCH_EVENT_DONE: fetched(w, now); break;
	case FETCH_EVENT_RETRY: fetch_failed(w, false, now); break;
	case FETCH_EVENT_FATAL: fetch_failed(w, true, now); break;
	case FETCH_EVENT_LOOKUP: source_raise(&w->source, SOURCE_LOOKUP); break;
	default: break;
	}
}

/* One transfer's end may be the next one's start, which has something to say at once: a name to be
 * looked up. */
static void take_events(struct web *w, uint64_t now)
{
	enum fetch_event event = FETCH_EVENT_NONE;

	while (w->fetch && w->state != WEB_STOPPED &&
		(event = fetch_pop_event(w->fetch)) != FETCH_EVENT_NONE)
		fetch_event(w, event, now);
}

static void fetch_step(struct web *w, uint64_t now)
{
	fetch_dispatch(w->fetch, now);
	source_raise(&w->source, SOURCE_STEP);
	web_stream_step(w, now);
}

static void take_manifest(struct web *w, const struct proof_result *proof, uint64_t now)
{
	if (*w->summed) {
		memcpy(w->key, proof->manifest.sha256, sizeof(w->key));
		w->has_key = true;
	} else if ((w->manifest = malloc(sizeof(*w->manifest)))) {
		*w->manifest = proof->manifest;
	} else {
		web_stop(w, CAUSE_INTERNAL, "out of memory", now);
		return;
	}
	w->proof = proof_free(w->proof);
	begin_image(w, now);
}

static void proof_step(struct web *w, uint64_t now)
{
	const struct proof_result *proof;

	if (proof_dispatch(w->proof) == 0)
		return;
	proof = proof_result(w->proof);
	if (proof->cause) {
		web_stop(w, (enum cause)proof->cause, proof->text, now);
		return;
	}
	if (*proof->comment)
		report_log(w->env->report, REPORT_INFO, "root", now, "signed: %s", proof->comment);
	if (w->state == WEB_PROVING) {
		take_manifest(w, proof, now);
		return;
	}
	w->proof = proof_free(w->proof);
	proved(w, now);
}

static void mounted(struct web *w, uint64_t now)
{
	const struct web_result *r = &w->result;
	double seconds = (double)(w->source.phase_end - r->began) / 1e9;
	double mib = (double)r->bytes / (1 << 20);

	w->result.image = *image_result(w->image);
	store_drop(w->env);
	if (!w->cfg.layer.part)
		note_write(w->env, &image_source, r);
	snprintf(w->source.text, sizeof(w->source.text),
		"%s from %.160s: %.1f MiB in %.2f s (%.0f MiB/s), proof: %s",
		image_kind_name(r->image.kind), r->site, mib, seconds,
		seconds > 0 ? mib / seconds : 0, r->proof);
	source_raise(&w->source, SOURCE_MOUNTED);
	web_set_state(w, WEB_MOUNTED, now);
}

static void image_step(struct web *w, uint64_t now)
{
	const char *text;
	enum cause cause;

	image_dispatch(w->image, now);
	switch (image_pop_event(w->image)) {
	case IMAGE_EVENT_NONE: break;
	case IMAGE_EVENT_PROGRESS: source_raise(&w->source, SOURCE_STEP); break;
	case IMAGE_EVENT_MOUNTED: mounted(w, now); break;
	case IMAGE_EVENT_FAILED:
		cause = image_failure(w->image, &text);
		web_stop(w, cause, text, now);
		break;
	}
}

static void list_step(struct web *w, uint64_t now)
{
	if (web_list_step(w, now))
		begin_first(w, now);
}

static void cache_step(struct web *w, uint64_t now)
{
	switch (web_cache_step(w, now)) {
	case WEB_CACHE_BUSY: break;
	case WEB_CACHE_FOUND: image_there(w, now); break;
	case WEB_CACHE_MISSED: fetch_image(w, now); break;
	case WEB_CACHE_KEPT: prepare_mount(w, now); break;
	}
}

static struct web *make(const struct env *env)
{
	struct web *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->env = env;
	w->file = -1;
	w->list_end = NSEC_NEVER;
	w->source.record = &w->result;
	w->source.init = w->result.image.init;
	return w;
}

int web_start(struct source **ret, const struct env *env, const struct web_config *cfg,
	uint64_t now)
{
	struct web *w = make(env);

	if (!w)
		return -ENOMEM;
	w->cfg = *cfg;
	/* Of a root that is gone. */
	if (!cfg->layer.beside)
		note_drop(env, &image_source);
	begin(w, now);
	take_events(w, now);
	*ret = &w->source;
	return 0;
}

bool web_is_root(const char *sysroot, const char *wanted, char init[static INIT_CHECK_MAX])
{
	return mount_is_point(sysroot) &&
		init_check_limited(sysroot, wanted, init, INIT_CHECK_LIMIT_MS) >= 0;
}

int web_take(struct source **ret, const struct env *env, const char *sysroot, const char *init)
{
	struct web *w = make(env);
	struct image_result *r;

	if (!w)
		return -ENOMEM;
	r = &w->result.image;
	if (!note_read(env, &image_source, &w->result) || !r->kind || !r->root ||
		!web_is_root(sysroot, init, r->init)) {
		free(w);
		return 0;
	}
	store_drop(env);
	report_log(env->report, REPORT_INFO, "root", now_ns(),
		"the root of the image is mounted already, adopted");
	*ret = &w->source;
	return 1;
}

void web_dispatch(struct source *s, uint64_t now)
{
	struct web *w = (struct web *)s;

	if (w->list || now >= w->list_end)
		list_step(w, now);
	else if (w->fetch)
		fetch_step(w, now);
	else if (w->cache)
		cache_step(w, now);
	else if (w->proof)
		proof_step(w, now);
	else if (w->stream)
		web_stream_end(w, now);
	else if (w->image && w->state == WEB_MOUNTING)
		image_step(w, now);
	take_events(w, now);
}

/* --- what the target sees -------------------------------------------------------------------- */

int web_fd(const struct source *s)
{
	const struct web *w = (const struct web *)s;

	if (w->state == WEB_MOUNTED || w->state == WEB_STOPPED)
		return -1;
	if (w->list)
		return mirror_list_fd(w->list);
	if (w->stream)
		return stream_fd(w->stream);
	if (w->fetch)
		return fetch_fd(w->fetch);
	if (w->cache)
		return cache_fd(w->cache);
	if (w->proof)
		return proof_fd(w->proof);
	return w->image ? image_fd(w->image) : -1;
}

uint64_t web_deadline(const struct source *s)
{
	const struct web *w = (const struct web *)s;

	if (w->state == WEB_STOPPED)
		return NSEC_NEVER;
	if (w->fetch)
		return min_u64(w->list_end, fetch_deadline(w->fetch));
	return w->cache ? cache_deadline(w->cache) : w->list_end;
}

const char *web_lookup(const struct source *s)
{
	const struct web *w = (const struct web *)s;

	return w->fetch ? fetch_lookup(w->fetch) : NULL;
}

void web_way_lost(struct source *s, uint64_t now)
{
	struct web *w = (struct web *)s;

	if (w->fetch)
		fetch_way_lost(w->fetch, now);
}

void web_resolved(struct source *s, const struct inet_addr *addr, const char *why, uint64_t now)
{
	struct web *w = (struct web *)s;

	if (addr)
		s->server = *addr;
	if (w->fetch)
		fetch_resolved(w->fetch, addr, s->addresses, why, now);
	take_events(w, now);
}

const char *web_module(const struct source *s)
{
	const struct web *w = (const struct web *)s;

	return w->state == WEB_MODULE ? w->module : NULL;
}

void web_module_settled(struct source *s, uint64_t now)
{
	struct web *w = (struct web *)s;

	if (w->state == WEB_MODULE)
		mount_image(w, now);
}
