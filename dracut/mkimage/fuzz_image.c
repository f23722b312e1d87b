// SPDX-License-Identifier: GPL-2.0-or-later
/* What the builder reads of foreign files: modules and programs (first byte even), archives. */
#include "dracut/mkimage/cpio.h"
#include "dracut/mkimage/elf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* inside: the n bytes at p lie in what was given. */
static bool inside(const uint8_t *data, size_t size, const void *p, size_t n)
{
	const uint8_t *q = p;

	return q >= data && n <= size && (size_t)(q - data) <= size - n;
}

/* versions: every symbol named lies in the file, and the walk ends. */
static void read_versions(const uint8_t *data, size_t size,
	int (*next)(const void *, size_t, size_t *, struct elf_crc *))
{
	struct elf_crc c;
	size_t at = 0, n = 0;

	while (next(data, size, &at, &c) > 0)
		if (!inside(data, size, c.symbol, strlen(c.symbol) + 1) || ++n > size)
			__builtin_trap();
}

static void read_elf(const uint8_t *data, size_t size)
{
	const char *info, *value;
	size_t info_size, at = 0;

	elf_static(data, size);
	read_versions(data, size, elf_export_next);
	read_versions(data, size, elf_import_next);
	elf_names_symbol(data, size, "crypto_alloc_shash");
	if (elf_section(data, size, ".modinfo", &info, &info_size) < 0)
		return;
	if (!inside(data, size, info, info_size))
		__builtin_trap();
	while ((value = elf_modinfo_next(info, info_size, "firmware", &at)))
		if (!inside(data, size, value, strlen(value) + 1))
			__builtin_trap();
}

static void read_archive(const uint8_t *data, size_t size)
{
	struct cpio_member m;
	size_t at = 0, members = 0;

	while (cpio_next((const char *)data, size, &at, &m) == 1) {
		if (!inside(data, size, m.name, strlen(m.name) + 1) ||
			!inside(data, size, m.data, m.size) || ++members > size)
			__builtin_trap();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	(data[0] & 1 ? read_archive : read_elf)(data + 1, size - 1);
	return 0;
}
