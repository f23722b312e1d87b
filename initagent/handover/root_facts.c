// SPDX-License-Identifier: GPL-2.0-or-later

#include "handover/root_facts.h"

#include <limits.h>
#include <sys/stat.h>

#include "handover/interfaces.h"
#include "handover/own.h"
#include "handover/renewal.h"
#include "base/sysmount.h"

/* ifup would configure an interface that another manager has: both are in use. */
static bool ifup_joins_in(const char *sysroot, const struct root_facts_rails *rails,
	const struct managers *m)
{
	bool named = false;

	for (size_t i = 0; m->enabled & PLAN_HANDOVER_IFUPDOWN && i < rails->n; i++)
		named |= interfaces_name(sysroot, rails->names[i]);
	return named;
}

/* Will networkd get a profile, of its own or to renew for ifupdown? */
static bool needs_networkd(const struct managers *m)
{
	return m->chosen & PLAN_HANDOVER_NETWORKD ||
		(m->chosen & PLAN_HANDOVER_IFUPDOWN && m->installed & PLAN_HANDOVER_NETWORKD);
}

/*
 * Units of ours make /run/systemd/system, by which all programs tell that systemd runs
 * (sd_booted(3)). Where it is installed it does, but for a /sbin/init that is another program; a
 * script may execute it.
 */
static bool runs_systemd(const char *sysroot)
{
	_cleanup_close_ int systemd = sys_open_beneath(sysroot, "/lib/systemd/systemd", O_PATH),
			    init = sys_open_beneath(sysroot, "/sbin/init", O_RDONLY);
	struct stat one, other;
	char head[2] = "";

	if (systemd < 0 || init < 0 || fstat(systemd, &one) < 0 || fstat(init, &other) < 0)
		return systemd >= 0;
	return (one.st_dev == other.st_dev && one.st_ino == other.st_ino) ||
		(pread(init, head, 2, 0) == 2 && head[0] == '#' && head[1] == '!');
}

/*
 * Where in /run the real root's /etc/resolv.conf leads, "" if it does not. systemd-resolved's
 * folder belongs to a user of its own and is left to it; networkd tells it the servers. A file that
 * SUSE's netconfig did not write it takes for the administrator's, and never writes it again.
 */
static void resolv_target(const char *sysroot, char *buf, size_t size)
{
	_cleanup_close_ int etc = sys_open_beneath(sysroot, "/etc", O_PATH | O_DIRECTORY);
	char link[PATH_MAX], *path = link;
	ssize_t n = etc < 0 ? -1 : readlinkat(etc, "resolv.conf", link, sizeof(link) - 1);

	*buf = 0;
	if (n < 0)
		return;
	link[n] = 0;
	if (strncmp(path, "../", 3) == 0)
		path += 2;
	if (strncmp(path, "/var/run/", 9) == 0)
		path += 4;
	if (strncmp(path, "/run/", 5) == 0 && strncmp(path, "/run/systemd/", 13) != 0 &&
		strncmp(path, "/run/netconfig/", 15) != 0 && !strstr(path, "/../") &&
		strlen(path) < size)
		strscpy(buf, path, size);
}

/*
 * Warewulf's layers bring what its node list says of this very node, and are in memory: nothing
 * breaks when the interface is configured again. An image or an export is the same for many nodes.
 */
static void find_own(const char *sysroot, const struct root_facts_rails *rails,
	const struct boot_plan *plan, struct root_facts *facts)
{
	bool may = plan->root.kind == PLAN_ROOT_WWINIT && !plan->handover_given;

	if (facts->managers.chosen & PLAN_HANDOVER_IFUPDOWN)
		may &= facts->systemd;
	for (size_t i = 0; may && i < rails->n; i++)
		facts->own[i] = own_config(sysroot, facts->managers.chosen, rails->names[i],
			&rails->hw[i]);
}

void root_facts_begin(const char *sysroot, struct root_facts *ret)
{
	*ret = (struct root_facts){0};
	managers_find(sysroot, &ret->managers);
	resolv_target(sysroot, ret->resolv, sizeof(ret->resolv));
}

void root_facts_end(const char *sysroot, const struct root_facts_rails *rails,
	const struct boot_plan *plan, struct root_facts *facts)
{
	struct managers *m = &facts->managers;

	if (plan->handover_given)
		m->chosen = plan->handover;
	else if (ifup_joins_in(sysroot, rails, m))
		m->chosen |= PLAN_HANDOVER_IFUPDOWN;
	if (rails->n && m->chosen & PLAN_HANDOVER_IFUPDOWN)
		facts->systemd = runs_systemd(sysroot);
	find_own(sysroot, rails, plan, facts);
	if (rails->n && needs_networkd(m))
		facts->networkd = networkd_version(sysroot);
	if (rails->n && m->chosen & PLAN_HANDOVER_IFUPDOWN) {
		facts->dhclient = sys_there_beneath(sysroot, RENEWAL_DHCLIENT_FILE);
		facts->networkd_masked = managers_masked(sysroot, PLAN_HANDOVER_NETWORKD);
		facts->networkd_files = sys_there_beneath(sysroot, RENEWAL_NETWORKD_DIR);
	}
}
