// SPDX-License-Identifier: GPL-2.0-or-later
/* profileroom: see profileroom.h. */
#include "profileroom.h"

#include <dirent.h>
#include <net/if_arp.h>
#include <sys/stat.h>

#include "check.h"
#include "files.h"
#include "handover/profiles.h"
#include "handover/root_facts.h"

struct env proom_env;
static char top[] = "/tmp/initagent-profiles-XXXXXX";
static char dir[48]; /* a new one below top at each proom_begin() */
static char root[64];

/* --- rails ----------------------------------------------------------------------------------- */

struct inet_addr proom_ip(const char *text)
{
	struct inet_addr a;

	CHECK_INT(value_inet(text, strlen(text), &a), 0);
	return a;
}

struct netdev proom_ethernet(const char *name, uint8_t last)
{
	struct netdev dev = {
		.ifindex = last, .hwtype = ARPHRD_ETHER, .mtu = 1500, .up = true, .carrier = true};

	strscpy(dev.name, name, sizeof(dev.name));
	dev.hw = (struct link_hw){6, {0x52, 0x54, 0, 0x12, 0x34, last}};
	return dev;
}

struct netdev proom_ipoib(const char *name, uint16_t pkey)
{
	static const uint8_t hw[20] = {
		0x80, 0, 2, 8, 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 2, 0xc9, 3, 0, 0xe, 0xb, 0x72};
	struct netdev dev = {.ifindex = 5,
		.hwtype = ARPHRD_INFINIBAND,
		.mtu = 2044,
		.up = true,
		.carrier = true};

	strscpy(dev.name, name, sizeof(dev.name));
	dev.hw.len = dev.broadcast.len = 20;
	memcpy(dev.hw.bytes, hw, 20);
	dev.broadcast.bytes[8] = (uint8_t)(pkey >> 8);
	dev.broadcast.bytes[9] = (uint8_t)pkey;
	return dev;
}

/* What DHCP gave: 10.0.0.5/24 behind 10.0.0.1, an hour from 100 s on. */
static struct address_result lease(const struct netdev *dev)
{
	struct address_result r = {
		.ifindex = dev->ifindex,
		.method = ADDRESS_DHCP4,
		.addr = proom_ip("10.0.0.5"),
		.prefix = 24,
		.gateway = proom_ip("10.0.0.1"),
		.server_id = proom_ip("10.0.0.1"),
		.lease_s = 3600,
		.obtained = 100 * NSEC_PER_SEC,
		.renew = 1900 * NSEC_PER_SEC,
		.rebind = 3250 * NSEC_PER_SEC,
		.expires = 3700 * NSEC_PER_SEC,
		.n_dns = 1,
		.hostname = "n1",
		.domain = "cluster.example",
	};

	r.dns[0] = proom_ip("10.0.0.2");
	r.client_id[0] = 1;
	memcpy(r.client_id + 1, dev->hw.bytes, 6);
	r.client_id_len = 7;
	return r;
}

void proom_set_id(struct address_result *r, const uint8_t *id, size_t len)
{
	memcpy(r->client_id, id, len);
	r->client_id_len = len;
}

struct profile_rail proom_leased(struct netdev dev, struct address_result *r)
{
	*r = lease(&dev);
	return (struct profile_rail){
		.dev = dev, .cfg = {.method = ADDRESS_DHCP4}, .four = r, .carries_root = true};
}

/* --- writing and comparing --------------------------------------------------------------- */

void proom_make(const char *path, const char *text)
{
	files_text(root, path, text);
}

void proom_link(const char *path, const char *target)
{
	files_link(root, path, target);
}

void proom_begin(void)
{
	static unsigned n;

	if (n == 0)
		check_dir(top);
	snprintf(dir, sizeof(dir), "%s/%u", top, n++);
	CHECK_INT(mkdir(dir, 0755), 0);
	proom_env = (struct env){.prefix = dir};
	snprintf(root, sizeof(root), "%s/sysroot", dir);
	CHECK_INT(mkdir(root, 0755), 0);
	proom_make("/lib/systemd/systemd", "");
}

void proom_write(const char *cmdline, const struct profile_rail *rails, size_t n)
{
	_cleanup_(plan_freep) struct boot_plan *plan = NULL;
	struct root_facts facts;
	struct root_facts_rails kept = {0};
	struct profile_set set = {
		.env = &proom_env, .facts = &facts, .now = 200 * NSEC_PER_SEC, .wall = 1700000000};

	for (; n && rails[n - 1].awaited; n--)
		set.n_awaited++;
	set.rails = rails;
	set.n_rails = n;
	set.awaited = rails + n;
	CHECK_INT(plan_parse(&plan, cmdline, strlen(cmdline), NULL), 0);
	kept.n = (uint32_t)n;
	for (size_t i = 0; i < n; i++) {
		strscpy(kept.names[i], rails[i].dev.name, IFNAMSIZ);
		kept.hw[i] = rails[i].dev.hw;
	}
	root_facts_begin(root, &facts);
	root_facts_end(root, &kept, plan, &facts);
	profiles_write(&set, plan);
}

/* --- all files below /run as one text: "=== PATH MODE", content
 * -------------------------------------- */

static int not_dot(const struct dirent *e)
{
	return !streq(e->d_name, ".") && !streq(e->d_name, "..");
}

static void gather_file(FILE *out, const char *full, unsigned mode)
{
	_cleanup_fclose_ FILE *f = fopen(full, "r");
	int c;

	CHECK(f != NULL);
	fprintf(out, "=== %s %04o\n", full + strlen(dir), mode);
	while ((c = fgetc(f)) != EOF)
		fputc(c, out);
}

static void gather(FILE *out, const char *full)
{
	struct dirent **list;
	int n = scandir(full, &list, not_dot, alphasort);

	CHECK(n >= 0);
	for (int i = 0; i < n; i++) {
		char path[1024];
		struct stat st;

		snprintf(path, sizeof(path), "%s/%s", full, list[i]->d_name);
		CHECK_INT(lstat(path, &st), 0);
		if (S_ISDIR(st.st_mode))
			gather(out, path);
		else
			gather_file(out, path, st.st_mode & 07777);
		free(list[i]);
	}
	free(list);
}

char *proom_text(void)
{
	char full[128], *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	CHECK(out != NULL);
	snprintf(full, sizeof(full), "%s/run", dir);
	if (access(full, F_OK) == 0)
		gather(out, full);
	CHECK_INT(fclose(out), 0);
	return text;
}

void proom_expect(const char *name)
{
	_cleanup_free_ char *got = proom_text();
	const char *render = getenv("PROFILES_RENDER");
	char path[256], want[32768];
	int n;

	snprintf(
		path, sizeof(path), "%s/%s.txt", render ? render : "tests/fixtures/handover", name);
	if (render) {
		_cleanup_fclose_ FILE *f = fopen(path, "w");

		CHECK(f != NULL && fputs(got, f) >= 0);
		check_skip("written to %s", path);
	}
	n = env_read(&(struct env){0}, want, sizeof(want), "%s", path);
	if (n < 0)
		check_fail(__FILE__, __LINE__, "%s: %s", path, strerror(-n));
	got[strlen(got) - (strlen(got) > 0)] = 0; /* env_read() takes the last newline off */
	CHECK_STR(got, want);
}

bool proom_has(const char *path)
{
	char full[512];

	snprintf(full, sizeof(full), "%s%s", dir, path);
	return access(full, F_OK) == 0;
}
