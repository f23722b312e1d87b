// SPDX-License-Identifier: GPL-2.0-or-later
#include "flexboot/setting.h"

/* When a row holds: all of its bits are among those of the intent. */
enum when {
	IB = 1 << 0,
	ETH = 1 << 1,
	BIOS = 1 << 2,
	NO_BIOS = 1 << 3,
	UEFI = 1 << 4,
	X86 = 1 << 5,
	ARM = 1 << 6,
	PKEY = 1 << 7,
	VLAN = 1 << 8,
	WAIT = 1 << 9,
};

enum source { FIXED, FROM_IP, FROM_PKEY, FROM_VLAN, FROM_WAIT };

struct row {
	const char *name;
	const char *other; /* its name in other releases of the firmware, ConnectX-3's among them */
	bool per_port;	   /* carries _P1, _P2 */
	unsigned int when;
	enum source source;
	uint32_t value;
	const char *word;
	enum setting_level level;
	const char *reason;
};

#define ON  FIXED, 1, "True"
#define OFF FIXED, 0, "False"

static const struct row rows[] = {
	{"LINK_TYPE", NULL, true, IB, FIXED, 1, "IB", SETTING_MUST,
		"a VPI port set to Ethernet never finds an InfiniBand fabric"},
	{"LINK_TYPE", NULL, true, ETH, FIXED, 2, "ETH", SETTING_MUST,
		"a VPI port set to InfiniBand never links to an Ethernet switch"},
	{"EXP_ROM_PXE_ENABLE", "BOOT_OPTION_ROM_EN", false, BIOS, ON, SETTING_MUST,
		"without it the BIOS sees no boot code (FlexBoot)"},
	{"EXP_ROM_PXE_ENABLE", NULL, false, NO_BIOS, OFF, SETTING_SHOULD,
		"the node starts by UEFI only: a legacy image costs time and may be run by "
		"mistake"},
	{"EXP_ROM_UEFI_x86_ENABLE", NULL, false, UEFI | X86, ON, SETTING_MUST,
		"without it UEFI sees no driver for the port: no PXE, no HTTP boot"},
	{"EXP_ROM_UEFI_ARM_ENABLE", NULL, false, UEFI | ARM, ON, SETTING_MUST,
		"without it UEFI sees no driver for the port: no PXE, no HTTP boot"},
	{"LEGACY_BOOT_PROTOCOL", NULL, false, BIOS, FIXED, 1, "PXE", SETTING_MUST,
		"NONE hides the port from the BIOS; ISCSI looks for a disk first"},
	{"BOOT_PKEY", NULL, false, IB | PKEY, FROM_PKEY, 0, NULL, SETTING_MUST,
		"the ROM joins this partition; the server is not in the default one"},
	{"BOOT_VLAN_EN", NULL, false, ETH | VLAN, ON, SETTING_MUST,
		"the ROM tags its packets only with this"},
	{"BOOT_VLAN", NULL, false, ETH | VLAN, FROM_VLAN, 0, NULL, SETTING_MUST,
		"the VLAN of the boot server"},
	{"IP_VER", NULL, false, BIOS, FROM_IP, 0, NULL, SETTING_MUST,
		"FlexBoot asks for an address in this order; a protocol without server costs its "
		"time-out"},
	{"BOOT_RETRY_CNT", "BOOT_RETRY_CNT1", false, BIOS, FIXED, 7, "UNLIMITED", SETTING_SHOULD,
		"a diskless node has nothing else to start: it waits for late servers and subnet "
		"managers"},
	{"BOOT_UNDI_NETWORK_WAIT", NULL, false, BIOS | WAIT, FROM_WAIT, 0, NULL, SETTING_SHOULD,
		"time for the subnet manager's sweep before the first packet"},
	{"KEEP_IB_LINK_UP", NULL, true, IB, ON, SETTING_SHOULD,
		"the link is trained and swept once, not again for ROM, boot loader and kernel"},
	{"KEEP_ETH_LINK_UP", NULL, true, ETH, ON, SETTING_SHOULD,
		"the switch port forwards already when the ROM starts, no wait for spanning tree"},
	{"KEEP_LINK_UP_ON_BOOT", NULL, true, 0, ON, SETTING_SHOULD,
		"the link comes up before any driver runs"},
	{"UEFI_HII_EN", NULL, false, UEFI, ON, SETTING_SHOULD,
		"the setup menu shows the port's settings (P_Key, DHCP identity) where the console "
		"is"},
};

static unsigned int bits_of(const struct intent *in)
{
	return (in->link == INTENT_IB ? IB : ETH) | (in->bios ? BIOS : NO_BIOS) |
	       (in->uefi ? UEFI : 0u) | (in->arch == INTENT_X86 ? X86 : ARM) |
	       (in->pkey ? PKEY : 0u) | (in->vlan ? VLAN : 0u) | (in->wait ? WAIT : 0u);
}

static void fill_value(const struct intent *in, const struct row *row, struct setting *s)
{
	static const char *const ip[] = {"IPv4", "IPv6", "IPv4_IPv6", "IPv6_IPv4"};
	const uint32_t values[] = {[FIXED] = row->value,
		[FROM_IP] = in->ip,
		[FROM_PKEY] = in->pkey,
		[FROM_VLAN] = in->vlan,
		[FROM_WAIT] = in->wait};

	s->value = values[row->source];
	s->word = row->source == FROM_IP ? ip[in->ip] : row->word;
}

/* ConnectX-3 has the ROM's settings by port, later adapters have them once. */
static void fill_names(const struct row *row, int port, struct setting *s)
{
	const char *suffix = port == 2 ? "_P2" : "_P1";

	snprintf(s->name, sizeof(s->name), "%s%s", row->name, row->per_port ? suffix : "");
	snprintf(s->others[0], sizeof(s->others[0]), "%s%s", row->name,
		row->per_port ? "" : suffix);
	if (!row->other)
		return;
	snprintf(s->others[1], sizeof(s->others[1]), "%s", row->other);
	snprintf(s->others[2], sizeof(s->others[2]), "%s%s", row->other, suffix);
}

size_t settings_want(const struct intent *in, struct setting list[static SETTINGS_MAX])
{
	unsigned int bits = bits_of(in);
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		for (int port = 1; port <= 2; port++) {
			if ((rows[i].when & bits) != rows[i].when || n == SETTINGS_MAX)
				continue;
			/* What has no port is wanted once, by the first port that boots. */
			if (!in->port[port - 1] || (!rows[i].per_port && port == 2 && in->port[0]))
				continue;
			list[n] =
				(struct setting){.reason = rows[i].reason, .level = rows[i].level};
			fill_names(&rows[i], port, &list[n]);
			fill_value(in, &rows[i], &list[n]);
			n++;
		}
	return n;
}

/* The words of the options; what takes a number has none. */
static const struct option {
	const char *name;
	const char *words[4];
	unsigned long min, max;
} options[] = {
	{.name = "link", .words = {"ib", "eth"}},
	{.name = "firmware", .words = {"bios", "uefi", "both"}},
	{.name = "arch", .words = {"x86", "arm"}},
	{.name = "ip", .words = {"4", "6", "46", "64"}},
	{.name = "port", .words = {"1", "2", "both"}},
	{.name = "pkey", .min = 1, .max = 0xffff},
	{.name = "vlan", .min = 1, .max = 4094},
	{.name = "wait", .min = 0, .max = 255},
};

/* In the order of the table. */
enum option_id {
	OPTION_LINK,
	OPTION_FIRMWARE,
	OPTION_ARCH,
	OPTION_IP,
	OPTION_PORT,
	OPTION_PKEY,
	OPTION_VLAN,
	OPTION_WAIT,
};

/* read_value: the index of a word, or a number within the bounds; -EINVAL for anything else. */
static long read_value(const struct option *o, const char *text)
{
	unsigned long value;
	char *end;

	for (size_t i = 0; i < ARRAY_SIZE(o->words) && o->words[i]; i++)
		if (streq(text, o->words[i]))
			return (long)i;
	if (o->words[0] || text[0] < '0' || text[0] > '9')
		return -EINVAL;
	errno = 0;
	value = strtoul(text, &end, 0);
	return errno || *end || value < o->min || value > o->max ? -EINVAL : (long)value;
}

int intent_set(struct intent *in, const char *name, const char *value)
{
	size_t i = 0;
	long n;

	while (i < ARRAY_SIZE(options) && !streq(options[i].name, name))
		i++;
	if (i == ARRAY_SIZE(options))
		return -ENOENT;
	n = read_value(&options[i], value);
	/* The ROM is given the membership bit too; 0x0001 and 0x8001 are one partition. */
	if (n < 0 || (i == OPTION_PKEY && (n & 0x7fff) == 0))
		return -EINVAL;
	switch ((enum option_id)i) {
	case OPTION_LINK: in->link = (enum intent_link)n; break;
	case OPTION_ARCH: in->arch = (enum intent_arch)n; break;
	case OPTION_IP: in->ip = (enum intent_ip)n; break;
	case OPTION_PKEY: in->pkey = (uint16_t)n; break;
	case OPTION_VLAN: in->vlan = (uint16_t)n; break;
	case OPTION_WAIT: in->wait = (uint8_t)n; break;
	case OPTION_FIRMWARE:
		in->bios = n != 1;
		in->uefi = n != 0;
		break;
	case OPTION_PORT:
		in->port[0] = n != 1;
		in->port[1] = n != 0;
		break;
	}
	return 0;
}

const char *intent_fault(const struct intent *in)
{
	if (in->arch == INTENT_ARM && in->bios)
		return "arm has no BIOS: --arch arm needs --firmware uefi";
	if (in->link == INTENT_ETH && in->pkey)
		return "--pkey is for InfiniBand only; Ethernet has --vlan";
	if (in->link == INTENT_IB && in->vlan)
		return "--vlan is for Ethernet only; InfiniBand has --pkey";
	if (in->wait && !in->bios)
		return "--wait is for FlexBoot only; it has no effect with --firmware uefi";
	return NULL;
}
