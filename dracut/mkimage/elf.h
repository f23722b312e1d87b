/* SPDX-License-Identifier: GPL-2.0-or-later */
/* elf: the little the builder must know of ELF files: a module's .modinfo, and "is it static". */
#pragma once

#include "util.h"

/*
 * elf_section: the content of a named section, within data. Returns 0, -ENOENT, or -ENOEXEC when
 * the bytes are no ELF file of this machine's word size and byte order.
 */
int elf_section(
	const void *data, size_t size, const char *name, const char **ret, size_t *ret_size);

/* elf_static: 1 a program that needs no loader, 0 one that does, -ENOEXEC no program at all. */
int elf_static(const void *data, size_t size);

/*
 * elf_modinfo_next: walks the "key=value" strings of a .modinfo section. *at starts at 0. Returns
 * the value of the next entry with that key, or NULL at the end.
 */
const char *elf_modinfo_next(const char *modinfo, size_t size, const char *key, size_t *at);

/* elf_names_symbol: the symbol table's strings hold that name. */
bool elf_names_symbol(const void *data, size_t size, const char *symbol);
