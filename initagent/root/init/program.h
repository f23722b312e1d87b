/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * program: what the kernel makes of a file that is to be executed (fs/binfmt_elf.c,
 * fs/binfmt_script.c), told from its first bytes and its program headers. Any bytes are taken.
 */
#pragma once

#include "base/util.h"

/* BINPRM_BUF_SIZE of include/uapi/linux/binfmts.h: a "#!" line counts no further; an ELF header is
 * shorter. */
#define PROGRAM_HEAD 256
/* What the kernel reads of program headers at most: ELF_MIN_ALIGN, a page, on all architectures;
 * larger pages do not hurt. */
#define PROGRAM_TABLE_MAX 65536

enum program_kind {
	PROGRAM_UNKNOWN, /* no format the kernel executes by itself */
	PROGRAM_FOREIGN, /* ELF, for another machine, word size or byte order */
	PROGRAM_BROKEN,  /* ELF of this machine, but no program, or its headers are malformed */
	PROGRAM_SCRIPT,
	PROGRAM_ELF,
};

struct program {
	enum program_kind kind;
	uint16_t machine;		/* ELF: e_machine */
	bool narrow;			/* ELF: 32 bit */
	char interpreter[PROGRAM_HEAD]; /* script: behind "#!" */
	uint64_t table;			/* ELF: where its program headers are, */
	size_t table_size;		/* and their bytes, PROGRAM_TABLE_MAX at most */
};

/* program_head: judges the file's first n bytes, PROGRAM_HEAD or all there are. */
void program_head(const void *data, size_t n, struct program *ret);

/* What an ELF file's program headers say. */
struct program_segments {
	/* where the loader's name is, with its final 0; size 0: the program needs none */
	uint64_t interp, interp_size;
	uint64_t end;		      /* the file holds at least so many bytes, or it is cut off */
};

/* program_segments: reads the table that program_head() named. 0, or -ENOEXEC when the kernel would
 * not load it. */
int program_segments(const struct program *p, const void *table, size_t n,
	struct program_segments *ret);
