// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Read with the kernel's own structures, each copied out of the bytes after its bounds were
 * checked: the file may come from a broken package.
 */
#include "elf.h"

#include <elf.h>
#include <link.h>

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define NATIVE_DATA ELFDATA2LSB
#else
#define NATIVE_DATA ELFDATA2MSB
#endif
#define NATIVE_CLASS (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32)

/* copy_out: n bytes at offset, if they are there. */
static int copy_out(void *dst, size_t n, const void *data, size_t size, uint64_t offset)
{
	if (offset > size || n > size - offset)
		return -ENOEXEC;
	memcpy(dst, (const char *)data + offset, n);
	return 0;
}

static int header(const void *data, size_t size, ElfW(Ehdr) * ret)
{
	if (copy_out(ret, sizeof(*ret), data, size, 0) < 0 ||
		memcmp(ret->e_ident, ELFMAG, SELFMAG) != 0 ||
		ret->e_ident[EI_CLASS] != NATIVE_CLASS || ret->e_ident[EI_DATA] != NATIVE_DATA)
		return -ENOEXEC;
	return 0;
}

static int section_header(
	const void *data, size_t size, const ElfW(Ehdr) * eh, size_t i, ElfW(Shdr) * ret)
{
	int r = copy_out(ret, sizeof(*ret), data, size, eh->e_shoff + i * sizeof(*ret));

	if (r < 0)
		return r;
	if (ret->sh_type != SHT_NOBITS &&
		(ret->sh_offset > size || ret->sh_size > size - ret->sh_offset))
		return -ENOEXEC;
	return 0;
}

int elf_section(const void *data, size_t size, const char *name, const char **ret, size_t *ret_size)
{
	size_t name_size = strlen(name) + 1;
	ElfW(Shdr) strings, sh;
	ElfW(Ehdr) eh;

	if (header(data, size, &eh) < 0 ||
		section_header(data, size, &eh, eh.e_shstrndx, &strings) < 0 ||
		strings.sh_type != SHT_STRTAB)
		return -ENOEXEC;
	for (size_t i = 0; i < eh.e_shnum; i++) {
		if (section_header(data, size, &eh, i, &sh) < 0)
			return -ENOEXEC;
		if (sh.sh_type == SHT_NOBITS || sh.sh_name > strings.sh_size ||
			name_size > strings.sh_size - sh.sh_name)
			continue;
		if (memcmp((const char *)data + strings.sh_offset + sh.sh_name, name, name_size))
			continue;
		*ret = (const char *)data + sh.sh_offset;
		*ret_size = sh.sh_size;
		return 0;
	}
	return -ENOENT;
}

/* elf_section_at: as elf_section(), by number. */
static int elf_section_at(
	const void *data, size_t size, size_t i, const char **ret, size_t *ret_size)
{
	ElfW(Ehdr) eh;
	ElfW(Shdr) sh;

	if (header(data, size, &eh) < 0 || i >= eh.e_shnum ||
		section_header(data, size, &eh, i, &sh) < 0 || sh.sh_type == SHT_NOBITS)
		return -ENOEXEC;
	*ret = (const char *)data + sh.sh_offset;
	*ret_size = sh.sh_size;
	return 0;
}

int elf_static(const void *data, size_t size)
{
	ElfW(Ehdr) eh;
	ElfW(Phdr) ph;

	if (header(data, size, &eh) < 0 || (eh.e_type != ET_EXEC && eh.e_type != ET_DYN) ||
		eh.e_phnum == 0)
		return -ENOEXEC;
	for (size_t i = 0; i < eh.e_phnum; i++) {
		if (copy_out(&ph, sizeof(ph), data, size, eh.e_phoff + i * sizeof(ph)) < 0)
			return -ENOEXEC;
		if (ph.p_type == PT_INTERP)
			return 0;
	}
	return 1;
}

uint16_t elf_machine(const void *data, size_t size)
{
	ElfW(Ehdr) eh;

	return header(data, size, &eh) < 0 ? 0 : eh.e_machine;
}

const char *elf_modinfo_next(const char *modinfo, size_t size, const char *key, size_t *at)
{
	size_t key_size = strlen(key);

	while (*at < size) {
		const char *entry = modinfo + *at;
		size_t len = strnlen(entry, size - *at);

		if (len == size - *at)
			return NULL; /* not terminated: cut short */
		*at += len + 1;
		if (len > key_size && memcmp(entry, key, key_size) == 0 && entry[key_size] == '=')
			return entry + key_size + 1;
	}
	return NULL;
}

bool elf_names_symbol(const void *data, size_t size, const char *symbol)
{
	const char *strings;
	size_t strings_size;

	return elf_section(data, size, ".strtab", &strings, &strings_size) == 0 &&
	       memmem(strings, strings_size, symbol, strlen(symbol) + 1);
}

/*
 * Symbol versions of a kernel module. Layouts: the kernel's include/linux/module.h (struct
 * modversion_info) and scripts/mod/modpost.c.
 */
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

/* import_pair: the n-th checksum and the n-th of the concatenated strings. */
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
