// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ifupdown: Debian's ifup and ifdown shall leave the interfaces alone: they are in its state as
 * configured, and the units that take interfaces down when the system ends leave them out. A lease
 * is renewed by others (renewal.h), whatever /etc/network/interfaces says. No text in these files
 * comes from the network.
 */
#include <fcntl.h>

#include "handover/renewal.h"
#include "handover/root_facts.h"

#define NETWORK_DIR "/run/network"
#define UNIT_DIR    "/run/systemd/system"
#define STATE_MAX   4096

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
static int write_list(const struct profile_set *set, const char *dir)
{
	char old[STATE_MAX];
	struct file_stream f;
	bool have = env_read(set->env, old, sizeof(old), "%s/ifstate", dir) > 0;
	int r = file_begin(&f);

	if (r < 0)
		return r;
	for (const char *line = have ? old : ""; *line;) {
		size_t n = strcspn(line, "\n");

		if (n && !is_ours(set, line, n))
			fprintf(f.out, "%.*s\n", (int)n, line);
		line += n + (line[n] == '\n');
	}
	for (size_t i = 0; i < set->n_rails; i++)
		fprintf(f.out, "%s=%s\n", set->rails[i].dev.name, set->rails[i].dev.name);
	return file_end(&f, set->env, dir, "ifstate", 0644);
}

/* The state of one, which is also its lock. */
static int write_state(const struct profile_set *set, const struct profile_rail *rail)
{
	char name[64], text[IFNAMSIZ + 1];

	snprintf(name, sizeof(name), "ifstate.%s", rail->dev.name);
	snprintf(text, sizeof(text), "%s\n", rail->dev.name);
	return file_write(set->env, NETWORK_DIR, name, text, strlen(text), 0644);
}

/* For roots whose /etc/network/interfaces reads that folder (Debian's cloud images). */
static int write_stanzas(const struct profile_set *set)
{
	struct file_stream f;
	int r = profile_begin(&f);

	if (r < 0)
		return r;
	for (size_t i = 0; i < set->n_rails; i++) {
		const char *name = set->rails[i].dev.name;

		fprintf(f.out, "\nauto %s\nno-auto-down %s\niface %s inet manual\n", name, name,
			name);
	}
	return file_end(&f, set->env, NETWORK_DIR "/interfaces.d", "initagent", 0644);
}

/* --- systemd's units ------------------------------------------------------------------------- */

/* With a parent the kernel takes its partitions down. */
static void put_exclude(FILE *out, const struct profile_rail *rail)
{
	fprintf(out, " --exclude=%s", rail->dev.name);
	if (profile_child(rail) && profile_name_ok(rail->parent))
		fprintf(out, " --exclude=%s", rail->parent);
}

static int write_networking(const struct profile_set *set)
{
	struct file_stream f;
	int r = profile_begin(&f);

	if (r < 0)
		return r;
	renewal_wants(f.out, set);
	fputs("[Service]\nExecStop=\nExecStop=/sbin/ifdown -a --read-environment --exclude=lo",
		f.out);
	for (size_t i = 0; i < set->n_rails; i++)
		put_exclude(f.out, &set->rails[i]);
	fputc('\n', f.out);
	return file_end(&f, set->env, UNIT_DIR "/networking.service.d", "10-initagent.conf",
		0644);
}

/* The unit of an interface that is "allow-hotplug". */
static int write_hotplug(const struct profile_set *set, const char *name)
{
	char dir[96];

	snprintf(dir, sizeof(dir), UNIT_DIR "/ifup@%s.service.d", name);
	return profile_write(set, dir, "10-initagent.conf", "[Service]\nExecStop=\n");
}

static int write_units(const struct profile_set *set, const struct profile_rail *rail)
{
	int r = write_hotplug(set, rail->dev.name);

	if (r >= 0 && profile_child(rail) && profile_name_ok(rail->parent))
		r = write_hotplug(set, rail->parent);
	return r;
}

int ifupdown_write(const struct profile_set *set)
{
	int r = write_list(set, NETWORK_DIR);

	/* where ifupdown-ng and BusyBox's have it, as in Alpine */
	if (r >= 0)
		r = write_list(set, "/run");
	if (r >= 0)
		r = write_stanzas(set);
	for (size_t i = 0; r >= 0 && i < set->n_rails; i++)
		r = write_state(set, &set->rails[i]);
	if (r < 0 || !set->facts->systemd)
		return r;
	r = write_networking(set);
	for (size_t i = 0; r >= 0 && i < set->n_rails; i++)
		r = write_units(set, &set->rails[i]);
	return r < 0 ? r : renewal_write(set);
}
