// SPDX-License-Identifier: GPL-2.0-or-later
#include "compat.h"

#include <fnmatch.h>

#include "links.h"

#define DRACUT "dracut 059"

static const struct {
	const char *word, *program;
} backends[COMPAT_BACKEND_MAX] = {
	[COMPAT_LEGACY] = {"dracut-legacy", DRACUT},
	[COMPAT_NETWORKD] = {"networkd", "systemd-network-generator 252"},
	[COMPAT_NM] = {"nm", "nm-initrd-generator 1.42"},
	[COMPAT_INITRAMFS_TOOLS] = {"initramfs-tools", "initramfs-tools 0.148"},
	[COMPAT_LIVE_BOOT] = {"live-boot", "live-boot 20250815"},
};

static const struct {
	enum compat_backend backend;
	enum option_id id;
	const char *value, *text;
} rows[] = {
#define COMPAT(backend, id, value, text, example, proof) \
	{COMPAT_##backend, OPTION_##id, value, text},
#include "compat.def"
};

enum compat_backend compat_find(const char *name)
{
	for (int b = COMPAT_NONE + 1; b < COMPAT_BACKEND_MAX; b++)
		if (streq(backends[b].word, name))
			return (enum compat_backend)b;
	return COMPAT_NONE;
}

static bool second_matches(const char *pattern, const char *value)
{
	struct slice f[3];
	char second[64];

	if (fields_split(slice_of(value), f, 3) < 2 || f[1].len >= sizeof(second))
		return false;
	memcpy(second, f[1].s, f[1].len);
	second[f[1].len] = 0;
	return fnmatch(pattern, second, 0) == 0;
}

static bool is_octal(const char *value)
{
	struct slice f[2];

	(void)fields_split(slice_of(value), f, 2);
	return vlan_is_octal(f[0]);
}

static bool matches(const char *pattern, const char *value)
{
	value = value ? value : "";
	if (!pattern)
		return true;
	if (streq(pattern, "@octal"))
		return is_octal(value);
	if (strncmp(pattern, "@2", 2) == 0)
		return second_matches(pattern + 2, value);
	return *pattern == '!' ? fnmatch(pattern + 1, value, 0) != 0
			       : fnmatch(pattern, value, 0) == 0;
}

/* What an init that is not dracut's acts on of what is read here; it reads nothing else. */
static bool acts_on(enum compat_backend b, enum option_id id)
{
	switch (id) {
	case OPTION_ROOT:
	case OPTION_NFSROOT:
	case OPTION_BOOTIF:
	case OPTION_INIT:
	case OPTION_QUIET: return true;
	case OPTION_ROOTFLAGS:
	case OPTION_ROOTFSTYPE:
	case OPTION_IP:
	case OPTION_RO:
	case OPTION_RW: return b == COMPAT_INITRAMFS_TOOLS;
	case OPTION_TORAM: return b == COMPAT_LIVE_BOOT;
	default: return false;
	}
}

/* The network is the back end's, all other options are dracut's with each of them. */
static bool is_dracuts(enum compat_backend b, const struct option_row *row)
{
	bool network = row->id >= OPTION_RD_NEEDNET && row->id <= OPTION_TEAM &&
		row->id != OPTION_RD_RETRY && row->id != OPTION_RD_TIMEOUT;

	return b == COMPAT_LEGACY || !network || strncmp(row->dracut, "not known", 9) == 0;
}

const char *compat_text(enum compat_backend b, const struct plan_word *w, size_t *at,
	const char **ret_program)
{
	*ret_program = backends[b].program;
	for (; w->row && *at < ARRAY_SIZE(rows); (*at)++)
		if (rows[*at].backend == b && rows[*at].id == w->row->id &&
			matches(rows[*at].value, w->value))
			return rows[(*at)++].text;
	if (!w->row || (*at)++ != ARRAY_SIZE(rows))
		return NULL;
	if (b >= COMPAT_INITRAMFS_TOOLS)
		return acts_on(b, w->row->id) ? NULL : "has no effect";
	*ret_program = DRACUT;
	return *w->row->dracut && is_dracuts(b, w->row) ? w->row->dracut : NULL;
}
