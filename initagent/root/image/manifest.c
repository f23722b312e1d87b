// SPDX-License-Identifier: GPL-2.0-or-later

#include "root/image/manifest.h"

#include <cjson/cJSON.h>

#include "base/hex.h"
#include "value.h"

/* Deepest nesting: the object and its arrays. */
#define DEPTH 2

/* The number at text, "0" or digits without a leading zero. Returns its length, 0 if it is none. */
static size_t number_length(const char *text, size_t len)
{
	size_t n = 0;

	while (n < len && text[n] >= '0' && text[n] <= '9')
		n++;
	return n > 16 || (n > 1 && text[0] == '0') ? 0 : n;
}

/* Where the look at the text stands. */
struct look {
	unsigned depth;
	bool string;
};

static const char *look_in_string(struct look *l, char c)
{
	if (c == '\\' || (unsigned char)c < ' ')
		return "it has an escape or a line break in a string";
	l->string = c != '"';
	return NULL;
}

/* Between strings and numbers: only what holds them together. */
static const char *look_between(struct look *l, char c)
{
	if (!strchr("\"{[]}:, \n\r\t", c))
		return "it has something that is no string, number, list or object";
	l->string = c == '"';
	if (c == '}' || c == ']')
		l->depth -= l->depth > 0;
	if ((c == '{' || c == '[') && ++l->depth > DEPTH)
		return "it is nested too deeply";
	return NULL;
}

static bool plain_byte(char c)
{
	return ((unsigned char)c >= ' ' && (unsigned char)c < 0x7f) || c == '\n' || c == '\r' ||
		c == '\t';
}

/*
 * What the JSON reader would let pass: escapes, exponents, fractions, signs, deep nesting, bytes
 * that are no text. Returns NULL or why not.
 */
static const char *look_over(const char *text, size_t len)
{
	struct look l = {0};
	const char *why = NULL;

	for (size_t i = 0; i < len && !why; i++) {
		char c = text[i];

		if (!plain_byte(c)) {
			why = "it has bytes that are not plain text";
		} else if (l.string) {
			why = look_in_string(&l, c);
		} else if (c >= '0' && c <= '9') {
			size_t n = number_length(text + i, len - i);

			why = n ? NULL : "it has a number that is not plain digits";
			i += n - (n > 0);
		} else {
			why = look_between(&l, c);
		}
	}
	return why ? why : l.string || l.depth ? "it is truncated" : NULL;
}

/* --- members --------------------------------------------------------------------------------- */

static bool plain_name(const char *s)
{
	return *s && *s != '.' && strlen(s) < 200 && !strpbrk(s, "/\"<>`{}|^ ?#%");
}

static bool take_u64(const cJSON *o, uint64_t max, uint64_t *ret)
{
	if (!cJSON_IsNumber(o) || o->valuedouble < 0 || o->valuedouble > (double)max)
		return false;
	*ret = (uint64_t)o->valuedouble;
	return true;
}

static bool take_digest(const cJSON *o, uint8_t *ret)
{
	return cJSON_IsString(o) &&
		value_hex(o->valuestring, strlen(o->valuestring), ret, MANIFEST_DIGEST) == 0;
}

static bool take_version(const cJSON *o, struct manifest *m)
{
	uint64_t n;

	(void)m;
	return take_u64(o, UINT32_MAX, &n) && n == MANIFEST_VERSION;
}

static bool take_name(const cJSON *o, struct manifest *m)
{
	return cJSON_IsString(o) && plain_name(o->valuestring) &&
		strscpy(m->name, o->valuestring, sizeof(m->name)) > 0;
}

static bool take_size(const cJSON *o, struct manifest *m)
{
	return take_u64(o, MANIFEST_SIZE_MAX, &m->size) && m->size > 0;
}

static bool take_sha256(const cJSON *o, struct manifest *m)
{
	return take_digest(o, m->sha256);
}

static bool take_format(const cJSON *o, struct manifest *m)
{
	if (cJSON_IsString(o))
		m->format = image_kind_from_name(o->valuestring);
	return m->format != IMAGE_UNKNOWN;
}

static bool take_chunk_size(const cJSON *o, struct manifest *m)
{
	uint64_t n;

	if (!take_u64(o, MANIFEST_CHUNK_MAX, &n) || n < MANIFEST_CHUNK_MIN || n & (n - 1))
		return false;
	m->chunk_size = (uint32_t)n;
	return true;
}

static bool take_chunks(const cJSON *o, struct manifest *m)
{
	const cJSON *at;

	if (!cJSON_IsArray(o))
		return false;
	for (at = o->child; at; at = at->next, m->n_chunks++)
		if (m->n_chunks == MANIFEST_CHUNKS_MAX || !take_digest(at, m->chunks[m->n_chunks]))
			return false;
	return m->n_chunks > 0;
}

/* Letters, digits and ".+_-~", and one '*' at the end: what releases are made of. */
static bool plain_release(const char *s)
{
	size_t n = strspn(s, ALNUM ".+_-~");

	return *s && n < 65 && (!s[n] || (streq(s + n, "*") && n > 0));
}

static bool take_kernels(const cJSON *o, struct manifest *m)
{
	const cJSON *at;

	if (!cJSON_IsArray(o))
		return false;
	for (at = o->child; at; at = at->next) {
		if (m->n_kernels == MANIFEST_KERNELS_MAX || !cJSON_IsString(at) ||
			!plain_release(at->valuestring) ||
			strscpy(m->kernels[m->n_kernels], at->valuestring, sizeof(m->kernels[0])) <
				0)
			return false;
		m->n_kernels++;
	}
	/* None at all would mean any. */
	return m->n_kernels > 0;
}

static const struct {
	const char *key;
	bool (*take)(const cJSON *o, struct manifest *m);
	const char *wrong;
	bool must;
} members[] = {
	{"initagent-manifest", take_version, "its version is not 1", true},
	{"name", take_name, "its name is missing or no file name", true},
	{"size", take_size, "its size is missing or out of range", true},
	{"sha256", take_sha256, "its sha256 is missing or not 64 hex digits", true},
	{"format", take_format, "its format is unknown", false},
	{"chunk_size", take_chunk_size, "its chunk_size is not a power of two from 64 KiB to 1 GiB",
		false},
	{"chunks", take_chunks, "its chunks are not digests, or too many", false},
	{"kernels", take_kernels, "its kernels are not releases, or too many", false},
};

static bool chunks_match(const struct manifest *m)
{
	if (!m->chunk_size || !m->n_chunks)
		return m->chunk_size == m->n_chunks;
	return (m->size + m->chunk_size - 1) / m->chunk_size == m->n_chunks;
}

/* Each member once, and none that is unknown: a misspelt "kernels" must not mean "all". */
static const char *take_members(const cJSON *top, struct manifest *m)
{
	bool seen[ARRAY_SIZE(members)] = {false};

	if (!cJSON_IsObject(top))
		return "it is not a JSON object";
	for (const cJSON *o = top->child; o; o = o->next) {
		size_t i = 0;

		while (i < ARRAY_SIZE(members) && !streq(o->string, members[i].key))
			i++;
		if (i == ARRAY_SIZE(members))
			return "it has an unknown member";
		if (seen[i])
			return "it has a member twice";
		seen[i] = true;
		if (!members[i].take(o, m))
			return members[i].wrong;
	}
	for (size_t i = 0; i < ARRAY_SIZE(members); i++)
		if (members[i].must && !seen[i])
			return members[i].wrong;
	return chunks_match(m) ? NULL : "its chunks do not add up to its size";
}

int manifest_parse(const char *text, size_t len, struct manifest *ret, const char **ret_why)
{
	const char *why = len > MANIFEST_TEXT_MAX ? "it is too long" : look_over(text, len),
		   *end = NULL;
	cJSON *top;

	*ret_why = why;
	if (why)
		return -EINVAL;
	memset(ret, 0, sizeof(*ret));
	top = cJSON_ParseWithLengthOpts(text, len, &end, false);
	if (!top) {
		*ret_why = "it is not JSON";
		return -EINVAL;
	}
	while (end < text + len && strchr(" \n\r\t", *end))
		end++;
	why = end != text + len ? "something follows its end" : take_members(top, ret);
	cJSON_Delete(top);
	*ret_why = why;
	return why ? -EINVAL : 0;
}

bool manifest_sane(const struct manifest *m)
{
	if (!memchr(m->name, 0, sizeof(m->name)) || !plain_name(m->name) || m->size == 0 ||
		m->size > MANIFEST_SIZE_MAX || m->format >= IMAGE_KIND_MAX ||
		m->n_chunks > MANIFEST_CHUNKS_MAX || m->n_kernels > MANIFEST_KERNELS_MAX)
		return false;
	if (m->chunk_size &&
		(m->chunk_size < MANIFEST_CHUNK_MIN || m->chunk_size & (m->chunk_size - 1)))
		return false;
	for (uint32_t i = 0; i < m->n_kernels; i++)
		if (!memchr(m->kernels[i], 0, sizeof(m->kernels[i])) ||
			!plain_release(m->kernels[i]))
			return false;
	return chunks_match(m);
}

bool manifest_fits(const struct manifest *m, const char *release)
{
	for (uint32_t i = 0; i < m->n_kernels; i++) {
		size_t n = strlen(m->kernels[i]);
		bool start = m->kernels[i][n - 1] == '*';

		if (start ? strncmp(m->kernels[i], release, n - 1) == 0
			  : streq(m->kernels[i], release))
			return true;
	}
	return m->n_kernels == 0;
}

/* --- writing --------------------------------------------------------------------------------- */

static void put_digest(FILE *out, const uint8_t *bytes)
{
	char text[2 * MANIFEST_DIGEST + 1];

	fprintf(out, "\"%s\"", hex_text(text, sizeof(text), bytes, MANIFEST_DIGEST, ""));
}

int manifest_write(const struct manifest *m, FILE *out)
{
	fprintf(out,
		"{\n\"initagent-manifest\": %d,\n\"name\": \"%s\",\n\"size\": %llu,\n\"sha256\": ",
		MANIFEST_VERSION, m->name, (unsigned long long)m->size);
	put_digest(out, m->sha256);
	if (m->format)
		fprintf(out, ",\n\"format\": \"%s\"", image_kind_name((enum image_kind)m->format));
	for (uint32_t i = 0; i < m->n_kernels; i++)
		fprintf(out, "%s\"%s\"", i ? ", " : ",\n\"kernels\": [", m->kernels[i]);
	fputs(m->n_kernels ? "]" : "", out);
	if (m->n_chunks)
		fprintf(out, ",\n\"chunk_size\": %u,\n\"chunks\": [\n", m->chunk_size);
	for (uint32_t i = 0; i < m->n_chunks; i++) {
		put_digest(out, m->chunks[i]);
		fputs(i + 1 < m->n_chunks ? ",\n" : "]", out);
	}
	fputs("\n}\n", out);
	return fflush(out) || ferror(out) ? -EIO : 0;
}
