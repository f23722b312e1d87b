// SPDX-License-Identifier: GPL-2.0-or-later

#include "root/init/program.h"

#include <elf.h>
#include <limits.h>

#include "base/cursor.h"

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define NATIVE_DATA ELFDATA2LSB
#else
#define NATIVE_DATA ELFDATA2MSB
#endif

/* What each machine's kernel executes, with the 32-bit programs that most are built to take as
 * well. */
static const struct {
	uint16_t machine;
	uint8_t class;
} native[] = {
#if defined(__x86_64__)
	{EM_X86_64, ELFCLASS64}, {EM_X86_64, ELFCLASS32}, {EM_386, ELFCLASS32},
#elif defined(__aarch64__)
	{EM_AARCH64, ELFCLASS64}, {EM_ARM, ELFCLASS32},
#elif defined(__powerpc64__)
	{EM_PPC64, ELFCLASS64}, {EM_PPC, ELFCLASS32},
#elif defined(__riscv)
	{EM_RISCV, ELFCLASS64}, {EM_RISCV, ELFCLASS32},
#else
#error "add this architecture's e_machine"
#endif
};

static bool is_native(const struct program *p, const uint8_t *ident)
{
	bool known = false;

	for (size_t i = 0; i < ARRAY_SIZE(native); i++)
		known |= native[i].machine == p->machine && native[i].class == ident[EI_CLASS];
	return known && ident[EI_DATA] == NATIVE_DATA;
}

/* --- scripts --------------------------------------------------------------------------------- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* The kernel's load_script(): a name that fills the bytes looked at may be cut, and does not
 * count. */
static void read_script(const char *text, size_t n, struct program *ret)
{
	const char *line = memchr(text, '\n', n), *end = line ? line : text + n, *at = text + 2;
	size_t len = 0;

	while (at < end && is_blank(*at))
		at++;
	while (at + len < end && at[len] && !is_blank(at[len]))
		len++;
	if (!len || (at + len == text + n && n >= PROGRAM_HEAD))
		return;
	memcpy(ret->interpreter, at, len);
	ret->kind = PROGRAM_SCRIPT;
}

/* --- ELF ------------------------------------------------------------------------------------- */

/* The two word sizes' structures have the same fields in another width and order. */
#define TAKE_HEADER(bits)                                             \
	do {                                                          \
		Elf##bits##_Ehdr eh;                                  \
		cursor_copy(&c, &eh, sizeof(eh));                     \
		type = eh.e_type;                                     \
		entry = eh.e_phentsize;                               \
		want = sizeof(Elf##bits##_Phdr);                      \
		ret->table = eh.e_phoff;                              \
		ret->table_size = (size_t)eh.e_phnum * eh.e_phentsize; \
	} while (0)

static void read_elf(const uint8_t *data, size_t n, struct program *ret)
{
	struct cursor c = cursor_make(data, n), ident = c;
	size_t entry, want;
	uint16_t type;

	ret->kind = PROGRAM_FOREIGN;
	ret->narrow = n > EI_CLASS && data[EI_CLASS] == ELFCLASS32;
	cursor_skip(&ident, offsetof(Elf64_Ehdr, e_machine));
	cursor_copy(&ident, &ret->machine, sizeof(ret->machine));
	if (ident.failed || !is_native(ret, data))
		return;
	if (ret->narrow)
		TAKE_HEADER(32);
	else
		TAKE_HEADER(64);
	ret->kind = !c.failed && (type == ET_EXEC || type == ET_DYN) && entry == want &&
		ret->table_size &&
				ret->table_size <= PROGRAM_TABLE_MAX ?
			PROGRAM_ELF :
			PROGRAM_BROKEN;
}

void program_head(const void *data, size_t n, struct program *ret)
{
	*ret = (struct program){.kind = PROGRAM_UNKNOWN};
	n = n < PROGRAM_HEAD ? n : PROGRAM_HEAD;
	if (n >= 2 && !memcmp(data, "#!", 2))
		read_script(data, n, ret);
	else if (n >= SELFMAG && !memcmp(data, ELFMAG, SELFMAG))
		read_elf(data, n, ret);
}

/* One program header; both offset and size come from the file. false: no file has such a
 * segment. */
static bool add_segment(uint32_t type, uint64_t offset, uint64_t size, struct program_segments *ret)
{
	if (type != PT_LOAD && type != PT_INTERP)
		return true;
	if (offset > INT64_MAX || size > INT64_MAX - offset)
		return false;
	if (offset + size > ret->end)
		ret->end = offset + size;
	/* The first one counts, as in the kernel. */
	if (type == PT_LOAD || ret->interp_size)
		return true;
	ret->interp = offset;
	ret->interp_size = size;
	return size >= 2 && size <= PATH_MAX;
}

#define ADD_SEGMENT(bits)                                                                \
	do {                                                                             \
		Elf##bits##_Phdr ph;                                                     \
		cursor_copy(&c, &ph, sizeof(ph));                                        \
		ok = !c.failed && add_segment(ph.p_type, ph.p_offset, ph.p_filesz, ret); \
	} while (0)

int program_segments(const struct program *p, const void *table, size_t n,
	struct program_segments *ret)
{
	struct cursor c = cursor_make(table, n);
	bool ok = p->kind == PROGRAM_ELF && n == p->table_size;

	*ret = (struct program_segments){0};
	while (ok && c.left) {
		if (p->narrow)
			ADD_SEGMENT(32);
		else
			ADD_SEGMENT(64);
	}
	return ok && ret->end ? 0 : -ENOEXEC;
}
