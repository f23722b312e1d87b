// SPDX-License-Identifier: GPL-2.0-or-later
/* udev: see udev.h. Names are [A-Za-z0-9_.-], addresses octets: nothing needs quoting. */
#include "handover/udev.h"

#include <limits.h>
#include <sys/stat.h>

#include "base/file.h"

#define GUID_LEN 8

/* "xx:xx:..." of the last n octets. */
static void octets(const struct hw_addr *hw, size_t n, char buf[static HW_ADDR_TEXT])
{
	struct hw_addr tail = {.len = (uint8_t)n};

	memcpy(tail.bytes, hw->bytes + hw->len - n, n);
	hw_text(&tail, buf);
}

static int put_rule(FILE *out, const struct plan_ifname *i)
{
	bool ib = i->hwaddr.len >= GUID_LEN;
	char text[HW_ADDR_TEXT];

	octets(&i->hwaddr, ib ? GUID_LEN : i->hwaddr.len, text);
	/* ARP types: 1 Ethernet, 32 InfiniBand. A bond of IPoIB interfaces has their address and
	 * type, and a DEVTYPE. Not by the file pkey: the kernel makes it after the event. */
	if (ib)
		return fprintf(out,
			"SUBSYSTEM==\"net\", ACTION==\"add\", ATTR{type}==\"32\", "
			"ENV{DEVTYPE}!=\"?*\", "
				    "ATTR{address}==\"*:%s\", NAME=\"%s\"\n", text, i->name);
	/* 6 octets may be the short form of a port GUID, too, as iPXE has it. */
	return fprintf(out,
		"SUBSYSTEM==\"net\", ACTION==\"add\", ATTR{type}==\"1\", DRIVERS==\"?*\", "
			    "ATTR{address}==\"%s\", NAME=\"%s\"\n"
		"SUBSYSTEM==\"net\", ACTION==\"add\", ATTR{type}==\"32\", "
		"ENV{DEVTYPE}!=\"?*\", ATTR{address}==\"*:%.8s:??:??:%s\", NAME=\"%s\"\n",
		text, i->name, text, text + 9, i->name);
}

char *udev_rules(const struct boot_plan *plan)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	bool bad = !out;

	for (size_t i = 0; !bad && i < plan->net.n_ifnames; i++)
		bad = put_rule(out, &plan->net.ifnames[i]) < 0;
	if (out && fclose(out) != 0)
		bad = true;
	if (!bad)
		return text;
	free(text);
	return NULL;
}

int udev_write(const struct env *env, const struct boot_plan *plan)
{
	_cleanup_free_ char *text = NULL;
	char path[PATH_MAX];

	if (!plan->net.n_ifnames)
		return 0;
	text = udev_rules(plan);
	if (!text)
		return -ENOMEM;
	/* Without udev in the initramfs the folder above is missing. */
	if (env_path(env, path, sizeof(path), "/run/udev") >= 0)
		(void)mkdir(path, 0755);
	return file_write(env, UDEV_RULES_DIR, UDEV_RULES_FILE, text, strlen(text), 0644);
}
