/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * format: what is made of the initrd: the initrd alone, kernel and initrd beside each other, a
 * unified kernel image (uki.h), a rescue image for CD and USB stick (iso.h). In: the packed initrd
 * and the options. Out: files. Callers: dracut/ (mkimage.c). Tests: tests/mkimage-formats.bats.
 */
#pragma once

#include "options.h"
#include "source.h"

struct format_input {
	const struct options *opt;
	const struct source *source;
	struct bytes initrd;
	uint16_t machine; /* of its agent (elf_machine) */
};

/* format_known: there is a format of that name. */
bool format_known(const char *name);

/* format_write: in the format opt names. The lines of what was written go to stdout. */
void format_write(const struct format_input *in);
