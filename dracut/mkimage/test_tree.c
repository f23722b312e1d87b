// SPDX-License-Identifier: GPL-2.0-or-later
/* The image's tree and its archive. What the whole builder does is in tests/mkimage.bats. */
#include "check.h"

#include <sys/sysmacros.h>

#include "dracut/mkimage/cpio.h"
#include "dracut/mkimage/elf.h"

TEST(paths_that_may_be_entries)
{
	static const char *const good[] = {
		"a", "a/b", ".a", "...", "a..b", "lib/modules/5.5+x~1/a-b_c.ko"};
	static const char *const bad[] = {"", "/", "/a", "a/", "a//b", ".", "..", "a/.", "a/..",
		"../a", "a/../b", "a b", "a\n", "a\x7f", "\xc3\xa4", "a\tb"};
	char max[TREE_PATH_MAX + 1];

	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		CHECK(tree_path_safe(good[i]));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		CHECK(!tree_path_safe(bad[i]));
	memset(max, 'a', sizeof(max));
	max[TREE_PATH_MAX] = 0;
	CHECK(!tree_path_safe(max));
	max[TREE_PATH_MAX - 1] = 0;
	CHECK(tree_path_safe(max));
}

TEST(parents_come_by_themselves_and_conflicts_are_refused)
{
	_cleanup_(tree_freep) struct tree *t = tree_new();

	CHECK_INT(tree_file(t, "a/b/c", 0644, "x", 1, "test"), 0);
	CHECK(S_ISDIR(tree_find(t, "a")->mode));
	CHECK(S_ISDIR(tree_find(t, "a/b")->mode));
	CHECK_INT(tree_file(t, "a/b/c", 0644, "x", 1, "test"), -EEXIST);
	CHECK_INT(tree_link(t, "a/b", "x", "test"), -EEXIST);
	CHECK_INT(tree_dir(t, "a/b", 0755, "test"), 0);
	CHECK_INT(tree_dir(t, "a/b", 0700, "test"), -EEXIST);
	CHECK_INT(tree_file(t, "a/b/c/d", 0644, "x", 1, "test"), -ENOTDIR);
	CHECK_INT(tree_link(t, "l", "a", "test"), 0);
	CHECK_INT(tree_file(t, "l/d", 0644, "x", 1, "test"), -ENOTDIR);
	CHECK_INT(tree_file(t, "../x", 0644, "x", 1, "test"), -EINVAL);
	CHECK_INT(tree_sort(t), 4);
	CHECK_STR(tree_at(t, 0)->path, "a");
	CHECK_STR(tree_at(t, 3)->path, "l");
}

static struct tree *sample(bool reverse)
{
	const struct tree_entry node = {"c", S_IFCHR | 0600, makedev(5, 1), .why = "test"};
	struct tree *t = tree_new();

	for (int i = 0; i < 3; i++) {
		switch (reverse ? 2 - i : i) {
		case 0: CHECK_INT(tree_file(t, "b/file", 0755, "content", 7, "test"), 0); break;
		case 1: CHECK_INT(tree_link(t, "a", "b/file", "test"), 0); break;
		case 2: CHECK_INT(tree_add(t, &node), 0); break;
		}
	}
	return t;
}

TEST(the_order_of_adding_does_not_show)
{
	_cleanup_(tree_freep) struct tree *one = sample(false);
	_cleanup_(tree_freep) struct tree *two = sample(true);
	_cleanup_free_ char *a = NULL;
	_cleanup_free_ char *b = NULL;
	size_t a_size, b_size;

	CHECK_INT(cpio_pack(one, tree_sort(one), 7, &a, &a_size), 0);
	CHECK_INT(cpio_pack(two, tree_sort(two), 7, &b, &b_size), 0);
	CHECK_INT(a_size, b_size);
	CHECK_MEM(a, b, a_size);
}

TEST(an_archive_is_read_back_and_a_cut_one_is_not)
{
	_cleanup_(tree_freep) struct tree *t = sample(false);
	_cleanup_free_ char *a = NULL;
	struct cpio_member m;
	size_t size, at = 0;

	CHECK_INT(cpio_pack(t, tree_sort(t), 0x12345678, &a, &size), 0);
	CHECK_INT(size % 512, 0);
	CHECK_MEM(a + 46, "12345678", 8);
	CHECK_INT(cpio_next(a, size, &at, &m), 1);
	CHECK_STR(m.name, "a");
	CHECK_MEM(m.data, "b/file", 6);
	CHECK_INT(cpio_next(a, size, &at, &m), 1);
	CHECK_STR(m.name, "b");
	CHECK_INT(cpio_next(a, size, &at, &m), 1);
	CHECK_INT(m.mode, S_IFREG | 0755);
	CHECK_INT(m.size, 7);
	CHECK_INT(cpio_next(a, at, &at, &m), -EBADMSG);
	CHECK_INT(cpio_next(a, size, &at, &m), 1);
	CHECK_INT(cpio_next(a, size, &at, &m), 0);
	CHECK_STR(m.name, "TRAILER!!!");
	at = size + 1;
	CHECK_INT(cpio_next(a, size, &at, &m), -EBADMSG);
}

TEST(modinfo_of_a_cut_section_ends)
{
	static const char info[] = "firmware=a\0firmwarex=b\0firmware=\0firmware=c\0firm";
	size_t at = 0;

	CHECK_STR(elf_modinfo_next(info, sizeof(info) - 1, "firmware", &at), "a");
	CHECK_STR(elf_modinfo_next(info, sizeof(info) - 1, "firmware", &at), "");
	CHECK_STR(elf_modinfo_next(info, sizeof(info) - 1, "firmware", &at), "c");
	CHECK(!elf_modinfo_next(info, sizeof(info) - 1, "firmware", &at));
}
