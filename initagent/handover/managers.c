// SPDX-License-Identifier: GPL-2.0-or-later

#include "handover/managers.h"

#include <fnmatch.h>
#include <limits.h>
#include <sys/stat.h>

#include "base/sysmount.h"
#include "handover/own.h"

#define PATHS_MAX 2

/* In the order of choice. Of paths that are links to each other one is enough. */
static const struct {
	unsigned bit;
	const char *unit;
	const char *sysv;		/* its name in /etc/rc?.d; NULL: it has no such script */
	const char *files[PATHS_MAX];	/* installed: any of them is there */
} managers[] = {
	{PLAN_HANDOVER_NETWORKMANAGER, "NetworkManager.service", NULL,
		{"/usr/sbin/NetworkManager"}},
	{PLAN_HANDOVER_NETWORKD, "systemd-networkd.service", NULL,
		{"/usr/lib/systemd/systemd-networkd", "/lib/systemd/systemd-networkd"}},
	{PLAN_HANDOVER_IFUPDOWN, "networking.service", "networking",
		{"/usr/sbin/ifup", "/sbin/ifup"}},
	{PLAN_HANDOVER_IFCFG, "network.service", "network", {"/etc/init.d/network"}},
};

/* Where init and the distribution say what is started. */
#define UNIT_DIR "/etc/systemd/system"
/* Where a distribution links a manager's unit; each look costs a round trip to the server. */
static const char *const vendor_dirs[] = {"/usr/lib/systemd/system/multi-user.target.wants",
	"/usr/lib/systemd/system/sysinit.target.wants",
		"/usr/lib/systemd/system/network-online.target.wants",
	"/lib/systemd/system/multi-user.target.wants"};
static const char *const preset_dirs[] = {"/etc/systemd/system-preset",
	"/usr/lib/systemd/system-preset", "/lib/systemd/system-preset"};

/* --- systemd --------------------------------------------------------------------------------- */

/* Which of the managers' units are in that folder? The links count, not what they lead to. */
static unsigned units_in(int dir, const char *folder, unsigned candidates)
{
	_cleanup_close_ int fd = openat(dir, folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	unsigned found = 0;
	struct stat st;

	for (size_t i = 0; fd >= 0 && i < ARRAY_SIZE(managers); i++)
		if (candidates & managers[i].bit &&
			fstatat(fd, managers[i].unit, &st, AT_SYMLINK_NOFOLLOW) == 0)
			found |= managers[i].bit;
	return found;
}

/* All .wants and .requires folders of the administrator, the usual ones of the vendor. */
static unsigned units_wanted(const char *root, unsigned candidates)
{
	_cleanup_closedir_ DIR *dir = sys_list_beneath(root, UNIT_DIR);
	const struct dirent *e;
	unsigned found = 0;

	while ((e = dir_next(dir)))
		if (str_ends(e->d_name, ".wants") || str_ends(e->d_name, ".requires"))
			found |= units_in(dirfd(dir), e->d_name, candidates);
	for (size_t i = 0; i < ARRAY_SIZE(vendor_dirs) && found != candidates; i++) {
		_cleanup_close_ int fd = sys_open_beneath(root, vendor_dirs[i],
			O_PATH | O_DIRECTORY);

		if (fd >= 0)
			found |= units_in(fd, ".", candidates);
	}
	return found;
}

/* "systemctl mask" makes the unit a link to /dev/null, or an empty file. */
static bool masked(const char *root, const char *unit)
{
	_cleanup_close_ int dir = sys_open_beneath(root, UNIT_DIR, O_PATH | O_DIRECTORY);
	char target[64];
	struct stat st;
	ssize_t n;

	if (dir < 0 || fstatat(dir, unit, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return false;
	if (S_ISREG(st.st_mode))
		return st.st_size == 0;
	n = readlinkat(dir, unit, target, sizeof(target) - 1);
	target[n > 0 ? n : 0] = 0;
	return streq(target, "/dev/null");
}

/* One line: "enable GLOB" or "disable GLOB". */
static int line_verdict(char *line, const char *unit)
{
	char *save = NULL, *word = strtok_r(line, " \t", &save),
		*glob = word ? strtok_r(NULL, " \t", &save) : NULL;

	if (!glob || fnmatch(glob, unit, FNM_NOESCAPE) != 0)
		return -1;
	return streq(word, "enable") ? 1 : streq(word, "disable") ? 0 : -1;
}

int preset_verdict(char *text, const char *unit)
{
	char *line;
	int verdict = -1;

	while (verdict < 0 && (line = strsep(&text, "\n")))
		verdict = line_verdict(line, unit);
	return verdict;
}

/* On its first boot (no machine id) systemd enables what the presets say. */
static bool first_boot(const char *root)
{
	_cleanup_free_ char *id = sys_text_beneath(root, "/etc/machine-id");

	return !id || !*id || strncmp(id, "uninitialized", 13) == 0;
}

struct preset {
	char name[NAME_MAX + 1];
	const char *dir;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct preset *)a)->name, ((const struct preset *)b)->name);
}

struct presets {
	struct preset *list;
	size_t n;
};

static bool add_preset(struct presets *p, const char *name, const char *dir)
{
	struct preset *grown;
	size_t i = 0;

	while (i < p->n && !streq(p->list[i].name, name))
		i++;
	if (i < p->n)
		return true;
	grown = realloc(p->list, (p->n + 1) * sizeof(*grown));
	if (!grown)
		return false;
	p->list = grown;
	strscpy(grown[i].name, name, sizeof(grown[i].name));
	grown[i].dir = dir;
	p->n++;
	return true;
}

/* The files of one folder; of those with one name the first folder's counts. */
static void add_presets(struct presets *p, const char *root, const char *path)
{
	_cleanup_closedir_ DIR *dir = sys_list_beneath(root, path);
	const struct dirent *e;

	while ((e = dir_next(dir)))
		if (str_ends(e->d_name, ".preset") && !add_preset(p, e->d_name, path))
			break;
}

static int preset_file(const char *root, const struct preset *p, const char *unit)
{
	_cleanup_free_ char *text = NULL;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", p->dir, p->name);
	text = sys_text_beneath(root, path);
	return text ? preset_verdict(text, unit) : -1;
}

/* The first line that names the unit decides; without one it is enabled. */
static bool preset_enables(const char *root, const char *unit)
{
	struct presets p = {0};
	int verdict = -1;

	for (size_t i = 0; i < ARRAY_SIZE(preset_dirs); i++)
		add_presets(&p, root, preset_dirs[i]);
	if (p.n)
		qsort(p.list, p.n, sizeof(*p.list), by_name);
	for (size_t i = 0; i < p.n && verdict < 0; i++)
		verdict = preset_file(root, &p.list[i], unit);
	free(p.list);
	return p.n > 0 && verdict != 0;
}

/* --- init scripts ---------------------------------------------------------------------------- */

/* "S01networking" in one of the folders that boots go through. */
static bool sysv_enabled(const char *root, const char *script)
{
	static const char *const dirs[] = {"/etc/rcS.d", "/etc/rc2.d", "/etc/rc3.d",
		"/etc/rc.d/rc3.d", "/etc/rc.d/rc5.d"};
	bool found = false;

	for (size_t i = 0; i < ARRAY_SIZE(dirs) && !found; i++) {
		_cleanup_closedir_ DIR *dir = sys_list_beneath(root, dirs[i]);
		const struct dirent *e;

		while (!found && (e = dir_next(dir)))
			found = e->d_name[0] == 'S' && strlen(e->d_name) > 3 &&
				streq(e->d_name + 3, script);
	}
	return found;
}

static bool is_installed(const char *root, const char *const files[static PATHS_MAX])
{
	for (size_t i = 0; i < PATHS_MAX && files[i]; i++)
		if (sys_there_beneath(root, files[i]))
			return true;
	return false;
}

/* Ubuntu's NetworkManager is kept from wired interfaces by this file, which netplan replaces where
 * one of its files names that renderer; IPoIB counts as wired. */
#define WIRELESS_ALONE "/NetworkManager/conf.d/10-globally-managed-devices.conf"

static bool is_for_wireless(const char *root)
{
	return sys_there_beneath(root, "/usr/lib" WIRELESS_ALONE) &&
		!sys_there_beneath(root, "/etc" WIRELESS_ALONE) &&
		!own_files_name(root, "/etc/netplan", "*.yaml", "NetworkManager", "") &&
		!own_files_name(root, "/usr/lib/netplan", "*.yaml", "NetworkManager", "");
}

static unsigned installed(const char *root)
{
	unsigned bits = 0;

	for (size_t i = 0; i < ARRAY_SIZE(managers); i++)
		if (is_installed(root, managers[i].files))
			bits |= managers[i].bit;
	if (bits & PLAN_HANDOVER_NETWORKMANAGER && is_for_wireless(root))
		bits &= ~PLAN_HANDOVER_NETWORKMANAGER;
	/* SUSE's ifup is wicked's */
	if (bits & PLAN_HANDOVER_IFUPDOWN && sys_there_beneath(root, "/usr/sbin/wicked"))
		bits &= ~PLAN_HANDOVER_IFUPDOWN;
	return bits;
}

/* Linked into a target or a run level, and not masked. */
static unsigned linked(const char *root, unsigned candidates)
{
	unsigned wanted = units_wanted(root, candidates), bits = 0;

	for (size_t i = 0; i < ARRAY_SIZE(managers); i++)
		if (candidates & managers[i].bit &&
			(wanted & managers[i].bit ||
				(managers[i].sysv && sysv_enabled(root, managers[i].sysv))) &&
			!masked(root, managers[i].unit))
			bits |= managers[i].bit;
	return bits;
}

static unsigned preset(const char *root, unsigned candidates)
{
	unsigned bits = 0;

	for (size_t i = 0; i < ARRAY_SIZE(managers); i++)
		if (candidates & managers[i].bit && !masked(root, managers[i].unit) &&
			preset_enables(root, managers[i].unit))
			bits |= managers[i].bit;
	return bits;
}

/* Each look is a round trip to the root's server or more: only what decides is looked at. */
void managers_find(const char *sysroot, struct managers *ret)
{
	*ret = (struct managers){.installed = installed(sysroot)};
	if (!ret->installed)
		return;
	/* Links are a decision of the administrator or distribution; presets are the default. */
	ret->enabled = linked(sysroot, ret->installed);
	if (!ret->enabled && first_boot(sysroot))
		ret->enabled = preset(sysroot, ret->installed);
	for (size_t i = 0; i < ARRAY_SIZE(managers) && !ret->chosen; i++)
		ret->chosen = ret->enabled & managers[i].bit;
	if (!ret->enabled)
		ret->chosen = ret->installed;
}

bool managers_masked(const char *sysroot, unsigned bit)
{
	bool is = false;

	for (size_t i = 0; i < ARRAY_SIZE(managers); i++)
		is |= managers[i].bit == bit && masked(sysroot, managers[i].unit);
	return is;
}

const char *managers_text(unsigned bits, char *buf, size_t size)
{
	strscpy(buf, bits ? "" : "none", size);
	for (size_t i = 0; i < ARRAY_SIZE(managers); i++)
		if (bits & managers[i].bit)
			str_add(buf, size, "%s%s", *buf ? ", " : "",
				state_manager_name(managers[i].bit));
	return buf;
}
