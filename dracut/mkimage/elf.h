/* SPDX-License-Identifier: GPL-2.0-or-later */
/* elf: the little the builder must know of ELF files: a module's .modinfo, and "is it static". */
#pragma once

#include "base/util.h"

/*
 * elf_section: the content of a named section, within data. Returns 0, -ENOENT, or -ENOEXEC when
 * the bytes are no ELF file of this machine's word size and byte order.
 */
int elf_section(
	const void *data, size_t size, const char *name, const char **ret, size_t *ret_size);

/* elf_static: 1 a program that needs no loader, 0 one that does, -ENOEXEC no program at all. */
int elf_static(const void *data, size_t size);

/* elf_machine: e_machine of the file (EM_X86_64, EM_AARCH64), 0 when it is no ELF file. */
uint16_t elf_machine(const void *data, size_t size);

/*
 * elf_modinfo_next: walks the "key=value" strings of a .modinfo section. *at starts at 0. Returns
 * the value of the next entry with that key, or NULL at the end.
 */
const char *elf_modinfo_next(const char *modinfo, size_t size, const char *key, size_t *at);

/* elf_names_symbol: the symbol table's strings hold that name. */
bool elf_names_symbol(const void *data, size_t size, const char *symbol);

struct elf_crc {
	const char *symbol; /* points into the file, terminated */
	uint32_t crc;
};

/*
 * elf_export_next: walks the exports' versions of a module: symbols called "__crc_NAME", which hold
 * the checksum as their value or, in newer kernels, point to it. *at starts at 0. Returns 1, 0 at
 * the end, -ENOEXEC.
 */
int elf_export_next(const void *data, size_t size, size_t *at, struct elf_crc *ret);

/*
 * elf_import_next: likewise, the versions a module needs: the rows of __versions, or the pair of
 * sections __version_ext_crcs and __version_ext_names of newer kernels.
 */
int elf_import_next(const void *data, size_t size, size_t *at, struct elf_crc *ret);
