/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * uki: the kernel that goes with the modules of an image, and the unified kernel image: systemd's
 * EFI stub with kernel, initrd, command line and os-release. Faults end the builder.
 */
#pragma once

#include "format.h"

struct kernel {
	struct bytes file;
	uint16_t machine;    /* of its EFI stub */
	uint32_t image_size; /* memory it takes when started */
};

/*
 * kernel_load: file, or when NULL boot/vmlinuz-KVER or lib/modules/KVER/vmlinuz of the source. A
 * kernel of another version than the modules is refused, and one for another machine (e_machine).
 */
struct kernel kernel_load(const struct source *s, const char *file, uint16_t machine);
void kernel_done(struct kernel *k);

/* uki_needs: adds what uki_build() runs and reads of this machine. */
void uki_needs(struct needs *list, const struct options *opt, const struct kernel *k);

/* uki_build: the image's bytes, signed when options say so (sbsign). */
struct bytes uki_build(const struct format_input *in, const struct kernel *k);

/* uki_boot_name: the name firmware looks for on a disk: "BOOTX64.EFI". */
const char *uki_boot_name(uint16_t machine);
