// SPDX-License-Identifier: GPL-2.0-or-later

#include "root/image/pax.h"

#include <sodium/utils.h>

#include "base/cursor.h"

#define SCHILY	  "SCHILY.xattr."
#define LIBARCHIVE "LIBARCHIVE.xattr."
#define CAPABILITY "security.capability"
/* 16 MiB of memory; a file with more holes is a disk. */
#define PARTS_MAX (1u << 20)

struct record {
	char *key, *value; /* each a C string; a value may hold zero bytes */
	size_t len;	   /* of the value */
};

void pax_clear(struct pax *p)
{
	free(p->parts);
	*p = (struct pax){0};
}

int pax_add_part(struct pax *p, uint64_t offset, uint64_t len)
{
	/* Grown at 0, 1, 2, 4 ... parts. */
	if (!(p->parts_len & (p->parts_len - 1))) {
		size_t room = p->parts_len ? 2 * p->parts_len : 1;
		struct item_part *more =
			room > PARTS_MAX ? NULL : realloc(p->parts, room * sizeof(*more));

		if (!more)
			return -ENOMEM;
		p->parts = more;
	}
	p->parts[p->parts_len++] = (struct item_part){offset, len};
	return 0;
}

/* --- values ---------------------------------------------------------------------------------- */

/* Digits up to end, of any base-10 number that fits. Where they end, NULL: none, or too large. */
static char *digits(char *at, int64_t *ret)
{
	char *from = at;

	for (*ret = 0; *at >= '0' && *at <= '9'; at++)
		if (__builtin_mul_overflow(*ret, 10, ret) ||
			__builtin_add_overflow(*ret, *at - '0', ret))
			return NULL;
	return at == from ? NULL : at;
}

/* A whole number, with a sign; a fraction is dropped (of times). */
static bool number(char *at, bool fraction, int64_t *ret)
{
	bool minus = *at == '-';

	at = digits(at + minus, ret);
	if (at && minus)
		*ret = -*ret;
	if (at && fraction && *at == '.')
		at += 1 + strspn(at + 1, "0123456789");
	return at && !*at;
}

static const char *take_number(struct pax *p, const struct record *r, size_t which)
{
	p->has[which] = true;
	if (strlen(r->value) != r->len || !number(r->value, which == PAX_MTIME, &p->number[which]))
		return "an invalid pax number";
	if (p->number[which] < 0 && which != PAX_MTIME && which != PAX_UID && which != PAX_GID)
		return "a negative size in a pax header";
	return NULL;
}

static const char *take_text(char **ret, const struct record *r)
{
	if (strlen(r->value) != r->len)
		return "a zero byte within a name in a pax header";
	*ret = *r->value ? r->value : NULL;
	return NULL;
}

/* GNU.sparse.map: offset,length,offset,length... */
static int take_map(struct pax *p, char *at, const char **why)
{
	int64_t offset, len;

	*why = "the map of a sparse file";
	while (at && *at) {
		at = digits(at, &offset);
		at = at && *at == ',' ? digits(at + 1, &len) : NULL;
		if (!at || (*at && (*at != ',' || !at[1])))
			return -EINVAL;
		at += *at == ',';
		if (pax_add_part(p, (uint64_t)offset, (uint64_t)len) < 0)
			return -ENOMEM;
	}
	*why = NULL;
	return 0;
}

/* GNU.sparse.offset, GNU.sparse.numbytes: one each for a part, in this order. */
static int take_part(struct pax *p, const struct record *r, bool begins, const char **why)
{
	int64_t n;

	if (!number(r->value, false, &n) || n < 0 || (!begins && !p->parts_len)) {
		*why = "the map of a sparse file";
		return -EINVAL;
	}
	if (begins)
		return pax_add_part(p, (uint64_t)n, 0);
	p->parts[p->parts_len - 1].len = (uint64_t)n;
	return 0;
}

/* Base64 without padding, in place. The length, or -EINVAL. */
static ssize_t decode(char *text, size_t len)
{
	size_t n;

	while (len && text[len - 1] == '=')
		len--;
	return sodium_base642bin((uint8_t *)text, len, text, len, NULL, &n, NULL,
		sodium_base64_VARIANT_ORIGINAL_NO_PADDING) < 0 ? -EINVAL : (ssize_t)n;
}

/* libarchive writes each attribute in both forms: the first of the two counts. */
static const char *take_attribute(struct pax *p, const struct record *r, const char *name,
	bool encoded)
{
	ssize_t len = (ssize_t)r->len;

	if (!streq(name, CAPABILITY)) {
		p->left_out += !encoded;
		return NULL;
	}
	if (encoded && p->capability)
		return NULL;
	if (encoded)
		len = decode(r->value, r->len);
	p->capability = (const uint8_t *)r->value;
	p->capability_len = len > 0 ? (size_t)len : 0;
	return len < 0 ? "an attribute that is not base64" : NULL;
}

/* --- records --------------------------------------------------------------------------------- */

static const struct {
	const char *key;
	enum pax_number which;
} numbers[] = {
	{"size", PAX_SIZE},
	{"uid", PAX_UID},
	{"gid", PAX_GID},
	{"mtime", PAX_MTIME},
	{"GNU.sparse.size", PAX_SPARSE_SIZE},
	{"GNU.sparse.realsize", PAX_SPARSE_SIZE},
	{"GNU.sparse.major", PAX_SPARSE_MAJOR},
};

/* NULL: the value is no text that is kept. */
static char **text_of(struct pax *p, const char *key)
{
	if (streq(key, "path"))
		return &p->path;
	if (streq(key, "linkpath"))
		return &p->link;
	return streq(key, "GNU.sparse.name") ? &p->sparse_name : NULL;
}

static int take_record(struct pax *p, const struct record *r, const char **why)
{
	char **text = text_of(p, r->key);

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		if (streq(r->key, numbers[i].key))
			*why = take_number(p, r, numbers[i].which);
	if (text)
		*why = take_text(text, r);
	else if (strncmp(r->key, SCHILY, strlen(SCHILY)) == 0)
		*why = take_attribute(p, r, r->key + strlen(SCHILY), false);
	else if (strncmp(r->key, LIBARCHIVE, strlen(LIBARCHIVE)) == 0)
		*why = take_attribute(p, r, r->key + strlen(LIBARCHIVE), true);
	else if (streq(r->key, "GNU.sparse.map"))
		return take_map(p, r->value, why);
	else if (streq(r->key, "GNU.sparse.offset") || streq(r->key, "GNU.sparse.numbytes"))
		return take_part(p, r, r->key[11] == 'o', why);
	else if (streq(r->key, "SUN.holesdata"))
		*why = "a sparse file in Solaris' form";
	return *why ? -EINVAL : 0;
}

/* "LEN KEY=VALUE\n", where LEN counts all of it. */
static bool cut_record(struct cursor *c, struct record *ret)
{
	const uint8_t *begin = c->at;
	uint64_t len = 0;
	char *end;

	while (c->left && *c->at >= '0' && *c->at <= '9' && len <= PAX_MAX)
		len = len * 10 + (cursor_u8(c) - '0');
	if (c->at == begin || cursor_u8(c) != ' ' || len <= (size_t)(c->at - begin))
		return false;
	len -= (size_t)(c->at - begin);
	ret->key = (char *)(uintptr_t)cursor_take(c, len);
	if (!ret->key || ret->key[len - 1] != '\n')
		return false;
	ret->key[len - 1] = 0;
	end = memchr(ret->key, '=', len - 1);
	if (!end || end == ret->key || memchr(ret->key, 0, (size_t)(end - ret->key)))
		return false;
	*end = 0;
	ret->value = end + 1;
	ret->len = (size_t)(ret->key + len - 1 - ret->value);
	return true;
}

int pax_read(struct pax *ret, char *data, size_t len, const char **ret_why)
{
	struct cursor c = cursor_make(data, len);
	struct record r;
	int e = 0;

	*ret_why = NULL;
	while (c.left && e == 0) {
		if (cut_record(&c, &r)) {
			e = take_record(ret, &r, ret_why);
		} else {
			*ret_why = "a malformed pax header";
			e = -EINVAL;
		}
	}
	return e;
}
