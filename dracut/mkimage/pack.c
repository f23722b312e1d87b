// SPDX-License-Identifier: GPL-2.0-or-later
#include "pack.h"

#include <zstd.h>

#include "cpio.h"

bool pack_driver(const char *path)
{
	return strstr(path, "/drivers/net/ethernet/") || strstr(path, "/drivers/infiniband/hw/");
}

struct bytes pack_zstd(const void *data, size_t size, int level)
{
	ZSTD_CCtx *ctx = must(ZSTD_createCCtx());
	size_t room = ZSTD_compressBound(size);
	struct bytes b = {.data = must(malloc(room))};

	ZSTD_CCtx_setParameter(ctx, ZSTD_c_compressionLevel, level);
	ZSTD_CCtx_setParameter(ctx, ZSTD_c_checksumFlag, 1);
	b.size = ZSTD_compress2(ctx, b.data, room, data, size);
	if (ZSTD_isError(b.size))
		refuse("zstd: %s", ZSTD_getErrorName(b.size));
	ZSTD_freeCCtx(ctx);
	return b;
}

/* verify: entries and members must be the same, in number, order and content. */
static bool verify(const struct tree *t, size_t n, const char *archive, size_t size)
{
	struct cpio_member m;
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		const struct tree_entry *e = tree_at(t, i);

		if (cpio_next(archive, size, &at, &m) != 1 || !streq(m.name, e->path) ||
			m.mode != e->mode || m.size != e->size ||
			(e->size && memcmp(m.data, e->data, e->size) != 0))
			return false;
	}
	return cpio_next(archive, size, &at, &m) == 0;
}

static struct bytes pack_gzip(const void *data, size_t size)
{
	static const char *const argv[] = {"gzip", "-9nc", NULL};
	const char *path = scratch("initrd.cpio");
	_cleanup_close_ int fd = -1;
	struct bytes b = {0};

	file_new(path, data, size);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	need(fd < 0 ? -errno : filter(argv, fd, SIZE_MAX, &b, "package gzip"), path);
	return b;
}

/* Linux unpacks an initramfs of zstd from 5.9 on (RD_ZSTD); RHEL 8's 4.18 does not. */
static bool reads_zstd(const char *kver)
{
	unsigned int major, minor;

	return sscanf(kver, "%u.%u", &major, &minor) != 2 || major > 5 || (major == 5 && minor > 8);
}

struct bytes pack_tree(struct tree *t, const char *kver, uint32_t mtime, int level)
{
	_cleanup_free_ char *archive = NULL;
	size_t n = tree_sort(t), size = 0;

	need(cpio_pack(t, n, mtime, &archive, &size), "packing the image");
	if (!verify(t, n, archive, size))
		refuse("the archive read back differs from its input");
	return reads_zstd(kver) ? pack_zstd(archive, size, level) : pack_gzip(archive, size);
}
