// SPDX-License-Identifier: GPL-2.0-or-later
#include <sys/stat.h>

#include "check.h"
#include "root/web/note.h"

TEST(written_and_read)
{
	struct web_result r = {.url = "http://a/root.img?v=1",
		.site = "http://a",
		.proof = "signature",
		.bytes = 1234567890123,
		.cached = true};
	struct web_result again = {0};
	struct env env = {0};
	char dir[] = "/tmp/initagent-note-XXXXXX", path[64];

	env.prefix = check_dir(dir);
	snprintf(path, sizeof(path), "%s/run", dir);
	CHECK_INT(mkdir(path, 0755), 0);
	memset(r.sha256, 'a', 64);
	CHECK_INT(note_write(&env, &r), 0);
	note_read(&env, &again);
	CHECK_STR(again.url, r.url);
	CHECK_STR(again.site, r.site);
	CHECK_STR(again.proof, "signature");
	CHECK_STR(again.sha256, r.sha256);
	CHECK_INT(again.bytes, r.bytes);
	CHECK(again.cached);
}

TEST(none_there)
{
	struct web_result r = {0};
	struct env env = {.prefix = "/nonexistent"};

	note_read(&env, &r);
	CHECK_STR(r.url, "");
}

/* Read like anybody's. */
TEST(nonsense)
{
	char text[] = "url\nurl \nbytes -1\nbytes 12x\nbytes 99999999999999999999\ncached 7\n"
			"proof aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\nserver a "
			"b\nsha256 \x1b[31m\n\n \nroot /\n";
	struct web_result r = {0};

	note_parse(text, &r);
	CHECK_STR(r.url, "");
	CHECK_INT(r.bytes, 0);
	CHECK(!r.cached);
	CHECK_STR(r.proof, "");
	CHECK_STR(r.site, "");
	CHECK_STR(r.sha256, "");
}
