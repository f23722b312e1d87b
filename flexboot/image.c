// SPDX-License-Identifier: GPL-2.0-or-later
/* image: one image of an expansion ROM: header, PCI data structure, and the parts of its kind. */
#include "base/cursor.h"
#include "flexboot/rom.h"

#define BLOCK	      512u
#define POINTER_PCIR  0x18
#define POINTER_PNP   0x1a
#define PCIR_MIN      0x18
#define EFI_SIGNATURE 0x0ef1

/* at: a cursor over the image's bytes (or what is left of the ROM) from an offset within them. */
static struct cursor at(const struct rom *r, size_t base, size_t size, size_t offset)
{
	struct cursor c = cursor_make(r->data + base, size);

	cursor_skip(&c, offset);
	return c;
}

/* The device list stands at a distance from the PCIR structure and ends with a zero. */
static void read_devices(struct rom *r, struct rom_image *image, size_t pcir, size_t distance)
{
	struct cursor c = at(r, image->offset, image->size, pcir);
	uint16_t id;

	cursor_skip(&c, distance);
	while ((id = cursor_le16(&c))) {
		if (image->n_devices == ROM_DEVICES_MAX) {
			rom_fault(r, image->offset + pcir + distance, "device list longer than %d",
				ROM_DEVICES_MAX);
			return;
		}
		image->devices[image->n_devices++] = id;
	}
	if (c.failed)
		rom_fault(r, image->offset + pcir + distance, "device list runs out of the image");
}

/* read_pcir: fills the ids and the length. Returns the device list's distance, 0 none, -EBADMSG. */
static int read_pcir(struct rom *r, size_t pcir, struct rom_image *image)
{
	size_t left = r->size - image->offset;
	struct cursor c = at(r, image->offset, left, pcir);
	const uint8_t *signature = cursor_take(&c, 4);
	uint16_t distance, length, blocks;

	if (!signature || memcmp(signature, "PCIR", 4) != 0) {
		rom_fault(r, image->offset + pcir,
			signature ? "no PCIR structure where the header points"
				  : "the header points to a PCIR structure behind the end");
		return -EBADMSG;
	}
	image->vendor = cursor_le16(&c);
	image->device = cursor_le16(&c);
	distance = cursor_le16(&c);
	length = cursor_le16(&c);
	image->revision = cursor_u8(&c);
	image->class = cursor_u8(&c);
	image->class |= (uint32_t)cursor_le16(&c) << 8;
	blocks = cursor_le16(&c);
	image->level = cursor_le16(&c);
	image->code = cursor_u8(&c);
	image->last = cursor_u8(&c) & 0x80;
	if (c.failed || length < PCIR_MIN) {
		rom_fault(r, image->offset + pcir, "PCIR structure of %u bytes is cut short",
			c.failed ? (unsigned int)left : length);
		return -EBADMSG;
	}
	image->size = blocks * BLOCK;
	if (blocks == 0 || image->size > left) {
		rom_fault(r, image->offset + pcir + 0x10,
			"image of %zu bytes, but %zu are left in the ROM", image->size, left);
		return -EBADMSG;
	}
	/* Before revision 3 the field pointed to vital product data. */
	return image->revision >= 3 ? distance : 0;
}

/* copy_text: a printable string of the image, cut where it stops being one. */
static void copy_text(struct rom *r, const struct rom_image *image, size_t offset, char *dst,
	size_t size)
{
	struct cursor c = at(r, image->offset, image->size, offset);
	size_t n = 0;

	for (uint8_t byte; n + 1 < size && (byte = cursor_u8(&c)) >= ' ' && byte < 0x7f;)
		dst[n++] = (char)byte;
	dst[n] = 0;
}

/* Plug and Play header (Plug and Play BIOS Specification 1.0A, 3.2): the name in the boot menu. */
static void read_pnp(struct rom *r, struct rom_image *image)
{
	struct cursor c = at(r, image->offset, image->size, POINTER_PNP);
	uint16_t offset = cursor_le16(&c);
	const uint8_t *signature;

	c = at(r, image->offset, image->size, offset);
	signature = cursor_take(&c, 4);
	if (offset == 0 || !signature || memcmp(signature, "$PnP", 4) != 0)
		return;
	cursor_skip(&c, 0x10 - 4);
	offset = cursor_le16(&c);
	if (!c.failed && offset)
		copy_text(r, image, offset, image->product, sizeof(image->product));
}

static void check_init_size(struct rom *r, struct rom_image *image)
{
	if (image->init_size > image->size) {
		rom_fault(r, image->offset + 2, "header says %zu bytes, the image has %zu",
			image->init_size, image->size);
		image->init_size = image->size;
	}
	for (size_t i = 0; i < image->init_size; i++)
		image->sum = (uint8_t)(image->sum + r->data[image->offset + i]);
}

static void read_x86(struct rom *r, struct rom_image *image)
{
	image->init_size = r->data[image->offset + 2] * BLOCK;
	check_init_size(r, image);
	if (image->init_size == 0)
		rom_fault(r, image->offset + 2, "the BIOS is told to load 0 bytes");
	else if (image->sum)
		rom_fault(r, image->offset, "bytes of the x86 image add up to %02x, must be 00",
			image->sum);
	read_pnp(r, image);
}

/* The PE file itself is only looked at where it can be seen: not compressed. */
static void check_pe(struct rom *r, const struct rom_image *image)
{
	struct cursor c = at(r, image->offset, image->init_size, image->efi_offset);
	uint16_t magic = cursor_le16(&c), machine;
	const uint8_t *signature;

	if (magic != 0x5a4d) {
		rom_fault(r, image->offset + 0x16, "no PE file at %#zx of the EFI image",
			image->efi_offset);
		return;
	}
	cursor_skip(&c, 0x3c - 2);
	c = at(r, image->offset, image->init_size, image->efi_offset + cursor_le32(&c));
	signature = cursor_take(&c, 4);
	machine = cursor_le16(&c);
	if (!signature || memcmp(signature, "PE\0", 4) != 0 || c.failed)
		rom_fault(r, image->offset + image->efi_offset, "the PE file is cut short");
	else if (machine != image->machine)
		rom_fault(r, image->offset + 0x0a, "header says machine %04x, the PE file %04x",
			image->machine, machine);
}

static void read_efi(struct rom *r, struct rom_image *image)
{
	struct cursor c = at(r, image->offset, image->size, 2);
	uint32_t signature;

	image->init_size = cursor_le16(&c) * BLOCK;
	signature = cursor_le32(&c);
	image->subsystem = cursor_le16(&c);
	image->machine = cursor_le16(&c);
	image->compression = cursor_le16(&c);
	cursor_skip(&c, 8);
	image->efi_offset = cursor_le16(&c);
	check_init_size(r, image);
	if (signature != EFI_SIGNATURE) {
		rom_fault(r, image->offset + 4, "code type EFI, but the EFI signature is %08x",
			signature);
		return;
	}
	if (image->compression > 1)
		rom_fault(r, image->offset + 0x0c, "compression %u is not known", image->compression);
	else if (image->compression == 0)
		check_pe(r, image);
}

int rom_image_read(struct rom *r, size_t offset, struct rom_image *ret)
{
	struct cursor c = at(r, 0, r->size, offset);
	struct rom_image image = {.offset = offset};
	uint16_t signature = cursor_le16(&c);
	uint16_t pcir;
	int devices;

	cursor_skip(&c, POINTER_PCIR - 2);
	pcir = cursor_le16(&c);
	if (c.failed) {
		rom_fault(r, offset, "the ROM ends here, an image should begin");
		return -EBADMSG;
	}
	if (signature != 0xaa55) {
		rom_fault(r, offset, "no image: %02x %02x instead of 55 aa", signature & 0xff,
			signature >> 8);
		return -EBADMSG;
	}
	devices = read_pcir(r, pcir, &image);
	if (devices < 0)
		return devices;
	if (devices > 0)
		read_devices(r, &image, pcir, (size_t)devices);
	if (image.code == ROM_X86)
		read_x86(r, &image);
	else if (image.code == ROM_EFI)
		read_efi(r, &image);
	*ret = image;
	return 0;
}
