// SPDX-License-Identifier: GPL-2.0-or-later
/* iso: see iso.h. Sections are those of ECMA-119. */
#include "root/image/iso.h"

#include <strings.h>

#include "base/cursor.h"

#define SECTOR	    2048
#define DESCRIPTORS 16	/* first sector of the volume descriptors, 6.2.1 */
#define ROOT_RECORD 156 /* of the root folder, in the primary descriptor, 8.4.18 */
/* A folder of a live image has a dozen entries; these bound what a hostile one can cost. */
#define FOLDER_MAX  (256 * 1024)
#define EXTENTS_MAX 64
#define DEPTH_MAX   8

#define FLAG_DIRECTORY 0x02 /* 9.1.6 */
#define FLAG_MORE      0x80 /* the file goes on in the next record */

struct iso {
	int fd;
	uint64_t size;
};

/* One directory record, 9.1. */
struct record {
	uint64_t offset, size;
	uint8_t flags;
	char name[256];
};

/* Where live images keep their root, most frequent first. */
static const struct {
	const char *dir, *name;
} usual[] = {
	{"LiveOS", "squashfs.img"},	  {"LiveOS", "rootfs.img"},
	{"live", "filesystem.squashfs"},
	{"LiveOS", "ext3fs.img"},	  {"", "rootfs.squashfs"},
	{"arch/x86_64", "airootfs.sfs"},  {"arch/x86_64", "airootfs.erofs"},
};

static int read_at(const struct iso *iso, uint64_t at, void *buf, size_t len)
{
	ssize_t n;

	if (at > iso->size || len > iso->size - at)
		return -EINVAL;
	n = pread(iso->fd, buf, len, (off_t)at);
	if (n < 0)
		return -errno;
	return (size_t)n == len ? 0 : -EINVAL;
}

/* Rock Ridge's NM entries hold the name as the maker wrote it (IEEE P1282 4.1.4). */
static void take_rock_ridge(struct cursor c, struct record *r)
{
	size_t have = 0;

	while (c.left >= 4) {
		const uint8_t *head = cursor_take(&c, 4), *text;

		if (head[2] < 4)
			break;
		text = cursor_take(&c, head[2] - 4u);
		if (!text)
			break;
		if (memcmp(head, "NM", 2) != 0 || head[2] < 5)
			continue;
		if (have + head[2] - 5u >= sizeof(r->name))
			return;
		memcpy(r->name + have, text + 1, head[2] - 5u);
		have += head[2] - 5u;
	}
	if (have)
		r->name[have] = 0;
}

/* The plain name: ";1" and a trailing dot are no part of it, 7.5. */
static void take_plain_name(const uint8_t *text, size_t len, struct record *r)
{
	char *version;

	memcpy(r->name, text, len);
	r->name[len] = 0;
	version = strchr(r->name, ';');
	if (version)
		*version = 0;
	len = strlen(r->name);
	if (len > 1 && r->name[len - 1] == '.')
		r->name[len - 1] = 0;
}

/* Reads the record at the cursor. 1, 0 (no record until the next sector), -EINVAL. */
static int next_record(struct cursor *folder, struct record *r)
{
	const uint8_t *p;
	struct cursor rest;
	size_t len, name;

	if (folder->left < 34 || folder->at[0] == 0)
		return 0;
	len = folder->at[0];
	p = cursor_take(folder, len);
	if (!p || len < 34)
		return -EINVAL;
	name = p[32];
	if (name == 0 || name > len - 33)
		return -EINVAL;
	*r = (struct record){.flags = p[25]};
	r->offset = (uint64_t)get_le32(p + 2) * SECTOR;
	r->size = get_le32(p + 10);
	take_plain_name(p + 33, name, r);
	name += !(name & 1); /* padding to an even length */
	rest = cursor_make(p, len);
	if (cursor_skip(&rest, 33 + name))
		take_rock_ridge(rest, r);
	return 1;
}

/* A name: records do not cross sectors, 6.8.1.1. */
static bool same(const struct record *r, const char *name, size_t len)
{
	return strlen(r->name) == len && strncasecmp(r->name, name, len) == 0;
}

/* A file above 4 GiB stands in several records, whose parts must follow each other to be one run */
static int add_extent(struct record *have, const struct record *more, unsigned *n)
{
	if (*n == 0)
		*have = *more;
	else if (*n == EXTENTS_MAX || have->offset + have->size != more->offset)
		return -EINVAL;
	else
		have->size += more->size;
	have->flags = more->flags;
	++*n;
	return 0;
}

/* Looks for name[0..len) in one sector of a folder. 1: found and whole, 0: not (yet), -EINVAL. */
static int search_sector(struct cursor c, const char *name, size_t len, struct record *ret,
	unsigned *n)
{
	struct record r;
	int got;

	while ((got = next_record(&c, &r)) == 1) {
		int e;

		if (!same(&r, name, len))
			continue;
		e = add_extent(ret, &r, n);
		if (e < 0)
			return e;
		if (!(r.flags & FLAG_MORE))
			return 1;
	}
	return got;
}

static int search_folder(const struct iso *iso, const struct record *folder, const char *name,
	size_t len, struct record *ret)
{
	uint8_t sector[SECTOR];
	unsigned n = 0;

	if (!(folder->flags & FLAG_DIRECTORY))
		return -ENOENT;
	for (uint64_t at = 0; at < folder->size && at < FOLDER_MAX; at += SECTOR) {
		int r = read_at(iso, folder->offset + at, sector, SECTOR);

		if (r == 0)
			r = search_sector(cursor_make(sector, SECTOR), name, len, ret, &n);
		if (r != 0)
			return r < 0 ? r : 0;
	}
	return n ? -EINVAL : -ENOENT;
}

/* The root folder's record, from the primary volume descriptor. */
static int open_volume(const struct iso *iso, struct record *root)
{
	uint8_t sector[SECTOR];

	for (unsigned i = 0; i < 32; i++) {
		struct cursor c = cursor_make(sector + ROOT_RECORD, 34);
		int r = read_at(iso, (uint64_t)(DESCRIPTORS + i) * SECTOR, sector, SECTOR);

		if (r < 0)
			return r;
		if (memcmp(sector + 1, "CD001", 5) != 0 || sector[0] == 255)
			return -EINVAL;
		if (sector[0] == 1)
			return next_record(&c, root) == 1 ? 0 : -EINVAL;
	}
	return -EINVAL;
}

/* Walks path ("a/b/c") down from a folder; *at becomes what it names. */
static int walk(const struct iso *iso, struct record *at, const char *path)
{
	for (unsigned depth = 0; *path && depth < DEPTH_MAX; depth++) {
		size_t len = strcspn(path, "/");
		struct record next = {0};
		int r = len ? search_folder(iso, at, path, len, &next) : 0;

		if (r < 0)
			return r;
		if (len)
			*at = next;
		path += len + (path[len] == '/');
	}
	return *path ? -ENOENT : 0;
}

static int find_one(const struct iso *iso, const char *dir, const char *name, struct iso_file *ret)
{
	struct record at;
	int r = open_volume(iso, &at);

	if (r == 0)
		r = walk(iso, &at, dir);
	if (r == 0)
		r = walk(iso, &at, name);
	if (r < 0)
		return r;
	if (at.flags & FLAG_DIRECTORY)
		return -ENOENT;
	if (at.size == 0 || at.offset > iso->size || at.size > iso->size - at.offset)
		return -EINVAL;
	ret->offset = at.offset;
	ret->size = at.size;
	snprintf(ret->path, sizeof(ret->path), "%.120s%s%.120s", dir, *dir ? "/" : "", name);
	return 0;
}

/* What is given is not looked for elsewhere; what is left open is taken from each usual row. */
int iso_find(int fd, uint64_t image_size, const char *dir, const char *name, struct iso_file *ret)
{
	const struct iso iso = {fd, image_size};
	int r = -ENOENT;

	if (dir && name)
		return find_one(&iso, dir, name, ret);
	for (size_t i = 0; i < ARRAY_SIZE(usual) && r == -ENOENT; i++)
		r = find_one(&iso, dir ? dir : usual[i].dir, name ? name : usual[i].name, ret);
	return r;
}
