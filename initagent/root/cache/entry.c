// SPDX-License-Identifier: GPL-2.0-or-later

#include "root/cache/entry.h"

#include <sys/stat.h>
#include <sys/statvfs.h>

#include "base/hasher.h"

#define PREFIX	   "sha256-"
#define PART	   ".part-" /* in front of a name: not complete */
#define NAME_SIZE  (sizeof(PREFIX) + SHA256_TEXT)
#define PART_SIZE  (sizeof(PART) + NAME_SIZE)
#define BLOCK	   (256 * 1024)
#define BLOCKS	   4 /* so many may wait for the hasher */
#define STEP	   (8u << 20)
/* Beside the file: what a file system needs for itself. */
#define SPARE	   (1u << 20)

struct entry {
	int dir, from, to;
	bool keep;	      /* into the cache; else out of it */
	bool made;	      /* the part's file is ours to remove */
	uint8_t sha256[SHA256_SIZE];
	struct sha256 hash;
	struct hasher *hasher; /* NULL: digests are computed at once */
	uint64_t tickets[BLOCKS], last; /* the hasher's */
	unsigned turn;
	uint64_t at, size;
	char name[NAME_SIZE], part[PART_SIZE];
	uint8_t blocks[BLOCKS][BLOCK];
};

static struct entry *make(int dir, const uint8_t *sha256)
{
	struct entry *e = calloc(1, sizeof(*e));
	char hex[SHA256_TEXT];

	if (!e)
		return NULL;
	e->dir = dir;
	e->from = e->to = -1;
	memcpy(e->sha256, sha256, sizeof(e->sha256));
	sha256_init(&e->hash);
	snprintf(e->name, sizeof(e->name), PREFIX "%s", sha256_text(sha256, hex));
	snprintf(e->part, sizeof(e->part), PART "%s", e->name);
	return e;
}

static void catch_up(struct entry *e, uint64_t ticket)
{
	if (e->hasher)
		hasher_wait(e->hasher, ticket);
}

struct entry *entry_free(struct entry *e)
{
	if (!e)
		return NULL;
	catch_up(e, e->last);
	/* The file outside is the caller's. */
	closep(e->keep ? &e->to : &e->from);
	if (e->made)
		unlinkat(e->dir, e->part, 0);
	free(e);
	return NULL;
}

uint64_t entry_at(const struct entry *e)
{
	return e->at;
}

uint64_t entry_size(const struct entry *e)
{
	return e->size;
}

/* --- room on the disk ------------------------------------------------------------------------ */

static bool is_entry(const char *name)
{
	return strncmp(name, PREFIX, strlen(PREFIX)) == 0 &&
		strlen(name) == strlen(PREFIX) + SHA256_TEXT - 1;
}

static bool is_part(const char *name)
{
	return strncmp(name, PART PREFIX, strlen(PART PREFIX)) == 0;
}

/* The entry that was not used for longest, "" if there is none, what it takes, and what all of them
 * do. */
struct around {
	char oldest[NAME_SIZE];
	struct timespec used;
	uint64_t oldest_bytes, bytes;
};

static void note_entry(struct around *a, const char *name, const struct stat *st)
{
	a->bytes += (uint64_t)st->st_blocks * 512;
	if (*a->oldest && st->st_mtim.tv_sec >= a->used.tv_sec)
		return;
	a->oldest_bytes = (uint64_t)st->st_blocks * 512;
	strscpy(a->oldest, name, sizeof(a->oldest));
	a->used = st->st_mtim;
}

/* What earlier attempts left goes, which makes room. */
static int look_around(int dir, struct around *ret, uint64_t *room)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_closedir_ DIR *d = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *e;

	*ret = (struct around){0};
	if (!d) {
		closep(&fd);
		return -errno;
	}
	while ((e = dir_next(d))) {
		struct stat st;

		if (fstatat(dir, e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		if (is_part(e->d_name) && unlinkat(dir, e->d_name, 0) == 0)
			*room += (uint64_t)st.st_blocks * 512;
		if (is_entry(e->d_name) && S_ISREG(st.st_mode))
			note_entry(ret, e->d_name, &st);
	}
	return 0;
}

static uint64_t room_in(int dir)
{
	struct statvfs v;

	return fstatvfs(dir, &v) < 0 ? 0 : (uint64_t)v.f_bavail * v.f_frsize;
}

/*
 * Older images make room for the new one, the one that was not used for longest first; none does
 * where all of them are not enough. Asked again, some file systems (XFS) would not know yet of what
 * was removed; they do once it is needed.
 */
static int make_room(int dir, uint64_t size)
{
	uint64_t room = room_in(dir);
	struct around a;
	int r = look_around(dir, &a, &room);

	while (r == 0 && room < size + SPARE) {
		if (!*a.oldest || room + a.bytes < size + SPARE)
			return -ENOSPC;
		if (unlinkat(dir, a.oldest, 0) < 0)
			return -errno;
		room += a.oldest_bytes;
		r = look_around(dir, &a, &room);
	}
	return r;
}

/* --- beginning ------------------------------------------------------------------------------- */

static int open_regular(int dir, const char *name, uint64_t *ret_size)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;

	if (fd < 0)
		return errno == ELOOP ? -EBADMSG : -errno;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return -EBADMSG;
	}
	*ret_size = (uint64_t)st.st_size;
	return fd;
}

static int begin_load(struct entry *e, int file, uint64_t size, uint64_t limit)
{
	e->to = file;
	e->from = open_regular(e->dir, e->name, &e->size);
	if (e->from < 0)
		return e->from;
	if (!e->size || (size && e->size != size))
		return -EBADMSG;
	/* Read once, from the beginning to the end. */
	posix_fadvise(e->from, 0, 0, POSIX_FADV_SEQUENTIAL);
	return limit && e->size > limit ? -EFBIG : 0;
}

/* A damaged one is in the way of a good one. -EBADMSG, or -EUCLEAN: it cannot be removed. */
static int remove_damaged(const struct entry *e)
{
	return unlinkat(e->dir, e->name, 0) < 0 ? -EUCLEAN : -EBADMSG;
}

int entry_load(struct entry **ret, int dir, const uint8_t sha256[static SHA256_SIZE], int file,
	uint64_t size, uint64_t limit)
{
	_cleanup_(entry_freep) struct entry *e = make(dir, sha256);
	int r = e ? begin_load(e, file, size, limit) : -ENOMEM;

	if (r == -EBADMSG)
		r = remove_damaged(e);
	if (r < 0)
		return r;
	/* Without one it just takes longer. */
	hasher_new(&e->hasher);
	*ret = e;
	e = NULL;
	return 0;
}

static int begin_keep(struct entry *e, int file)
{
	struct stat st;
	int r;

	e->keep = true;
	e->from = file;
	if (fstat(file, &st) < 0)
		return -errno;
	e->size = (uint64_t)st.st_size;
	if (faccessat(e->dir, e->name, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		return -EEXIST;
	r = make_room(e->dir, e->size);
	if (r < 0)
		return r;
	e->to = openat(e->dir, e->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	e->made = e->to >= 0;
	return e->made ? 0 : -errno;
}

int entry_keep(struct entry **ret, int dir, const uint8_t sha256[static SHA256_SIZE], int file)
{
	_cleanup_(entry_freep) struct entry *e = make(dir, sha256);
	int r = e ? begin_keep(e, file) : -ENOMEM;

	if (r < 0)
		return r;
	/* Without one it just takes longer. */
	hasher_new(&e->hasher);
	*ret = e;
	e = NULL;
	return 0;
}

/* --- copying --------------------------------------------------------------------------------- */

static int write_block(struct entry *e, const uint8_t *block, size_t len)
{
	for (size_t done = 0; done < len;) {
		ssize_t n = pwrite(e->to, block + done, len - done, (off_t)(e->at + done));

		if (n < 0 && errno != EINTR)
			return -errno;
		done += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* Into the digest, beside what is read and written next. */
static void hash_block(struct entry *e, unsigned i, size_t len)
{
	if (e->hasher)
		e->last = e->tickets[i] = hasher_add(e->hasher, &e->hash, e->blocks[i], len);
	else
		sha256_update(&e->hash, e->blocks[i], len);
}

/* A block out of a file on the disk that cannot be read is as bad as a wrong one. */
static int copy_block(struct entry *e)
{
	size_t len = (size_t)min_u64(BLOCK, e->size - e->at);
	unsigned i = e->turn++ % BLOCKS;
	ssize_t n;
	int r;

	catch_up(e, e->tickets[i]);
	n = pread(e->from, e->blocks[i], len, (off_t)e->at);
	if (n <= 0)
		return n < 0 && e->keep ? -errno : -EBADMSG;
	hash_block(e, i, (size_t)n);
	r = write_block(e, e->blocks[i], (size_t)n);
	e->at += r < 0 ? 0 : (uint64_t)n;
	return r;
}

/* The name comes last, when the disk has the rest. */
static int settle(struct entry *e)
{
	uint8_t digest[SHA256_SIZE];

	catch_up(e, e->last);
	sha256_final(&e->hash, digest);
	if (memcmp(digest, e->sha256, sizeof(digest)) != 0)
		return -EBADMSG;
	if (!e->keep) {
		if (ftruncate(e->to, (off_t)e->size) < 0)
			return -errno;
		/* When it was used last. */
		utimensat(e->dir, e->name, NULL, AT_SYMLINK_NOFOLLOW);
		return 0;
	}
	if (fsync(e->to) < 0 || renameat(e->dir, e->part, e->dir, e->name) < 0)
		return -errno;
	e->made = false;
	return fsync(e->dir) < 0 ? -errno : 0;
}

int entry_step(struct entry *e)
{
	uint64_t end = min_u64(e->size, e->at + STEP), from = e->at;
	int r = 0;

	while (r == 0 && e->at < end)
		r = copy_block(e);
	/* A step's end is on the disk, so that progress is told as it is; what was read is not
	 * needed again. */
	if (r == 0 && e->keep && fdatasync(e->to) < 0)
		r = -errno;
	if (r == 0)
		posix_fadvise(e->keep ? e->to : e->from, (off_t)from, (off_t)(e->at - from),
			POSIX_FADV_DONTNEED);
	if (r == 0)
		r = e->at < e->size ? 1 : settle(e);
	return r == -EBADMSG && !e->keep ? remove_damaged(e) : r;
}
