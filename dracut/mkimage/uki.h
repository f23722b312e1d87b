/* SPDX-License-Identifier: GPL-2.0-or-later */
/* uki: the unified kernel image: systemd's EFI stub with kernel, initrd, command line and os-release. */
#pragma once

#include "format.h"
#include "kernel.h"

/*
 * uki_build: the image's bytes, signed when options say so (sbsign). *ret is the caller's. Returns
 * 0, or -errno after a message.
 */
int uki_build(const struct format_input *in, const struct kernel *k, void **ret, size_t *ret_size);

/* uki_boot_name: the name firmware looks for on a disk: "BOOTX64.EFI". */
const char *uki_boot_name(uint16_t machine);
