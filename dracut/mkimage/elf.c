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

int elf_section_at(const void *data, size_t size, size_t i, const char **ret, size_t *ret_size)
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
