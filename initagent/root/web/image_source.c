// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * image_source: a root image from web servers as a source of the target: its row. It needs
 * no neighbour entry and no RDMA port: once a rail has its address and the modules are there, web.c
 * does the rest.
 */
#include "root/source/source.h"

#include "root/web/web.h"

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

int web_server(const struct root_choice *c, unsigned turn, const struct source_hint *hint,
	struct source_server *ret)
{
	(void)turn;
	(void)hint;
	*ret = (struct source_server){.servers = 1};
	strscpy(ret->name, c->image->url, sizeof(ret->name));
	return 0;
}

uint64_t web_link_rate(const struct source_config *cfg)
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

static int image_begin(struct source **ret, const struct source_config *in, uint64_t now)
{
	const struct web_config cfg = {
		.plan = in->choice->image,
		.target = in->sysroot,
		.init = in->init,
		.node = rails_node_number(in->rails),
		.link = web_link_rate(in),
		.layer = in->layer ? *in->layer : (struct image_layer){0},
	};

	return web_start(ret, in->env, &cfg, now);
}

#define F(key, member) JSON_FIELD(key, struct web_result, member)
#define F_AS(key, member, kind) JSON_FIELD_AS(key, struct web_result, member, kind)
#define F_NAME(key, member, name) JSON_FIELD_NAME(key, struct web_result, member, name)

static const struct json_field image_fields[] = {
	F("url", url), F("server", site), F("sha256", sha256), F("proof", proof), F("bytes", bytes),
	F("attempts", attempts), F("cached", cached),
	F_NAME("format", image.kind, image_kind_name), F_NAME("holds", image.root, image_kind_name),
	F("inside", image.inside), F_AS("overlay", image.overlay, JSON_FLAG),
	F("unpacked", image.unpacked.bytes), F("init", image.init),
};

static const struct source_env image_env[] = {
	{"ROOT_URL", "url"}, {0},
};

const struct source_ops image_source = {
	.kind = PLAN_ROOT_LIVE,
	.phase = "fetch",
	.provable = true,
	.asks_alone = true,
	.type = "image",
	.fields = image_fields,
	.n_fields = ARRAY_SIZE(image_fields),
	.env = image_env,
	.note = "image-root",
	.needs = image_needs,
	.server = web_server,
	.adopt = web_take,
	.begin = image_begin,
	.end = web_end,
	.fd = web_fd,
	.deadline = web_deadline,
	.dispatch = web_dispatch,
	.describe = web_describe,
	.lookup = web_lookup,
	.resolved = web_resolved,
	.module = web_module,
	.module_settled = web_module_settled,
	.way_lost = web_way_lost,
	.progress = web_progress,
};
