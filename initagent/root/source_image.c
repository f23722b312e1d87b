// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * target_web: a root that is an image from web servers. It needs no neighbour entry and no RDMA port: once a rail
 * has its address and the modules are there, the web room does the rest.
 */
#include "boot/boot_private.h"
#include "report/report.h"
#include "url.h"

#define RESOLVE_LIMIT (10 * NSEC_PER_SEC)
/* So often bytes that are fetched again count again. */
#define FRESH_STARTS  3

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

/* The last octets of a hardware address: an Ethernet address, or the GUID in that of IPoIB. */
static uint64_t number_of(const struct netdev *dev)
{
	uint64_t number = 0;

	for (size_t i = dev->hw.len > 8 ? dev->hw.len - 8 : 0; i < dev->hw.len; i++)
		number = number << 8 | dev->hw.bytes[i];
	return number;
}

uint64_t target_node_number(const struct boot *b)
{
	for (size_t i = 0; i < b->n_rails; i++) {
		const struct netdev *dev = links_by_index(b->links, b->rails[i].ifindex);

		if (b->rails[i].guid)
			return b->rails[i].guid;
		if (dev && dev->hw.len)
			return number_of(dev);
	}
	return 0;
}

static void look_up(struct boot *b, uint64_t now)
{
	const char *name = web_lookup(b->web);
	int r = name ? addresses_resolve(b->addresses, name, RESOLVE_LIMIT, now) : 0;

	if (name)
		b->lookup = r < 0 ? LOOKUP_NONE : LOOKUP_TARGET;
	if (r < 0)
		web_resolved(b->web, NULL, strerror(-r), now);
}

void target_web_resolved(struct boot *b, const struct address_event *ev, uint64_t now)
{
	const char *name = b->web ? web_lookup(b->web) : NULL;

	if (name && ev->n_addrs)
		b->target.addr = *target_next_address(b, name, ev, now);
	if (b->web)
		web_resolved(b->web, ev->n_addrs ? &b->target.addr : NULL, ev->text, now);
}

static void ask_module(struct boot *b, uint64_t now)
{
	if (modules_request(b->modules, web_module(b->web), now) < 0)
		web_module_settled(b->web, now);
}

/* The ledger has a row for what was asked for, and one for each module an alias stands for. */
static void look_at_module(struct boot *b, uint64_t now)
{
	const char *name = web_module(b->web);
	const struct module_entry *e = name ? modules_find(b->modules, name) : NULL;

	if (e && e->state > MODULE_LOADING)
		web_module_settled(b->web, now);
}

static void say_wait(struct boot *b, uint64_t now)
{
	char text[REPORT_TEXT_MAX];
	struct web_progress p;

	web_progress(b->web, &p);
	web_describe(b->web, text, sizeof(text));
	if (b->target.cause == CAUSE_NONE || p.bytes)
		report_wait(b->report, web_waits_for(b->web), "root", now, "%s", text);
}

/*
 * How many bytes of this step were never there before. A source that changes makes the transfer begin from nothing, which is
 * allowed a few times: whoever does it again and again must not keep the boot.
 */
static uint64_t new_bytes(struct progress *all, const struct web_progress *p)
{
	uint64_t more;
	size_t i;

	for (i = 0; i < all->n && all->rows[i].step != p->step; i++)
		;
	if (i == PROGRESS_STEPS)
		return 0;
	if (i == all->n)
		all->rows[all->n++].step = p->step;
	if (p->bytes < all->rows[i].best / 2 && p->bytes && all->fresh < FRESH_STARTS) {
		all->fresh++;
		all->rows[i].best = 0;
	}
	more = p->bytes > all->rows[i].best ? p->bytes - all->rows[i].best : 0;
	all->rows[i].best += more;
	return more;
}

/*
 * rd.retry is for a network that does not work. While bytes come it does, however long an image takes: new bytes put the end of
 * the budget off, by as long as they may take at the least rate (rd.net.min-rate=), and to the whole of it at most.
 */
static void renew_budget(struct boot *b, const struct web_progress *p, uint64_t now)
{
	uint64_t more = new_bytes(&b->target.progress, p), whole = plan_network_deadline(b->plan, now);
	uint32_t rate = b->plan->net.min_rate;

	if (!more || b->network_end == NSEC_NEVER)
		return;
	if (!rate || more / rate >= (whole - now) / NSEC_PER_SEC)
		b->network_end = whole;
	else
		b->network_end = min_u64(whole, b->network_end + more * NSEC_PER_SEC / rate);
}

/* The way to the server at hand, as links_lookup(): its address is that of its URL, or what a name was last found to have. */
static int look_up_way(struct boot *b, struct link_route *way)
{
	struct target *t = &b->target;
	struct web_progress p;
	const char *site;
	struct url url;
	int r;

	web_progress(b->web, &p);
	site = *p.site ? p.site : name_of(b);
	if (url_parse(&url, site, strlen(site)) == 0 && url.address.family)
		t->addr = url.address;
	r = t->addr.family ? links_lookup(b->links, &t->addr, way) : -ENODATA;
	t->ifindex = r < 0 ? 0 : way->ifindex;
	return r;
}

static void look_at_progress(struct boot *b, uint64_t now)
{
	struct web_progress p;
	struct link_route way;

	web_progress(b->web, &p);
	if (p.attempts != b->target.attempts)
		(void)look_up_way(b, &way);
	b->target.attempts = p.attempts;
	renew_budget(b, &p, now);
}

static void mounted(struct boot *b, uint64_t now)
{
	const struct web_result *r = web_result(b->web);
	double seconds = (double)(r->fetched - r->began) / 1e9, mib = (double)r->bytes / (1 << 20);

	if (r->server.family)
		b->target.addr = r->server;
	report_log(b->report, REPORT_INFO, "root", now, "%s from %s: %.1f MiB in %.2f s (%.0f MiB/s), proof: %s",
		image_kind_name(r->image.kind), r->site, mib, seconds, seconds > 0 ? mib / seconds : 0, r->proof);
	target_up(b, now);
}

/* The web room knows the connection; the way it takes, or that there is none, is known here. */
static void failed(struct boot *b, uint64_t now)
{
	char asked[REPORT_TEXT_MAX], why[REPORT_TEXT_MAX], addr[INET_ADDR_TEXT];
	const char *text;
	enum cause cause = web_failure(b->web, &text);
	struct link_route way;
	int r = look_up_way(b, &way);

	inet_text(&b->target.addr, addr);
	strscpy(asked, text, sizeof(asked));
	/* A name does not tell which of its addresses was asked. */
	if (!strstr(text, addr))
		snprintf(asked, sizeof(asked), "%s (asked at %s)", text, addr);
	strscpy(why, asked, sizeof(why));
	if (cause != CAUSE_FETCH_CONNECT && cause != CAUSE_FETCH_STALLED)
		r = -ENODATA;
	if (r == -ENETUNREACH) {
		cause = CAUSE_NO_ROUTE;
		rail_no_route_text(b, why, sizeof(why));
	} else if (r >= 0) {
		rail_path_text(b, &way, asked, why, sizeof(why));
	}
	target_failed(b, cause, why, now);
}

static void web_event(struct boot *b, enum web_event event, uint64_t now)
{
	const char *text;
	enum cause cause = web_failure(b->web, &text);

	switch (event) {
	case WEB_EVENT_LOOKUP: look_up(b, now); break;
	case WEB_EVENT_MODULE: ask_module(b, now); break;
	case WEB_EVENT_PROGRESS: say_wait(b, now); break;
	case WEB_EVENT_RETRY: failed(b, now); break;
	case WEB_EVENT_MOUNTED: mounted(b, now); break;
	case WEB_EVENT_FATAL: boot_fail(b, cause, name_of(b), now, text); break;
	default: break;
	}
}

void target_web_step(struct boot *b, uint64_t now)
{
	enum web_event event;

	look_at_module(b, now);
	while (!b->finished && b->web && (event = web_pop_event(b->web)) != WEB_EVENT_NONE)
		web_event(b, event, now);
	if (b->web)
		look_at_progress(b, now);
}

/* Bits a second of the fastest rail with an address, as its driver says it; 0: none knows (virtio, often). */
static uint64_t link_rate(const struct boot *b)
{
	uint64_t best = 0;
	char text[32];

	for (size_t i = 0; i < b->n_rails; i++) {
		const struct rail *r = &b->rails[i];
		uint64_t mbit = 0;

		if (r->configured && env_read(&b->env, text, sizeof(text), "/sys/class/net/%s/speed", r->name) > 0 &&
			*text != '-')
			mbit = strtoull(text, NULL, 10);
		best = mbit > best ? mbit : best;
	}
	return best < UINT32_MAX ? best * 1000000 : 0;
}

void target_web_begin(struct boot *b, uint64_t now)
{
	const struct web_config cfg = {
		.plan = b->target.image,
		.target = b->args->sysroot,
		.init = b->plan->given[OPTION_INIT] ? b->plan->init : NULL,
		.node = target_node_number(b),
		.link = link_rate(b),
	};
	int r = web_new(&b->web, &b->env, &cfg);

	if (r < 0) {
		boot_fail(b, r == -EOPNOTSUPP ? CAUSE_CMDLINE_ROOT_KIND : CAUSE_INTERNAL, name_of(b), now,
			r == -EOPNOTSUPP ? "this build has no HTTP" : strerror(-r));
		return;
	}
	target_mounting(b, NULL, now);
	web_start(b->web, now);
	/* Nothing else may follow that would bring us here again. */
	target_web_step(b, now);
}
