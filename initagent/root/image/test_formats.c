/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Archives byte by byte: an archive is unpacked whole or refused, whatever is wrong with it. */
#include <sys/mman.h>
#include <sys/stat.h>

#include "check.h"
#include "root/image/pax.h"
#include "root/image/unpack.h"

#define BLOCK 512

struct bytes {
	char data[128 * 1024];
	size_t len;
};

static void put(struct bytes *b, const void *data, size_t len)
{
	CHECK(len <= sizeof(b->data) - b->len);
	memcpy(b->data + b->len, data, len);
	b->len += len;
}

static void fill(struct bytes *b, size_t to)
{
	while (b->len % to)
		put(b, "", 1);
}

static char dir[64]; /* of the last unpack() */

static struct unpack_message unpack(const struct bytes *b)
{
	int fd = memfd_create("archive", MFD_CLOEXEC);
	const struct unpack_config cfg = {.fd = fd, .bytes_max = 1 << 20};
	static char place[] = "/tmp/initagent-formats-XXXXXX";
	static unsigned n;
	struct unpack_message m;

	if (geteuid() != 0)
		check_skip("owners take root");
	if (!*dir)
		check_dir(place);
	snprintf(dir, sizeof(dir), "%s/%u", place, n++);
	CHECK_INT(mkdir(dir, 0755), 0);
	CHECK(write(fd, b->data, b->len) == (ssize_t)b->len && lseek(fd, 0, SEEK_SET) == 0);
	CHECK_INT(unpack_into(&cfg, dir, false, &m), 0);
	close(fd);
	return m;
}

static const char *path(const char *name)
{
	static char text[512];

	snprintf(text, sizeof(text), "%s/%s", dir, name);
	return text;
}

static const char *content(const char *name)
{
	static char text[64];
	_cleanup_close_ int fd = open(path(name), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	text[n > 0 ? n : 0] = 0;
	return n < 0 ? NULL : text;
}

static mode_t type(const char *name)
{
	struct stat st;

	return lstat(path(name), &st) < 0 ? 0 : st.st_mode & S_IFMT;
}

static void check_good(const struct bytes *b)
{
	struct unpack_message m = unpack(b);

	CHECK_STR(m.text, "");
	CHECK_INT(m.cause, CAUSE_NONE);
}

/* why: NULL: it is unpacked. */
#define CHECK_BROKEN(b, why) check_broken(__LINE__, b, why)
#define CHECK_BAD(b, id, words) check_bad(__LINE__, b, id, words)
static void check_bad(int line, const struct bytes *b, const char *id, const char *words)
{
	struct unpack_message m = unpack(b);

	check_str(__FILE__, line, cause_info((enum cause)m.cause)->id, id);
	if (!strstr(m.text, words))
		check_fail(__FILE__, line, "\"%s\" is not in \"%s\"", words, m.text);
}

static void check_broken(int line, const struct bytes *b, const char *why)
{
	if (why)
		check_bad(line, b, "IMAGE_BROKEN", why);
	else
		check_good(b);
}

/* --- cpio ----------------------------------------------------------------------------------- */

struct member {
	const char *name;
	unsigned mode, ino, nlink, sum;
	const char *text;
	size_t name_len; /* 0: that of name, with its NUL */
	char form;	 /* 0: '1' */
};

static void add_cpio(struct bytes *b, const struct member *m)
{
	size_t name_len = m->name_len ? m->name_len : strlen(m->name) + 1,
		len = m->text ? strlen(m->text) : 0;
	char head[111];

	snprintf(head, sizeof(head), "07070%c%08x%08x%08x%08x%08X%08x%08x%08x%08x%08x%08x%08x%08x",
		m->form ? m->form : '1', m->ino,
		m->mode, 0, 0, m->nlink ? m->nlink : 1, 1000000000, (unsigned)len, 3, 4, 0, 0,
			(unsigned)name_len, m->sum);
	put(b, head, 110);
	put(b, m->name, name_len);
	fill(b, 4);
	if (len)
		put(b, m->text, len);
	fill(b, 4);
}

static void add_file(struct bytes *b, const char *name, const char *text)
{
	add_cpio(b, &(struct member){.name = name, .mode = S_IFREG | 0644, .text = text});
}

static void end_cpio(struct bytes *b)
{
	add_cpio(b, &(struct member){.name = "TRAILER!!!"});
}

/* Three files; where the header of the second one begins. */
static size_t three_files(struct bytes *b)
{
	size_t at;

	b->len = 0;
	add_file(b, "a", "first");
	at = b->len;
	add_file(b, "lostone", "");
	add_file(b, "c", "third");
	end_cpio(b);
	return at;
}

TEST(cpio_a_header_that_is_none)
{
	static struct bytes b;
	size_t at = three_files(&b);

	check_good(&b);
	CHECK_STR(content("lostone"), "");
	memset(b.data + at, 0, 120);
	CHECK_BROKEN(&b, "no header of an entry at byte 120");
	/* Any byte of the magic, and of a number's digits, of each header. */
	for (size_t i = 0; i < 110; i++) {
		at = three_files(&b);
		b.data[at + i] = 'x';
		CHECK_BROKEN(&b, "at byte 120");
	}
}

/* The length of the first file: more or less than there is of it, and with a sign. */
TEST(cpio_a_length_that_is_wrong)
{
	static const char *const lengths[] = {"00000000", "00000001", "00000009", "00000100",
		"ffffffff", "fffffffc", "       5",
		"+0000005", "-0000005", "0x000005"};
	static struct bytes b;

	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		struct unpack_message m;

		three_files(&b);
		memcpy(b.data + 54, lengths[i], 8);
		m = unpack(&b);
		CHECK(m.cause == CAUSE_IMAGE_BROKEN || m.cause == CAUSE_IMAGE_TOO_BIG);
	}
}

TEST(cpio_cut_anywhere)
{
	static struct bytes b;

	three_files(&b);
	/* The trailer's padding is none of it. */
	for (b.len -= 2; b.len >= 6; b.len--)
		CHECK_BROKEN(&b, "it ends");
}

/* As initramfs images are made; the kernel unpacks all of them. */
TEST(cpio_archives_behind_each_other)
{
	static struct bytes b;

	for (size_t padding = 0; padding <= 1024; padding += 512) {
		three_files(&b);
		for (size_t i = 0; i < padding; i++)
			put(&b, "", 1);
		add_file(&b, "a", "of the site");
		end_cpio(&b);
		end_cpio(&b);
		fill(&b, 512);
		check_good(&b);
		CHECK_STR(content("a"), "of the site");
		CHECK_STR(content("c"), "third");
	}
	/* The same number in another archive is another file. */
	b.len = 0;
	for (int i = 0; i < 2; i++) {
		add_cpio(&b, &(struct member){i ? "b" : "a", S_IFREG | 0644, .ino = 7, .nlink = 2,
			.text = i ? "second" : "first"});
		end_cpio(&b);
	}
	check_good(&b);
	CHECK_STR(content("a"), "first");
}

TEST(cpio_more_behind_its_end)
{
	static const char *const more[] = {"x", "\0x", "070701", "070707", "\x1f\x8b\x08\x00",
		("\xfd" "7zXZ")};
	static struct bytes b;

	for (size_t i = 0; i < ARRAY_SIZE(more); i++) {
		three_files(&b);
		put(&b, more[i], *more[i] ? strlen(more[i]) : 2);
		CHECK_BROKEN(&b, "");
	}
	three_files(&b);
	add_file(&b, "cut", "short");
	CHECK_BROKEN(&b, "without its trailer");
}

TEST(cpio_checksums)
{
	static const struct {
		unsigned sum;
		const char *text;
		char form;
		bool good;
	} rows[] = {
		{'a' + 'b', "ab", '2', true}, {'a' + 'b' + 1, "ab", '2', false},
		{0, "ab", '2', false},
		{77, "ab", '1', true}, {77, "", '2', true},
	};
	static struct bytes b;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		b.len = 0;
		add_cpio(&b, &(struct member){"a", S_IFREG | 0644, .sum = rows[i].sum,
			.text = rows[i].text, .form = rows[i].form});
		end_cpio(&b);
		CHECK_BROKEN(&b, rows[i].good ? NULL : "a: its checksum");
	}
}

TEST(cpio_zeroes_in_names)
{
	static const struct {
		const char *name;
		size_t len;
		const char *why;
	} rows[] = {
		/* So dracut-cpio and gen_init_cpio align a file's content. */
		{"a\0\0\0\0\0", 6, NULL}, {"a\0b", 4, "zero byte within a name"},
		{"ab", 2, "without its end"},
	};
	static struct bytes b;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		b.len = 0;
		add_cpio(&b, &(struct member){rows[i].name, S_IFREG | 0644, .text = "text",
			.name_len = rows[i].len});
		end_cpio(&b);
		CHECK_BROKEN(&b, rows[i].why);
		CHECK_STR(content("a"), rows[i].why ? NULL : "text");
	}
}

/* Some makers write no number for folders, and the links that they have. */
TEST(cpio_folders_of_one_number)
{
	static struct bytes b;

	add_cpio(&b, &(struct member){"etc", S_IFDIR | 0755, .nlink = 2});
	add_cpio(&b, &(struct member){"usr", S_IFDIR | 0755, .nlink = 2});
	add_cpio(&b, &(struct member){"lib", S_IFLNK | 0777, .nlink = 2, .text = "usr"});
	add_file(&b, "usr/a", "a file");
	end_cpio(&b);
	check_good(&b);
	CHECK_STR(content("lib/a"), "a file");
}

TEST(cpio_symbolic_links)
{
	static const char *const targets[] = {NULL, "", "\0"};
	static struct bytes b;

	for (size_t i = 0; i < ARRAY_SIZE(targets); i++) {
		b.len = 0;
		add_cpio(&b, &(struct member){"a", S_IFLNK | 0777, .text = targets[i]});
		end_cpio(&b);
		CHECK_BROKEN(&b, "symbolic link");
	}
	b.len = 0;
	add_cpio(&b, &(struct member){"a", .mode = 0644});
	end_cpio(&b);
	CHECK_BROKEN(&b, "no known type");
}

/* A file's name that is a FIFO by now: opened to write, it would wait for a reader. */
TEST(fifos)
{
	static struct bytes b;

	add_cpio(&b, &(struct member){"a", S_IFIFO | 0600, .ino = 5, .nlink = 2});
	add_cpio(&b, &(struct member){"b", S_IFREG | 0600, .ino = 5, .nlink = 2,
		.text = "another file"});
	end_cpio(&b);
	check_good(&b);
	CHECK(type("a") == S_IFIFO && type("b") == S_IFREG);
	b.len = 0;
	add_cpio(&b, &(struct member){"a", S_IFREG | 0600, .ino = 5, .nlink = 2});
	add_cpio(&b, &(struct member){"a", .mode = S_IFIFO | 0600});
	add_cpio(&b, &(struct member){"b", S_IFREG | 0600, .ino = 5, .nlink = 2,
		.text = "content"});
	end_cpio(&b);
	CHECK_BAD(&b, "IMAGE_ENTRY_REFUSED", "b: content of a link to something that is not a "
		"file");
	b.len = 0;
	add_file(&b, "a", "a file");
	add_cpio(&b, &(struct member){"a", .mode = S_IFIFO | 0600});
	add_cpio(&b, &(struct member){"a", .mode = S_IFIFO | 0600, .text = "content"});
	end_cpio(&b);
	CHECK_BAD(&b, "IMAGE_ENTRY_REFUSED", "content in an entry that cannot have any");
	CHECK(type("a") == S_IFIFO);
}

/* --- tar ------------------------------------------------------------------------------------ */

static void seal(char *head)
{
	unsigned sum = 0;

	memset(head + 148, ' ', 8);
	for (size_t i = 0; i < BLOCK; i++)
		sum += (uint8_t)head[i];
	snprintf(head + 148, 8, "%06o", sum);
}

/* A header of so many bytes of content; a pointer into b. */
static char *add_head(struct bytes *b, char tar_type, const char *name, size_t size)
{
	char head[BLOCK] = {0}, *ret = b->data + b->len;

	memcpy(head, name, strnlen(name, 100));
	memcpy(head + 100, "0000644\0000000000\0000000000", 24);
	snprintf(head + 124, 12, "%011zo", size);
	memcpy(head + 136, "07346545000", 12);
	head[156] = tar_type;
	memcpy(head + 257, "ustar\00000", 8);
	seal(head);
	put(b, head, BLOCK);
	return ret;
}

static char *add_tar(struct bytes *b, char tar_type, const char *name, const void *data, size_t len)
{
	char *head = add_head(b, tar_type, name, len);

	put(b, data, len);
	fill(b, BLOCK);
	return head;
}

static char *add_text(struct bytes *b, char tar_type, const char *name, const char *text)
{
	return add_tar(b, tar_type, name, text, strlen(text));
}

static void end_tar(struct bytes *b)
{
	static const char zeroes[2 * BLOCK];

	put(b, zeroes, sizeof(zeroes));
}

TEST(tar_ends)
{
	static struct bytes b;
	size_t end;

	add_text(&b, '0', "a", "first");
	add_tar(&b, '0', "zeroes", (char[BLOCK]){0}, BLOCK);
	end = b.len;
	CHECK_BROKEN(&b, "without the block of zeroes");
	end_tar(&b);
	check_good(&b);
	CHECK_STR(content("a"), "first");
	/* Cut within: only what is zero anyway may be missing. */
	b.len = end + BLOCK;
	check_good(&b);
	for (b.len = end + BLOCK - 1; b.len > 2 * BLOCK; b.len -= 73)
		CHECK_BROKEN(&b, "it ends");
	for (size_t zeroes = 1; zeroes <= 2; zeroes++) {
		b.len = end + zeroes * BLOCK;
		add_text(&b, '0', "b", "more");
		end_tar(&b);
		CHECK_BROKEN(&b, "data after the end of the archive");
	}
}

TEST(tar_headers_that_are_damaged)
{
	static struct bytes b;

	for (size_t i = 0; i < BLOCK; i++) {
		b.len = 0;
		add_text(&b, '0', "a", "first");
		b.data[BLOCK * 2 + i] = 0;
		add_text(&b, '0', "b", "second");
		end_tar(&b);
		b.data[BLOCK * 2 + i] ^= 0x40;
		CHECK_BROKEN(&b, "checksum");
	}
}

/* With a checksum that is right. */
TEST(tar_numbers_that_are_none)
{
	static const struct {
		size_t at;
		char text[16];
		bool good;
	} rows[] = {
		{124, "0000000000z", false}, {124, "000000z0005", false},
		{124, "00000000008", false}, {124, "-0000000005", false},
		{124, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", false},
		{124, "\x80\x01\0\0\0\0\0\0\0\0\0\5", false},
		{100, "06a4", false}, {108, "root   ", false}, {116, "0x1", false},
		{136, "yesterday", false},
		{124, "         5 ", true}, {124, "\x80\0\0\0\0\0\0\0\0\0\0\5", true},
		{124, "5\0\0\0\0\0\0\0\0\0\0\0", true},
		{136, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\0", true},
		{108, "      \0", true},
	};
	static struct bytes b;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *head;

		b.len = 0;
		head = add_text(&b, '0', "a", "first");
		memcpy(head + rows[i].at, rows[i].text, rows[i].at >= 124 ? 11 : 7);
		if (rows[i].at == 124 && (*rows[i].text & 0x80))
			head[135] = (char)(rows[i].good ? 5 : 0xff);
		seal(head);
		end_tar(&b);
		CHECK_BROKEN(&b, rows[i].good ? NULL : "an invalid ");
	}
}

TEST(tar_forms_of_names)
{
	static struct bytes b;
	char longer[200], *head;

	memset(longer, 'n', sizeof(longer));
	longer[150] = 0;
	add_tar(&b, 'L', "././@LongLink", longer, 151);
	add_text(&b, '0', "cut", "long");
	longer[100] = 0;
	head = add_text(&b, '0', longer, "prefixed");
	memcpy(head + 345, "folder", 6);
	seal(head);
	add_tar(&b, 'K', "././@LongLink", longer, 100);
	head = add_text(&b, '2', "link", "");
	add_text(&b, 0, "old/", "");
	add_text(&b, 'V', "label", "");
	add_text(&b, 'g', "pax_global_header", "11 mtime=5\n12 comment=\n");
	add_text(&b, '7', "contiguous", "too");
	end_tar(&b);
	check_good(&b);
	longer[100] = 'n';
	CHECK_STR(content(longer), "long");
	snprintf(longer, sizeof(longer), "folder/%0100d", 0);
	memset(longer + 7, 'n', 100);
	CHECK_STR(content(longer), "prefixed");
	CHECK(type("link") == S_IFLNK && type("old") == S_IFDIR && type("label") == 0);
	CHECK_STR(content("contiguous"), "too");
}

/* What comes before the file "a", and behind it the end. */
TEST(tar_extended_headers)
{
	static const struct {
		char type;
		const char *text;
		size_t len; /* 0: strlen() */
		const char *why;
	} rows[] = {
		{'x', "17 path=elsewhere\n", 0, "malformed"},
		{'x', "19 path=elsewhere\n", 0, "malformed"}, {'x', "018 path=elsewher\n", 0, NULL},
		{'x', "0 path=elsewhere\n", 0, "malformed"},
		{'x', "path=elsewhere\n", 0, "malformed"},
		{'x', "18 path=elsewhere.", 0, "malformed"},
		{'x', "18 path:elsewhere\n", 0, "malformed"},
		{'x', "14 =elsewhere\n", 0, "malformed"}, {'x', "4 p\n", 0, "malformed"},
		{'x', "noise\0\x80\xff", 8, "malformed"}, {'x', "3 \n", 0, "malformed"},
		{'x', "99999999999999999999 path=a\n", 0, "malformed"},
		{'x', "18 path=elsewhere\n\0", 19, "malformed"},
		{'x', "12 path=a\0b\n", 12, "zero byte"},
		{'x', "16 linkpath=a\0b\n", 16, "zero byte"}, {'x', "10 size=5\n", 0, NULL},
		{'x', "10 size=z\n", 0, "number"}, {'x', "11 size=-5\n", 0, "negative"},
		{'x', "9 size=\n", 0, "malformed"}, {'x', "8 size=\n", 0, "number"},
		{'x', "10 size=6\n", 0, NULL}, {'x', "28 size=9999999999999999999\n", 0, "number"},
		{'x', "11 uid=0x1\n", 0, "number"}, {'x', "20 mtime=1000000.75\n", 0, NULL},
		{'x', "14 mtime=-1.5\n", 0, NULL}, {'x', "14 mtime=1e33\n", 0, "number"},
		{'x', "28 comment=of no consequence\n", 0, "malformed"},
		{'x', "29 comment=of no consequence\n", 0, NULL}, {'x', "8 path=\n", 0, NULL},
		{'x', "", 0, "empty"}, {'g', "", 0, "empty"},
		{'g', "10 path=a\n", 0, "all entries"}, {'g', "10 size=5\n", 0, "all entries"},
		{'x', "30 mtime=-9223372036854775808\n", 0, "number"},
		{'x', "26 GNU.sparse.realsize=100\n", 0, "malformed"},
		{'x', "27 GNU.sparse.realsize=100\n", 0, "parts"},
		{'x', "21 GNU.sparse.map=0,5\n", 0, "malformed"},
		{'x', "22 GNU.sparse.map=0,5\n", 0, "without its size"},
		{'x', "22 GNU.sparse.map=0,5\n22 GNU.sparse.size=100\n", 0, "malformed"},
		{'x', "22 GNU.sparse.map=0,5\n23 GNU.sparse.size=100\n", 0, NULL},
		{'x', "22 GNU.sparse.map=0,4\n23 GNU.sparse.size=100\n", 0, "parts"},
		{'x', "24 GNU.sparse.map=0,5,7\n23 GNU.sparse.size=100\n", 0, "map"},
		{'x', "23 GNU.sparse.map=96,5\n23 GNU.sparse.size=100\n", 0, "outside"},
		{'x', "22 GNU.sparse.major=2\n", 0, "unknown form"},
		{'x', "35 LIBARCHIVE.xattr.security.capabi\n", 0, "malformed"},
		{'x', "43 LIBARCHIVE.xattr.security.capability=*!\n", 0, "base64"},
		{'L', "a\0b", 4, "zero byte"}, {'K', "a\0b", 4, "zero byte"}, {'L', "", 0, "empty"},
		{'L', "a", 2, NULL}, {'M', "", 0, "unknown type"}, {'N', "", 0, "unknown type"},
		{'~', "", 0, "unknown type"}, {'g', "noise", 0, "malformed"},
	};
	static struct bytes b;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		b.len = 0;
		add_tar(&b, rows[i].type, "extended", rows[i].text,
			rows[i].len ? rows[i].len : strlen(rows[i].text));
		add_tar(&b, '0', "a", "first", 6);
		b.data[b.len - 2 * BLOCK + 134] = strstr(rows[i].text, "size=6") ? '6' : '5';
		seal(b.data + b.len - 2 * BLOCK);
		end_tar(&b);
		CHECK_BROKEN(&b, rows[i].why);
	}
}

/* As libarchive writes it, and as others might. */
TEST(tar_capability_in_base64)
{
	static const char *const rows[] = {"47 LIBARCHIVE.xattr.security.capability=AQAAAg\n",
		"49 LIBARCHIVE.xattr.security.capability=AQAAAg==\n"};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct pax p = {0};
		const char *why = NULL;
		char text[64];

		strscpy(text, rows[i], sizeof(text));
		CHECK_INT(pax_read(&p, text, strlen(text), &why), 0);
		CHECK(p.capability_len == 4 && memcmp(p.capability, "\1\0\0\2", 4) == 0);
		pax_clear(&p);
	}
}

/* x: such a header, 0: a file, n: one without a name. */
TEST(tar_extended_headers_without_their_entry)
{
	static const char *const rows[][2] = {{"0x", "without its entry"}, {"xx0",
		"two pax headers"}, {"0n", "without a name"}, {"xn", NULL}};
	static struct bytes b;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		b.len = 0;
		for (const char *at = rows[i][0]; *at; at++)
			add_text(&b, *at == 'x' ? 'x' : '0', *at == 'n' ? "" : "a",
				*at == 'x' ? "18 path=elsewhere\n" : "first");
		end_tar(&b);
		CHECK_BROKEN(&b, rows[i][1]);
	}
	CHECK_STR(content("elsewhere"), "first");
}
