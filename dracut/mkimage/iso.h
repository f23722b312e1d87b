/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * iso: the rescue image: one file that starts from a CD (or a BMC's virtual one) and, written to a
 * USB stick, as a disk; by UEFI, which finds the unified kernel image in a FAT file system, and by
 * a BIOS, for which ISOLINUX loads kernel and initrd.
 */
#pragma once

#include "format.h"
#include "kernel.h"

/*
 * iso_build: needs mformat, mmd, mcopy (mtools), xorriso, and for the BIOS the files of ISOLINUX.
 * *ret is the caller's. Returns 0, or -errno after a message.
 */
int iso_build(const struct format_input *in, const struct kernel *k, const void *uki, size_t uki_size,
	void **ret, size_t *ret_size);
