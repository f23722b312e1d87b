// SPDX-License-Identifier: GPL-2.0-or-later
/* writer: the plain form of names; what it writes is in test_unpack.c. */
#include "root/image/writer.h"

#include "check.h"

TEST(plain_names)
{
	static const struct {
		const char *name, *want;
	} rows[] = {
		{"a", "a"}, {"./a", "a"}, {"./", ""}, {".", ""}, {"a//b/", "a/b"},
		{"././a/./b", "a/b"}, {"...", "..."}, {"a/...", "a/..."}, {"..a", "..a"},
		{"", NULL}, {"/", NULL}, {"//a", NULL}, {"..", NULL}, {"../a", NULL},
		{"a/..", NULL}, {"a/../b", NULL},
	};
	char name[64];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_STR(writer_name(rows[i].name, name, sizeof(name)) < 0 ? NULL : name,
			rows[i].want);
	CHECK_INT(writer_name("a/bcdef", name, 7), -ENAMETOOLONG);
	CHECK_INT(writer_name("a/bcdef", name, 9), 0);
	CHECK_INT(writer_name(NULL, name, 9), -EINVAL);
}
