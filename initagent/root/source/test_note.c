// SPDX-License-Identifier: GPL-2.0-or-later
/* The note of a record with a member of each kind. */
#include "check.h"
#include "root/source/note.h"

enum colour { RED, GREEN, COLOURS };

struct record {
	char text[32];
	enum colour colour;
	bool flag;
	int32_t wide_flag;
	uint16_t small;
	uint64_t large;
};

static const char *colour_name(unsigned colour)
{
	static const char *const names[] = {"red", "green"};

	return colour < COLOURS ? names[colour] : "?";
}

#define F(key, member) JSON_FIELD(key, struct record, member)
static const struct json_field fields[] = {
	F("text", text), JSON_FIELD_NAME("colour", struct record, colour, colour_name),
	F("flag", flag), JSON_FIELD_AS("wide_flag", struct record, wide_flag, JSON_FLAG),
	F("small", small), F("large", large),
};
static const struct source_ops row = {
	.note = "a-root", .fields = fields, .n_fields = ARRAY_SIZE(fields)};

TEST(written_and_read_and_gone)
{
	const struct record r = {.text = "http://a/root.img?v=1 b", .colour = GREEN, .flag = true,
		.wide_flag = 1, .small = 65535, .large = 1234567890123};
	struct record again = {0};
	char dir[] = "/tmp/initagent-note-XXXXXX";
	struct env env = {.prefix = check_dir(dir)};

	CHECK(!note_read(&env, &row, &again));
	CHECK_INT(note_write(&env, &row, &r), 0);
	CHECK(note_read(&env, &row, &again));
	CHECK_STR(again.text, r.text);
	CHECK_INT(again.colour, GREEN);
	CHECK(again.flag);
	CHECK_INT(again.wide_flag, 1);
	CHECK_INT(again.small, 65535);
	CHECK_INT(again.large, r.large);
	note_drop(&env, &row);
	CHECK(!note_read(&env, &row, &again));
}

/* Read like anybody's. */
TEST(nonsense)
{
	char text[] = "text\ntext \ncolour ?\ncolour blue\nflag 7\nwide_flag -1\nsmall 65536\n"
			"large 12x\nlarge 99999999999999999999\ntext \x1b[31m\n"
			"text aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n\n \nroot /\n";
	struct record r = {0}, none = {0};

	note_parse(&row, text, &r);
	CHECK_MEM(&r, &none, sizeof(r));
}
