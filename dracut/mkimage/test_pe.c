// SPDX-License-Identifier: GPL-2.0-or-later
/* Sections behind a PE program made here; systemd's real stub is in tests/mkimage-formats.bats. */
#include "check.h"

#include "dracut/mkimage/pe.h"

enum { PE_AT = 0x40, OPTIONAL = PE_AT + 24, ROWS = OPTIONAL + 240, HEADERS = 0x400, TEXT = 0x200 };

static void put32(uint8_t *p, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(value >> 8 * i);
}

static uint32_t get32(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* stub: headers and one section of 0x180 bytes at 0x1000, 0x200 in the file. */
static void stub(uint8_t p[static HEADERS + TEXT])
{
	memset(p, 0, HEADERS + TEXT);
	memcpy(p, "MZ", 2);
	put32(p + 0x3c, PE_AT);
	memcpy(p + PE_AT, "PE\0", 4);
	put32(p + PE_AT + 4, 1u << 16 | PE_MACHINE_ARM64);
	put32(p + PE_AT + 20, 240);
	put32(p + OPTIONAL, 0x20b);
	put32(p + OPTIONAL + 32, 0x1000);
	put32(p + OPTIONAL + 36, 0x200);
	put32(p + OPTIONAL + 56, 0x2000);
	put32(p + OPTIONAL + 60, HEADERS);
	put32(p + OPTIONAL + 64, 0x1234);
	memcpy(p + ROWS, ".text", 5);
	put32(p + ROWS + 8, 0x180);
	put32(p + ROWS + 12, 0x1000);
	put32(p + ROWS + 16, TEXT);
	put32(p + ROWS + 20, HEADERS);
	memset(p + HEADERS, 0x90, TEXT);
}

static const struct pe_section two[] = {
	{.name = ".one", .data = "hello", .size = 5},
	{.name = ".linux", .data = "kernel", .size = 6, .memory = 0x2345},
};

TEST(sections_are_put_behind_those_that_are_there)
{
	uint8_t in[HEADERS + TEXT];
	_cleanup_free_ void *out = NULL;
	const uint8_t *p;
	struct pe_info info;
	size_t size;

	stub(in);
	CHECK_INT(pe_append(in, sizeof(in), two, 2, &out, &size), 0);
	p = out;
	CHECK_INT(size, HEADERS + TEXT + 0x400);
	CHECK_MEM(p + HEADERS, in + HEADERS, TEXT);
	CHECK_INT(get32(p + PE_AT + 4), 3u << 16 | PE_MACHINE_ARM64);
	CHECK_MEM(p + ROWS + 40, ".one\0\0\0\0", 8);
	CHECK_INT(get32(p + ROWS + 40 + 8), 5);
	CHECK_INT(get32(p + ROWS + 40 + 12), 0x2000);
	CHECK_INT(get32(p + ROWS + 40 + 20), HEADERS + TEXT);
	CHECK_INT(get32(p + ROWS + 80 + 8), 0x2345);
	CHECK_INT(get32(p + ROWS + 80 + 12), 0x3000);
	CHECK_INT(get32(p + ROWS + 80 + 16), 0x200);
	CHECK_MEM(p + HEADERS + TEXT, "hello\0", 6);
	CHECK_MEM(p + HEADERS + TEXT + 0x200, "kernel\0", 7);
	CHECK_INT(get32(p + OPTIONAL + 64), 0);
	CHECK_INT(pe_read(out, size, &info), 0);
	CHECK_INT(info.machine, PE_MACHINE_ARM64);
	/* 0x3000 and 0x2345 bytes in memory, to the next 0x1000 */
	CHECK_INT(info.image_size, 0x6000);
}

TEST(what_cannot_be_extended)
{
	static const struct {
		size_t at;
		uint32_t value;
		int result;
	} rows[] = {
		{0, 'M', -ENOEXEC},
		{0x3c, 0xfffffff0, -ENOEXEC},
		{0x3c, HEADERS + TEXT - 4, -ENOEXEC},
		{PE_AT, 0x4551, -ENOEXEC},
		{PE_AT + 20, 100, -ENOEXEC},
		{PE_AT + 20, 0xffff, -ENOEXEC},
		{PE_AT + 4, 0xffffu << 16, -ENOEXEC},
		{OPTIONAL, 0x10b, -ENOEXEC},
		{OPTIONAL + 32, 0, -ENOEXEC},
		{OPTIONAL + 36, 0, -ENOEXEC},
		{OPTIONAL + 60, 0x10000, -ENOEXEC},
		{OPTIONAL + 60, ROWS + 80 - OPTIONAL + OPTIONAL, -ENOSPC},
		{OPTIONAL + 112 + 36, 8, -EACCES},
		{ROWS, 0x656e6f2e, -EEXIST},
		{ROWS + 8, 0xffffff00, -EFBIG},
		{ROWS + 16, 0x10000, -ENOEXEC},
		{ROWS + 20, 0x180, -ENOSPC},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint8_t in[HEADERS + TEXT];
		void *out = NULL;
		size_t size;
		int r;

		stub(in);
		put32(in + rows[i].at, rows[i].value);
		if (rows[i].result == -EEXIST)
			put32(in + ROWS + 4, 0);
		r = pe_append(in, sizeof(in), two, 2, &out, &size);
		if (r != rows[i].result)
			check_fail(__FILE__, __LINE__, "row %zu: %d", i, r);
		CHECK(!out);
	}
}

TEST(a_cut_program_is_refused)
{
	uint8_t in[HEADERS + TEXT];

	stub(in);
	for (size_t size = 0; size < sizeof(in); size++) {
		_cleanup_free_ uint8_t *copy = malloc(size ? size : 1);
		void *out = NULL;
		size_t out_size;

		memcpy(copy, in, size);
		CHECK_INT(pe_append(copy, size, two, 2, &out, &out_size), -ENOEXEC);
	}
}
