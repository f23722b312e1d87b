// SPDX-License-Identifier: GPL-2.0-or-later

#include "root/image/minisig.h"

#include <sodium/crypto_generichash_blake2b.h>
#include <sodium/crypto_sign_ed25519.h>

#include "value.h"

#define UNTRUSTED "untrusted comment: "
#define TRUSTED	  "trusted comment: "

/* A line without its end; false when there is none left. */
static bool next_line(const char **text, size_t *len, const char **line, size_t *n)
{
	const char *end = memchr(*text, '\n', *len);

	if (!*len)
		return false;
	*line = *text;
	*n = end ? (size_t)(end - *text) : *len;
	*text += *n + (end != NULL);
	*len -= *n + (end != NULL);
	if (*n && (*line)[*n - 1] == '\r')
		--*n;
	return true;
}

static bool begins(const char *line, size_t n, const char *start)
{
	return n >= strlen(start) && memcmp(line, start, strlen(start)) == 0;
}

void minisig_key_from_bytes(const uint8_t bytes[static 42], struct minisig_key *ret)
{
	memcpy(ret->number, bytes + 2, sizeof(ret->number));
	memcpy(ret->key, bytes + 10, sizeof(ret->key));
}

int minisig_key_parse(const char *text, size_t len, struct minisig_key *ret)
{
	const char *line;
	uint8_t bytes[42];
	size_t n;

	if (!next_line(&text, &len, &line, &n))
		return -EINVAL;
	if (begins(line, n, UNTRUSTED) && !next_line(&text, &len, &line, &n))
		return -EINVAL;
	if (value_base64(line, n, bytes, sizeof(bytes)) < 0 || memcmp(bytes, "Ed", 2) != 0)
		return -EINVAL;
	minisig_key_from_bytes(bytes, ret);
	return 0;
}

/* Printable bytes only: the comment is shown. */
static int take_comment(const char *line, size_t n, char *ret)
{
	const size_t skip = strlen(TRUSTED);

	if (!begins(line, n, TRUSTED) || n - skip >= MINISIG_COMMENT_MAX)
		return -EINVAL;
	for (size_t i = skip; i < n; i++)
		if ((unsigned char)line[i] < ' ' && line[i] != '\t')
			return -EINVAL;
	memcpy(ret, line + skip, n - skip);
	ret[n - skip] = 0;
	return 0;
}

int minisig_parse(const char *text, size_t len, struct minisig *ret)
{
	const char *lines[4];
	uint8_t bytes[74];
	size_t n[4];

	if (len > MINISIG_TEXT_MAX || memchr(text, 0, len))
		return -EINVAL;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		if (!next_line(&text, &len, &lines[i], &n[i]))
			return -EINVAL;
	*ret = (struct minisig){0};
	if (len || !begins(lines[0], n[0], UNTRUSTED) ||
		take_comment(lines[2], n[2], ret->comment) < 0 ||
		value_base64(lines[1], n[1], bytes, sizeof(bytes)) < 0 ||
		value_base64(lines[3], n[3], ret->global, sizeof(ret->global)) < 0)
		return -EINVAL;
	if (memcmp(bytes, "Ed", 2) != 0 && memcmp(bytes, "ED", 2) != 0)
		return -EINVAL;
	ret->prehashed = bytes[1] == 'D';
	memcpy(ret->number, bytes + 2, sizeof(ret->number));
	memcpy(ret->signature, bytes + 10, sizeof(ret->signature));
	return 0;
}

/* The comment is proved with the signature it belongs to. */
static bool comment_proved(const struct minisig *s, const struct minisig_key *key)
{
	uint8_t bytes[sizeof(s->signature) + MINISIG_COMMENT_MAX];
	size_t len = strlen(s->comment);

	memcpy(bytes, s->signature, sizeof(s->signature));
	memcpy(bytes + sizeof(s->signature), s->comment, len);
	return crypto_sign_ed25519_verify_detached(s->global, bytes, sizeof(s->signature) + len,
		key->key) == 0;
}

static int verify(const struct minisig *s, const struct minisig_key *keys, size_t n_keys,
	const void *data, size_t len)
{
	int r = -ENOKEY;

	/* Numbers are no secret and may be alike: each key with this number is tried. */
	for (size_t i = 0; i < n_keys; i++) {
		if (memcmp(keys[i].number, s->number, sizeof(s->number)) != 0)
			continue;
		r = -EBADMSG;
		if (crypto_sign_ed25519_verify_detached(s->signature, data, len, keys[i].key) ==
				0 &&
			comment_proved(s, &keys[i]))
			return (int)i;
	}
	return r;
}

int minisig_verify_hash(const struct minisig *s, const struct minisig_key *keys, size_t n_keys,
	const uint8_t hash[static MINISIG_HASH_BYTES])
{
	return s->prehashed ? verify(s, keys, n_keys, hash, MINISIG_HASH_BYTES) : -EINVAL;
}

int minisig_verify(const struct minisig *s, const struct minisig_key *keys, size_t n_keys,
	const void *data, size_t len)
{
	uint8_t hash[MINISIG_HASH_BYTES];

	if (!s->prehashed)
		return verify(s, keys, n_keys, data, len);
	crypto_generichash_blake2b(hash, sizeof(hash), data, len, NULL, 0);
	return verify(s, keys, n_keys, hash, sizeof(hash));
}

/* The state needs more alignment than malloc() promises. */
int minisig_hash_file(int fd, uint8_t ret[static MINISIG_HASH_BYTES])
{
	static uint8_t block[256 * 1024];
	_Alignas(64) crypto_generichash_blake2b_state state;
	off_t at = 0;
	ssize_t n;

	crypto_generichash_blake2b_init(&state, NULL, 0, MINISIG_HASH_BYTES);
	while ((n = pread(fd, block, sizeof(block), at)) > 0) {
		crypto_generichash_blake2b_update(&state, block, (size_t)n);
		at += n;
	}
	crypto_generichash_blake2b_final(&state, ret, MINISIG_HASH_BYTES);
	return n < 0 ? -errno : 0;
}
