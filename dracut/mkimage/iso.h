/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * iso: the rescue image: one file that starts from a CD (or a BMC's virtual one) and, written to a
 * USB stick, as a disk; by UEFI, which finds the unified kernel image in a FAT file system, and by
 * a BIOS, for which ISOLINUX loads kernel and initrd.
 */
#pragma once

#include "uki.h"

/* iso_build: needs mtools (mformat, mmd, mcopy), xorriso, and ISOLINUX' files for the BIOS. */
struct bytes iso_build(
	const struct format_input *in, const struct kernel *k, const struct bytes *uki);
