// SPDX-License-Identifier: GPL-2.0-or-later
/* elfcrc: the symbol versions in a kernel module. Layouts: the kernel's include/linux/module.h
 * (struct modversion_info) and scripts/mod/modpost.c.
 */
#include "elf.h"

#include <elf.h>
#include <link.h>

#define CRC_PREFIX "__crc_"

/* struct modversion_info: the checksum in a long, the name in the rest of 64 bytes. */
#define VERSION_ROW  64
#define VERSION_NAME (VERSION_ROW - sizeof(long))

/* text_at: a terminated string within a section, or NULL. */
static const char *text_at(const char *section, size_t size, size_t offset)
{
	if (offset >= size || !memchr(section + offset, 0, size - offset))
		return NULL;
	return section + offset;
}

/* value_of: the symbol's checksum: its value, or 4 bytes at that place of its section. */
static int value_of(const void *data, size_t size, const ElfW(Sym) * sym, uint32_t *ret)
{
	const char *section;
	size_t section_size;

	if (sym->st_shndx == SHN_ABS) {
		*ret = (uint32_t)sym->st_value;
		return 0;
	}
	if (elf_section_at(data, size, sym->st_shndx, &section, &section_size) < 0 ||
		section_size < sizeof(*ret) || sym->st_value > section_size - sizeof(*ret))
		return -ENOEXEC;
	memcpy(ret, section + sym->st_value, sizeof(*ret));
	return 0;
}

int elf_export_next(const void *data, size_t size, size_t *at, struct elf_crc *ret)
{
	const char *symbols, *strings;
	size_t symbols_size, strings_size;
	int r = elf_section(data, size, ".symtab", &symbols, &symbols_size);

	if (r == 0)
		r = elf_section(data, size, ".strtab", &strings, &strings_size);
	if (r < 0)
		return r == -ENOENT ? 0 : r;
	for (; *at < symbols_size / sizeof(ElfW(Sym)); ++*at) {
		const char *name;
		ElfW(Sym) sym;

		memcpy(&sym, symbols + *at * sizeof(sym), sizeof(sym));
		name = text_at(strings, strings_size, sym.st_name);
		if (!name || strncmp(name, CRC_PREFIX, strlen(CRC_PREFIX)) != 0 ||
			sym.st_shndx == SHN_UNDEF)
			continue;
		r = value_of(data, size, &sym, &ret->crc);
		if (r < 0)
			return r;
		ret->symbol = name + strlen(CRC_PREFIX);
		++*at;
		return 1;
	}
	return 0;
}

/* import_row: a row of __versions. */
static int import_row(const char *rows, size_t size, size_t *at, struct elf_crc *ret)
{
	unsigned long crc;

	if (*at >= size / VERSION_ROW)
		return 0;
	memcpy(&crc, rows + *at * VERSION_ROW, sizeof(crc));
	ret->crc = (uint32_t)crc;
	ret->symbol = text_at(rows + *at * VERSION_ROW + sizeof(crc), VERSION_NAME, 0);
	++*at;
	return ret->symbol ? 1 : -ENOEXEC;
}

/* import_pair: the n-th checksum and the n-th of the strings that stand one behind the other. */
static int import_pair(const void *data, size_t size, size_t *at, struct elf_crc *ret)
{
	const char *crcs, *names;
	size_t crcs_size, names_size, offset = 0;

	if (elf_section(data, size, "__version_ext_crcs", &crcs, &crcs_size) < 0 ||
		elf_section(data, size, "__version_ext_names", &names, &names_size) < 0 ||
		*at >= crcs_size / sizeof(ret->crc))
		return 0;
	for (size_t i = 0; i <= *at; i++) {
		ret->symbol = text_at(names, names_size, offset);
		if (!ret->symbol)
			return -ENOEXEC;
		offset += strlen(ret->symbol) + 1;
	}
	memcpy(&ret->crc, crcs + *at * sizeof(ret->crc), sizeof(ret->crc));
	++*at;
	return 1;
}

int elf_import_next(const void *data, size_t size, size_t *at, struct elf_crc *ret)
{
	const char *rows;
	size_t rows_size;
	int r = elf_section(data, size, "__versions", &rows, &rows_size);

	if (r == 0)
		return import_row(rows, rows_size, at, ret);
	return r == -ENOENT ? import_pair(data, size, at, ret) : r;
}
