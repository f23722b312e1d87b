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
	CHECK_STR(kind_with(32769, "CD001", 5, &what), "iso");
	CHECK_STR(what, "");
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
	const char *what;

	kind_with(0, "<html", 5, &what);
	CHECK_STR(what, "an HTML page");
	kind_with(0, "{", 1, &what);
	CHECK_STR(what, "a JSON document: a manifest's URL ends in .manifest");
	kind_with(510, "\x55\xaa", 2, &what);
	CHECK_STR(what, "a disk with partitions: take the root partition alone");
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

	probe_image(d.fd, d.size, NULL, NULL, &p);
	CHECK_INT(p.cause, CAUSE_NONE);
	CHECK_INT(p.kind, IMAGE_ISO);
	CHECK_INT(p.inner, IMAGE_SQUASHFS);
	CHECK_INT(p.file.offset, 20 * SECTOR);
	probe_image(d.fd, d.size, "nowhere", NULL, &p);
	CHECK_INT(p.cause, CAUSE_IMAGE_NO_ROOT_INSIDE);
	d.bytes[20 * SECTOR] = 'x';
	probe_image(d.fd, d.size, NULL, NULL, &p);
	CHECK_INT(p.cause, CAUSE_IMAGE_UNKNOWN);
	CHECK_STR(p.text, "LiveOS/squashfs.img");
	end_disc(&d);
}
