/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rom: a PCI expansion ROM as bytes. Owns: struct rom, which points into the caller's bytes. In: a
 * file's or an adapter's bytes (romfile.h), of which nothing is trusted. Out: the chain of images
 * (PCI Firmware Specification 3.3, chapter 5), the signatures Mellanox' build adds ("mlxsign:"),
 * and faults with their offsets. Callers: command_rom.c, romfile.c, romtext.c.
 * Tests: test_rom.c, fuzz_rom.c, tests/flexboot.bats.
 */
#pragma once

#include "base/util.h"

/* Far above any ROM in use: vendor ROMs hold two to four images. */
#define ROM_IMAGES_MAX	 32
#define ROM_DEVICES_MAX	 128
#define ROM_TAGS_MAX	 16
#define ROM_FAULTS_MAX	 32

/* A ROM BAR decodes at most 16 MiB (PCI Local Bus Specification 3.0, 6.2.5.2). */
#define ROM_SIZE_MAX	 ((size_t)16 << 20)

#define ROM_VENDOR_MELLANOX 0x15b3

enum rom_code {
	ROM_X86 = 0,
	ROM_OPEN_FIRMWARE = 1,
	ROM_HP_PA_RISC = 2,
	ROM_EFI = 3,
};

struct rom_image {
	size_t offset; /* in the ROM, bytes */
	size_t size;   /* bytes */
	size_t init_size; /* what the firmware loads: x86 and EFI only */
	uint16_t vendor;
	uint16_t device;
	uint16_t devices[ROM_DEVICES_MAX]; /* more device ids, from the device list */
	size_t n_devices;
	uint32_t class;	  /* 0x020000: Ethernet, 0x020700: InfiniBand */
	uint8_t revision; /* of the PCIR structure; 3 and later have a device list */
	uint16_t level;	  /* vendor's revision of the code */
	uint8_t code;	  /* enum rom_code or anything else */
	bool last;
	uint8_t sum; /* of init_size bytes; 0 is right for x86 */
	char product[64]; /* x86: name in the Plug and Play header */
	uint16_t machine; /* EFI: as in a PE header */
	uint16_t subsystem;
	uint16_t compression; /* EFI: 0 none, 1 the UEFI algorithm */
	size_t efi_offset;    /* of the PE file, from the image's start */
};

/* What follows "mlxsign:" (layout as mstflint reads it, mlxfwops/lib/fw_ops.cpp). */
struct rom_tag {
	size_t offset;
	size_t image; /* index of the image it lies in; n_images: in none */
	uint16_t product;
	uint16_t version[3];
	size_t n_version;
	char text[64]; /* product 0xf: the version is free text */
	uint16_t device;
	uint8_t port, cpu, protocol;
};

struct rom_fault {
	size_t offset;
	char text[128];
};

struct rom {
	const uint8_t *data; /* borrowed */
	size_t size;
	struct rom_image images[ROM_IMAGES_MAX];
	size_t n_images;
	struct rom_tag tags[ROM_TAGS_MAX];
	size_t n_tags;
	struct rom_fault faults[ROM_FAULTS_MAX];
	size_t n_faults;
	bool broken; /* the chain could not be followed to its end */
};

/*
 * rom_read: reads data into *r, which keeps a pointer to it. Returns 0 when the chain is whole
 * (faults inside images may be noted all the same), -EBADMSG when it breaks off; the images before
 * the break are in *r, the reason is the last fault.
 */
int rom_read(struct rom *r, const void *data, size_t size);

/*
 * rom_fits: checks that every image names the device vendor:device (as sysfs gives it) and notes a
 * fault for each that does not.
 */
void rom_fits(struct rom *r, uint16_t vendor, uint16_t device);
