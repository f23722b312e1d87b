// SPDX-License-Identifier: GPL-2.0-or-later

#include "handover/own.h"

#include <ctype.h>
#include <fnmatch.h>
#include <limits.h>

#include "base/hex.h"
#include "base/sysmount.h"
#include "handover/interfaces.h"
#include "plan.h"

#define GUID_LEN 8
#define UNIT_DIR "/run/systemd/system"
#define UNIT     "initagent-release.service"

/* RHEL's NetworkManager reads ifcfg files, too; netplan makes files for both. */
static const struct {
	unsigned managers;
	const char *dir, *glob;
} places[] = {
	{PLAN_HANDOVER_NETWORKD, "/etc/systemd/network", "*.network"},
	{PLAN_HANDOVER_NETWORKD | PLAN_HANDOVER_NETWORKMANAGER, "/etc/netplan", "*.yaml"},
	{PLAN_HANDOVER_NETWORKMANAGER, "/etc/NetworkManager/system-connections", "*"},
	{PLAN_HANDOVER_NETWORKMANAGER | PLAN_HANDOVER_IFCFG, "/etc/sysconfig/network-scripts",
		"ifcfg-*"},
};

static bool in_word(char c)
{
	return c && (isalnum((unsigned char)c) || strchr("_.-!", c));
}

static bool holds_word(const char *line, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = line; n && (at = strcasestr(at, word)); at++)
		if ((at == line || !in_word(at[-1])) && !in_word(at[n]))
			return true;
	return false;
}

/* "#" or ";" at the beginning of a line, "#" behind a blank: the rest is a comment. */
static void cut_comment(char *line)
{
	char *at = line + strspn(line, " \t");

	if (*at == ';')
		*at = 0;
	for (; (at = strchr(at, '#')); at++)
		if (at == line || at[-1] == ' ' || at[-1] == '\t')
			break;
	if (at)
		*at = 0;
}

bool own_text_names(char *text, const char *name, const char *hw)
{
	char *line;
	bool found = false;

	while (!found && (line = strsep(&text, "\n"))) {
		cut_comment(line);
		found = holds_word(line, name) || holds_word(line, hw);
	}
	return found;
}

bool own_files_name(const char *sysroot, const char *folder, const char *glob, const char *name,
	const char *hw)
{
	_cleanup_closedir_ DIR *dir = sys_list_beneath(sysroot, folder);
	const struct dirent *e;
	char path[PATH_MAX];
	bool found = false;

	while (!found && (e = dir_next(dir))) {
		_cleanup_free_ char *text = NULL;

		if (fnmatch(glob, e->d_name, FNM_PERIOD) != 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
		text = sys_text_beneath(sysroot, path);
		found = text && own_text_names(text, name, hw);
	}
	return found;
}

bool own_config(const char *sysroot, unsigned managers, const char *name, const struct link_hw *hw)
{
	size_t n = hw->len > GUID_LEN ? GUID_LEN : hw->len;
	char text[3 * GUID_LEN + 1];
	bool found = managers & PLAN_HANDOVER_IFUPDOWN && interfaces_name(sysroot, name);

	hex_text(text, sizeof(text), hw->bytes + hw->len - n, n, ":");
	for (size_t i = 0; !found && i < ARRAY_SIZE(places); i++)
		found = managers & places[i].managers && own_files_name(sysroot, places[i].dir,
			places[i].glob, name, text);
	return found;
}

/*
 * Managers differ in what they do with an address that is there: ifup fails, networkd (252) keeps
 * it and its routes, NetworkManager takes the interface for configured. Not earlier: what is still
 * to be reported is sent meanwhile.
 */
static const char unit[] = "[Unit]\n"
			   "Description=Removal of the initramfs's network configuration\n"
			   "DefaultDependencies=no\n"
			   "ConditionPathExists=!/etc/initrd-release\n"
			   "Wants=network-pre.target\n"
			   "Before=network-pre.target systemd-networkd.service "
			   "NetworkManager.service networking.service network.service "
			   "wicked.service\n"
			   "\n"
			   "[Service]\n"
			   "Type=oneshot\n"
			   "RemainAfterExit=yes\n";

int own_write(const struct profile_set *set)
{
	struct file_stream f;
	int r;

	if (!set->n_own)
		return 0;
	r = profile_begin(&f);
	if (r < 0)
		return r;
	fputs(unit, f.out);
	for (size_t i = 0; i < set->n_own; i++)
		fprintf(f.out, "ExecStart=-/sbin/ip address flush dev %1$s scope global\n"
			"ExecStart=-/sbin/ip route flush dev %1$s\n"
			"ExecStart=-/sbin/ip -6 route flush dev %1$s proto boot\n",
			set->own[i].dev.name);
	r = file_end(&f, set->env, UNIT_DIR, UNIT, 0644);
	return r < 0 ? r : profile_write(set, UNIT_DIR "/sysinit.target.d", "10-initagent.conf",
		"[Unit]\nWants=" UNIT "\n");
}
