// SPDX-License-Identifier: GPL-2.0-or-later

#include "handover/profiles.h"

#include <limits.h>

#include "address/result.h"
#include "inet_text.h"
#include "base/file.h"
#include "handover/own.h"
#include "handover/renewal.h"
#include "handover/root_facts.h"
#include "report/report.h"
#include "state/state.h"

static void complain(const struct profile_set *set, const char *what, int r)
{
	report_cause(set->env->report, CAUSE_HANDOVER_WRITE, what, set->now, "%s", strerror(-r));
}

/* A profile for a manager that will hardly run is no reason for a warning. */
static void warn_lease(const struct profile_set *set, const struct managers *m, unsigned bit,
	const struct profile_rail *rail, const char *why)
{
	if (m->chosen == bit || m->enabled & bit)
		report_cause(set->env->report, CAUSE_HANDOVER_LEASE, rail->dev.name, set->now, "%s",
			why);
}

/* --- one rail, one manager ------------------------------------------------------------------- */

static void write_networkd(const struct profile_set *set, const struct managers *m,
	const struct profile_rail *rail)
{
	int r = networkd_write(set, rail);

	if (r < 0)
		complain(set, "systemd-networkd", r);
	else if (r)
		warn_lease(set, m, PLAN_HANDOVER_NETWORKD, rail,
			"this version of systemd-networkd cannot send its client identifier");
}

/* The name of one that the root configures stays as well. */
static void write_link(const struct profile_set *set, const struct profile_rail *rail)
{
	int r = link_write(set, rail);

	if (r < 0)
		complain(set, "udev", r);
}

static void write_rail(const struct profile_set *set, const struct managers *m,
	const struct profile_rail *rail)
{
	int r;

	if (m->chosen & PLAN_HANDOVER_NETWORKD)
		write_networkd(set, m, rail);
	r = m->chosen & PLAN_HANDOVER_NETWORKMANAGER ? networkmanager_write(set, rail) : 0;
	if (r < 0)
		complain(set, "NetworkManager", r);
	r = m->chosen & PLAN_HANDOVER_IFCFG ? ifcfg_write(set, rail) : 0;
	if (r < 0)
		complain(set, "ifcfg", r);
}

/* What ip= names, but has no address yet: NetworkManager alone would not bring it up, as the others
 * read ip= by themselves (systemd-network-generator) or have the root's own configuration. */
static void write_awaited(const struct profile_set *set, const struct managers *m)
{
	for (size_t i = 0; i < set->n_awaited && m->chosen & PLAN_HANDOVER_NETWORKMANAGER; i++) {
		const struct profile_rail *rail = &set->awaited[i];
		int r = profile_name_ok(rail->dev.name) ? networkmanager_write(set, rail) : -EINVAL;

		if (r < 0)
			complain(set, "NetworkManager", r);
		else
			report_log(set->env->report, REPORT_INFO, rail->dev.name, set->now,
				"no address yet: NetworkManager of the real root goes on");
	}
}

/* The administrator did not enable it. */
static void log_borrowed(const struct profile_set *set)
{
	for (size_t i = 0; i < set->n_rails; i++)
		if (set->rails[i].renewal == RENEWAL_NETWORKD)
			report_log(set->env->report, REPORT_INFO, set->rails[i].dev.name, set->now,
				"the real root's systemd-networkd is started to renew this lease, "
					"ifupdown cannot");
}

static void write_ifupdown(const struct profile_set *set, const struct managers *m)
{
	int r = ifupdown_write(set);

	if (r < 0) {
		complain(set, "ifupdown", r);
		return;
	}
	log_borrowed(set);
	for (size_t i = 0; i < set->n_rails && m->chosen == PLAN_HANDOVER_IFUPDOWN; i++)
		if (set->rails[i].lapse)
			warn_lease(set, m, PLAN_HANDOVER_IFUPDOWN, &set->rails[i],
				set->rails[i].lapse);
}

/* A bond that lacks a slave boots as well, and would go unnoticed until the other one fails. */
static void tell_absent(const struct profile_set *set, const struct boot_plan *plan)
{
	for (size_t i = 0; i < plan->net.n_links; i++) {
		const struct plan_link *link = &plan->net.links[i];
		const char *part;
		size_t at = 0;

		while ((part = profile_absent(link, set->rails, set->n_rails, &at)))
			report_cause(set->env->report, CAUSE_NETDEV_MISSING, part, set->now,
				"%s goes on without it; it joins when it appears", link->name);
	}
}

/* --- DNS and host name ----------------------------------------------------------------------- */

static int write_text(const struct profile_set *set, const char *dir, const char *name,
	const char *text)
{
	int r = file_make_dirs(set->env, dir);

	return r < 0 ? r : file_write(set->env, dir, name, text, strlen(text), 0644);
}

/* The link's target, until its owner writes it. An existing one is left alone. */
static int write_linked(const struct profile_set *set, const char *text)
{
	char path[PATH_MAX], *slash;

	strscpy(path, set->facts->resolv, sizeof(path));
	slash = strrchr(path, '/');
	if (!slash || !slash[1] || env_exists(set->env, "%s", path))
		return 0;
	*slash = 0;
	return write_text(set, path, slash + 1, text);
}

static int write_resolv_conf(const struct profile_set *set)
{
	char text[RESOLV_TEXT_MAX];
	struct resolv_conf conf = {0};
	int r;

	for (size_t i = 0; i < set->n_rails; i++) {
		if (set->rails[i].four)
			resolv_conf_add(&conf, set->rails[i].four);
		if (set->rails[i].six)
			resolv_conf_add(&conf, set->rails[i].six);
	}
	if (!resolv_conf_text(&conf, text))
		return 0;
	r = write_text(set, STATE_DIR, "resolv.conf", text);
	return r < 0 ? r : write_linked(set, text);
}

/* hostname=, else what a server gave the rail that carries the root, else any. */
static const char *hostname_of(const struct profile_set *set, const struct boot_plan *plan)
{
	const char *name = plan->net.hostname ? plan->net.hostname : "";

	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < set->n_rails && !*name; i++)
			if (set->rails[i].four && (pass || set->rails[i].carries_root))
				name = set->rails[i].four->hostname;
	return name;
}

static int write_hostname(const struct profile_set *set, const struct boot_plan *plan)
{
	const char *name = hostname_of(set, plan);
	char line[ADDRESS_HOSTNAME_MAX + 2];

	if (!text_valid(TEXT_HOSTNAME, name))
		return 0;
	snprintf(line, sizeof(line), "%s\n", name);
	return write_text(set, STATE_DIR, "hostname", line);
}

/* --- all ------------------------------------------------------------------------------------- */

/* Interfaces with names that no file could hold are left as they are, and said. Those that the root
 * configures are the last ones. */
static void take_rails(struct profile_set *set, struct profile_rail *ret)
{
	const struct profile_rail *all = set->rails;
	const size_t n = min_u64(set->n_rails, ADDRESS_IFACES_MAX);

	set->rails = ret;
	set->n_rails = 0;
	for (size_t i = 0; i < n; i++)
		if (!profile_name_ok(all[i].dev.name))
			complain(set, "interface name", -EINVAL);
		else if (!set->facts->own[i])
			ret[set->n_rails++] = all[i];
	set->own = ret + set->n_rails;
	for (size_t i = 0; i < n; i++)
		if (profile_name_ok(all[i].dev.name) && set->facts->own[i]) {
			ret[set->n_rails + set->n_own++] = all[i];
			report_log(set->env->report, REPORT_INFO, all[i].dev.name, set->now,
				"the real root's own configuration of it replaces the boot's");
		}
}

void profiles_write(const struct profile_set *all, const struct boot_plan *plan)
{
	const struct managers *m = &all->facts->managers;
	struct profile_rail rails[ADDRESS_IFACES_MAX];
	struct profile_set set = *all;
	int r;

	take_rails(&set, rails);
	for (size_t i = 0; i < set.n_rails + set.n_own; i++)
		write_link(&set, &rails[i]);
	for (size_t i = 0; i < set.n_rails; i++)
		write_rail(&set, m, &rails[i]);
	write_awaited(&set, m);
	if (set.n_rails && m->chosen & PLAN_HANDOVER_IFUPDOWN) {
		renewal_choose(&set, m, rails);
		write_ifupdown(&set, m);
	}
	r = own_write(&set);
	if (r < 0)
		complain(&set, "systemd", r);
	set.n_rails += set.n_own;
	tell_absent(&set, plan);
	r = write_resolv_conf(&set);
	if (r >= 0)
		r = write_hostname(&set, plan);
	if (r < 0)
		complain(&set, "resolv.conf", r);
}
