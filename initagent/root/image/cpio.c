// SPDX-License-Identifier: GPL-2.0-or-later

#include "root/image/cpio.h"

#include <ctype.h>
#include <search.h>
#include <sys/stat.h>

#include "base/hex.h"

#define MAGIC	     6
#define DIGITS	     8
#define HEADER	     (MAGIC + FIELDS * DIGITS)
#define TRAILER	     "TRAILER!!!"
#define LINK_CONTENT "a symbolic link's target"
/* More archives behind each other than anybody makes; each may be empty and costs nothing but
 * time. */
#define ARCHIVES_MAX 10000

enum field {
	INO, MODE, UID, GID, NLINK, MTIME, SIZE, DEV_MAJOR, DEV_MINOR, RDEV_MAJOR, RDEV_MINOR,
	NAME_SIZE, SUM, FIELDS
};

/* A file of which more names may come. */
struct known {
	uint32_t key[4]; /* inode, device, type */
	char name[];
};

struct cpio {
	struct unpacked *s;
	uint64_t bytes_max;
	uint64_t base, next; /* where this archive began, and where its next header is */
	unsigned archives;
	void *links; /* struct known, by tsearch(3) */
	bool summed;
	uint32_t field[FIELDS];
	struct item_part part;
	char name[ITEM_NAME_MAX + 1], target[ITEM_NAME_MAX + 1];
};

int cpio_new(struct cpio **ret, struct unpacked *s, uint64_t bytes_max)
{
	struct cpio *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	c->s = s;
	c->bytes_max = bytes_max;
	*ret = c;
	return 0;
}

static void forget_links(struct cpio *c)
{
	tdestroy(c->links, free);
	c->links = NULL;
}

struct cpio *cpio_free(struct cpio *c)
{
	if (!c)
		return NULL;
	forget_links(c);
	free(c);
	return NULL;
}

static int broken(struct cpio *c, const char *what)
{
	return unpacked_fail(c->s, CAUSE_IMAGE_BROKEN, "%s at byte %llu", what,
		(unsigned long long)c->next);
}

static int no_memory(struct cpio *c)
{
	return unpacked_fail(c->s, CAUSE_NO_MEMORY, "hard links");
}

/* --- header and name ------------------------------------------------------------------------- */

static bool hex(const char *at, uint32_t *ret)
{
	*ret = 0;
	for (size_t i = 0; i < DIGITS; i++) {
		int digit = hex_digit((char)tolower((unsigned char)at[i]));

		if (digit < 0)
			return false;
		*ret = *ret << 4 | (uint32_t)digit;
	}
	return true;
}

static int read_header(struct cpio *c)
{
	char head[HEADER];
	ssize_t n = unpacked_read(c->s, head, sizeof(head));

	if (n < 0)
		return (int)n;
	if (n == 0)
		return broken(c, "it ends without its trailer");
	if (memcmp(head, "07070", min_u64(MAGIC - 1, (uint64_t)n)) != 0 ||
		(n >= MAGIC && head[MAGIC - 1] != '1' && head[MAGIC - 1] != '2'))
		return broken(c, "no header of an entry");
	if (n < HEADER)
		return broken(c, "it ends in the middle of the header");
	c->summed = head[MAGIC - 1] == '2';
	for (size_t i = 0; i < FIELDS; i++)
		if (!hex(head + MAGIC + i * DIGITS, &c->field[i]))
			return broken(c, "an invalid number in the header");
	return 0;
}

/* To the next multiple of four, counted from the archive's beginning. */
static int align(struct cpio *c)
{
	return unpacked_skip(c->s, -(unpacked_at(c->s) - c->base) & 3, "an entry");
}

/* A C string of so many bytes: zeroes at its end are padding (dracut-cpio, gen_init_cpio -a), any
 * before are not. */
static bool is_text(const char *text, size_t len)
{
	size_t n = strnlen(text, len);

	while (n < len && !text[n])
		n++;
	return n == len;
}

static int read_name(struct cpio *c)
{
	uint32_t len = c->field[NAME_SIZE];

	if (len < 2)
		return broken(c, "an entry without a name");
	if (len > ITEM_NAME_MAX)
		return unpacked_fail(c->s, CAUSE_IMAGE_ENTRY_REFUSED, "a name too long");
	if (unpacked_read_whole(c->s, c->name, len, "a name") < 0)
		return -EINVAL;
	if (c->name[len - 1])
		return broken(c, "a name without its end");
	if (!is_text(c->name, len))
		return broken(c, "a zero byte within a name");
	return align(c);
}

static int read_target(struct cpio *c)
{
	uint32_t len = c->field[SIZE];

	if (!len || len >= ITEM_NAME_MAX)
		return broken(c, len ? "the target of a symbolic link too long"
					: "a symbolic link without a target");
	if (unpacked_read_whole(c->s, c->target, len, LINK_CONTENT) < 0)
		return -EINVAL;
	c->target[len] = 0;
	if (!*c->target || !is_text(c->target, len))
		return broken(c, "a zero byte within the target of a symbolic link");
	return 0;
}

/* --- entries --------------------------------------------------------------------------------- */

static int by_key(const void *a, const void *b)
{
	return memcmp(((const struct known *)a)->key, ((const struct known *)b)->key,
		sizeof(((struct known *)0)->key));
}

/*
 * The first name of the same file, NULL: this is it. As in init/initramfs.c, maybe_link(): not of
 * folders, of which some makers write the number 0 and two links.
 */
static int find_link(struct cpio *c, const char **ret)
{
	size_t size = sizeof(struct known) + strlen(c->name) + 1;
	struct known *known, **found;

	*ret = NULL;
	if (c->field[NLINK] < 2 || S_ISDIR(c->field[MODE]) || S_ISLNK(c->field[MODE]))
		return 0;
	known = malloc(size);
	if (!known)
		return no_memory(c);
	*known = (struct known){
		{c->field[INO], c->field[DEV_MAJOR], c->field[DEV_MINOR], c->field[MODE] & S_IFMT}};
	strscpy(known->name, c->name, size - sizeof(*known));
	found = tsearch(known, &c->links, by_key);
	if (!found || *found != known)
		free(known);
	if (!found)
		return no_memory(c);
	*ret = *found == known ? NULL : (*found)->name;
	return 0;
}

static int type_of(uint32_t mode, enum entry_type *ret)
{
	static const struct {
		mode_t mode;
		enum entry_type type;
	} types[] = {
		{S_IFREG, ENTRY_FILE},
		{S_IFDIR, ENTRY_FOLDER},
		{S_IFLNK, ENTRY_LINK},
		{S_IFIFO, ENTRY_FIFO},
		{S_IFCHR, ENTRY_NODE},
		{S_IFBLK, ENTRY_NODE},
		{S_IFSOCK, ENTRY_OTHER},
	};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (types[i].mode == (mode & S_IFMT)) {
			*ret = types[i].type;
			return 0;
		}
	return -EINVAL;
}

static int make_item(struct cpio *c, struct item *ret)
{
	const uint32_t *f = c->field;
	struct writer_entry *e = &ret->entry;

	*ret = (struct item){.parts = &c->part, .summed = c->summed, .sum = f[SUM]};
	*e = (struct writer_entry){
		.name = c->name, .mode = f[MODE], .uid = f[UID], .gid = f[GID], .mtime = f[MTIME]};
	if (type_of(f[MODE], &e->type) < 0)
		return broken(c, "an entry of no known type");
	if (!item_owner_fits(f[UID]) || !item_owner_fits(f[GID]))
		return unpacked_fail(c->s, CAUSE_IMAGE_ENTRY_REFUSED,
			"%.200s: an invalid owner", c->name);
	if (e->type == ENTRY_LINK) {
		e->target = c->target;
		return read_target(c);
	}
	c->part = (struct item_part){.len = f[SIZE]};
	ret->parts_len = f[SIZE] != 0;
	e->size = e->stored = f[SIZE];
	return find_link(c, &e->hard);
}

/* Behind the trailer: zeroes, then the end or one more archive. */
static int next_archive(struct cpio *c)
{
	int r;

	forget_links(c);
	if (c->field[SIZE])
		return broken(c, "content of the trailer");
	if (++c->archives == ARCHIVES_MAX)
		return unpacked_fail(c->s, CAUSE_IMAGE_TOO_BIG,
			"too many concatenated archives");
	r = unpacked_skip_zeroes(c->s, c->bytes_max);
	c->base = c->next = unpacked_at(c->s);
	return r;
}

int cpio_next(struct cpio *c, struct item *ret)
{
	for (;;) {
		int r = unpacked_skip(c->s, c->next - unpacked_at(c->s), "an entry");

		r = r < 0 ? r : read_header(c);
		r = r < 0 ? r : read_name(c);
		if (r < 0)
			return r;
		if (!streq(c->name, TRAILER))
			break;
		r = next_archive(c);
		if (r <= 0)
			return r;
	}
	c->next = unpacked_at(c->s) + c->field[SIZE];
	c->next += -(c->next - c->base) & 3;
	return make_item(c, ret) < 0 ? -EINVAL : 1;
}

uint64_t cpio_at(const struct cpio *c)
{
	return c->next;
}

unsigned cpio_archives(const struct cpio *c)
{
	return c->archives;
}
