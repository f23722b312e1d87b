// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * image_source: a root image from web servers as a source of the target. It needs no neighbour
 * entry and no RDMA port: once a rail has its address and the modules are there, web.c does the
 * rest.
 */
#include "root/source/source.h"

#include "root/web/web.h"
#include "url.h"

struct image_root {
	const struct plan_image *plan;
	struct web *web;	   /* NULL: adopted */
	struct web_result adopted;
	struct web_progress fetch; /* as last asked for */
};

static const struct web_result *image_root_result(const struct image_root *s)
{
	return s->web ? web_result(s->web) : &s->adopted;
}

/* Any of them may be built in, and an archive needs none. */
static size_t image_needs(const struct root_choice *c, bool overlay,
	struct need ret[static NEEDS_MAX])
{
	const char *name;
	size_t n = 0;

	(void)c;
	(void)overlay;
	while ((name = image_modules(n))) {
		ret[n] = (struct need){name, false, "a root image"};
		n++;
	}
	return n;
}

static int image_server(const struct root_choice *c, unsigned turn, const struct source_hint *hint,
	struct source_server *ret)
{
	(void)turn;
	(void)hint;
	*ret = (struct source_server){.servers = 1};
	strscpy(ret->name, c->image->url, sizeof(ret->name));
	return 0;
}

static int image_root_adopt(void **ret, const struct env *env, const char *sysroot,
	const char *init)
{
	_cleanup_free_ struct image_root *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	if (image_adopt(env, sysroot, init, &s->adopted.image) <= 0)
		return 0;
	web_adopt(env, &s->adopted);
	report_log(env->report, REPORT_INFO, "root", now_ns(),
		"the root of the image is mounted already, adopted");
	*ret = s;
	s = NULL;
	return 1;
}

/* Bits a second of the fastest rail with an address, as its driver reports it; 0: none does
 * (virtio, often). */
static uint64_t link_rate(const struct source_config *cfg)
{
	size_t n;
	const struct rail *rails = rails_list(cfg->rails, &n);
	uint64_t best = 0;
	char text[32];

	for (size_t i = 0; i < n; i++) {
		uint64_t mbit = 0;

		if (rails[i].configured &&
			env_read(cfg->env, text, sizeof(text), "/sys/class/net/%s/speed",
			rails[i].name) > 0 && *text != '-')
			mbit = strtoull(text, NULL, 10);
		best = mbit > best ? mbit : best;
	}
	return best < UINT32_MAX ? best * 1000000 : 0;
}

static int image_begin(void **ret, const struct source_config *in, uint64_t now)
{
	const struct web_config cfg = {
		.plan = in->choice->image,
		.target = in->sysroot,
		.init = in->init,
		.node = rails_node_number(in->rails),
		.link = link_rate(in),
	};
	_cleanup_free_ struct image_root *s = calloc(1, sizeof(*s));
	int r = s ? web_new(&s->web, in->env, &cfg) : -ENOMEM;

	if (r < 0)
		return r;
	s->plan = in->choice->image;
	web_start(s->web, now);
	*ret = s;
	s = NULL;
	return 0;
}

static void image_end(void *p)
{
	struct image_root *s = p;

	web_free(s->web);
	free(s);
}

static int image_root_fd(const void *p)
{
	const struct image_root *s = p;

	return s->web ? web_fd(s->web) : -1;
}

static uint64_t image_root_deadline(const void *p)
{
	const struct image_root *s = p;

	return s->web ? web_deadline(s->web) : NSEC_NEVER;
}

static void image_root_dispatch(void *p, uint64_t now)
{
	struct image_root *s = p;

	web_dispatch(s->web, now);
}

static void mounted_text(const struct web_result *r, char *buf, size_t size)
{
	double seconds = (double)(r->fetched - r->began) / 1e9, mib = (double)r->bytes / (1 << 20);

	snprintf(buf, size, "%s from %.160s: %.1f MiB in %.2f s (%.0f MiB/s), proof: %s",
		image_kind_name(r->image.kind), r->site,
		mib, seconds, seconds > 0 ? mib / seconds : 0, r->proof);
}

static void image_root_pop_event(void *p, struct source_event *ret)
{
	static const enum source_event_type types[WEB_EVENT_MAX] = {
		[WEB_EVENT_NONE] = SOURCE_NONE,
		[WEB_EVENT_LOOKUP] = SOURCE_LOOKUP,
		[WEB_EVENT_MODULE] = SOURCE_MODULE,
		[WEB_EVENT_PROGRESS] = SOURCE_STEP,
		[WEB_EVENT_RETRY] = SOURCE_FAILED,
		[WEB_EVENT_MOUNTED] = SOURCE_MOUNTED,
		[WEB_EVENT_FATAL] = SOURCE_FATAL,
	};
	struct image_root *s = p;
	const char *text;

	*ret = (struct source_event){.type = types[web_pop_event(s->web)]};
	ret->cause = web_failure(s->web, &text);
	if (ret->type == SOURCE_MOUNTED)
		mounted_text(web_result(s->web), ret->text, sizeof(ret->text));
	else
		strscpy(ret->text, text, sizeof(ret->text));
}

static enum cause image_root_describe(const void *p, char *buf, size_t size)
{
	const struct image_root *s = p;

	web_describe(s->web, buf, size);
	return web_waits_for(s->web);
}

static void image_root_result_fill(const void *p, struct source_result *ret)
{
	struct image_root *s = (struct image_root *)(uintptr_t)p;
	const struct web_result *r = image_root_result(s);

	*ret = (struct source_result){.init = r->image.init,
		.server = r->server,
		.phase = "fetch",
		.phase_end = r->fetched,
		.record = r};
	if (!s->web)
		return;
	web_progress(s->web, &s->fetch);
	ret->fetch = &s->fetch;
}

static const char *image_lookup(const void *p)
{
	const struct image_root *s = p;

	return web_lookup(s->web);
}

static void image_resolved(void *p, const struct inet_addr *addr, const char *why, uint64_t now)
{
	struct image_root *s = p;

	web_resolved(s->web, addr, why, now);
}

static const char *image_module(const void *p)
{
	const struct image_root *s = p;

	return web_module(s->web);
}

static void image_module_settled(void *p, uint64_t now)
{
	struct image_root *s = p;

	web_module_settled(s->web, now);
}

static void image_way_lost(void *p, uint64_t now)
{
	struct image_root *s = p;

	web_way_lost(s->web, now);
}

static void image_root_progress(const void *p, struct source_progress *ret)
{
	const struct image_root *s = p;
	struct web_progress w;
	const char *site;
	struct url url;

	web_progress(s->web, &w);
	*ret = (struct source_progress){.step = w.step, .bytes = w.bytes, .attempts = w.attempts};
	site = *w.site ? w.site : s->plan->url;
	if (url_parse(&url, site, strlen(site)) == 0)
		ret->asked = url.address;
}

#define F(key, member) JSON_FIELD(key, struct web_result, member)
#define F_AS(key, member, kind) JSON_FIELD_AS(key, struct web_result, member, kind)
#define F_NAME(key, member, name) JSON_FIELD_NAME(key, struct web_result, member, name)

static const struct json_field image_fields[] = {
	F("url", url), F("server", site), F("sha256", sha256), F("proof", proof), F("bytes", bytes),
	F("attempts", attempts), F("cached", cached),
	F_NAME("format", image.kind, image_kind_name), F_NAME("holds", image.root, image_kind_name),
	F("inside", image.inside), F_AS("overlay", image.overlay, JSON_FLAG),
	F("unpacked", image.bytes), F("init", image.init),
};

static const struct source_env image_env[] = {
	{"ROOT_URL", "url"}, {0},
};

const struct source_ops image_source = {
	.kind = PLAN_ROOT_LIVE,
	.provable = true,
	.asks_alone = true,
	.type = "image",
	.fields = image_fields,
	.n_fields = ARRAY_SIZE(image_fields),
	.env = image_env,
	.needs = image_needs,
	.server = image_server,
	.adopt = image_root_adopt,
	.drop = image_drop,
	.begin = image_begin,
	.end = image_end,
	.fd = image_root_fd,
	.deadline = image_root_deadline,
	.dispatch = image_root_dispatch,
	.pop_event = image_root_pop_event,
	.describe = image_root_describe,
	.result = image_root_result_fill,
	.lookup = image_lookup,
	.resolved = image_resolved,
	.module = image_module,
	.module_settled = image_module_settled,
	.way_lost = image_way_lost,
	.progress = image_root_progress,
};
