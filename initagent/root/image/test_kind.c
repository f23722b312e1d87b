/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kinds by their marks, and ISO images made here byte by byte, so that each length in them can be
 * wrong.
 */
#include <sys/mman.h>

#include "check.h"
#include "root/image/iso.h"
#include "root/image/probe.h"

#define SECTOR 2048

static const char *kind_with(size_t at, const char *mark, size_t len, const char **what)
{
	static uint8_t head[IMAGE_HEAD_MAX];

	memset(head, 0, sizeof(head));
	memcpy(head + at, mark, len);
	return image_kind_name(image_kind_judge(head, sizeof(head), what));
}

TEST(marks)
{
	static const char label[1024] = {[156] = 'V', [512 + 257] = 'u', 's', 't', 'a', 'r'};
	const char *what = "";

	CHECK_STR(kind_with(0, "XFSB", 4, &what), "xfs");
	CHECK_STR(kind_with(1024, "\xe2\xe1\xf5\xe0", 4, &what), "erofs");
	CHECK_STR(kind_with(1080, "\x53\xef", 2, &what), "ext4");
	CHECK_STR(kind_with(0, "070701", 6, &what), "cpio");
	CHECK_STR(kind_with(0, "070702", 6, &what), "cpio");
	CHECK_STR(kind_with(0, "\x1f\x8b\x08", 3, &what), "gzip");
	CHECK_STR(kind_with(0, "\xfd" "7zXZ\0", 6, &what), "xz");
	CHECK_STR(kind_with(0, "\x28\xb5\x2f\xfd", 4, &what), "zstd");
	CHECK_STR(kind_with(0, "\x50\x2a\x4d\x18", 4, &what), "zstd");
	CHECK_STR(kind_with(257, "ustar\0" "00", 8, &what), "tar");
	CHECK_STR(kind_with(257, "ustar  ", 8, &what), "tar");
	/* GNU's header of a label has no mark; the one behind it has */
	CHECK_STR(kind_with(156, "V", 1, &what), "unknown");
	CHECK_STR(image_kind_name(image_kind_judge(label, sizeof(label), &what)), "tar");
	CHECK_STR(kind_with(32769, "CD001", 5, &what), "iso");
	CHECK_STR(what, "");
}

/* ext4's mark is two bytes in what may be an archive's content. */
TEST(a_packing_goes_before_the_mark_of_ext4)
{
	static const struct {
		const char *mark, *kind;
		size_t at;
	} rows[] = {
		{"\x1f\x8b\x08", "gzip", 0}, {"\xfd" "7zXZ", "xz", 0}, {"070701", "cpio", 0},
		{"\x28\xb5\x2f\xfd", "zstd", 0}, {"ustar", "tar", 257},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char head[2048] = "";

		memcpy(head + 1080, "\x53\xef", 2);
		memcpy(head + rows[i].at, rows[i].mark, strlen(rows[i].mark));
		CHECK_STR(image_kind_name(image_kind_judge(head, sizeof(head), NULL)),
			rows[i].kind);
	}
}

/* Version 3 and a mark at the wrong place are none. */
TEST(almost)
{
	const char *what = "";

	CHECK_STR(kind_with(0, "hsqs", 4, &what), "unknown");
	CHECK_STR(kind_with(1, "XFSB", 4, &what), "unknown");
	CHECK_INT(image_kind_judge("XFS", 3, NULL), IMAGE_UNKNOWN);
	CHECK_INT(image_kind_judge("", 0, &what), IMAGE_UNKNOWN);
	CHECK_STR(what, "empty");
}

TEST(what_it_is_instead)
{
	/* with the MBR that protects it */
	static const char large[8192] = {
		[510] = 0x55, -0x56, [4096] = 'E', 'F', 'I', ' ', 'P', 'A', 'R', 'T'};
	const char *what;

	kind_with(0, "<html", 5, &what);
	CHECK_STR(what, "an HTML page");
	kind_with(0, "{", 1, &what);
	CHECK_STR(what, "a JSON document: a manifest's URL ends in .manifest");
	kind_with(510, "\x55\xaa", 2, &what);
	CHECK_STR(what, "a disk with an MBR: make a GPT, or take the root partition alone");
	image_kind_judge(large, sizeof(large), &what);
	CHECK_STR(what, "a disk with a GPT for blocks of 4096 bytes: make it for 512");
	kind_with(0, "\x5d\0\0\x80", 4, &what);
	CHECK_STR(what, "lzma: use zstd, xz or gzip");
	kind_with(0, "070707", 6, &what);
	CHECK_STR(what, "an old cpio: use cpio -H newc");
}

TEST(every_kind_has_a_name_and_a_way)
{
	for (int i = IMAGE_UNKNOWN + 1; i < IMAGE_KIND_MAX; i++) {
		enum image_kind kind = (enum image_kind)i;

		CHECK_INT(image_kind_from_name(image_kind_name(kind)), i);
		CHECK(image_kind_way(kind) != IMAGE_WAY_NONE);
		CHECK((image_kind_way(kind) == IMAGE_WAY_MOUNT) ==
			(image_kind_fstype(kind) != NULL));
	}
	CHECK_INT(image_kind_from_name("unknown"), IMAGE_UNKNOWN);
	CHECK_STR(image_modules(0), "loop");
	CHECK(!image_modules(3));
	CHECK_STR(image_kind_module(IMAGE_EROFS), "erofs");
}

/* --- ISO ------------------------------------------------------------------------------------- */

/* Sectors: 16 descriptor, 17 end, 18 root folder, 19 LiveOS, 20.. the file. */
struct disc {
	int fd;
	uint64_t size;
	uint8_t *bytes;
};

static void put32(uint8_t *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = p[7 - i] = (uint8_t)(v >> 8 * i);
}

/* A directory record; returns its length. */
static size_t put_record(uint8_t *p, const char *name, size_t name_len, uint32_t sector,
	uint32_t size, uint8_t flags)
{
	size_t len = (33 + name_len + 1) & ~(size_t)1;

	p[0] = (uint8_t)len;
	put32(p + 2, sector);
	put32(p + 10, size);
	p[25] = flags;
	p[32] = (uint8_t)name_len;
	memcpy(p + 33, name, name_len);
	return len;
}

static struct disc make_disc(void)
{
	struct disc d = {.fd = memfd_create("iso", MFD_CLOEXEC), .size = 24 * SECTOR};
	uint8_t *at;

	CHECK(d.fd >= 0 && ftruncate(d.fd, (off_t)d.size) == 0);
	d.bytes = mmap(NULL, d.size, PROT_READ | PROT_WRITE, MAP_SHARED, d.fd, 0);
	CHECK(d.bytes != MAP_FAILED);
	at = d.bytes + 16 * SECTOR;
	memcpy(at, "\1CD001\1", 7);
	put_record(at + 156, "", 1, 18, SECTOR, 2);
	memcpy(at + SECTOR, "\377CD001\1", 7);
	at = d.bytes + 18 * SECTOR;
	at += put_record(at, "", 1, 18, SECTOR, 2);
	at += put_record(at, "\1", 1, 18, SECTOR, 2);
	put_record(at, "LIVEOS", 6, 19, SECTOR, 2);
	at = d.bytes + 19 * SECTOR;
	at += put_record(at, "", 1, 19, SECTOR, 2);
	put_record(at, "SQUASHFS.IMG;1", 14, 20, 3000, 0);
	memcpy(d.bytes + 20 * SECTOR, "hsqs", 4);
	d.bytes[20 * SECTOR + 28] = 4;
	return d;
}

static void end_disc(struct disc *d)
{
	munmap(d->bytes, d->size);
	close(d->fd);
}

TEST(iso_names_by_habit)
{
	struct disc d = make_disc();
	struct iso_file f;

	CHECK_INT(iso_find(d.fd, d.size, NULL, NULL, &f), 0);
	CHECK_INT(f.offset, 20 * SECTOR);
	CHECK_INT(f.size, 3000);
	CHECK_STR(f.path, "LiveOS/squashfs.img");
	CHECK_INT(iso_find(d.fd, d.size, "/liveos/", NULL, &f), 0);
	CHECK_INT(iso_find(d.fd, d.size, "liveos", "squashfs.im", &f), -ENOENT);
	CHECK_INT(iso_find(d.fd, d.size, "squashfs.img", "squashfs.img", &f), -ENOENT);
	CHECK_INT(iso_find(d.fd, d.size, "", "LIVEOS", &f), -ENOENT);
	end_disc(&d);
}

/* A file of more than one record is one run, or none at all. */
TEST(iso_extents)
{
	struct disc d = make_disc();
	uint8_t *at = d.bytes + 19 * SECTOR + 34;
	struct iso_file f;

	at += put_record(at, "SQUASHFS.IMG;1", 14, 20, SECTOR, 0x80);
	put_record(at, "SQUASHFS.IMG;1", 14, 21, 100, 0);
	CHECK_INT(iso_find(d.fd, d.size, NULL, NULL, &f), 0);
	CHECK_INT(f.size, SECTOR + 100);
	put32(at + 2, 22);
	CHECK_INT(iso_find(d.fd, d.size, NULL, NULL, &f), -EINVAL);
	put32(at + 2, 21);
	at[25] = 0x80;
	CHECK_INT(iso_find(d.fd, d.size, NULL, NULL, &f), -EINVAL);
	end_disc(&d);
}

static void check_broken(struct disc *d, size_t at, uint8_t value, int want)
{
	uint8_t before = d->bytes[at];
	struct iso_file f;

	d->bytes[at] = value;
	CHECK_INT(iso_find(d->fd, d->size, NULL, NULL, &f), want);
	d->bytes[at] = before;
}

TEST(iso_lengths_that_lie)
{
	const size_t record = 19 * SECTOR + 34;
	struct disc d = make_disc();

	check_broken(&d, 16 * SECTOR, 255, -EINVAL);		/* ends before a volume */
	check_broken(&d, 16 * SECTOR + 3, 'X', -EINVAL);	/* not a descriptor */
	check_broken(&d, 16 * SECTOR + 156, 0, -EINVAL);	/* no root record */
	check_broken(&d, 18 * SECTOR, 33, -EINVAL);		/* a record without a name */
	check_broken(&d, 18 * SECTOR + 32, 200, -EINVAL);	/* a name longer than its record */
	check_broken(&d, record + 32, 0, -EINVAL);
	check_broken(&d, record + 5, 0x7f, -EINVAL);		/* a file behind the end */
	check_broken(&d, record + 13, 0x7f, -EINVAL);		/* longer than the image */
	check_broken(&d, record, 0, -ENOENT);			/* nothing more in the sector */
	check_broken(&d, 16 * SECTOR + 156 + 5, 0x7f, -EINVAL); /* the root folder behind the end */
	/* a file of no bytes */
	put32(d.bytes + record + 10, 0);
	check_broken(&d, 0, 0, -EINVAL);
	end_disc(&d);
}

/* A folder as large as the image may claim to be is read no further than a limit. */
TEST(iso_folder_without_end)
{
	struct disc d = make_disc();
	struct iso_file f;

	put32(d.bytes + 16 * SECTOR + 156 + 10, 0xffffffff);
	CHECK_INT(iso_find(d.fd, d.size, "none", "none", &f), -EINVAL);
	end_disc(&d);
}

TEST(probe_in_a_process_without_rights)
{
	struct disc d = make_disc();
	struct probe p;

	probe_image(d.fd, &(struct probe_question){.size = d.size}, &p);
	CHECK_INT(p.cause, CAUSE_NONE);
	CHECK_INT(p.kind, IMAGE_ISO);
	CHECK_INT(p.inner, IMAGE_SQUASHFS);
	CHECK_INT(p.file.offset, 20 * SECTOR);
	probe_image(d.fd, &(struct probe_question){.size = d.size, .dir = "nowhere"}, &p);
	CHECK_INT(p.cause, CAUSE_IMAGE_NO_ROOT_INSIDE);
	d.bytes[20 * SECTOR] = 'x';
	probe_image(d.fd, &(struct probe_question){.size = d.size}, &p);
	CHECK_INT(p.cause, CAUSE_IMAGE_UNKNOWN);
	CHECK_STR(p.text, "LiveOS/squashfs.img");
	end_disc(&d);
}

/* --- disks ----------------------------------------------------------------------------------- */

/* UAPI.2: the root's partition, of x86-64 and arm64. */
#ifdef __aarch64__
#define ROOT_TYPE "\x45\xb0\x21\xb9\xf0\x1d\xc3\x41\xaf\x44\x4c\x6f\x28\x0d\x3f\xae"
#else
#define ROOT_TYPE "\xe3\xbc\x68\x4f\xcd\xe8\xb1\x4d\x96\xe7\xfb\xca\xf9\x84\xb7\x09"
#endif

static void put_le(uint8_t *at, uint32_t n)
{
	for (size_t i = 0; i < 4; i++)
		at[i] = (uint8_t)(n >> 8 * i);
}

static void put_part(uint8_t *bytes, unsigned number, const char *type, uint32_t first,
	uint32_t last)
{
	uint8_t *entry = bytes + 1024 + 128 * (number - 1);

	memcpy(entry, type, 16);
	put_le(entry + 32, first);
	put_le(entry + 40, last);
}

/* A GPT of four partitions (UEFI 5.3): an EFI system partition, a squashfs as root, nothing. */
static struct disc make_disk(void)
{
	struct disc d = {.size = 8192, .fd = memfd_create("disk", MFD_CLOEXEC)};

	CHECK(d.fd >= 0 && ftruncate(d.fd, (off_t)d.size) == 0);
	d.bytes = mmap(NULL, d.size, PROT_READ | PROT_WRITE, MAP_SHARED, d.fd, 0);
	CHECK(d.bytes != MAP_FAILED);
	memcpy(d.bytes + 512, "EFI PART", 8);
	put_le(d.bytes + 512 + 72, 2);
	put_le(d.bytes + 512 + 80, 4);
	put_le(d.bytes + 512 + 84, 128);
	put_part(d.bytes, 1, "\x28s*\xc1\x1f\xf8\xd2\x11\xbaK\0\xa0\xc9>\xc9;", 6, 6);
	put_part(d.bytes, 2, ROOT_TYPE, 8, 9);
	memcpy(d.bytes + 8 * 512, "hsqs", 4);
	d.bytes[8 * 512 + 28] = 4;
	return d;
}

static enum cause look_at(const struct disc *d, uint32_t part, struct probe *ret)
{
	probe_image(d->fd, &(struct probe_question){.size = d->size, .part = part}, ret);
	CHECK_INT(ret->kind, IMAGE_DISK);
	return (enum cause)ret->cause;
}

TEST(root_partition_of_a_disk)
{
	struct disc d = make_disk();
	struct probe p;

	for (uint32_t part = 0; part <= 2; part += 2) {
		CHECK_INT(look_at(&d, part, &p), CAUSE_NONE);
		CHECK_INT(p.inner, IMAGE_SQUASHFS);
		CHECK_INT(p.file.offset, 4096);
		CHECK_INT(p.file.size, 1024);
		CHECK_STR(p.file.path, "partition 2");
	}
	CHECK_INT(look_at(&d, 1, &p), CAUSE_IMAGE_UNKNOWN);
	CHECK_INT(look_at(&d, 3, &p), CAUSE_IMAGE_NO_ROOT_INSIDE);
	CHECK_INT(look_at(&d, 5, &p), CAUSE_IMAGE_NO_ROOT_INSIDE);
	CHECK_STR(p.text, "no such partition");
	memset(d.bytes + 1024 + 128, 7, 16);
	CHECK_INT(look_at(&d, 0, &p), CAUSE_IMAGE_NO_ROOT_INSIDE);
	CHECK_STR(p.text, "no partition of the root's type for this machine");
	end_disc(&d);
}

static enum cause look_for(const struct disc *d, const char *volume, struct probe *ret)
{
	probe_image(d->fd, &(struct probe_question){.size = d->size, .volume = volume}, ret);
	return (enum cause)ret->cause;
}

/* By the name of the partition, or of the file system in it. */
TEST(named_partition_of_a_disk)
{
	struct disc d = make_disk();
	struct probe p;

	memcpy(d.bytes + 1024 + 128 + 56, "r\0o\0o\0t", 8);
	d.bytes[1024 + 128 + 16] = 1;
	CHECK_INT(look_for(&d, "PARTLABEL=root", &p), CAUSE_NONE);
	CHECK_STR(p.file.path, "partition 2");
	CHECK_INT(look_for(&d, "PARTUUID=00000001-0000-0000-0000-000000000000", &p), CAUSE_NONE);
	CHECK_INT(look_for(&d, "/dev/disk/by-partlabel/root", &p), CAUSE_NONE);
	CHECK_INT(look_for(&d, "PARTLABEL=roo", &p), CAUSE_IMAGE_NO_ROOT_INSIDE);
	CHECK_STR(p.text, "no such partition");
	CHECK_INT(look_for(&d, "LABEL=root", &p), CAUSE_IMAGE_NO_ROOT_INSIDE);
	/* XFS: superblock, UUID at 32, label at 108 */
	memcpy(d.bytes + 8 * 512, "XFSB", 4);
	memcpy(d.bytes + 8 * 512 + 108, "root", 4);
	CHECK_INT(look_for(&d, "LABEL=root", &p), CAUSE_NONE);
	CHECK_INT(p.inner, IMAGE_XFS);
	CHECK_INT(look_for(&d, "UUID=00000000-0000-0000-0000-000000000001", &p),
		CAUSE_IMAGE_NO_ROOT_INSIDE);
	put_part(d.bytes, 1, "\x28s*\xc1\x1f\xf8\xd2\x11\xbaK\0\xa0\xc9>\xc9;", UINT32_MAX, 6);
	put_le(d.bytes + 1024 + 36, UINT32_MAX); /* begins where no file can */
	CHECK_INT(look_for(&d, "LABEL=root", &p), CAUSE_NONE);
	end_disc(&d);
}

/* Places outside of the image, one that begins at the table, an end before the beginning. */
TEST(partition_table_that_lies)
{
	static const uint32_t places[][2] = {{8, 16}, {16, 17}, {0, 9}, {9, 8}};
	struct disc d = make_disk();
	struct probe p;

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		put_part(d.bytes, 2, ROOT_TYPE, places[i][0], places[i][1]);
		CHECK_INT(look_at(&d, 0, &p), CAUSE_IMAGE_BROKEN);
	}
	put_part(d.bytes, 2, ROOT_TYPE, 8, 15);
	CHECK_INT(look_at(&d, 0, &p), CAUSE_NONE);
	put_le(d.bytes + 512 + 72, 1000); /* no entry can be read */
	CHECK_INT(look_at(&d, 0, &p), CAUSE_IMAGE_NO_ROOT_INSIDE);
	put_le(d.bytes + 512 + 76, 0x80000000);
	CHECK_INT(look_at(&d, 0, &p), CAUSE_IMAGE_BROKEN);
	end_disc(&d);
}
