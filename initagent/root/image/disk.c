// SPDX-License-Identifier: GPL-2.0-or-later
#include "root/image/disk.h"

#include "root/cache/volume.h"

/* A loop device over a file has sectors of 512 bytes, so an image is made with them. */
#define SECTOR	  512
#define PARTS_MAX 128

/* UAPI.2, "root partition" of the architecture, as it stands in the entry. */
static const uint8_t root_type[16] = {
#ifdef __aarch64__
	0x45, 0xb0, 0x21, 0xb9, 0xf0, 0x1d, 0xc3, 0x41, 0xaf, 0x44, 0x4c, 0x6f, 0x28, 0x0d, 0x3f,
	0xae
#else
	0xe3, 0xbc, 0x68, 0x4f, 0xcd, 0xe8, 0xb1, 0x4d, 0x96, 0xe7, 0xfb, 0xca, 0xf9, 0x84, 0xb7,
	0x09
#endif
};

static bool read_entry(int fd, const struct volume_table *t, uint32_t number,
	struct volume_part *ret)
{
	uint8_t entry[VOLUME_ENTRY];
	uint64_t at = t->offset + (uint64_t)t->size * (number - 1);

	return at < INT64_MAX &&
		pread(fd, entry, sizeof(entry), (off_t)at) == (ssize_t)sizeof(entry) &&
		volume_part_gpt(entry, sizeof(entry), ret);
}

/* LABEL= and UUID= are of the file system in it. */
static bool is_named(int fd, const struct volume_part *p, const char *name)
{
	_cleanup_free_ uint8_t *head = malloc(VOLUME_HEAD);
	struct volume v = {0};
	size_t at;
	enum volume_key key = value_volume(name, strlen(name), &at);
	ssize_t n = head && p->first < INT64_MAX / SECTOR
		? pread(fd, head, VOLUME_HEAD, (off_t)(p->first * SECTOR)) : -1;

	if (n > 0)
		volume_judge(head, (size_t)n, &v);
	return volume_fits(key, name + at, &v, p);
}

/* Is it the one that is looked for? */
static bool is_root(int fd, const struct volume_part *p, const char *name)
{
	return name ? is_named(fd, p, name) : memcmp(p->type, root_type, sizeof(root_type)) == 0;
}

static int take(const struct volume_part *p, uint64_t image_size, uint32_t number,
	struct iso_file *ret)
{
	uint64_t sectors = image_size / SECTOR;

	if (!p->first || p->last < p->first || p->last >= sectors)
		return -EINVAL;
	ret->offset = p->first * SECTOR;
	ret->size = (p->last - p->first + 1) * SECTOR;
	snprintf(ret->path, sizeof(ret->path), "partition %u", number);
	return 0;
}

int disk_find(int fd, uint64_t image_size, uint32_t part, const char *name, struct iso_file *ret)
{
	uint8_t head[2 * SECTOR];
	struct volume_table t;
	struct volume_part p;
	ssize_t n = pread(fd, head, sizeof(head), 0);

	if (n < 0 || !volume_table(head, (size_t)n, SECTOR, &t) || !t.gpt)
		return -EINVAL;
	for (uint32_t i = part ? part : 1; i <= t.n && i <= PARTS_MAX; i++) {
		bool used = read_entry(fd, &t, i, &p);

		if (part && !used)
			return -ENOENT;
		if (used && (part || is_root(fd, &p, name)))
			return take(&p, image_size, i, ret);
	}
	return -ENOENT;
}
