// SPDX-License-Identifier: GPL-2.0-or-later
/* pack: see pack.h. */
#include "pack.h"

#include <zstd.h>

static const char *const families[] = {
	"/drivers/net/ethernet/",
	"/drivers/infiniband/hw/",
};

bool pack_driver(const char *path)
{
	for (size_t i = 0; i < ARRAY_SIZE(families); i++)
		if (strstr(path, families[i]))
			return true;
	return false;
}

int pack_zstd(const void *data, size_t size, int level, void **ret, size_t *ret_size)
{
	ZSTD_CCtx *ctx = ZSTD_createCCtx();
	size_t room = ZSTD_compressBound(size);
	void *out = malloc(room);
	size_t n = 0;
	int r = -ENOMEM;

	if (ctx && out) {
		ZSTD_CCtx_setParameter(ctx, ZSTD_c_compressionLevel, level);
		ZSTD_CCtx_setParameter(ctx, ZSTD_c_checksumFlag, 1);
		n = ZSTD_compress2(ctx, out, room, data, size);
		r = ZSTD_isError(n) ? -EIO : 0;
	}
	ZSTD_freeCCtx(ctx);
	if (r < 0) {
		free(out);
		return r;
	}
	*ret = out;
	*ret_size = n;
	return 0;
}
