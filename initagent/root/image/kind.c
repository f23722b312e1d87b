// SPDX-License-Identifier: GPL-2.0-or-later
/* kind: see kind.h. Offsets and magic numbers: each format's own documentation, named beside
 * them. */
#include "root/image/kind.h"

struct mark {
	size_t at;
	const char *bytes;
	size_t len;
};
#define MARK(at, text) {at, text, sizeof(text) - 1}

/* A kind may have two marks; both must be there. */
static const struct {
	enum image_kind kind;
	struct mark mark, also;
} marks[] = {
	/* Documentation/filesystems/squashfs: magic, and version 4, the only one in use since
	 * 2009 */
	{IMAGE_SQUASHFS, MARK(0, "hsqs"), MARK(28, "\4\0")},
	{IMAGE_XFS, MARK(0, "XFSB"), {0}},		    /* fs/xfs/libxfs/xfs_format.h */
	{IMAGE_EROFS, MARK(1024, "\xe2\xe1\xf5\xe0"), {0}}, /* fs/erofs/erofs_fs.h */
	{IMAGE_CPIO, MARK(0, "070701"), {0}},		    /* initramfs buffer format: newc */
	{IMAGE_CPIO, MARK(0, "070702"), {0}},		    /* the same with checksums */
	{IMAGE_GZIP, MARK(0, "\x1f\x8b\x08"), {0}},	    /* RFC 1952 */
	{IMAGE_XZ,
		MARK(0, "\xfd"
			"7zXZ\0"),
		{0}},					/* .xz file format 2.1.1.1 */
	{IMAGE_ZSTD, MARK(0, "\x28\xb5\x2f\xfd"), {0}}, /* RFC 8878 3.1.1 */
	{IMAGE_ZSTD, MARK(0, "\x50\x2a\x4d\x18"), {0}}, /* RFC 8878 3.1.2: so pzstd begins */
	{IMAGE_TAR, MARK(257, "ustar"), {0}},		/* POSIX pax, ustar; GNU the same word */
	{IMAGE_TAR, MARK(156, "V"), MARK(512 + 257, "ustar")}, /* tar -V: GNU's label */
	/* fs/ext4/ext4.h, s_magic; so short that an archive may have it in its content */
	{IMAGE_EXT4, MARK(1024 + 56, "\x53\xef"), {0}},
	{IMAGE_ISO, MARK(32769, "CD001"), {0}},		/* ECMA-119 8.1.2 */
	{IMAGE_DISK, MARK(512, "EFI PART"), {0}},	/* UEFI 5.3.2; an ISO may have one, too */
};

/* What people put behind the URL by mistake. */
static const struct {
	struct mark mark;
	const char *what;
} others[] = {
	{MARK(0, "<!"), "an HTML page"},
	{MARK(0, "<html"), "an HTML page"},
	{MARK(0, "<HTML"), "an HTML page"},
	{MARK(0, "<?xml"), "an XML document"},
	{MARK(0, "{"), "a JSON document: a manifest's URL ends in .manifest"},
	{MARK(0, "#!"), "a script"},
	{MARK(0, "\x7f"
		 "ELF"), "a program"},
	{MARK(0, "MZ"), "an EFI program"},
	{MARK(0, "QFI\xfb"), "a qcow2 disk: convert it to raw, and take the root partition"},
	{MARK(0, "KDMV"), "a VMDK disk"},
	{MARK(0, "LUKS\xba\xbe"), "an encrypted disk"},
	{MARK(0, "BZh"), "bzip2: use zstd, xz or gzip"},
	{MARK(0, "\x5d\0\0"), "lzma: use zstd, xz or gzip"},
	{MARK(0, "\x04\x22\x4d\x18"), "lz4 is not supported: use zstd, xz or gzip"},
	{MARK(0, "PK\3\4"), "a zip archive"},
	{MARK(0, "sqsh"), "a big-endian squashfs: too old for the kernel"},
	{MARK(0, "070707"), "an old cpio: use cpio -H newc"},
	{MARK(4096, "EFI PART"), "a disk with a GPT for blocks of 4096 bytes: make it for 512"},
	{MARK(510, "\x55\xaa"), "a disk with an MBR: make a GPT, or take the root partition alone"},
};

static const struct {
	const char *name, *fstype, *module;
	enum image_way way;
} kinds[IMAGE_KIND_MAX] = {
	[IMAGE_UNKNOWN] = {"unknown", NULL, NULL, IMAGE_WAY_NONE},
	[IMAGE_SQUASHFS] = {"squashfs", "squashfs", NULL, IMAGE_WAY_MOUNT},
	[IMAGE_EROFS] = {"erofs", "erofs", "erofs", IMAGE_WAY_MOUNT},
	[IMAGE_EXT4] = {"ext4", "ext4", "ext4", IMAGE_WAY_MOUNT},
	[IMAGE_XFS] = {"xfs", "xfs", "xfs", IMAGE_WAY_MOUNT},
	[IMAGE_ISO] = {"iso", NULL, NULL, IMAGE_WAY_INSIDE},
	[IMAGE_DISK] = {"disk", NULL, NULL, IMAGE_WAY_INSIDE},
	[IMAGE_CPIO] = {"cpio", NULL, NULL, IMAGE_WAY_UNPACK},
	[IMAGE_TAR] = {"tar", NULL, NULL, IMAGE_WAY_UNPACK},
	[IMAGE_GZIP] = {"gzip", NULL, NULL, IMAGE_WAY_UNPACK},
	[IMAGE_XZ] = {"xz", NULL, NULL, IMAGE_WAY_UNPACK},
	[IMAGE_ZSTD] = {"zstd", NULL, NULL, IMAGE_WAY_UNPACK},
};

static bool has(const uint8_t *head, size_t len, const struct mark *m)
{
	return !m->len || (len >= m->at + m->len && memcmp(head + m->at, m->bytes, m->len) == 0);
}

enum image_kind image_kind_judge(const void *head, size_t len, const char **ret_what)
{
	const char *what = len ? "" : "empty";
	size_t i;

	for (i = 0; i < ARRAY_SIZE(marks); i++)
		if (has(head, len, &marks[i].mark) && has(head, len, &marks[i].also))
			return marks[i].kind;
	for (i = 0; i < ARRAY_SIZE(others) && !*what; i++)
		if (has(head, len, &others[i].mark))
			what = others[i].what;
	if (ret_what)
		*ret_what = what;
	return IMAGE_UNKNOWN;
}

int image_kind_read(int fd, uint64_t offset, const char **ret_what)
{
	static uint8_t head[IMAGE_HEAD_MAX];
	ssize_t n = pread(fd, head, sizeof(head), (off_t)offset);

	return n < 0 ? -errno : (int)image_kind_judge(head, (size_t)n, ret_what);
}

const char *image_kind_name(enum image_kind kind)
{
	return (unsigned)kind < IMAGE_KIND_MAX ? kinds[kind].name : "?";
}

enum image_kind image_kind_from_name(const char *name)
{
	for (int i = IMAGE_UNKNOWN + 1; i < IMAGE_KIND_MAX; i++)
		if (streq(kinds[i].name, name))
			return (enum image_kind)i;
	return IMAGE_UNKNOWN;
}

enum image_way image_kind_way(enum image_kind kind)
{
	return (unsigned)kind < IMAGE_KIND_MAX ? kinds[kind].way : IMAGE_WAY_NONE;
}

const char *image_kind_fstype(enum image_kind kind)
{
	return (unsigned)kind < IMAGE_KIND_MAX ? kinds[kind].fstype : NULL;
}

/* The common case, squashfs under an overlay, shall not wait for its modules once it is fetched. */
const char *image_modules(size_t i)
{
	static const char *const names[] = {"loop", "overlay", "squashfs"};

	return i < ARRAY_SIZE(names) ? names[i] : NULL;
}

const char *image_kind_module(enum image_kind kind)
{
	return (unsigned)kind < IMAGE_KIND_MAX ? kinds[kind].module : NULL;
}
