// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmdline_firmware: see cmdline.h. ACPI's tables are files of sysfs; an iBFT, which may be
 * elsewhere in memory, is shown field by field by the kernel's module iscsi_ibft; UEFI's variables
 * are files of efivarfs.
 */
#include "state/cmdline.h"

#include <limits.h>

#include "base/io.h"
#include "base/mountpoint.h"
#include "firmware.h"
#include "modules/modprobe.h"
#include "report/report.h"

#define ACPI_TABLES "/sys/firmware/acpi/tables"
#define IBFT	    "/sys/firmware/ibft"

#define TABLE_MAX (64 * 1024)

/* A build without block roots leaves root=nvmf to dracut. */
#ifdef FEATURE_BLOCK
#define HAS_BLOCK true
#else
#define HAS_BLOCK false
#endif

/*
 * Of systemd-stub 258 and later, in UTF-16, in the name space of the Boot Loader Interface: the URL
 * it was loaded from. Kept in memory by the firmware, so that it is of this boot.
 */
#define ORIGIN_VARIABLE "StubDeviceURL-4a67b082-0a4c-41cf-b6c7-440b29bb8c4f"

/* Of an interface in an iBFT (iSCSI boot firmware table 1.03, section 3.5). */
enum { IBFT_VALID = 1 << 0, IBFT_BOOT = 1 << 1 };
#define IBFT_ORIGIN_DHCP 3

static int is_nbft(const struct dirent *e)
{
	return strncmp(e->d_name, "NBFT", 4) == 0;
}

static int is_interface(const struct dirent *e)
{
	return strncmp(e->d_name, "ethernet", 8) == 0;
}

/* For each entry of a folder that fits, by name: one(). */
static void for_each(const struct env *env, struct firmware *f, uint64_t now, const char *folder,
	int (*fits)(const struct dirent *e),
	void (*one)(const struct env *env, struct firmware *f, uint64_t now, const char *name))
{
	struct dirent **list = NULL;
	char path[PATH_MAX];
	int n;

	if (env_path(env, path, sizeof(path), "%s", folder) < 0)
		return;
	n = scandir(path, &list, fits, alphasort);
	for (int i = 0; i < n; i++) {
		one(env, f, now, list[i]->d_name);
		free(list[i]);
	}
	free(list);
}

/* --- NBFT ----------------------------------------------------------------------------------- */

static void read_nbft(const struct env *env, struct firmware *f, uint64_t now, const char *name)
{
	_cleanup_free_ void *table = NULL;
	_cleanup_close_ int fd = env_open(env, O_RDONLY, ACPI_TABLES "/%s", name);
	const char *why = "it cannot be read";
	size_t len;

	if (fd < 0 || io_read_all(fd, TABLE_MAX, &table, &len) < 0 ||
		nbft_parse(f, table, len, &why) < 0)
		report_cause(env->report, CAUSE_FIRMWARE_TABLE, name, now, "%s", why);
}

/* --- iBFT ----------------------------------------------------------------------------------- */

/* An attribute's text; "" if there is none. */
static const char *attribute(const struct env *env, const char *iface, const char *name,
	char buf[static 80])
{
	return env_read(env, buf, 80, IBFT "/%s/%s", iface, name) < 0 ? "" : buf;
}

static uint32_t number(const struct env *env, const char *iface, const char *name, uint32_t max)
{
	char buf[80];
	const char *s = attribute(env, iface, name, buf);
	uint32_t n = 0;

	value_u32(s, strlen(s), max, &n);
	return n;
}

/* 0.0.0.0 is none. */
static bool address(const struct env *env, const char *iface, const char *name,
	struct inet_addr *ret)
{
	static const uint8_t zeroes[16];
	char buf[80];
	const char *s = attribute(env, iface, name, buf);
	struct inet_addr a = {0};

	if (value_inet(s, strlen(s), &a) < 0 || memcmp(a.bytes, zeroes, sizeof(zeroes)) == 0)
		return false;
	*ret = a;
	return true;
}

/* For IPv6 iscsi_ibft shows a mask, too, which means nothing; without a length, dracut takes 64. */
static int prefix_of(const struct env *env, const char *iface, bool six)
{
	char buf[80];
	const char *mask = attribute(env, iface, "subnet-mask", buf);
	int prefix = 0;

	if (six || value_netmask(mask, strlen(mask), 32, &prefix) < 0)
		prefix = (int)number(env, iface, "prefix-len", 128);
	return six && !prefix ? 64 : prefix;
}

static void read_ibft(const struct env *env, struct firmware *f, uint64_t now, const char *name)
{
	struct firmware_iface i = {0};
	struct inet_addr server = {0};
	char buf[80];
	const char *s, *why;
	uint32_t flags = number(env, name, "flags", UINT8_MAX);

	if (!(flags & IBFT_VALID) || !(flags & IBFT_BOOT) || f->n_ifaces == FIRMWARE_IFACES_MAX)
		return;
	s = attribute(env, name, "mac", buf);
	if (value_hw(s, strlen(s), &i.hwaddr) < 0)
		i.hwaddr.len = 6; /* zeroes, which no interface has */
	i.vlan = (uint16_t)number(env, name, "vlan", UINT16_MAX);
	address(env, name, "ip-addr", &i.addr);
	i.dhcp = address(env, name, "dhcp", &server) ||
		number(env, name, "origin", UINT8_MAX) == IBFT_ORIGIN_DHCP;
	i.six = (i.addr.family ? i.addr : server).family == AF_INET6;
	i.prefix = prefix_of(env, name, i.six);
	address(env, name, "gateway", &i.gateway);
	address(env, name, "primary-dns", &i.dns[0]);
	address(env, name, "secondary-dns", &i.dns[1]);
	if (strscpy(i.hostname, attribute(env, name, "hostname", buf), sizeof(i.hostname)) < 0)
		*i.hostname = 0;
	why = firmware_check(&i);
	if (why)
		report_cause(env->report, CAUSE_FIRMWARE_TABLE, name, now, "%s", why);
	else if (i.dhcp || i.addr.family)
		f->ifaces[f->n_ifaces++] = i;
}

/* --- the origin of a UEFI HTTP boot --------------------------------------------------------- */

static size_t read_variable(const struct env *env, const char *name, uint8_t *buf, size_t size)
{
	_cleanup_close_ int fd = -1;
	ssize_t n;

	modules_load_now(env, "efivarfs");
	mount_missing(env, "efivarfs", EFI_VARIABLES);
	fd = env_open(env, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, EFI_VARIABLES "/%s", name);
	n = fd < 0 ? -1 : read(fd, buf, size);
	return n < EFI_ATTRIBUTES_LEN ? 0 : (size_t)n;
}

/* URL: where this boot came from; "" if from no web server. */
static void read_origin(const struct env *env, char url[static PLAN_URL_MAX + 1], uint64_t now)
{
	uint8_t text[EFI_ATTRIBUTES_LEN + 2 * PLAN_URL_MAX + 2];
	size_t len = read_variable(env, ORIGIN_VARIABLE, text, sizeof(text)), n = 0;

	for (size_t i = EFI_ATTRIBUTES_LEN; i + 1 < len && n < PLAN_URL_MAX; i += 2) {
		if (!text[i] && !text[i + 1])
			break;
		url[n++] = text[i + 1] ? '\x7f' : (char)text[i];
	}
	url[n] = 0;
	if (!len || (len < sizeof(text) && firmware_is_origin(url)))
		return;
	report_cause(env->report, CAUSE_FIRMWARE_TABLE, "StubDeviceURL", now,
		"no URL with http or https");
	*url = 0;
}

/* --- all ----------------------------------------------------------------------------------- */

/* What the command line leaves to it. */
struct left {
	struct firmware nbft, ibft;
	bool wants_origin;
	char origin[PLAN_URL_MAX + 1]; /* "": from no web server */
};

static void read_all(const struct env *env, const struct boot_plan *plan, bool alone,
	struct left *l, uint64_t now)
{
	l->wants_origin = firmware_wants_origin(plan);
	if (l->wants_origin)
		read_origin(env, l->origin, now);
	if (HAS_BLOCK && firmware_wants_nbft(plan) && (alone || plan->root.block.nbft))
		for_each(env, &l->nbft, now, ACPI_TABLES, is_nbft, read_nbft);
	if (!firmware_wants_ibft(plan))
		return;
	for_each(env, &l->ibft, now, IBFT, is_interface, read_ibft);
	if (!l->ibft.n_ifaces && modules_load_now(env, "iscsi_ibft") == 0)
		for_each(env, &l->ibft, now, IBFT, is_interface, read_ibft);
}

static enum cause no_table(const struct env *env, const char *which, uint64_t now, const char *why)
{
	report_cause(env->report, CAUSE_FIRMWARE_NONE, which, now, "%s", why);
	return CAUSE_FIRMWARE_NONE;
}

/*
 * What the boot cannot go on without. A root of another kind may be meant where no root= names the
 * image (systemd-gpt-auto-generator's), as long as another program can find it, or where a disk of
 * the node may have the name.
 */
static enum cause missing(const struct env *env, const struct boot_plan *plan, bool alone,
	const struct left *l, uint64_t now)
{
	const struct plan_block *block = &plan->root.block;

	if (l->wants_origin && !*l->origin && plan_is_fetched(plan->root.kind) &&
		!plan->root.image.url && !plan->root.image.volume &&
		(alone || firmware_names_image(plan)))
		return no_table(env, "StubDeviceURL", now, "not booted by UEFI HTTP Boot");
	if (HAS_BLOCK && block->nbft && !block->n_portals && !l->nbft.n_paths)
		return no_table(env, "NBFT", now, plan->root.no_nbft
			? "rd.nvmf.nonbft leaves it alone"
			: "root=nvmf: no NBFT with a namespace to boot from");
	if (firmware_wants_ibft(plan) && !l->ibft.n_ifaces)
		return no_table(env, "iBFT", now,
			"ip=ibft: no interface in it (has the kernel's log an \"iBFT error\"?)");
	return CAUSE_NONE;
}

static int add_options(struct cmdline *c, const struct env *env, const struct left *l, uint64_t now)
{
	_cleanup_free_ char *text = NULL;
	struct cmdline whole;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	int r;

	if (!out)
		return -ENOMEM;
	firmware_options(out, &l->ibft, c->plan);
	firmware_options(out, &l->nbft, c->plan);
	if (l->wants_origin)
		fprintf(out, "rd.root.origin=%s ", *l->origin ? l->origin : "none");
	if (fclose(out) != 0)
		return -ENOMEM;
	if (!len)
		return 0;
	report_log(env->report, REPORT_INFO, "firmware", now,
		"options below the command line: %s", text);
	r = cmdline_load_firmware(env, text, &whole);
	if (r < 0)
		return r;
	cmdline_done(c);
	*c = whole;
	return 0;
}

enum cause cmdline_firmware(struct cmdline *c, const struct env *env, bool alone, uint64_t now)
{
	struct left left = {.nbft.name = "nbft", .ibft.name = "ibft"};
	enum cause cause;
	int r;

	read_all(env, c->plan, alone, &left, now);
	cause = missing(env, c->plan, alone, &left, now);
	if (cause != CAUSE_NONE)
		return cause;
	r = add_options(c, env, &left, now);
	if (r == 0 && !firmware_wants_origin(c->plan))
		return CAUSE_NONE;
	/* out of memory, or a URL that the parser refuses */
	return no_table(env, "firmware", now, r < 0 ? strerror(-r) : left.origin);
}
