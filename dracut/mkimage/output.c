// SPDX-License-Identifier: GPL-2.0-or-later
#include "output.h"

#include "cpio.h"
#include "pack.h"

/* Entries of the tree and members of the archive must be the same, in number, order and content. */
static int verify(const struct tree *t, size_t n, const char *archive, size_t size)
{
	struct cpio_member m;
	size_t at = 0;
	int r;

	for (size_t i = 0; i < n; i++) {
		const struct tree_entry *e = tree_at(t, i);

		r = cpio_next(archive, size, &at, &m);
		if (r < 0)
			return r;
		if (r == 0 || !streq(m.name, e->path) || m.mode != e->mode || m.size != e->size ||
			(e->size && memcmp(m.data, e->data, e->size) != 0))
			return -EBADMSG;
	}
	r = cpio_next(archive, size, &at, &m);
	return r == 1 ? -EBADMSG : r;
}

int output_pack(struct tree *t, const struct output_config *cfg, void **data, size_t *size)
{
	_cleanup_free_ char *archive = NULL;
	size_t n = tree_sort(t);
	size_t archive_size;
	int r = cpio_pack(t, n, cfg->mtime, &archive, &archive_size);

	if (r == 0)
		r = verify(t, n, archive, archive_size);
	return r < 0 ? r : pack_zstd(archive, archive_size, cfg->level, data, size);
}
