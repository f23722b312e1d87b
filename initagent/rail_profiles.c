// SPDX-License-Identifier: GPL-2.0-or-later
/* rail_profiles: the rails that are kept, gathered for the network profiles of the real root. */
#include "boot_private.h"
#include "handover/profiles.h"
#include "handover/udev.h"

static bool is_connected(const struct boot *b, const char *name)
{
	char mode[16];

	return env_read(&b->env, mode, sizeof(mode), "/sys/class/net/%s/mode", name) > 0 && streq(mode, "connected");
}

static void fill_parent(const struct boot *b, const struct netdev *dev, struct profile_rail *out)
{
	const struct netdev *parent = links_by_index(b->links, dev->parent_ifindex);

	if (!ipoib_is_child(dev) || !parent)
		return;
	strscpy(out->parent, parent->name, sizeof(out->parent));
	out->parent_ifindex = parent->ifindex;
}

/* false: it has no address, so there is nothing to keep. */
static bool fill_rail(const struct boot *b, const struct rail *rail, int root, struct profile_rail *out)
{
	const struct netdev *dev = links_by_index(b->links, rail->ifindex);

	*out = (struct profile_rail){
		.four = addresses_result_of(b->addresses, rail->ifindex, AF_INET),
		.six = addresses_result_of(b->addresses, rail->ifindex, AF_INET6),
		.carries_root = rail->ifindex == root,
	};
	if (!dev || (!out->four && !out->six) || address_config_from_plan(&out->cfg, b->plan, rail->ip, dev) < 0)
		return false;
	out->dev = *dev;
	out->cfg.metric = rail->metric;
	out->connected = is_connected(b, dev->name);
	fill_parent(b, dev, out);
	return true;
}

static int64_t wall_clock(void)
{
	struct timespec ts = {0};

	clock_gettime(CLOCK_REALTIME, &ts);
	return ts.tv_sec;
}

void rail_profiles_write(struct boot *b, uint64_t now)
{
	struct profile_rail rails[RAILS_MAX];
	struct profile_set set = {
		.env = &b->env, .sysroot = b->args->sysroot, .now = now, .wall = wall_clock(), .rails = rails};
	char text[64];
	int r, root = boot_root_ifindex(b);

	for (size_t i = 0; i < b->n_rails; i++)
		set.n_rails += fill_rail(b, &b->rails[i], root, &rails[set.n_rails]);
	profiles_write(&set, b->plan, &b->managers);
	if (!set.n_rails)
		b->managers.chosen = 0;
	b->handed_over = true;
	report_log(b->report, REPORT_INFO, "handover", now, "network profiles for: %s",
		managers_text(b->managers.chosen, text, sizeof(text)));
	r = udev_write(&b->env, b->plan);
	report_span(b->report, "handover", "profiles", now, now_ns(), r);
	if (r < 0)
		report_cause(b->report, CAUSE_HANDOVER_WRITE, UDEV_RULES_FILE, now, "%s", strerror(-r));
}
