// SPDX-License-Identifier: GPL-2.0-or-later
/* What the server is asked for, and what is taken from the system overlay. */
#include <sys/stat.h>

#include "check.h"
#include "root/wwinit/overlay_config.h"
#include "root/wwinit/request.h"

static void put(const char *dir, const char *name, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "we");
	CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

static void folder(const char *dir, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	CHECK_INT(mkdir(path, 0755), 0);
}

TEST(without_dmi)
{
	char dir[] = "/tmp/initagent-ww-XXXXXX", url[REQUEST_URL_MAX];
	const struct env env = {.prefix = check_dir(dir)};
	struct plan_wwinit ww = {.id = "52:54:00:12:34:56"};

	CHECK_INT(request_url(&env, "http://s:9873", &ww, "image", url), 0);
	CHECK_STR(url, "http://s:9873/image/52:54:00:12:34:56?assetkey=&uuid=&compress=gz");
	ww.staged = true;
	CHECK_INT(request_url(&env, "http://s:9873/provision/a", &ww, "runtime", url), 0);
	CHECK_STR(url,
		"http://s:9873/provision/a?stage=runtime&assetkey=&uuid=&compress=gz");
	CHECK_INT(request_url(&env, "http://s/ww?x=1", &ww, "image", url), 0);
	CHECK_STR(url, "http://s/ww?x=1&stage=image&assetkey=&uuid=&compress=gz");
}

TEST(dmi_values_are_encoded_and_bounded)
{
	char dir[] = "/tmp/initagent-ww-XXXXXX", url[REQUEST_URL_MAX], long_tag[200];
	const struct env env = {.prefix = check_dir(dir)};
	const struct plan_wwinit ww = {.id = "n1"};

	folder(dir, "sys");
	folder(dir, "sys/class");
	folder(dir, "sys/class/dmi");
	folder(dir, "sys/class/dmi/id");
	put(dir, "sys/class/dmi/id/chassis_asset_tag", "a b&c=\xff/?\n");
	put(dir, "sys/class/dmi/id/product_uuid", "01234567-89ab\n");
	CHECK_INT(request_url(&env, "http://s", &ww, "system", url), 0);
	CHECK_STR(url, "http://s/system/n1?assetkey=a%20b%26c%3D%FF%2F%3F&uuid=01234567-89ab"
			"&compress=gz");
	memset(long_tag, '&', sizeof(long_tag) - 1);
	long_tag[sizeof(long_tag) - 1] = 0;
	put(dir, "sys/class/dmi/id/chassis_asset_tag", long_tag);
	CHECK_INT(request_url(&env, "http://s", &ww, "system", url), 0);
	CHECK(strstr(url, "%26&uuid="));
}

TEST(values_of_the_overlay_are_text)
{
	static const char text[] = "WWTLS=false\nWWTLS=\"true\"\nXWWTLSPORT=1\nWWTLSPORT=9874\n"
				   "WWIPADDR=10.0.0.1 ; reboot\nWWIPADDR=10.0.0.2";
	struct overlay_config c;

	overlay_config_parse(text, sizeof(text) - 1, &c);
	CHECK_STR(c.tls, "true");
	CHECK_STR(c.port, "9874");
	CHECK_STR(c.address, "10.0.0.2");
}

#define SERVER "http://[2001:db8::1]:9873"

/* A FIFO, or a link to a file outside of the root, is no certificate. */
TEST(tls_needs_a_certificate_in_the_root)
{
	char dir[] = "/tmp/initagent-ww-XXXXXX", base[128], path[256];
	const struct env env = {.prefix = check_dir(dir)};

	folder(dir, "run");
	folder(dir, "root");
	folder(dir, "root/warewulf");
	folder(dir, "root/warewulf/tls");
	snprintf(path, sizeof(path), "%s/root", dir);
	put(dir, "root/warewulf/config", "WWTLS=true\nWWIPADDR=fe80::1\nWWTLSPORT=9874\n");
	CHECK(!request_tls(&env, path, SERVER, base, sizeof(base)));
	put(dir, "outside", "-----BEGIN CERTIFICATE-----\n");
	snprintf(path, sizeof(path), "%s/outside", dir);
	snprintf(base, sizeof(base), "%s/root/warewulf/tls/warewulf.crt", dir);
	CHECK_INT(symlink(path, base), 0);
	snprintf(path, sizeof(path), "%s/root", dir);
	CHECK(!request_tls(&env, path, SERVER, base, sizeof(base)));
	snprintf(path, sizeof(path), "%s/root/warewulf/tls/warewulf.crt", dir);
	CHECK_INT(unlink(path), 0);
	CHECK_INT(mkfifo(path, 0644), 0);
	snprintf(path, sizeof(path), "%s/root", dir);
	CHECK(!request_tls(&env, path, SERVER, base, sizeof(base)));
	snprintf(base, sizeof(base), "%s/root/warewulf/tls/warewulf.crt", dir);
	CHECK_INT(unlink(base), 0);
	put(dir, "root/warewulf/tls/warewulf.crt", "-----BEGIN CERTIFICATE-----\n");
	CHECK(request_tls(&env, path, SERVER, base, sizeof(base)));
	CHECK_STR(base, "https://[fe80::1]:9874");
	put(dir, "root/warewulf/config", "WWTLS=true\nWWIPADDR=\nWWTLSPORT=9874\n");
	CHECK(request_tls(&env, path, SERVER, base, sizeof(base)));
	CHECK_STR(base, "https://[2001:db8::1]:9874");
	CHECK(env_read(&env, path, sizeof(path), "%s", REQUEST_CA) > 0);
}

TEST(mounts_are_in_the_order_of_their_paths_and_stay_below_the_root)
{
	static const char text[] = "\n/dev/sda3 xfs /var/log\nLABEL=v  /var\n \t\n"
		"tmpfs\ttmpfs /a/../..\n/dev/sda1 ext4 var\n/dev/sda1\n/dev/sda2 ext4 /..a\n"
		"/dev/sda1 averylongfilesystem /x\n/dev/sda1 ext4 /\n";
	struct overlay_mount m[OVERLAY_MOUNTS_MAX];
	bool odd;

	CHECK_INT(overlay_mounts_parse(text, sizeof(text) - 1, m, &odd), 3);
	CHECK(odd);
	CHECK_STR(m[0].path, "/..a");
	CHECK_STR(m[1].path, "/var");
	CHECK_STR(m[1].device, "LABEL=v");
	CHECK_STR(m[1].fstype, "");
	CHECK_STR(m[2].path, "/var/log");
	CHECK_STR(m[2].fstype, "xfs");
	CHECK_INT(overlay_mounts_parse("\n", 1, m, &odd), 0);
	CHECK(!odd);
}
