// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * target_web: a root that is an image from web servers. It needs no neighbour entry and no RDMA port: once a rail
 * has its address and the modules are there, the web room does the rest.
 */
#include "boot_private.h"

#define RESOLVE_LIMIT (10 * NSEC_PER_SEC)

/* The console's short name of it: "http://server/path/root.img". */
static const char *name_of(const struct boot *b)
{
	return b->target.image->url;
}

void target_web_named(struct boot *b)
{
	strscpy(b->target.server, name_of(b), sizeof(b->target.server));
	stage_need_image(b);
}

static bool any_ready(const struct boot *b)
{
	return rails_other_ready(b, NULL);
}

/* The port GUID, or the interface's own address: the same in each boot, another on each node. */
static uint64_t node_number(const struct boot *b)
{
	uint64_t number = 0;

	for (size_t i = 0; i < b->n_rails; i++) {
		const struct netdev *dev = links_by_index(b->links, b->rails[i].ifindex);

		if (b->rails[i].guid)
			return b->rails[i].guid;
		for (size_t k = 0; dev && !number && k < 8 && k < dev->hw.len; k++)
			number = number << 8 | dev->hw.bytes[k];
	}
	return number;
}

static void begin(struct boot *b, uint64_t now)
{
	const struct web_config cfg = {
		.plan = b->target.image,
		.target = b->args->sysroot,
		.init = b->plan->given[OPTION_INIT] ? b->plan->init : NULL,
		.node = node_number(b),
	};
	int r = web_new(&b->web, &b->env, &cfg);

	if (r < 0) {
		boot_fail(b, r == -EOPNOTSUPP ? CAUSE_CMDLINE_ROOT_KIND : CAUSE_INTERNAL, name_of(b), now,
			r == -EOPNOTSUPP ? "this build has no HTTP" : strerror(-r));
		return;
	}
	b->target.began = now;
	target_mounting(b, now);
	web_start(b->web, now);
}

void target_web_near(struct boot *b, uint64_t now)
{
	if (!stage_vital_loaded(b))
		report_wait(b->report, CAUSE_MODULE_FAILED, "root", now, "waiting for kernel modules to load");
	else if (any_ready(b))
		begin(b, now);
	else
		report_wait(b->report, CAUSE_NONE, "root", now, "%s", "");
}

static void look_up(struct boot *b, uint64_t now)
{
	const char *name = web_lookup(b->web);
	int r = name ? addresses_resolve(b->addresses, name, RESOLVE_LIMIT, now) : 0;

	if (r < 0)
		web_resolved(b->web, NULL, strerror(-r), now);
}

void target_web_resolved(struct boot *b, const struct address_event *ev, uint64_t now)
{
	if (b->web)
		web_resolved(b->web, ev->addr.family ? &ev->addr : NULL, ev->text, now);
}

static void say_wait(struct boot *b, uint64_t now)
{
	char text[REPORT_TEXT_MAX];

	web_describe(b->web, text, sizeof(text));
	report_wait(b->report, web_waits_for(b->web), "root", now, "%s", text);
}

static void mounted(struct boot *b, uint64_t now)
{
	const struct web_result *r = web_result(b->web);
	double seconds = (double)(r->fetched - r->began) / 1e9, mib = (double)r->bytes / (1 << 20);

	b->target.addr = r->server;
	report_log(b->report, REPORT_INFO, "root", now, "%s from %s: %.1f MiB in %.2f s (%.0f MiB/s), proof: %s",
		image_kind_name(r->image.kind), r->site, mib, seconds, seconds > 0 ? mib / seconds : 0, r->proof);
	target_up(b, now);
}

void target_web_step(struct boot *b, uint64_t now)
{
	const char *text;
	enum cause cause;

	switch (web_pop_event(b->web)) {
	case WEB_EVENT_NONE: break;
	case WEB_EVENT_LOOKUP: look_up(b, now); break;
	case WEB_EVENT_PROGRESS: say_wait(b, now); break;
	case WEB_EVENT_RETRY:
		cause = web_failure(b->web, &text);
		report_cause(b->report, cause, name_of(b), now, "%s", text);
		say_wait(b, now);
		break;
	case WEB_EVENT_MOUNTED: mounted(b, now); break;
	case WEB_EVENT_FATAL:
		cause = web_failure(b->web, &text);
		boot_fail(b, cause, name_of(b), now, text);
		break;
	}
}
