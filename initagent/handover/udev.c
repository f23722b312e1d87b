// SPDX-License-Identifier: GPL-2.0-or-later
/* udev: see udev.h. Names are [A-Za-z0-9_.-], addresses octets: nothing needs quoting. */
#include "handover/udev.h"

#include "base/file.h"
#include "base/hex.h"

#define GUID_LEN 8

#define PARENT_ONLY \
	"ENV{DEVTYPE}!=\"?*\", KERNEL!=\"*.[0-9a-f][0-9a-f][0-9a-f][0-9a-f]\", "

static int put_rule(FILE *out, const struct plan_ifname *i)
{
	bool ib = i->hwaddr.len >= GUID_LEN;
	size_t n = ib ? GUID_LEN : i->hwaddr.len;
	char text[HW_ADDR_TEXT];

	hex_text(text, sizeof(text), i->hwaddr.bytes + i->hwaddr.len - n, n, ":");
	/* ARP types: 1 Ethernet, 32 InfiniBand. A bond of IPoIB interfaces has their address and
	 * type, and a DEVTYPE; a partition's interface has its parent's, and is called PARENT.PKEY.
	 * Not by the file pkey: the kernel makes it after the event. */
	if (ib)
		return fprintf(out,
			"SUBSYSTEM==\"net\", ACTION==\"add\", ATTR{type}==\"32\", "
			PARENT_ONLY "ATTR{address}==\"*:%s\", NAME:=\"%s\"\n", text, i->name);
	/* 6 octets may be the short form of a port GUID, too, as iPXE has it. */
	return fprintf(out,
		"SUBSYSTEM==\"net\", ACTION==\"add\", ATTR{type}==\"1\", DRIVERS==\"?*\", "
			    "ATTR{address}==\"%s\", NAME:=\"%s\"\n"
		"SUBSYSTEM==\"net\", ACTION==\"add\", ATTR{type}==\"32\", "
		PARENT_ONLY "ATTR{address}==\"*:%.8s:??:??:%s\", NAME:=\"%s\"\n",
		text, i->name, text, text + 9, i->name);
}

/* A rule of the root may have another name, as netplan's set-name: makes them. From Linux 6.2 on it
 * is given to an interface that is up, and no profile is for it any more; an older kernel refuses,
 * and networkd (252) waits for the new name without end. */
static int put_name(FILE *out, const char *name)
{
	return fprintf(out, "SUBSYSTEM==\"net\", ACTION==\"add\", KERNEL==\"%s\", NAME:=\"%s\"\n",
		name, name);
}

#define JOINS(unless) \
	"SUBSYSTEM==\"net\", ACTION==\"add\", NAME==\"%1$s\", " unless \
	"TEST!=\"/sys/class/net/%%k/master\", RUN+=\"/sbin/ip link set dev %1$s down\", " \
	"RUN+=\"/sbin/ip link set dev %1$s master %2$s\", " \
	"RUN+=\"/sbin/ip link set dev %1$s up\"\n"
#define KEYFILE \
	"\"" NETWORKMANAGER_DIR "/" NETWORKMANAGER_BEFORE "%1$s" NETWORKMANAGER_BEHIND "\", "
#define RUNNING "system.slice/NetworkManager.service\", "

/*
 * A part of a bond or bridge that is there again, as after a reset of its firmware, or only now.
 * What never went has its master. NetworkManager's profile joins it, where there is one and it runs
 * (cgroups of both versions): a part that has a master when NetworkManager sees it is taken for
 * another program's ("connected (externally)").
 */
static int put_master(FILE *out, const char *part, const char *master)
{
	return fprintf(out, JOINS("TEST!=" KEYFILE) JOINS("TEST==" KEYFILE
		"TEST!=\"/sys/fs/cgroup/" RUNNING "TEST!=\"/sys/fs/cgroup/systemd/" RUNNING),
		part, master);
}

static bool put_absent(FILE *out, const struct plan_link *link, const struct profile_rail *rails,
	size_t n_rails)
{
	const char *part;
	size_t at = 0;

	while ((part = profile_absent(link, rails, n_rails, &at)))
		if (put_name(out, part) < 0 || put_master(out, part, link->name) < 0)
			return false;
	return true;
}

char *udev_rules(const struct boot_plan *plan, const struct profile_rail *rails, size_t n_rails)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	bool bad = false;

	if (!out)
		return NULL;
	for (size_t i = 0; !bad && i < plan->net.n_ifnames; i++)
		bad = put_rule(out, &plan->net.ifnames[i]) < 0;
	for (size_t i = 0; !bad && i < n_rails; i++)
		bad = profile_name_ok(rails[i].dev.name) && (put_name(out, rails[i].dev.name) < 0 ||
			(profile_name_ok(rails[i].master) &&
			put_master(out, rails[i].dev.name, rails[i].master) < 0));
	for (size_t i = 0; !bad && i < plan->net.n_links; i++)
		bad = !put_absent(out, &plan->net.links[i], rails, n_rails);
	if (fclose(out) == 0 && !bad)
		return text;
	free(text);
	return NULL;
}

int udev_write(const struct profile_set *set, const struct boot_plan *plan)
{
	_cleanup_free_ char *text = udev_rules(plan, set->rails, set->n_rails);
	int r;

	if (!text)
		return -ENOMEM;
	if (!*text)
		return 0;
	/* Without udev in the initramfs the folder above is missing. */
	r = file_make_dirs(set->env, UDEV_RULES_DIR);
	return r < 0 ? r : file_write(set->env, UDEV_RULES_DIR, UDEV_RULES_FILE, text,
		strlen(text), 0644);
}
