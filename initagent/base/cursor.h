/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cursor: bounded reading of untrusted bytes. It owns a position in them, no memory.
 * In: bytes, borrowed, and their number. Out: numbers, parts, sub-cursors; failed.
 * Callers: every folder that parses. Tests: address/test_dhcp_option.c, address/fuzz_dhcp_option.c,
 * fetch/fuzz_pieces.c, and each parser's own.
 *
 * Lengths are compared with what is left, never added to a position. A read past the end sets
 * failed, yields zeroes and stays failed, so that a parser may read a group of fields and check
 * once.
 */
#pragma once

#include "util.h"

struct cursor {
	const uint8_t *at;
	size_t left;
	bool failed;
};

static inline struct cursor cursor_make(const void *data, size_t len)
{
	return (struct cursor){.at = data, .left = len};
}

/* cursor_take: the next len bytes, or NULL (and failed) when fewer are left. */
static inline const uint8_t *cursor_take(struct cursor *c, size_t len)
{
	const uint8_t *p = c->at;

	if (c->failed || len > c->left) {
		c->failed = true;
		c->left = 0;
		return NULL;
	}
	c->at += len;
	c->left -= len;
	return p;
}

/*
 * cursor_sub: a cursor over the next len bytes, which are skipped here; failed when fewer are left.
 */
static inline struct cursor cursor_sub(struct cursor *c, size_t len)
{
	const uint8_t *p = cursor_take(c, len);

	return (struct cursor){.at = p, .left = p ? len : 0, .failed = !p};
}

static inline bool cursor_skip(struct cursor *c, size_t len)
{
	return cursor_take(c, len) != NULL;
}

/* cursor_copy: the next len bytes into dst, zeroes when fewer are left. */
static inline bool cursor_copy(struct cursor *c, void *dst, size_t len)
{
	const uint8_t *p = cursor_take(c, len);

	if (p)
		memcpy(dst, p, len);
	else
		memset(dst, 0, len);
	return p != NULL;
}

static inline uint8_t cursor_u8(struct cursor *c)
{
	const uint8_t *p = cursor_take(c, 1);

	return p ? *p : 0;
}

/* Big endian, as on the wire. */
static inline uint16_t cursor_be16(struct cursor *c)
{
	const uint8_t *p = cursor_take(c, 2);

	return p ? (uint16_t)(p[0] << 8 | p[1]) : 0;
}

static inline uint32_t cursor_be32(struct cursor *c)
{
	const uint8_t *p = cursor_take(c, 4);

	return p ? (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3] : 0;
}

static inline uint64_t cursor_be64(struct cursor *c)
{
	uint64_t high = cursor_be32(c);

	return high << 32 | cursor_be32(c);
}

/* get_be: a number of that many bytes, at most 8, at at. */
static inline uint64_t get_be(const uint8_t *at, size_t bytes)
{
	uint64_t value = 0;

	for (size_t i = 0; i < bytes; i++)
		value = value << 8 | at[i];
	return value;
}

static inline uint32_t get_le32(const uint8_t *p)
{
	return (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

static inline uint64_t get_le64(const uint8_t *p)
{
	return (uint64_t)get_le32(p + 4) << 32 | get_le32(p);
}

/* Little endian, as in PCI, PE and kernel module structures. */
static inline uint16_t cursor_le16(struct cursor *c)
{
	const uint8_t *p = cursor_take(c, 2);

	return p ? (uint16_t)(p[1] << 8 | p[0]) : 0;
}

static inline uint32_t cursor_le32(struct cursor *c)
{
	const uint8_t *p = cursor_take(c, 4);

	return p ? get_le32(p) : 0;
}

/* cursor_trim: what is between those bytes at its ends. */
static inline struct cursor cursor_trim(struct cursor c, const char *blanks)
{
	size_t n = strlen(blanks);

	while (c.left && memchr(blanks, *c.at, n))
		cursor_skip(&c, 1);
	while (c.left && memchr(blanks, c.at[c.left - 1], n))
		c.left--;
	return c;
}

/* put_be: a number of that many bytes at at, big endian; where the next one goes. */
static inline uint8_t *put_be(uint8_t *at, uint32_t value, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		at[i] = (uint8_t)(value >> 8 * (bytes - 1 - i));
	return at + bytes;
}
