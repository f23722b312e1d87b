// SPDX-License-Identifier: GPL-2.0-or-later
#include "pe.h"

#include "base/cursor.h"

/* Offsets within the file header, the optional header (PE32+) and a row of the section table. */
enum {
	DOS_PE_OFFSET = 0x3c,
	COFF_MACHINE = 4,
	COFF_SECTIONS = 6,
	COFF_OPTIONAL_SIZE = 20,
	COFF_SIZE = 24,
	OPTIONAL_SECTION_ALIGN = 32,
	OPTIONAL_FILE_ALIGN = 36,
	OPTIONAL_IMAGE_SIZE = 56,
	OPTIONAL_HEADERS_SIZE = 60,
	OPTIONAL_CHECKSUM = 64,
	OPTIONAL_SIGNATURE = 112 + 4 * 8, /* data directory 4: certificates */
	OPTIONAL_MIN = 112 + 5 * 8,
	OPTIONAL_MAGIC = 0x20b,
	ROW_SIZE = 40,
	ROW_NAME = 8,
};

/* Initialized data, readable. */
#define ROW_FLAGS 0x40000040u

/* Sections of a page of their own: firmware may protect memory by the page. */
#define PAGE 4096u

struct layout {
	size_t coff;	 /* offset of "PE\0\0" */
	size_t optional; /* of the optional header */
	size_t rows;	 /* of the section table */
	uint16_t n_rows;
	uint32_t section_align, file_align, headers_size;
	uint64_t memory_end; /* address behind the last section */
};

static uint16_t get16(const uint8_t *p, size_t offset)
{
	return (uint16_t)(p[offset] | p[offset + 1] << 8);
}

static uint32_t get32(const uint8_t *p, size_t offset)
{
	return get16(p, offset) | (uint32_t)get16(p, offset + 2) << 16;
}

static void put16(uint8_t *p, size_t offset, uint16_t value)
{
	p[offset] = (uint8_t)value;
	p[offset + 1] = (uint8_t)(value >> 8);
}

static void put32(uint8_t *p, size_t offset, uint64_t value)
{
	put16(p, offset, (uint16_t)value);
	put16(p, offset + 2, (uint16_t)(value >> 16));
}

static uint64_t round_up(uint64_t value, uint32_t align)
{
	return (value + align - 1) / align * align;
}

/* find_headers: where the headers are; afterwards all of them lie within the file. */
static int find_headers(const uint8_t *p, size_t size, struct layout *l)
{
	struct cursor c = cursor_make(p, size);

	if (size < DOS_PE_OFFSET + 4 || p[0] != 'M' || p[1] != 'Z')
		return -ENOEXEC;
	l->coff = get32(p, DOS_PE_OFFSET);
	if (!cursor_skip(&c, l->coff) || !cursor_skip(&c, COFF_SIZE) ||
		memcmp(p + l->coff, "PE\0", 4) != 0)
		return -ENOEXEC;
	l->optional = l->coff + COFF_SIZE;
	l->n_rows = get16(p, l->coff + COFF_SECTIONS);
	l->rows = l->optional + get16(p, l->coff + COFF_OPTIONAL_SIZE);
	if (get16(p, l->coff + COFF_OPTIONAL_SIZE) < OPTIONAL_MIN ||
		!cursor_skip(&c, l->rows - l->optional) ||
		!cursor_skip(&c, (size_t)l->n_rows * ROW_SIZE) ||
		get16(p, l->optional) != OPTIONAL_MAGIC)
		return -ENOEXEC;
	return 0;
}

static int read_layout(const uint8_t *p, size_t size, struct layout *l)
{
	int r = find_headers(p, size, l);

	if (r < 0)
		return r;
	l->section_align = get32(p, l->optional + OPTIONAL_SECTION_ALIGN);
	l->file_align = get32(p, l->optional + OPTIONAL_FILE_ALIGN);
	l->headers_size = get32(p, l->optional + OPTIONAL_HEADERS_SIZE);
	if (!l->section_align || !l->file_align || l->file_align > 0x10000 ||
		l->section_align > 0x1000000 || l->headers_size > size)
		return -ENOEXEC;
	l->memory_end = l->headers_size;
	for (size_t i = 0; i < l->n_rows; i++) {
		const uint8_t *row = p + l->rows + i * ROW_SIZE;
		uint64_t end = (uint64_t)get32(row, 12) + get32(row, 8);

		if (get32(row, 16) && (uint64_t)get32(row, 20) + get32(row, 16) > size)
			return -ENOEXEC;
		if (end > l->memory_end)
			l->memory_end = end;
	}
	return 0;
}

int pe_read(const void *data, size_t size, struct pe_info *ret)
{
	struct layout l;
	const uint8_t *p = data;
	int r = find_headers(p, size, &l);

	if (r < 0)
		return r;
	*ret = (struct pe_info){
		.machine = get16(p, l.coff + COFF_MACHINE),
		.image_size = get32(p, l.optional + OPTIONAL_IMAGE_SIZE),
	};
	return 0;
}

static bool has_section(const uint8_t *p, const struct layout *l, const char *name)
{
	for (size_t i = 0; i < l->n_rows; i++)
		if (strncmp((const char *)p + l->rows + i * ROW_SIZE, name, ROW_NAME) == 0)
			return true;
	return false;
}

/* check_room: there is room for n more rows between the table and the first section's bytes. */
static int check_room(
	const uint8_t *p, const struct layout *l, const struct pe_section *sections, size_t n)
{
	size_t end = l->rows + (l->n_rows + n) * ROW_SIZE;

	if (get32(p, l->optional + OPTIONAL_SIGNATURE + 4))
		return -EACCES;
	for (size_t i = 0; i < n; i++)
		if (has_section(p, l, sections[i].name))
			return -EEXIST;
	for (size_t i = 0; i < l->n_rows; i++) {
		uint32_t at = get32(p, l->rows + i * ROW_SIZE + 20);

		if (at && at < end)
			return -ENOSPC;
	}
	return end > l->headers_size ? -ENOSPC : 0;
}

/* put_section: its row and its bytes. *file and *memory move on behind it. */
static void put_section(uint8_t *out, const struct layout *l, size_t i, const struct pe_section *s,
	uint64_t *file, uint64_t *memory)
{
	uint8_t *row = out + l->rows + (l->n_rows + i) * ROW_SIZE;
	uint64_t in_memory = s->memory > s->size ? s->memory : s->size;

	memset(row, 0, ROW_SIZE);
	memcpy(row, s->name, strnlen(s->name, ROW_NAME));
	put32(row, 8, in_memory);
	put32(row, 12, *memory);
	put32(row, 16, round_up(s->size, l->file_align));
	put32(row, 20, *file);
	put32(row, 36, ROW_FLAGS);
	if (s->size)
		memcpy(out + *file, s->data, s->size);
	*file += round_up(s->size, l->file_align);
	*memory += round_up(in_memory, l->section_align > PAGE ? l->section_align : PAGE);
}

int pe_append(const void *stub, size_t stub_size, const struct pe_section *sections, size_t n,
	void **ret, size_t *ret_size)
{
	struct layout l;
	uint64_t file, memory, total, extent;
	uint8_t *out;
	int r = read_layout(stub, stub_size, &l);

	if (r == 0)
		r = check_room(stub, &l, sections, n);
	if (r < 0)
		return r;
	file = total = round_up(stub_size, l.file_align);
	memory = extent = round_up(l.memory_end, l.section_align > PAGE ? l.section_align : PAGE);
	for (size_t i = 0; i < n; i++) {
		total += round_up(sections[i].size, l.file_align);
		extent += sections[i].size + sections[i].memory + 2 * (uint64_t)l.section_align +
			  PAGE;
	}
	if (total > UINT32_MAX || extent > UINT32_MAX)
		return -EFBIG;
	out = calloc(1, total);
	if (!out)
		return -ENOMEM;
	memcpy(out, stub, stub_size);
	for (size_t i = 0; i < n; i++)
		put_section(out, &l, i, &sections[i], &file, &memory);
	put16(out, l.coff + COFF_SECTIONS, (uint16_t)(l.n_rows + n));
	put32(out, l.optional + OPTIONAL_IMAGE_SIZE, round_up(memory, l.section_align));
	put32(out, l.optional + OPTIONAL_CHECKSUM, 0); /* firmware does not look at it */
	*ret = out;
	*ret_size = total;
	return 0;
}
