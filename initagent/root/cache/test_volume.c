// SPDX-License-Identifier: GPL-2.0-or-later
/* Disks as the makers of file systems leave them, partition tables made here, and sysfs as plain
 * files. */
#include <sys/stat.h>

#include "root/cache/place.h"
#include "root/cache/volume.h"
#include "check.h"
#include "files.h"

#define UUID "11223344-5566-7788-99aa-bbccddeeff00"

static char dir[64];

static void shell(const char *command)
{
	char line[1024];

	snprintf(line, sizeof(line), "cd %s && { %s; } >/dev/null 2>&1", dir, command);
	CHECK_INT(system(line), 0);
}

static void open_dir(void)
{
	strscpy(dir, "/tmp/initagent-volume-XXXXXX", sizeof(dir));
	check_dir(dir);
}

static bool judge(const char *command, struct volume *ret)
{
	static uint8_t head[VOLUME_HEAD];
	char path[128];
	FILE *f;
	size_t n;

	open_dir();
	shell(command);
	snprintf(path, sizeof(path), "%s/disk", dir);
	f = fopen(path, "re");
	CHECK(f != NULL);
	n = fread(head, 1, sizeof(head), f);
	fclose(f);
	return volume_judge(head, n, ret);
}

TEST(ext4)
{
	struct volume v;

	CHECK(judge("truncate -s 8M disk; mkfs.ext4 -q -L cache -U " UUID " disk", &v));
	CHECK_STR(v.fstype, "ext4");
	CHECK_STR(v.uuid, UUID);
	CHECK_STR(v.label, "cache");
}

TEST(xfs)
{
	struct volume v;

	CHECK(judge("truncate -s 512M disk; mkfs.xfs -q -L cache -m uuid=" UUID " disk", &v));
	CHECK_STR(v.fstype, "xfs");
	CHECK_STR(v.uuid, UUID);
	CHECK_STR(v.label, "cache");
}

TEST(fat)
{
	static uint8_t head[VOLUME_HEAD];
	struct volume v;

	memcpy(head + 82, "FAT32   ", 8);
	memcpy(head + 67, "\x78\x56\x34\x12", 4);
	memcpy(head + 71, "CACHE      ", 11);
	CHECK(volume_judge(head, sizeof(head), &v));
	CHECK_STR(v.fstype, "vfat");
	CHECK_STR(v.uuid, "1234-5678");
	CHECK_STR(v.label, "CACHE");
}

TEST(btrfs)
{
	static uint8_t head[VOLUME_HEAD];
	struct volume v;

	memcpy(head + 65536 + 64, "_BHRfS_M", 8);
	memset(head + 65536 + 32, 0xab, 16);
	memset(head + 65536 + 299, 'l', 256);
	CHECK(volume_judge(head, sizeof(head), &v));
	CHECK_STR(v.uuid, "abababab-abab-abab-abab-abababababab");
	CHECK_INT(strlen(v.label), 256);
	/* Cut off in its superblock. */
	CHECK(!volume_judge(head, 65536 + 200, &v));
}

TEST(nothing_that_is_known)
{
	uint8_t head[4096] = {0};
	struct volume v;

	CHECK(!volume_judge(head, sizeof(head), &v));
	CHECK(!volume_judge(head, 0, &v));
}

/* --- partitions ------------------------------------------------------------------------------ */

static void put32(uint8_t *at, uint32_t n)
{
	for (size_t i = 0; i < 4; i++)
		at[i] = (uint8_t)(n >> 8 * i);
}

/* A disk of 64 KiB with one partition, its third. */
static void make_gpt(uint8_t *disk)
{
	uint8_t *entry = disk + 1024 + 2 * 128;
	static const char label[] = "c\303\244che";

	memcpy(disk + 512, "EFI PART", 8);
	put32(disk + 512 + 72, 2);
	put32(disk + 512 + 80, 128);
	put32(disk + 512 + 84, 128);
	memset(entry, 1, 16);
	for (size_t i = 0; i < 16; i++)
		entry[16 + i] = (uint8_t)(i * 17);
	memcpy(entry + 56, "c\0\344\0c\0h\0e\0", 10);
	CHECK_INT(sizeof(label), 7);
}

TEST(gpt)
{
	static uint8_t disk[65536];
	struct volume_table t;
	struct volume_part p;

	make_gpt(disk);
	CHECK(volume_table(disk, sizeof(disk), 512, &t));
	CHECK(t.gpt);
	CHECK_INT(t.offset, 1024);
	CHECK(!volume_part_gpt(disk + t.offset, 128, &p));
	CHECK(volume_part_gpt(disk + t.offset + 256, 128, &p));
	CHECK_STR(p.uuid, "33221100-5544-7766-8899-aabbccddeeff");
	CHECK_STR(p.label, "c\303\244che");
	CHECK(!volume_part_gpt(disk + t.offset + 256, 127, &p));
}

/* Numbers that lead nowhere. */
TEST(gpt_that_is_none)
{
	static uint8_t disk[65536];
	struct volume_table t;

	make_gpt(disk);
	put32(disk + 512 + 84, 16);
	CHECK(!volume_table(disk, sizeof(disk), 512, &t));
	put32(disk + 512 + 84, 128);
	put32(disk + 512 + 76, 0xffffffff);
	CHECK(!volume_table(disk, sizeof(disk), 512, &t));
	CHECK(!volume_table(disk, 600, 512, &t));
}

TEST(mbr)
{
	uint8_t disk[512] = {[510] = 0x55, [511] = 0xaa};
	struct volume_table t;
	struct volume_part p;

	CHECK(!volume_table(disk, sizeof(disk), 512, &t));
	put32(disk + 440, 0x1234abcd);
	CHECK(volume_table(disk, sizeof(disk), 512, &t));
	volume_part_mbr(&t, 2, &p);
	CHECK_STR(p.uuid, "1234abcd-02");
}

/* --- finding one ----------------------------------------------------------------------------- */

static void find(const char *place, const char *want)
{
	struct env env = {.prefix = dir};
	char got[256] = "";

	CHECK_INT(place_find(&env, place, 0, got, sizeof(got)), want ? 0 : -ENODEV);
	if (want)
		CHECK_STR(got + strlen(dir), want);
}

TEST(found_by_any_name)
{
	static uint8_t disk[65536];
	char path[128];
	FILE *f;

	open_dir();
	shell("mkdir -p dev sys/devices/vda/queue sys/devices/vda/vda3 sys/devices/loop0 "
		"sys/class/block && "
		"for d in vda vda/vda3 loop0; do echo 100 >sys/devices/$d/size; "
		"ln -s ../../devices/$d sys/class/block/${d##*/}; done && "
		"echo 3 >sys/devices/vda/vda3/partition && echo 512 "
		">sys/devices/vda/queue/logical_block_size && "
		"truncate -s 8M dev/vda3 && mkfs.ext4 -q -L cache -U " UUID
		" dev/vda3 && cp dev/vda3 dev/loop0");
	make_gpt(disk);
	snprintf(path, sizeof(path), "%s/dev/vda", dir);
	f = fopen(path, "we");
	CHECK(f && fwrite(disk, sizeof(disk), 1, f) == 1 && fclose(f) == 0);
	find("/dev/vda3", "/dev/vda3");
	find("LABEL=cache:/some/folder", "/dev/vda3");
	find("UUID=" UUID, "/dev/vda3");
	find("UUID=11223344-5566-7788-99AA-BBCCDDEEFF00", "/dev/vda3");
	find("PARTUUID=33221100-5544-7766-8899-AABBCCDDEEFF:/", "/dev/vda3");
	find("PARTLABEL=c\303\244che", "/dev/vda3");
	find("LABEL=cache2", NULL);
	find("PARTUUID=33221100-5544-7766-8899-aabbccddeefe", NULL);
	find("/dev/vdb", NULL);
}

/* The kernel sees no partition where the table is for logical blocks of another size. */
TEST(a_table_for_other_logical_blocks_is_named)
{
	static const struct {
		const char *size;
		size_t at;
		const char *want;
	} rows[] = {{"512", 512, ""}, {"4096", 4096, ""}, {"1024", 600, ""},
		{"4096", 512, "the GPT of vda is for blocks of 512 bytes, the disk has 4096"},
		{"512", 4096, "the GPT of vda is for blocks of 4096 bytes, the disk has 512"}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char text[PLACE_TEXT_MAX], disk[8192] = "";
		struct env env = {.prefix = dir};
		FILE *f;

		open_dir();
		env.prefix = dir;
		files_text(dir, "/sys/class/block/vda/size", "100\n");
		files_text(dir, "/sys/class/block/vda/queue/logical_block_size", rows[i].size);
		memcpy(disk + rows[i].at, "EFI PART", 8);
		f = files_create(dir, "/dev/vda");
		CHECK(fwrite(disk, sizeof(disk), 1, f) == 1 && fclose(f) == 0);
		place_foreign_table(&env, "", text);
		CHECK_STR(text, rows[i].want);
		place_foreign_table(&env, "vda", text);
		CHECK_STR(text, rows[i].want);
		place_foreign_table(&env, "vda3", text);
		CHECK_STR(text, rows[i].want);
		place_foreign_table(&env, "vdb3", text);
		CHECK_STR(text, "");
	}
}

/* --- mounting one ---------------------------------------------------------------------------- */

/* The first line a command prints, without its end. */
static void first_line(const char *command, char *buf, size_t size)
{
	FILE *f = popen(command, "re");

	if (!f || !fgets(buf, (int)size, f))
		check_skip("not to be had here: %s", command);
	pclose(f);
	buf[strcspn(buf, "\n")] = 0;
}

/* A superblock may say that the kernel shall stop at the first error: not for a cache. */
TEST(a_damaged_disk_is_no_reason_to_panic)
{
	char line[256], device[64], text[PLACE_TEXT_MAX];
	struct env env = {.prefix = ""};
	int fd;

	if (geteuid() != 0)
		check_skip("mounts need root");
	open_dir();
	shell("truncate -s 8M disk && mkfs.ext4 -q disk && tune2fs -e panic disk >/dev/null");
	snprintf(line, sizeof(line), "losetup -f --show %s/disk", dir);
	first_line(line, device, sizeof(device));
	fd = place_open(&env, device, 0, text);
	snprintf(line, sizeof(line), "losetup -d %s", device);
	CHECK_INT(system(line), 0);
	if (fd < 0)
		check_skip("%s: %s", device, text);
	snprintf(line, sizeof(line),
		"grep -x errors=remount-ro /proc/fs/ext4/%s/options >/dev/null",
		device + strlen("/dev/"));
	CHECK_INT(system(line), 0);
	close(fd);
}
