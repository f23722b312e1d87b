/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The unpacker against honest and hostile archives, in its sandbox. The target lies in a folder of
 * its own, and after each case nothing else may be in that folder or have changed.
 */
#include <archive.h>
#include <archive_entry.h>
#include <ftw.h>
#include <locale.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "check.h"
#include "root/image/unpack.h"
#include "root/image/writer.h"

struct place {
	char dir[64], target[80], secret[80];
	struct archive *a;
	char *bytes;
	size_t size, used;
	bool layer; /* what is unpacked is one */
};

#define ARCHIVE_MAX (8u << 20)

static void make_place(struct place *p)
{
	FILE *f;

	if (geteuid() != 0)
		check_skip("owners and a root directory of its own take root");
	*p = (struct place){.dir = "/tmp/unpack-XXXXXX"};
	check_dir(p->dir);
	snprintf(p->target, sizeof(p->target), "%s/target", p->dir);
	snprintf(p->secret, sizeof(p->secret), "%s/secret", p->dir);
	CHECK_INT(mkdir(p->target, 0755), 0);
	f = fopen(p->secret, "we");
	CHECK(f && fputs("secret", f) >= 0 && fclose(f) == 0);
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st, (void)flag, (void)ftw;
	return remove(path);
}

/* The same place with an empty target. */
static void empty(struct place *p)
{
	CHECK_INT(nftw(p->target, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
	CHECK_INT(mkdir(p->target, 0755), 0);
}

static void begin(struct place *p, int format, int filter)
{
	p->bytes = malloc(ARCHIVE_MAX);
	p->a = archive_write_new();
	p->size = ARCHIVE_MAX;
	CHECK_INT(archive_write_set_format(p->a, format), ARCHIVE_OK);
	CHECK_INT(archive_write_add_filter(p->a, filter), ARCHIVE_OK);
	CHECK_INT(archive_write_open_memory(p->a, p->bytes, p->size, &p->used), ARCHIVE_OK);
}

static struct archive_entry *new_entry(const char *name, mode_t mode)
{
	struct archive_entry *e = archive_entry_new();

	archive_entry_set_pathname(e, name);
	archive_entry_set_mode(e, mode);
	archive_entry_set_size(e, 0);
	archive_entry_set_mtime(e, 1000000000, 0);
	return e;
}

static void add(struct place *p, struct archive_entry *e, const char *content)
{
	size_t len = content ? strlen(content) : 0;

	if (content)
		archive_entry_set_size(e, (la_int64_t)len);
	CHECK_INT(archive_write_header(p->a, e), ARCHIVE_OK);
	if (len)
		CHECK(archive_write_data(p->a, content, len) == (la_ssize_t)len);
	archive_entry_free(e);
}

static void add_file(struct place *p, const char *name, const char *content)
{
	add(p, new_entry(name, S_IFREG | 0644), content);
}

static void add_link(struct place *p, const char *name, const char *to)
{
	struct archive_entry *e = new_entry(name, S_IFLNK | 0777);

	archive_entry_set_symlink(e, to);
	add(p, e, NULL);
}

static void add_hard(struct place *p, const char *name, const char *to)
{
	struct archive_entry *e = new_entry(name, S_IFREG | 0644);

	archive_entry_set_hardlink(e, to);
	add(p, e, NULL);
}

static void add_node(struct place *p, const char *name, mode_t type)
{
	struct archive_entry *e = new_entry(name, type | 0600);

	archive_entry_set_rdev(e, 0x103);
	add(p, e, NULL);
}

static struct unpack_message unpack_bytes(struct place *p, uint64_t max)
{
	int fd = memfd_create("archive", MFD_CLOEXEC);
	struct unpack_config cfg = {.fd = fd, .target = p->target, .bytes_max = max,
		.layer = p->layer};
	_cleanup_(worker_freep) struct worker *u = NULL;
	struct unpack_message m;
	struct stat st;

	CHECK(write(fd, p->bytes, p->used) == (ssize_t)p->used && lseek(fd, 0, SEEK_SET) == 0);
	CHECK_INT(unpack_new(&u, &cfg), 0);
	do
		unpack_next(u, &m);
	while (!m.final);
	close(fd);
	CHECK(stat(p->secret, &st) == 0 && st.st_size == 6 && st.st_nlink == 1 &&
		(st.st_mode & 07777) == 0644);
	CHECK(stat(p->dir, &st) == 0 && st.st_nlink == 3);
	free(p->bytes);
	p->bytes = NULL;
	return m;
}

static struct unpack_message finish(struct place *p)
{
	CHECK_INT(archive_write_close(p->a), ARCHIVE_OK);
	archive_write_free(p->a);
	return unpack_bytes(p, 1 << 20);
}

static void check_done(struct place *p)
{
	struct unpack_message m = finish(p);

	if (m.cause)
		check_fail(
			__FILE__, __LINE__, "%s: %s", cause_info((enum cause)m.cause)->id, m.text);
}

static void check_refused_as(struct place *p, enum cause want, const char *words)
{
	struct unpack_message m = finish(p);

	CHECK_STR(cause_info((enum cause)m.cause)->id, cause_info(want)->id);
	if (!strstr(m.text, words))
		check_fail(__FILE__, __LINE__, "\"%s\" is not in \"%s\"", words, m.text);
}

static const char *path_of(const struct place *p, const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/%s", p->target, name);
	return path;
}

static const char *content(const struct place *p, const char *name)
{
	static char text[128];
	_cleanup_close_ int fd = open(path_of(p, name), O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (n < 0)
		return NULL;
	text[n] = 0;
	return text;
}

/* --- honest ---------------------------------------------------------------------------------- */

static void fill_root(struct place *p)
{
	struct archive_entry *e = new_entry("./", S_IFDIR | 0711);

	add(p, e, NULL);
	add(p, new_entry("./usr", S_IFDIR | 0755), NULL);
	e = new_entry("./usr/program", S_IFREG | 04755);
	archive_entry_set_uid(e, 12);
	archive_entry_set_gid(e, 34);
	add(p, e, "content");
	add_link(p, "./bin", "usr");
	add_link(p, "./etc-link", "/etc/absolute");
	add_hard(p, "./usr/other", "./usr/program");
	add_file(p, "deep/er/file", "without folders of its own");
	add(p, new_entry("run/fifo", S_IFIFO | 0600), NULL);
	add_node(p, "dev/null", S_IFCHR);
}

static void check_filled(const struct place *p, uint64_t left_out)
{
	struct stat st, other;

	CHECK(stat(p->target, &st) == 0 && (st.st_mode & 07777) == 0711);
	CHECK_STR(content(p, "usr/program"), "content");
	CHECK(stat(path_of(p, "usr/program"), &st) == 0);
	CHECK(st.st_uid == 12 && st.st_gid == 34 && (st.st_mode & 07777) == 04755);
	CHECK_INT(st.st_mtime, 1000000000);
	CHECK(stat(path_of(p, "bin/other"), &other) == 0 && other.st_ino == st.st_ino &&
		st.st_nlink == 2);
	CHECK_STR(content(p, "deep/er/file"), "without folders of its own");
	CHECK(lstat(path_of(p, "etc-link"), &st) == 0 && S_ISLNK(st.st_mode));
	CHECK(lstat(path_of(p, "run/fifo"), &st) == 0 && S_ISFIFO(st.st_mode));
	CHECK(lstat(path_of(p, "dev/null"), &st) < 0);
	CHECK_INT(left_out, 1);
}

TEST(tar_in_all_packings)
{
	static const int filters[] = {ARCHIVE_FILTER_NONE, ARCHIVE_FILTER_GZIP, ARCHIVE_FILTER_XZ,
		ARCHIVE_FILTER_ZSTD};

	for (size_t i = 0; i < ARRAY_SIZE(filters); i++) {
		struct unpack_message m;
		struct place p;

		make_place(&p);
		begin(&p, ARCHIVE_FORMAT_TAR_PAX_RESTRICTED, filters[i]);
		fill_root(&p);
		m = finish(&p);
		CHECK_STR(m.text, "");
		CHECK_INT(m.cause, CAUSE_NONE);
		CHECK_INT(m.kind, IMAGE_TAR);
		CHECK_INT(m.made.entries, 9);
		check_filled(&p, m.made.left_out);
	}
}

/* The content of several names comes with the last one in this format. */
TEST(cpio)
{
	struct unpack_message m;
	struct archive_entry *e;
	struct place p;
	struct stat st;

	make_place(&p);
	begin(&p, ARCHIVE_FORMAT_CPIO_SVR4_NOCRC, ARCHIVE_FILTER_ZSTD);
	for (int i = 0; i < 2; i++) {
		e = new_entry(i ? "b" : "a", S_IFREG | 0640);
		archive_entry_set_nlink(e, 2);
		archive_entry_set_ino(e, 7);
		add(&p, e, i ? "content" : "");
	}
	add(&p, new_entry("usr", S_IFDIR | 0755), NULL);
	add_link(&p, "bin", "usr");
	m = finish(&p);
	CHECK_STR(m.text, "");
	CHECK_INT(m.kind, IMAGE_CPIO);
	CHECK_STR(content(&p, "a"), "content");
	CHECK(stat(path_of(&p, "b"), &st) == 0 && st.st_nlink == 2 && (st.st_mode & 0777) == 0640);
}

TEST(names_in_utf8_and_in_bytes)
{
	struct place p;

	make_place(&p);
	CHECK(setlocale(LC_CTYPE, "C.UTF-8"));
	begin(&p, ARCHIVE_FORMAT_TAR_PAX_INTERCHANGE, ARCHIVE_FILTER_NONE);
	add_file(&p, "gr\303\274n", "1");
	check_done(&p);
	CHECK_STR(content(&p, "gr\303\274n"), "1");
	CHECK(setlocale(LC_CTYPE, "C"));
	begin(&p, ARCHIVE_FORMAT_TAR_GNUTAR, ARCHIVE_FILTER_NONE);
	add_file(&p, "gr\374n", "2");
	check_done(&p);
	CHECK_STR(content(&p, "gr\374n"), "2");
}

/* Appended archives hold an entry twice; later ones count. */
TEST(later_entries_replace_earlier_ones)
{
	struct place p;
	struct stat st;

	make_place(&p);
	begin(&p, ARCHIVE_FORMAT_TAR_PAX_RESTRICTED, ARCHIVE_FILTER_NONE);
	add_file(&p, "etc/a", "first");
	add_hard(&p, "etc/b", "etc/a");
	add_file(&p, "etc/a", "second");
	add_link(&p, "lib", "usr/lib");
	add(&p, new_entry("lib", S_IFDIR | 0755), NULL);
	add_file(&p, "lib/c", "in a folder");
	add_link(&p, "etc/a", "b");
	add_file(&p, "empty/x", "x");
	check_done(&p);
	CHECK_STR(content(&p, "etc/b"), "first");
	CHECK(lstat(path_of(&p, "etc/a"), &st) == 0 && S_ISLNK(st.st_mode));
	CHECK(lstat(path_of(&p, "lib"), &st) == 0 && S_ISDIR(st.st_mode));
	CHECK_STR(content(&p, "lib/c"), "in a folder");
}

/* A link inside the root may be on the way to an entry. */
TEST(through_a_link_inside)
{
	struct place p;

	make_place(&p);
	begin(&p, ARCHIVE_FORMAT_TAR_PAX_RESTRICTED, ARCHIVE_FILTER_NONE);
	add(&p, new_entry("usr/lib", S_IFDIR | 0755), NULL);
	add_link(&p, "lib", "usr/lib");
	add_file(&p, "lib/x", "merged");
	check_done(&p);
	CHECK_STR(content(&p, "usr/lib/x"), "merged");
}

TEST(file_capabilities_are_kept)
{
	/* VFS_CAP_REVISION_2, cap_net_raw+ep */
	static const uint8_t cap[20] = {1, 0, 0, 2, 0, 0x20};
	struct archive_entry *e;
	struct place p;
	uint8_t got[20];

	make_place(&p);
	begin(&p, ARCHIVE_FORMAT_TAR_PAX_INTERCHANGE, ARCHIVE_FILTER_NONE);
	e = new_entry("ping", S_IFREG | 0755);
	archive_entry_set_uid(e, 5);
	archive_entry_xattr_add_entry(e, "security.capability", cap, sizeof(cap));
	archive_entry_xattr_add_entry(e, "user.note", "x", 1);
	add(&p, e, "program");
	CHECK_INT(finish(&p).made.left_out, 1);
	CHECK_INT(getxattr(path_of(&p, "ping"), "security.capability", got, sizeof(got)),
		sizeof(got));
	CHECK_MEM(got, cap, sizeof(cap));
}

/* --- hostile --------------------------------------------------------------------------------- */

static void start_tar(struct place *p)
{
	make_place(p);
	begin(p, ARCHIVE_FORMAT_TAR_PAX_RESTRICTED, ARCHIVE_FILTER_GZIP);
}

TEST(dot_dot)
{
	static const char *const names[] = {
		"../secret", "a/../../secret", "..", "a/..", "./../secret"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct place p;

		start_tar(&p);
		add_file(&p, names[i], "x");
		check_refused_as(&p, CAUSE_IMAGE_ENTRY_REFUSED, "not a name below the root");
	}
}

TEST(absolute_name)
{
	struct place p;

	start_tar(&p);
	add_file(&p, "/etc/passwd", "x");
	check_refused_as(&p, CAUSE_IMAGE_ENTRY_REFUSED, "/etc/passwd");
}

TEST(link_that_leads_out)
{
	static const char *const leads[] = {
		"..", "/", "/tmp", "../../../../tmp", "/proc/self/root"};

	for (size_t i = 0; i < ARRAY_SIZE(leads); i++) {
		struct place p;

		start_tar(&p);
		add_link(&p, "way", leads[i]);
		add_file(&p, "way/secret", "x");
		check_refused_as(&p, CAUSE_IMAGE_ENTRY_REFUSED, "way/secret");
	}
}

/* The name itself is a link: it is replaced, not followed. */
TEST(link_in_place_of_the_file)
{
	struct place p;

	start_tar(&p);
	add_link(&p, "file", "../secret");
	add_file(&p, "file", "mine");
	check_done(&p);
	CHECK_STR(content(&p, "file"), "mine");
}

TEST(hard_link_that_leads_out)
{
	static const char *const leads[] = {"../secret", "/etc/passwd", "way/secret", ""};

	for (size_t i = 0; i + 1 < ARRAY_SIZE(leads); i++) {
		struct place p;

		start_tar(&p);
		add_link(&p, "way", "..");
		add_hard(&p, "mine", leads[i]);
		check_refused_as(&p, CAUSE_IMAGE_ENTRY_REFUSED, "mine");
	}
}

TEST(hard_link_to_nothing)
{
	struct place p;

	start_tar(&p);
	add_hard(&p, "mine", "not/there");
	check_refused_as(&p, CAUSE_IMAGE_BROKEN, "mine");
}

TEST(device_nodes)
{
	static const mode_t types[] = {S_IFCHR, S_IFBLK};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		struct place p;

		start_tar(&p);
		add_node(&p, "etc/mem", types[i]);
		check_refused_as(&p, CAUSE_IMAGE_ENTRY_REFUSED, "device node");
	}
}

static void check_bomb(int filter)
{
	char *zeroes = calloc(1, 1 << 20);
	struct archive_entry *e;
	struct unpack_message m;
	struct place p;

	make_place(&p);
	begin(&p, ARCHIVE_FORMAT_TAR_PAX_RESTRICTED, filter);
	e = new_entry("small", S_IFREG | 0644);
	add(&p, e, "x");
	/* each file fits, all of them do not */
	for (int i = 0; i < 24; i++) {
		char name[16];

		snprintf(name, sizeof(name), "f%d", i);
		e = new_entry(name, S_IFREG | 0644);
		archive_entry_set_size(e, 1 << 20);
		CHECK_INT(archive_write_header(p.a, e), ARCHIVE_OK);
		CHECK(archive_write_data(p.a, zeroes, 1 << 20) == 1 << 20);
		archive_entry_free(e);
	}
	CHECK_INT(archive_write_close(p.a), ARCHIVE_OK);
	archive_write_free(p.a);
	CHECK(filter == ARCHIVE_FILTER_NONE || p.used < 1 << 20);
	m = unpack_bytes(&p, 10 << 20);
	CHECK_STR(cause_info((enum cause)m.cause)->id, "IMAGE_TOO_BIG");
	CHECK(m.made.bytes <= 10 << 20);
	free(zeroes);
}

TEST(bombs)
{
	check_bomb(ARCHIVE_FILTER_GZIP);
	check_bomb(ARCHIVE_FILTER_XZ);
	check_bomb(ARCHIVE_FILTER_ZSTD);
}

/* One file that says how large it is, and is refused before its first byte. */
TEST(file_larger_than_allowed)
{
	char *zeroes = calloc(1, 2 << 20);
	struct archive_entry *e = new_entry("big", S_IFREG | 0644);
	struct unpack_message m;
	struct place p;

	make_place(&p);
	begin(&p, ARCHIVE_FORMAT_TAR_PAX_RESTRICTED, ARCHIVE_FILTER_GZIP);
	archive_entry_set_size(e, 2 << 20);
	CHECK_INT(archive_write_header(p.a, e), ARCHIVE_OK);
	CHECK(archive_write_data(p.a, zeroes, 2 << 20) == 2 << 20);
	archive_entry_free(e);
	free(zeroes);
	m = finish(&p);
	CHECK_STR(cause_info((enum cause)m.cause)->id, "IMAGE_TOO_BIG");
	CHECK_INT(m.made.bytes, 0);
}

/* A compressed file without end that is no archive: nothing after the limit is written. */
TEST(bomb_that_is_no_archive)
{
	char *zeroes = calloc(1, 1 << 20);
	struct archive_entry *e;
	struct unpack_message m;
	struct place p;

	make_place(&p);
	begin(&p, ARCHIVE_FORMAT_RAW, ARCHIVE_FILTER_GZIP);
	e = new_entry("x", S_IFREG | 0644);
	memcpy(zeroes + 1080, "\x53\xef", 2);
	CHECK_INT(archive_write_header(p.a, e), ARCHIVE_OK);
	for (int i = 0; i < 24; i++)
		CHECK(archive_write_data(p.a, zeroes, 1 << 20) == 1 << 20);
	archive_entry_free(e);
	free(zeroes);
	m = finish(&p);
	CHECK_STR(cause_info((enum cause)m.cause)->id, "IMAGE_TOO_BIG");
}

/* Cut at any place: never a success, except where only the zeroes behind a tar's end are missing */
TEST(cut_short)
{
	static const int filters[] = {ARCHIVE_FILTER_GZIP, ARCHIVE_FILTER_XZ, ARCHIVE_FILTER_ZSTD};

	struct place p;

	make_place(&p);
	for (size_t i = 0; i < ARRAY_SIZE(filters); i++) {
		for (unsigned part = 1; part < 8; part++) {
			struct unpack_message m;

			empty(&p);
			begin(&p, ARCHIVE_FORMAT_CPIO_SVR4_NOCRC, filters[i]);
			add_file(&p, "a", "some content");
			add_file(&p, "b", "more content");
			CHECK_INT(archive_write_close(p.a), ARCHIVE_OK);
			archive_write_free(p.a);
			p.used = p.used * part / 8;
			m = unpack_bytes(&p, 1 << 20);
			CHECK(m.cause == CAUSE_IMAGE_BROKEN || m.cause == CAUSE_IMAGE_UNKNOWN);
		}
	}
}

/* The checksum of the packing stands behind the archive's own end. */
TEST(changed_behind_the_end)
{
	struct unpack_message m;
	struct place p;

	make_place(&p);
	begin(&p, ARCHIVE_FORMAT_TAR_PAX_RESTRICTED, ARCHIVE_FILTER_GZIP);
	add_file(&p, "a", "some content");
	CHECK_INT(archive_write_close(p.a), ARCHIVE_OK);
	archive_write_free(p.a);
	p.used -= 4;
	m = unpack_bytes(&p, 1 << 20);
	CHECK_STR(cause_info((enum cause)m.cause)->id, "IMAGE_BROKEN");
}

/* A cpio header as text; a name of 4 GiB, and one longer than the file. */
TEST(cpio_with_huge_names)
{
	static const char *const sizes[] = {"ffffffff", "7fffffff", "00100000", "00000000"};

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct unpack_message m;
		struct place p;

		make_place(&p);
		p.bytes = calloc(1, 4096);
		snprintf(p.bytes, 4096, "070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%s%08x",
			1, 0100644, 0, 0, 1, 0, 4, 0, 0, 0, 0, sizes[i], 0);
		p.used = 4096;
		m = unpack_bytes(&p, 1 << 20);
		CHECK_STR(cause_info((enum cause)m.cause)->id,
			i < 3 ? "IMAGE_ENTRY_REFUSED" : "IMAGE_BROKEN");
	}
}

TEST(empty_archive)
{
	struct place p;

	make_place(&p);
	begin(&p, ARCHIVE_FORMAT_CPIO_SVR4_NOCRC, ARCHIVE_FILTER_NONE);
	check_refused_as(&p, CAUSE_IMAGE_BROKEN, "empty");
}

/* warewulfd packs an overlay of nothing where none is set. */
TEST(layer_of_nothing)
{
	struct place p;

	make_place(&p);
	begin(&p, ARCHIVE_FORMAT_CPIO_SVR4_NOCRC, ARCHIVE_FILTER_GZIP);
	p.layer = true;
	check_done(&p);
}
