// SPDX-License-Identifier: GPL-2.0-or-later
/* wwinit: see wwinit.h. */
#include "root/wwinit/wwinit.h"

#include <limits.h>

#include "base/meminfo.h"
#include "base/mountpoint.h"
#include "root/image/layers.h"
#include "root/source/note.h"
#include "root/web/web.h"
#include "root/wwinit/disks.h"
#include "root/wwinit/request.h"

/* Warewulf's own module gives curl as long for the runtime overlay, in attempts of a second. */
#define RUNTIME_PATIENCE (60 * NSEC_PER_SEC)

/* The system overlay alone, for what has to be known before there is a root. */
#define OVERLAY STATE_DIR "/overlay"

/* The order of all. EARLY, LATE: no layer, what disks.h does. */
enum step { ALONE, EARLY, IMAGE, SYSTEM, RUNTIME, LATE, STEPS };

static const struct layer_row {
	const char *name, *words; /* name NULL: no layer */
	struct image_layer layer;
	bool privileged;
} rows[STEPS] = {
	[ALONE] = {"system", "system overlay: ", {.part = true}, false},
	[IMAGE] = {"image", "", {.part = true}, false},
	[SYSTEM] = {"system", "system overlay: ", {.part = true, .over = true}, false},
	[RUNTIME] = {"runtime", "runtime overlay: ",
		{.part = true, .over = true, .plain = true, .whole = true}, true},
};

struct wwinit {
	struct source source; /* the first */
	const struct env *env;
	const struct plan_wwinit *plan;
	const struct plan_image *server;
	const char *init;
	struct web_config web;
	struct plan_image image; /* of the layer at hand */
	char url[REQUEST_URL_MAX];
	enum step at;
	uint64_t began;
	struct source *layer;	 /* a root of web.h; NULL: disks, or all are there */
	struct disks *disks;	 /* at work; NULL: not now */
	uint64_t patience;	 /* with the runtime overlay, ns */
	bool prepared;		 /* they mounted the root's place */
	char overlay[PATH_MAX];	 /* OVERLAY below env's prefix */
	const char *sysroot;
	bool settled;		 /* the root is complete, or gone */
	struct wwinit_result result;
};

static struct wwinit *make_wwinit(const struct env *env)
{
	struct wwinit *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->env = env;
	w->source.record = &w->result;
	w->source.init = w->result.init;
	return w;
}

static void end_layer(struct wwinit *w)
{
	if (w->layer)
		web_end(w->layer);
	w->layer = NULL;
}

/* Nothing of a root whose layers are incomplete stays. */
static void drop_layers(struct wwinit *w)
{
	end_layer(w);
	w->disks = disks_free(w->disks);
	if (!w->settled && w->sysroot)
		layers_drop(w->env, w->sysroot);
	if (*w->overlay)
		mount_drop(w->overlay);
	w->settled = true;
}

static void wwinit_end(struct source *s)
{
	drop_layers((struct wwinit *)s);
	free(s);
}

static void stop_wwinit(struct wwinit *w, enum cause cause, const char *text)
{
	strscpy(w->source.text, text, sizeof(w->source.text));
	w->source.cause = cause;
	drop_layers(w);
	source_raise(&w->source, SOURCE_FATAL);
}

static void complete(struct wwinit *w)
{
	char init[INIT_CHECK_MAX];

	if (!web_is_root(w->sysroot, w->init, init)) {
		stop_wwinit(w, CAUSE_ROOT_NO_INIT, init);
		return;
	}
	strscpy(w->result.init, init, sizeof(w->result.init));
	w->settled = true;
	mount_drop(w->overlay);
	note_write(w->env, &wwinit_source, &w->result);
	snprintf(w->source.text, sizeof(w->source.text),
		"%u Warewulf layers from %.160s: %.1f MiB, unpacked %.1f MiB", w->result.layers,
		w->result.server, (double)w->result.bytes / (1 << 20),
		(double)w->result.unpacked / (1 << 20));
	source_raise(&w->source, SOURCE_MOUNTED);
}

/* The place of its own is in memory and as large as need be; the root's has its device and size. */
static void set_layer(struct wwinit *w)
{
	const struct layer_row *row = &rows[w->at];
	struct image_layer layer = row->layer;

	if (w->at != ALONE) {
		layer.on_disk = w->plan->device;
		layer.size = w->plan->size;
	}
	if (w->at == IMAGE)
		layer.over = w->prepared;
	w->web.plan = &w->image;
	w->web.target = w->at == ALONE ? w->overlay : w->sysroot;
	w->web.layer = layer;
	w->web.privileged = row->privileged;
}

static void begin_layer(struct wwinit *w, uint64_t now)
{
	char base[REQUEST_URL_MAX];
	bool tls = w->at == RUNTIME && !w->plan->staged &&
		request_tls(w->env, w->overlay, w->server->url, base, sizeof(base));
	int r = request_url(w->env, tls ? base : w->server->url, w->plan, rows[w->at].name, w->url);

	w->image = (struct plan_image){.url = w->url, .proxy = w->server->proxy,
		.ca = w->server->ca, .minmem_mib = w->server->minmem_mib};
	set_layer(w);
	w->web.ca = tls ? REQUEST_CA : NULL;
	w->began = now;
	r = r < 0 ? r : web_start(&w->layer, w->env, &w->web, now);
	if (r < 0)
		stop_wwinit(w, CAUSE_INTERNAL, strerror(-r));
}

/* False: there is nothing of this. Disks come before the image, as its files belong on them. */
static bool begin_disks(struct wwinit *w, uint64_t now)
{
	const struct disks_config cfg = {.overlay = w->overlay, .target = w->sysroot,
		.plan = w->plan, .memory = meminfo_left(w->env, w->server->minmem_mib),
		.late = w->at == LATE};
	int r;

	if (!disks_needed(&cfg))
		return false;
	r = disks_start(&w->disks, w->env, &cfg, now);
	if (r < 0)
		stop_wwinit(w, CAUSE_INTERNAL, strerror(-r));
	return true;
}

static void next_step(struct wwinit *w, uint64_t now)
{
	end_layer(w);
	do
		w->at++;
	while (w->at < STEPS && !rows[w->at].name && !begin_disks(w, now));
	if (w->at == STEPS)
		complete(w);
	else if (rows[w->at].name)
		begin_layer(w, now);
}

static void disks_done(struct wwinit *w, uint64_t now)
{
	const struct disks_config cfg = {.overlay = w->overlay, .plan = w->plan};

	w->disks = disks_free(w->disks);
	w->prepared = disks_mount(&cfg);
	next_step(w, now);
}

static void disks_step(struct wwinit *w, uint64_t now)
{
	switch (disks_dispatch(w->disks, now)) {
	case DISKS_NONE: break;
	case DISKS_MODULE: source_raise(&w->source, SOURCE_MODULE); break;
	case DISKS_STEP: source_raise(&w->source, SOURCE_STEP); break;
	case DISKS_DONE: disks_done(w, now); break;
	case DISKS_FAILED:
		stop_wwinit(w, disks_cause(w->disks), disks_text(w->disks));
		break;
	}
}

static void layer_unpacked(struct wwinit *w, uint64_t now)
{
	const struct web_result *r = w->layer->record;
	const struct writer_counts *made = &r->image.unpacked;

	if (w->at == ALONE) {
		next_step(w, now);
		return;
	}
	if (made->left_out || made->links_kept)
		report_log(w->env->report, REPORT_WARN, "root", now,
			"Warewulf's %s layer: %llu device nodes or attributes left out, %llu links "
			"or folders kept in place of an entry", rows[w->at].name,
			(unsigned long long)made->left_out, (unsigned long long)made->links_kept);
	strscpy(w->result.server, r->site, sizeof(w->result.server));
	w->result.bytes += r->bytes;
	w->result.unpacked += made->bytes;
	w->result.attempts += r->attempts;
	w->result.layers++;
	w->result.runtime = w->at == RUNTIME;
	w->source.server = w->layer->server;
	w->source.phase_end = w->layer->phase_end;
	next_step(w, now);
}

/* The server's status says what it has against this node. */
static enum cause cause_of(const struct source *layer)
{
	return layer->cause == CAUSE_FETCH_STATUS ? CAUSE_WWINIT_REFUSED : layer->cause;
}

/* Warewulf 4.7 boots without; nothing of it may have been unpacked. */
static bool can_do_without(const struct wwinit *w)
{
	return w->at == RUNTIME && !w->plan->staged && !web_unpacks(w->layer);
}

static void do_without(struct wwinit *w, uint64_t now)
{
	report_cause(w->env->report, CAUSE_WWINIT_NO_RUNTIME, "root", now, "%s", w->layer->text);
	next_step(w, now);
}

/* Its own text may name the server alone. */
static void name_layer(struct wwinit *w, char text[static REPORT_TEXT_MAX])
{
	snprintf(text, REPORT_TEXT_MAX, "%s%.*s", w->at == IMAGE ? "image: " : rows[w->at].words,
		REPORT_TEXT_MAX - 20, w->layer->text);
}

static void layer_event(struct wwinit *w, enum source_event event, uint64_t now)
{
	/* curl in Warewulf's own module asks again after 408, 429, 500, 502 and 504, too; wwclient
	 * does so on the running node. */
	bool late = now - w->began >= w->patience || w->layer->cause == CAUSE_FETCH_STATUS;
	char text[REPORT_TEXT_MAX];

	if (event == SOURCE_MOUNTED) {
		layer_unpacked(w, now);
	} else if ((event == SOURCE_FATAL || (event == SOURCE_FAILED && late)) &&
		can_do_without(w)) {
		do_without(w, now);
	} else if (event == SOURCE_FATAL) {
		name_layer(w, text);
		stop_wwinit(w, cause_of(w->layer), text);
	} else {
		w->source.cause = cause_of(w->layer);
		name_layer(w, w->source.text);
		source_raise(&w->source, event);
	}
}

static void take_layer_events(struct wwinit *w, uint64_t now)
{
	enum source_event event;

	while (w->layer && (event = source_pop_event(w->layer)) != SOURCE_NONE)
		layer_event(w, event, now);
}

/* --- the row --------------------------------------------------------------------------------- */

static int wwinit_begin(struct source **ret, const struct source_config *in, uint64_t now)
{
	struct wwinit *w = make_wwinit(in->env);

	if (!w)
		return -ENOMEM;
	/* not to the boot's own end: there is a root without it */
	w->patience = in->plan->retry_s ? min_u64(RUNTIME_PATIENCE, in->plan->retry_s *
		NSEC_PER_SEC / 2) : RUNTIME_PATIENCE;
	w->plan = in->choice->wwinit;
	w->server = in->choice->image;
	w->init = in->init;
	w->web = (struct web_config){.link = web_link_rate(in)};
	w->sysroot = in->sysroot;
	if (env_path(in->env, w->overlay, sizeof(w->overlay), OVERLAY) < 0)
		w->overlay[0] = 0;
	note_drop(in->env, &wwinit_source);
	begin_layer(w, now);
	take_layer_events(w, now);
	*ret = &w->source;
	return 0;
}

static int wwinit_adopt(struct source **ret, const struct env *env, const char *sysroot,
	const char *init)
{
	struct wwinit *w = make_wwinit(env);

	if (!w)
		return -ENOMEM;
	if (!note_read(env, &wwinit_source, &w->result) ||
		!web_is_root(sysroot, init, w->result.init)) {
		free(w);
		return 0;
	}
	w->settled = true;
	report_log(env->report, REPORT_INFO, "root", now_ns(),
		"the root of Warewulf's layers is mounted already, adopted");
	*ret = &w->source;
	return 1;
}

static struct source *layer_of(const struct source *s)
{
	return ((const struct wwinit *)s)->layer;
}

static struct disks *disks_of(const struct source *s)
{
	return ((const struct wwinit *)s)->disks;
}

static int wwinit_fd(const struct source *s)
{
	return layer_of(s) ? web_fd(layer_of(s)) : disks_of(s) ? disks_fd(disks_of(s)) : -1;
}

static uint64_t wwinit_deadline(const struct source *s)
{
	return layer_of(s) ? web_deadline(layer_of(s))
		: disks_of(s) ? disks_deadline(disks_of(s)) : NSEC_NEVER;
}

static void wwinit_dispatch(struct source *s, uint64_t now)
{
	if (layer_of(s))
		web_dispatch(layer_of(s), now);
	else if (disks_of(s))
		disks_step((struct wwinit *)s, now);
	take_layer_events((struct wwinit *)s, now);
}

static enum cause wwinit_describe(const struct source *s, char *buf, size_t size)
{
	const struct wwinit *w = (const struct wwinit *)s;
	size_t n;

	*buf = 0;
	if (w->disks)
		snprintf(buf, size, "the disks of this node: %s", disks_text(w->disks));
	if (!w->layer)
		return CAUSE_NONE;
	n = (size_t)snprintf(buf, size, "%s", rows[w->at].words);
	return web_describe(w->layer, buf + n, size - n);
}

static const char *wwinit_lookup(const struct source *s)
{
	return layer_of(s) ? web_lookup(layer_of(s)) : NULL;
}

static void wwinit_resolved(struct source *s, const struct inet_addr *addr, const char *why,
	uint64_t now)
{
	struct source *layer = layer_of(s);

	if (layer) {
		layer->addresses = s->addresses;
		web_resolved(layer, addr, why, now);
	}
	take_layer_events((struct wwinit *)s, now);
}

static const char *wwinit_module(const struct source *s)
{
	return disks_of(s) ? disks_module(disks_of(s)) : NULL;
}

static void wwinit_module_settled(struct source *s, uint64_t now)
{
	(void)now;
	if (disks_of(s))
		disks_module_settled(disks_of(s));
}

static void wwinit_way_lost(struct source *s, uint64_t now)
{
	if (layer_of(s))
		web_way_lost(layer_of(s), now);
}

static void wwinit_progress(const struct source *s, struct source_progress *ret)
{
	const struct wwinit *w = (const struct wwinit *)s;

	*ret = (struct source_progress){.step = "mounting", .left = UINT64_MAX,
		.busy = w->disks};
	if (!w->layer)
		return;
	web_progress(w->layer, ret);
	/* Each layer's bytes count from nothing. */
	if (w->at != IMAGE && streq(ret->step, "image"))
		ret->step = w->at == ALONE ? "overlay" : rows[w->at].name;
}

#define F(key, member) JSON_FIELD(key, struct wwinit_result, member)

static const struct json_field wwinit_fields[] = {
	F("server", server), F("layers", layers), F("runtime", runtime), F("bytes", bytes),
	F("unpacked", unpacked), F("attempts", attempts), F("init", init),
};

static const struct source_env wwinit_env[] = {
	{"ROOT_SERVER", "server"}, {0},
};

const struct source_ops wwinit_source = {
	.kind = PLAN_ROOT_WWINIT,
	.phase = "fetch",
	.asks_alone = true,
	.type = "wwinit",
	.fields = wwinit_fields,
	.n_fields = ARRAY_SIZE(wwinit_fields),
	.env = wwinit_env,
	.note = "wwinit-root",
	.server = web_server,
	.adopt = wwinit_adopt,
	.begin = wwinit_begin,
	.end = wwinit_end,
	.fd = wwinit_fd,
	.deadline = wwinit_deadline,
	.dispatch = wwinit_dispatch,
	.describe = wwinit_describe,
	.lookup = wwinit_lookup,
	.resolved = wwinit_resolved,
	.module = wwinit_module,
	.module_settled = wwinit_module_settled,
	.way_lost = wwinit_way_lost,
	.progress = wwinit_progress,
};
