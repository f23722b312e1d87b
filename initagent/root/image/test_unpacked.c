/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One packing is taken off, and nothing behind it is left out. */
#include <archive.h>
#include <archive_entry.h>
#include <sys/mman.h>

#include "check.h"
#include "root/image/unpack.h"
#include "root/image/unpacked.h"

struct bytes {
	char data[4096];
	size_t len;
};

static void put(struct bytes *b, const void *data, size_t len)
{
	CHECK(len <= sizeof(b->data) - b->len);
	memcpy(b->data + b->len, data, len);
	b->len += len;
}

static void put_packed(struct bytes *b, int filter, const void *data, size_t len)
{
	struct archive *a = archive_write_new();
	struct archive_entry *e = archive_entry_new();
	size_t used;

	archive_entry_set_pathname(e, "data");
	archive_entry_set_filetype(e, AE_IFREG);
	CHECK(archive_write_set_format_raw(a) == ARCHIVE_OK &&
		archive_write_add_filter(a, filter) == ARCHIVE_OK);
	CHECK_INT(archive_write_set_bytes_in_last_block(a, 1), ARCHIVE_OK);
	CHECK_INT(archive_write_open_memory(a, b->data + b->len, sizeof(b->data) - b->len, &used),
		ARCHIVE_OK);
	CHECK_INT(archive_write_header(a, e), ARCHIVE_OK);
	CHECK(archive_write_data(a, data, len) == (la_ssize_t)len);
	CHECK_INT(archive_write_close(a), ARCHIVE_OK);
	archive_write_free(a);
	archive_entry_free(e);
	b->len += used;
}

static int file_of(const struct bytes *b)
{
	int fd = memfd_create("packed", MFD_CLOEXEC);

	CHECK(write(fd, b->data, b->len) == (ssize_t)b->len && lseek(fd, 0, SEEK_SET) == 0);
	return fd;
}

/* What it unpacks to; NULL: refused. */
static const char *text_of(const struct bytes *b)
{
	_cleanup_close_ int fd = file_of(b);
	_cleanup_(unpacked_freep) struct unpacked *u = NULL;
	static char text[4096];
	const char *why;
	ssize_t n;

	CHECK_INT(unpacked_new(&u, fd, false), 0);
	n = unpacked_read(u, text, sizeof(text) - 1);
	CHECK_INT(unpacked_cause(u, &why), n < 0 ? CAUSE_IMAGE_BROKEN : CAUSE_NONE);
	CHECK(n >= 0 || *why);
	text[n < 0 ? 0 : n] = 0;
	return n < 0 ? NULL : text;
}

static const int filters[] = {ARCHIVE_FILTER_GZIP, ARCHIVE_FILTER_XZ, ARCHIVE_FILTER_ZSTD};

TEST(packed_files_behind_each_other)
{
	for (size_t i = 0; i < ARRAY_SIZE(filters); i++) {
		struct bytes b = {.len = 0};

		put_packed(&b, filters[i], "first", 5);
		put_packed(&b, filters[i], " and second", 11);
		CHECK_STR(text_of(&b), "first and second");
		put(&b, "more", 4);
		CHECK_STR(text_of(&b), NULL);
		put_packed(&b, filters[i], "third", 5);
		CHECK_STR(text_of(&b), NULL);
	}
}

TEST(cut_anywhere)
{
	for (size_t i = 0; i < ARRAY_SIZE(filters); i++) {
		struct bytes b = {.len = 0};

		put_packed(&b, filters[i], "first", 5);
		for (b.len--; b.len >= 8; b.len--)
			CHECK_STR(text_of(&b), NULL);
	}
}

/* Each layer would be a decompressor's memory. */
TEST(packed_twice)
{
	char dir[] = "/tmp/initagent-unpacked-XXXXXX";

	check_dir(dir);
	for (size_t i = 0; i < 9; i++) {
		struct bytes once = {.len = 0}, twice = {.len = 0};
		struct unpack_message m;
		struct unpack_config cfg = {.bytes_max = 1 << 20};

		put_packed(&once, filters[i / 3], "first", 5);
		put_packed(&twice, filters[i % 3], once.data, once.len);
		cfg.fd = file_of(&twice);
		CHECK_INT(unpack_into(&cfg, dir, false, &m), 0);
		close(cfg.fd);
		CHECK_STR(cause_info((enum cause)m.cause)->id, "IMAGE_UNKNOWN");
		CHECK_STR(m.text, "packed twice");
	}
}
