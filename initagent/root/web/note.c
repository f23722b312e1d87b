// SPDX-License-Identifier: GPL-2.0-or-later
/* note: see note.h. */
#include "root/web/note.h"

#include "base/file.h"
#include "value.h"

#define NAME "image-source"

enum type { TEXT, NUMBER, SWITCH };

/* A line each: the name, a blank, the value. */
static const struct {
	const char *name;
	enum type type;
	size_t offset, size;
} fields[] = {
#define FIELD(text, type, member)                                                                  \
	{                                                                                          \
		text, type, offsetof(struct web_result, member),                                   \
			sizeof(((struct web_result *)0)->member)                                   \
	}
	FIELD("url", TEXT, url),
	FIELD("server", TEXT, site),
	FIELD("proof", TEXT, proof),
	FIELD("sha256", TEXT, sha256),
	FIELD("bytes", NUMBER, bytes),
	FIELD("cached", SWITCH, cached),
#undef FIELD
};

static void print_field(FILE *out, size_t i, const struct web_result *r)
{
	const char *at = (const char *)r + fields[i].offset;
	uint64_t number = 0;

	if (fields[i].type == TEXT) {
		fprintf(out, "%s %s\n", fields[i].name, at);
		return;
	}
	if (fields[i].type == NUMBER)
		memcpy(&number, at, sizeof(number));
	else
		number = *(const bool *)at;
	fprintf(out, "%s %llu\n", fields[i].name, (unsigned long long)number);
}

int note_write(const struct env *env, const struct web_result *r)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	int e;

	if (!out)
		return -ENOMEM;
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		print_field(out, i, r);
	e = fclose(out) ? -ENOMEM : file_write(env, STATE_DIR, NAME, text, len, 0600);
	free(text);
	return e;
}

static bool plain(const char *text)
{
	for (; *text; text++)
		if (*text <= ' ' || *text >= 0x7f)
			return false;
	return true;
}

static void take_value(size_t i, const char *value, struct web_result *ret)
{
	char *at = (char *)ret + fields[i].offset;
	uint64_t number = 0;

	if (fields[i].type == TEXT) {
		if (plain(value) && strlen(value) < fields[i].size)
			strscpy(at, value, fields[i].size);
		return;
	}
	if (strlen(value) > 18 || strspn(value, "0123456789") != strlen(value))
		return;
	for (; *value; value++)
		number = number * 10 + (uint64_t)(*value - '0');
	if (fields[i].type == NUMBER)
		memcpy(at, &number, sizeof(number));
	else
		*(bool *)at = number == 1;
}

void note_parse(char *text, struct web_result *ret)
{
	char *save = NULL;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *value = strchr(line, ' ');

		if (!value)
			continue;
		*value++ = 0;
		for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
			if (streq(line, fields[i].name))
				take_value(i, value, ret);
	}
}

void note_read(const struct env *env, struct web_result *ret)
{
	char text[PLAN_URL_MAX + 2 * SOURCE_SITE_MAX];

	if (env_read(env, text, sizeof(text), "%s/%s", STATE_DIR, NAME) > 0)
		note_parse(text, ret);
}
