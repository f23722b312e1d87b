// SPDX-License-Identifier: GPL-2.0-or-later

#include "base/json_object.h"

#include <inttypes.h>

#include "base/utf8.h"

static void add_item(cJSON *o, const char *key, cJSON *item)
{
	if (!cJSON_AddItemToObjectCS(o, key, item))
		cJSON_Delete(item);
}

static bool is_utf8(const char *s)
{
	for (size_t n; *s; s += n) {
		n = utf8_decode(s, NULL);
		if (!n)
			return false;
	}
	return true;
}

static cJSON *clean_text(const char *value)
{
	_cleanup_free_ char *clean = malloc(3 * strlen(value) + 1);
	char *to = clean;

	if (!clean)
		return NULL;
	while (*value) {
		size_t n = utf8_decode(value, NULL);

		memcpy(to, n ? value : "\xef\xbf\xbd", n ? n : 3);
		to += n ? n : 3;
		value += n ? n : 1;
	}
	*to = 0;
	return cJSON_CreateString(clean);
}

void json_text(cJSON *o, const char *key, const char *value)
{
	if (value && *value)
		add_item(o, key, is_utf8(value) ? cJSON_CreateString(value) : clean_text(value));
}

void json_flag(cJSON *o, const char *key, bool value)
{
	add_item(o, key, cJSON_CreateBool(value));
}

/* As text: cJSON prints each floating point number and reads it back, which a slow node notices. */
void json_number(cJSON *o, const char *key, int64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, value);
	add_item(o, key, cJSON_CreateRaw(text));
}

void json_time(cJSON *o, const char *key, uint64_t ns)
{
	char text[32];

	if (ns == NSEC_NEVER)
		return;
	snprintf(text, sizeof(text), "%" PRIu64 ".%06u", ns / NSEC_PER_SEC,
		(unsigned)(ns % NSEC_PER_SEC / 1000));
	add_item(o, key, cJSON_CreateRaw(text));
}

void json_date(cJSON *o, const char *key, int64_t wall)
{
	const time_t t = wall;
	struct tm tm;
	char text[32];

	if (wall > 0 && gmtime_r(&t, &tm) && strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ",
		&tm))
		json_text(o, key, text);
}

void json_guid(cJSON *o, const char *key, uint64_t guid)
{
	char text[24];

	snprintf(text, sizeof(text), "%016" PRIx64, guid);
	if (guid)
		json_text(o, key, text);
}

uint64_t json_unsigned(const void *member, size_t size)
{
	return size == sizeof(uint64_t) ? *(const uint64_t *)member :
		size == sizeof(uint32_t) ? *(const uint32_t *)member :
		size == sizeof(uint16_t) ? *(const uint16_t *)member : *(const uint8_t *)member;
}

static void add_field(cJSON *o, const struct json_field *f, const void *member)
{
	if (f->kind == JSON_CHARS)
		json_text(o, f->key, member);
	else if (f->kind == JSON_TEXT)
		json_text(o, f->key, *(const char *const *)member);
	else if (f->kind == JSON_FLAG)
		json_flag(o, f->key, json_unsigned(member, f->size));
	else if (f->kind == JSON_SIGNED)
		json_number(o, f->key, *(const int *)member);
	else if (f->kind == JSON_NUMBER)
		json_number(o, f->key, (int64_t)json_unsigned(member, f->size));
	else if (f->kind == JSON_TIME)
		json_time(o, f->key, *(const uint64_t *)member);
	else if (f->kind == JSON_GUID)
		json_guid(o, f->key, *(const uint64_t *)member);
	else
		json_text(o, f->key, f->name((unsigned)json_unsigned(member, f->size)));
}

void json_fields(cJSON *o, const struct json_field *fields, size_t n, const void *object)
{
	for (size_t i = 0; i < n; i++)
		add_field(o, &fields[i], (const char *)object + fields[i].offset);
}

void json_rows(cJSON *o, const char *key, const struct json_field *fields, size_t n,
	const void *rows, size_t n_rows, size_t size)
{
	cJSON *list = cJSON_AddArrayToObject(o, key);

	for (size_t i = 0; i < n_rows; i++)
		json_fields(json_item(list), fields, n, (const char *)rows + i * size);
}

cJSON *json_item(cJSON *list)
{
	cJSON *o = cJSON_CreateObject();

	cJSON_AddItemToArray(list, o);
	return o;
}
