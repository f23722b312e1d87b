/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * iso: the rescue image: one file that starts from a CD (or a BMC's virtual one) and, written to a
 * USB stick, as a disk; by UEFI, which finds the unified kernel image in a FAT file system, and by
 * a BIOS, for which ISOLINUX loads kernel and initrd.
 */
#pragma once

#include "uki.h"

/* iso_needs: adds what iso_build() runs and reads of this machine. */
void iso_needs(struct needs *list, const struct options *opt, const struct kernel *k);

struct bytes iso_build(
	const struct format_input *in, const struct kernel *k, const struct bytes *uki);
