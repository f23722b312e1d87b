// SPDX-License-Identifier: GPL-2.0-or-later
#include "cpio.h"

#include <sys/sysmacros.h>

#include "must.h"

#define HEADER_SIZE   110
#define HEADER_MAGIC  "070701"
#define TRAILER	      "TRAILER!!!"

/* Another archive may follow ours in one initrd; loaders join them at any multiple of 4. */
#define ARCHIVE_ALIGN 512

static size_t pad4(size_t size)
{
	return (size + 3) & ~(size_t)3;
}

static size_t member_size(const struct tree_entry *e)
{
	return pad4(HEADER_SIZE + strlen(e->path) + 1) + pad4(e->size);
}

/* put_member: one member at out, which is zeroed. Returns the bytes written. */
static size_t put_member(char *out, const struct tree_entry *e, uint32_t inode, uint32_t mtime)
{
	size_t name_size = strlen(e->path) + 1;
	size_t at = pad4(HEADER_SIZE + name_size);

	/* inode, mode, uid, gid, links, mtime, size, device, node's device, name, checksum */
	snprintf(out, HEADER_SIZE + 1,
		HEADER_MAGIC "%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X", inode,
		(unsigned int)e->mode, 0, 0, S_ISDIR(e->mode) ? 2 : 1, mtime, (unsigned int)e->size,
		0, 0, major(e->rdev), minor(e->rdev), (unsigned int)name_size, 0);
	memcpy(out + HEADER_SIZE, e->path, name_size);
	if (e->size)
		memcpy(out + at, e->data, e->size);
	return at + pad4(e->size);
}

int cpio_pack(const struct tree *t, size_t n, uint32_t mtime, char **ret, size_t *ret_size)
{
	const struct tree_entry trailer = {.path = TRAILER};
	size_t size = member_size(&trailer), at = 0;
	char *archive;

	for (size_t i = 0; i < n; i++) {
		if (tree_at(t, i)->size > UINT32_MAX)
			return -EFBIG;
		size += member_size(tree_at(t, i));
	}
	size = (size + ARCHIVE_ALIGN - 1) & ~(size_t)(ARCHIVE_ALIGN - 1);
	archive = must(calloc(1, size));
	for (size_t i = 0; i < n; i++)
		at += put_member(archive + at, tree_at(t, i), (uint32_t)i + 1, mtime);
	put_member(archive + at, &trailer, 0, 0);
	*ret = archive;
	*ret_size = size;
	return 0;
}

/* header_field: the n-th 8-digit hexadecimal field of a header, or -1. */
static int64_t header_field(const char *header, size_t n)
{
	char text[9] = "";

	memcpy(text, header + strlen(HEADER_MAGIC) + 8 * n, 8);
	if (strspn(text, "0123456789ABCDEFabcdef") != 8)
		return -1;
	return (int64_t)strtoul(text, NULL, 16);
}

int cpio_next(const char *archive, size_t size, size_t *offset, struct cpio_member *ret)
{
	int64_t mode, data_size, name_size;
	size_t left, name_end;
	const char *header;

	if (*offset > size || size - *offset < HEADER_SIZE)
		return -EBADMSG;
	header = archive + *offset;
	left = size - *offset;
	if (memcmp(header, HEADER_MAGIC, strlen(HEADER_MAGIC)) != 0)
		return -EBADMSG;
	mode = header_field(header, 1);
	data_size = header_field(header, 6);
	name_size = header_field(header, 11);
	if (mode < 0 || data_size < 0 || name_size < 2 || (size_t)name_size > left - HEADER_SIZE)
		return -EBADMSG;
	name_end = pad4(HEADER_SIZE + (size_t)name_size);
	if (header[HEADER_SIZE + name_size - 1] || name_end > left ||
		(size_t)data_size > left - name_end)
		return -EBADMSG;
	*ret = (struct cpio_member){.name = header + HEADER_SIZE,
		.data = header + name_end,
		.size = (size_t)data_size,
		.mode = (uint32_t)mode};
	if (streq(ret->name, TRAILER))
		return 0;
	*offset += name_end + min_u64(pad4(ret->size), left - name_end);
	return 1;
}
