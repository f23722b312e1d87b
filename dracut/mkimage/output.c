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

static int write_all(int fd, const char *data, size_t size)
{
	while (size) {
		ssize_t n = write(fd, data, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		data += n;
		size -= (size_t)n;
	}
	return 0;
}

/* The image may hold keys and passwords one day: nobody else reads it, not even while it is
 * written. */
static int replace(const char *path, const void *data, size_t size)
{
	_cleanup_free_ char *tmp = NULL;
	_cleanup_close_ int fd = -1;
	int r;

	if (asprintf(&tmp, "%s.XXXXXX", path) < 0)
		return -ENOMEM;
	fd = mkostemp(tmp, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	r = fchmod(fd, 0600) < 0 ? -errno : write_all(fd, data, size);
	if (r == 0 && fsync(fd) < 0)
		r = -errno;
	if (r == 0 && rename(tmp, path) < 0)
		r = -errno;
	if (r < 0)
		unlink(tmp);
	return r;
}

int output_write(struct tree *t, const struct output_config *cfg, size_t *size)
{
	_cleanup_free_ char *archive = NULL;
	_cleanup_free_ void *packed = NULL;
	size_t n = tree_sort(t);
	size_t archive_size;
	int r = cpio_pack(t, n, cfg->mtime, &archive, &archive_size);

	if (r == 0)
		r = verify(t, n, archive, archive_size);
	if (r == 0)
		r = pack_zstd(archive, archive_size, cfg->level, &packed, size);
	if (r == 0)
		r = replace(cfg->path, packed, *size);
	return r;
}
