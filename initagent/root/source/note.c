// SPDX-License-Identifier: GPL-2.0-or-later
/* note: see note.h. A line each: the field's key, a blank, the value. */
#include "root/source/note.h"

#include <ctype.h>

#include "base/file.h"

#define TEXT_MAX 4096
/* More than any enum of a record has. */
#define NAMES_MAX 32

static void print_field(FILE *out, const struct json_field *f, const void *record)
{
	const char *at = (const char *)record + f->offset;
	uint64_t number = f->kind == JSON_CHARS ? 0 : json_unsigned(at, f->size);

	if (f->kind == JSON_CHARS || f->kind == JSON_NAME)
		fprintf(out, "%s %s\n", f->key, f->kind == JSON_CHARS ? at
			: f->name((unsigned)number));
	else
		fprintf(out, "%s %llu\n", f->key, (unsigned long long)number);
}

int note_write(const struct env *env, const struct source_ops *ops, const void *record)
{
	struct file_stream f;
	int r = file_begin(&f);

	if (r < 0)
		return r;
	for (size_t i = 0; i < ops->n_fields; i++)
		print_field(f.out, &ops->fields[i], record);
	return file_end(&f, env, STATE_DIR, ops->note, 0600);
}

void note_drop(const struct env *env, const struct source_ops *ops)
{
	char path[512];

	if (env_path(env, path, sizeof(path), "%s/%s", STATE_DIR, ops->note) >= 0)
		unlink(path);
}

static bool plain(const char *text)
{
	for (; *text; text++)
		if (*text < ' ' || *text >= 0x7f)
			return false;
	return true;
}

static void put_number(char *at, size_t size, uint64_t number)
{
	const uint32_t n32 = (uint32_t)number;
	const uint16_t n16 = (uint16_t)number;
	const uint8_t n8 = (uint8_t)number;

	memcpy(at, size == sizeof(n8) ? &n8 : size == sizeof(n16) ? (const void *)&n16 :
		size == sizeof(n32) ? (const void *)&n32 : &number, size);
}

static void take_number(const struct json_field *f, const char *value, char *at)
{
	uint64_t max = f->kind == JSON_FLAG ? 1 : UINT64_MAX >> (64 - 8 * f->size);
	uint64_t number;

	if (strlen(value) > 18 || strspn(value, "0123456789") != strlen(value))
		return;
	number = strtoull(value, NULL, 10);
	if (number <= max)
		put_number(at, f->size, number);
}

/* A name of what has none, "?", begins with no letter. */
static void take_name(const struct json_field *f, const char *value, char *at)
{
	for (unsigned n = 0; n < NAMES_MAX && isalnum((unsigned char)*value); n++)
		if (streq(f->name(n), value)) {
			put_number(at, f->size, n);
			return;
		}
}

static void take_value(const struct json_field *f, const char *value, void *record)
{
	char *at = (char *)record + f->offset;

	if (f->kind == JSON_NAME)
		take_name(f, value, at);
	else if (f->kind != JSON_CHARS)
		take_number(f, value, at);
	else if (plain(value) && strlen(value) < f->size)
		strscpy(at, value, f->size);
}

void note_parse(const struct source_ops *ops, char *text, void *record)
{
	char *save = NULL;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *value = strchr(line, ' ');

		if (!value)
			continue;
		*value++ = 0;
		for (size_t i = 0; i < ops->n_fields; i++)
			if (streq(line, ops->fields[i].key))
				take_value(&ops->fields[i], value, record);
	}
}

bool note_read(const struct env *env, const struct source_ops *ops, void *record)
{
	char text[TEXT_MAX];

	if (env_read(env, text, sizeof(text), "%s/%s", STATE_DIR, ops->note) <= 0)
		return false;
	note_parse(ops, text, record);
	return true;
}

void note_end_texts(const struct source_ops *ops, void *record)
{
	const struct json_field *f = ops->fields;

	for (size_t i = 0; i < ops->n_fields; i++, f++)
		if (f->kind == JSON_CHARS)
			((char *)record)[f->offset + f->size - 1] = 0;
}
