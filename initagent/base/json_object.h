/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json_object: cJSON objects from structs, by tables of their members. Owns nothing: the object is
 * the caller's. A value that is not known (an empty text, NSEC_NEVER, GUID 0) is left out. Memory
 * that runs out costs the value, no more.
 * In: an object, a table, a struct or an array of them. Out: members of the object, text in UTF-8.
 * Callers: doctor/, root/source/, state/. Tests: state/test_state.c, doctor/test_doctor.c.
 */
#pragma once

#include <cjson/cJSON.h>

#include "base/util.h"

enum json_kind {
	JSON_CHARS,  /* char array */
	JSON_TEXT,   /* const char *; may be NULL */
	JSON_FLAG,   /* bool or any integer */
	JSON_SIGNED, /* int */
	JSON_NUMBER, /* unsigned, of 1, 2, 4 or 8 bytes */
	JSON_TIME,   /* CLOCK_BOOTTIME ns, written as seconds with microseconds */
	JSON_GUID,   /* host order, written as 16 hexadecimal digits */
	JSON_NAME,   /* an enum, written as the text that name() has for it */
};

struct json_field {
	const char *key; /* static */
	enum json_kind kind;
	size_t offset, size;
	const char *(*name)(unsigned value); /* JSON_NAME; NULL or "": left out */
};

/* A member whose type says how it is written. */
#define JSON_FIELD(key, type, member) JSON_FIELD_AS(key, type, member, \
	_Generic(((type *)0)->member, char *: JSON_CHARS, const char *: JSON_TEXT, \
		bool: JSON_FLAG, int: JSON_SIGNED, default: JSON_NUMBER))
#define JSON_FIELD_AS(key, type, member, kind) \
	{key, kind, offsetof(type, member), sizeof(((type *)0)->member), NULL}
#define JSON_FIELD_NAME(key, type, member, name) \
	{key, JSON_NAME, offsetof(type, member), sizeof(((type *)0)->member), name}

/* json_unsigned: the value of an unsigned member of 1, 2, 4 or 8 bytes. */
uint64_t json_unsigned(const void *member, size_t size);

/* json_fields: adds the n members of *object that the table names. */
void json_fields(cJSON *o, const struct json_field *fields, size_t n, const void *object);

/* json_rows: adds an array of objects, one for each of the n_rows structs of that size. */
void json_rows(cJSON *o, const char *key, const struct json_field *fields, size_t n,
	const void *rows, size_t n_rows, size_t size);

/*
 * Single values; key is a constant and not copied. json_text: bytes that are not UTF-8 become
 * U+FFFD, since command lines and names from the fabric may hold any. json_date: RFC 3339, left out
 * for wall <= 0.
 */
void json_text(cJSON *o, const char *key, const char *value);
void json_flag(cJSON *o, const char *key, bool value);
void json_number(cJSON *o, const char *key, int64_t value);
void json_time(cJSON *o, const char *key, uint64_t ns);
void json_date(cJSON *o, const char *key, int64_t wall);
void json_guid(cJSON *o, const char *key, uint64_t guid);

/* json_item: appends an empty object to an array and returns it. */
cJSON *json_item(cJSON *list);
