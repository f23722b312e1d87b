/* SPDX-License-Identifier: GPL-2.0-or-later */
/* romfile: where the bytes of a ROM come from, and where its images go to. */
#pragma once

#include "flexboot/rom.h"

/* What sysfs says of the device beside its ROM. */
struct romfile_device {
	uint16_t vendor, device;
};

/*
 * romfile_read_device: the ROM of a PCI device ("0000:3b:00.0") as its adapter shows it, through
 * prefix/sys/bus/pci/devices/NAME/rom: the kernel lets it be read after a 1 was written, and the
 * BAR is closed again whatever happens in between (Documentation/PCI/sysfs-pci.rst). Returns 0,
 * -EINVAL for a name that is none, -ENODEV: there is no such device, -ENODATA: it shows no ROM, or
 * -errno. *data is the caller's.
 */
int romfile_read_device(const char *prefix, const char *name, void **data, size_t *size,
	struct romfile_device *ret);

/* romfile_image_name: "image-2-efi-x86-64.rom". */
const char *romfile_image_name(const struct rom *r, size_t i, char *buf, size_t size);

/*
 * romfile_extract: writes every image into directory dir, and the PE file of an EFI image that is
 * not compressed as ".efi" beside it. Never over a file that is there (-EEXIST). Names of what was
 * written go to out. 0 or -errno; *failed is the name it failed at.
 */
int romfile_extract(const struct rom *r, const char *dir, FILE *out, char *failed, size_t size);
