// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ifupdown: Debian's ifup and ifdown shall leave the interfaces alone: they are in its state as configured, and the units
 * that take interfaces down when the system ends leave them out. A lease is renewed by a unit of its own, which
 * works whatever /etc/network/interfaces says. No text in these files comes from the network but in dhclient's.
 */
#include <fcntl.h>

#include "handover/file.h"
#include "handover/profile.h"
#include "handover/state.h"
#include "root/sysmount.h"

#define NETWORK_DIR "/run/network"
#define UNIT_DIR    "/run/systemd/system"
#define DHCLIENT    "/sbin/dhclient"
#define STATE_MAX   4096

/* The value of dhclient's options is the interface's name; %i is systemd's word for it. */
static const char dhclient_unit[] =
	"[Unit]\n"
	"Description=Renewal of the DHCP lease of %i\n"
	"DefaultDependencies=no\n"
	"After=local-fs.target systemd-remount-fs.service\n"
	"Before=network-online.target shutdown.target\n"
	"Conflicts=shutdown.target\n"
	"IgnoreOnIsolate=yes\n"
	"\n"
	"[Service]\n"
	"ExecStart=" DHCLIENT " -4 -d -q -cf " STATE_DIR "/dhclient-%i.conf -lf " STATE_DIR "/dhclient-%i.leases "
	"-pf /run/dhclient.%i.pid %i\n"
	"# Asked to end, it would take the address off the interface.\n"
	"KillSignal=SIGKILL\n"
	"Restart=on-failure\n"
	"RestartSec=5\n";

static bool has_dhclient(const struct profile_set *set)
{
	_cleanup_close_ int fd = sys_open_beneath(set->sysroot, DHCLIENT, O_PATH);

	return fd >= 0;
}

/* A lease that dhclient goes on with: it knows no InfiniBand. */
static bool renewable(const struct profile_rail *rail)
{
	return rail->four && profile_dhcp4(rail) && !profile_ipoib(rail);
}

static bool any_renewable(const struct profile_set *set)
{
	bool any = false;

	for (size_t i = 0; i < set->n_rails; i++)
		any |= renewable(&set->rails[i]);
	return any;
}

/* --- ifup's state ---------------------------------------------------------------------------- */

static bool is_ours(const struct profile_set *set, const char *line, size_t len)
{
	for (size_t i = 0; i < set->n_rails; i++) {
		const char *name = set->rails[i].dev.name;
		size_t n = strlen(name);

		if (len > n && line[n] == '=' && !memcmp(line, name, n))
			return true;
	}
	return false;
}

/* The list of all interfaces ("physical=logical"): what others wrote there stays. */
static int write_list(const struct profile_set *set)
{
	char old[STATE_MAX], *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	bool have = env_read(set->env, old, sizeof(old), NETWORK_DIR "/ifstate") > 0;
	int r;

	if (!out)
		return -ENOMEM;
	for (const char *line = have ? old : ""; *line;) {
		size_t n = strcspn(line, "\n");

		if (n && !is_ours(set, line, n))
			fprintf(out, "%.*s\n", (int)n, line);
		line += n + (line[n] == '\n');
	}
	for (size_t i = 0; i < set->n_rails; i++)
		fprintf(out, "%s=%s\n", set->rails[i].dev.name, set->rails[i].dev.name);
	r = fclose(out) == 0 ? file_write(set->env, NETWORK_DIR, "ifstate", text, len, 0644) : -ENOMEM;
	free(text);
	return r;
}

/* The state of one, which is also its lock. */
static int write_state(const struct profile_set *set, const struct profile_rail *rail)
{
	char name[64], text[IFNAMSIZ + 1];

	snprintf(name, sizeof(name), "ifstate.%s", rail->dev.name);
	snprintf(text, sizeof(text), "%s\n", rail->dev.name);
	return file_write(set->env, NETWORK_DIR, name, text, strlen(text), 0644);
}

/* For roots whose /etc/network/interfaces reads that folder (Debian's cloud images): there the interfaces are known. */
static int write_stanzas(const struct profile_set *set)
{
	struct profile_file f;
	int r = profile_begin(&f, "#");

	if (r < 0)
		return r;
	for (size_t i = 0; i < set->n_rails; i++) {
		const char *name = set->rails[i].dev.name;

		fprintf(f.out, "\nauto %s\nno-auto-down %s\niface %s inet manual\n", name, name, name);
	}
	return profile_end(&f, set->env, NETWORK_DIR "/interfaces.d", "initagent", 0644);
}

/* --- systemd's units ------------------------------------------------------------------------- */

/* With a parent the kernel takes its partitions down. */
static void put_exclude(FILE *out, const struct profile_rail *rail)
{
	fprintf(out, " --exclude=%s", rail->dev.name);
	if (profile_child(rail) && profile_name_ok(rail->parent))
		fprintf(out, " --exclude=%s", rail->parent);
}

static int write_networking(const struct profile_set *set, bool dhclient)
{
	struct profile_file f;
	int r = profile_begin(&f, "#");

	if (r < 0)
		return r;
	for (size_t i = 0; dhclient && i < set->n_rails; i++)
		if (renewable(&set->rails[i]))
			fprintf(f.out, "[Unit]\nWants=initagent-dhclient@%s.service\n", set->rails[i].dev.name);
	fputs("[Service]\nExecStop=\nExecStop=/sbin/ifdown -a --read-environment --exclude=lo", f.out);
	for (size_t i = 0; i < set->n_rails; i++)
		put_exclude(f.out, &set->rails[i]);
	fputc('\n', f.out);
	return profile_end(&f, set->env, UNIT_DIR "/networking.service.d", "10-initagent.conf", 0644);
}

/* The unit of an interface that is "allow-hotplug". */
static int write_hotplug(const struct profile_set *set, const char *name)
{
	char dir[96];
	struct profile_file f;
	int r = profile_begin(&f, "#");

	if (r < 0)
		return r;
	fputs("[Service]\nExecStop=\n", f.out);
	snprintf(dir, sizeof(dir), UNIT_DIR "/ifup@%s.service.d", name);
	return profile_end(&f, set->env, dir, "10-initagent.conf", 0644);
}

static int write_dhclient_unit(const struct profile_set *set)
{
	struct profile_file f;
	int r = profile_begin(&f, "#");

	if (r < 0)
		return r;
	fputs(dhclient_unit, f.out);
	return profile_end(&f, set->env, UNIT_DIR, "initagent-dhclient@.service", 0644);
}

static int write_dhclient(const struct profile_set *set, const struct profile_rail *rail)
{
	char name[64];
	struct profile_file f;
	int r = profile_begin(&f, "#");

	if (r < 0)
		return r;
	dhclient_conf(f.out, rail);
	snprintf(name, sizeof(name), "dhclient-%s.conf", rail->dev.name);
	r = profile_end(&f, set->env, STATE_DIR, name, 0644);
	if (r >= 0)
		r = profile_begin(&f, "#");
	if (r < 0)
		return r;
	dhclient_lease(f.out, set, rail);
	snprintf(name, sizeof(name), "dhclient-%s.leases", rail->dev.name);
	return profile_end(&f, set->env, STATE_DIR, name, 0644);
}

static int write_rail(const struct profile_set *set, const struct profile_rail *rail, bool dhclient)
{
	int r = write_state(set, rail);

	if (r >= 0)
		r = write_hotplug(set, rail->dev.name);
	if (r >= 0 && profile_child(rail) && profile_name_ok(rail->parent))
		r = write_hotplug(set, rail->parent);
	if (r >= 0 && dhclient && renewable(rail))
		r = write_dhclient(set, rail);
	return r;
}

const char *ifupdown_lapses(const struct profile_set *set, const struct profile_rail *rail)
{
	if (profile_dhcp4(rail) && profile_ipoib(rail))
		return "ISC dhclient knows no InfiniBand";
	if (profile_dhcp4(rail) && !has_dhclient(set))
		return "there is no dhclient in the real root";
	return profile_six(rail) == SIX_DHCP ? "nobody goes on with a lease of DHCPv6 under ifupdown" : NULL;
}

int ifupdown_write(const struct profile_set *set, bool renew)
{
	bool dhclient = renew && any_renewable(set) && has_dhclient(set);
	int r = file_make_dirs(set->env, NETWORK_DIR);

	if (r >= 0)
		r = write_list(set);
	if (r >= 0)
		r = write_stanzas(set);
	if (r >= 0)
		r = write_networking(set, dhclient);
	if (r >= 0 && dhclient)
		r = write_dhclient_unit(set);
	for (size_t i = 0; r >= 0 && i < set->n_rails; i++)
		r = write_rail(set, &set->rails[i], dhclient);
	return r;
}
