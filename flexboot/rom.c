// SPDX-License-Identifier: GPL-2.0-or-later
/* rom: the chain of images, each image's header and PCI data structure, Mellanox' signatures. */
#include "flexboot/rom.h"

#include <stdarg.h>

#include "base/cursor.h"

#define BLOCK	      512u
#define POINTER_PCIR  0x18
#define POINTER_PNP   0x1a
#define PCIR_MIN      0x18
#define EFI_SIGNATURE 0x0ef1

static void _printf_(3, 4) note_fault(struct rom *r, size_t offset, const char *fmt, ...)
{
	struct rom_fault *f = &r->faults[r->n_faults];
	va_list ap;

	if (r->n_faults == ROM_FAULTS_MAX)
		return;
	r->n_faults++;
	f->offset = offset;
	va_start(ap, fmt);
	vsnprintf(f->text, sizeof(f->text), fmt, ap);
	va_end(ap);
}

/* cursor_at: a cursor over size bytes at base, advanced to an offset within them. */
static struct cursor cursor_at(const struct rom *r, size_t base, size_t size, size_t offset)
{
	struct cursor c = cursor_make(r->data + base, size);

	cursor_skip(&c, offset);
	return c;
}

/* The device list stands at a distance from the PCIR structure and ends with a zero. */
static void read_devices(struct rom *r, struct rom_image *image, size_t pcir, size_t distance)
{
	struct cursor c = cursor_at(r, image->offset, image->size, pcir);
	uint16_t id;

	cursor_skip(&c, distance);
	while ((id = cursor_le16(&c))) {
		if (image->n_devices == ROM_DEVICES_MAX) {
			note_fault(r, image->offset + pcir + distance, "device list longer than %d",
				ROM_DEVICES_MAX);
			return;
		}
		image->devices[image->n_devices++] = id;
	}
	if (c.failed)
		note_fault(r, image->offset + pcir + distance, "device list runs out of the image");
}

/* read_pcir: fills the ids and the length. Returns the device list's distance, 0 none, -EBADMSG. */
static int read_pcir(struct rom *r, size_t pcir, struct rom_image *image)
{
	size_t left = r->size - image->offset;
	struct cursor c = cursor_at(r, image->offset, left, pcir);
	const uint8_t *signature = cursor_take(&c, 4);
	uint16_t distance, length, blocks;

	if (!signature || memcmp(signature, "PCIR", 4) != 0) {
		note_fault(r, image->offset + pcir,
			signature ? "no PCIR structure where the header points"
				  : "the header points to a PCIR structure beyond the end");
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
		note_fault(r, image->offset + pcir, "PCIR structure of %u bytes is cut short",
			c.failed ? (unsigned int)left : length);
		return -EBADMSG;
	}
	image->size = blocks * BLOCK;
	if (blocks == 0 || image->size > left) {
		note_fault(r, image->offset + pcir + 0x10,
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
	struct cursor c = cursor_at(r, image->offset, image->size, offset);
	size_t n = 0;

	for (uint8_t byte; n + 1 < size && (byte = cursor_u8(&c)) >= ' ' && byte < 0x7f;)
		dst[n++] = (char)byte;
	dst[n] = 0;
}

/* Plug and Play header (Plug and Play BIOS Specification 1.0A, 3.2): the name in the boot menu. */
static void read_pnp(struct rom *r, struct rom_image *image)
{
	struct cursor c = cursor_at(r, image->offset, image->size, POINTER_PNP);
	uint16_t offset = cursor_le16(&c);
	const uint8_t *signature;

	c = cursor_at(r, image->offset, image->size, offset);
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
		note_fault(r, image->offset + 2, "header says %zu bytes, the image has %zu",
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
		note_fault(r, image->offset + 2, "the header tells the BIOS to load 0 bytes");
	else if (image->sum)
		note_fault(r, image->offset, "bytes of the x86 image add up to %02x, must be 00",
			image->sum);
	read_pnp(r, image);
}

/* The PE file itself is only looked at where it can be seen: not compressed. */
static void check_pe(struct rom *r, const struct rom_image *image)
{
	struct cursor c = cursor_at(r, image->offset, image->init_size, image->efi_offset);
	uint16_t magic = cursor_le16(&c), machine;
	const uint8_t *signature;

	if (magic != 0x5a4d) {
		note_fault(r, image->offset + 0x16, "no PE file at %#zx of the EFI image",
			image->efi_offset);
		return;
	}
	cursor_skip(&c, 0x3c - 2);
	c = cursor_at(r, image->offset, image->init_size, image->efi_offset + cursor_le32(&c));
	signature = cursor_take(&c, 4);
	machine = cursor_le16(&c);
	if (!signature || memcmp(signature, "PE\0", 4) != 0 || c.failed)
		note_fault(r, image->offset + image->efi_offset, "the PE file is cut short");
	else if (machine != image->machine)
		note_fault(r, image->offset + 0x0a, "header says machine %04x, the PE file %04x",
			image->machine, machine);
}

static void read_efi(struct rom *r, struct rom_image *image)
{
	struct cursor c = cursor_at(r, image->offset, image->size, 2);
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
		note_fault(r, image->offset + 4, "code type EFI, but the EFI signature is %08x",
			signature);
		return;
	}
	if (image->compression > 1)
		note_fault(
			r, image->offset + 0x0c, "compression %u is not known", image->compression);
	else if (image->compression == 0)
		check_pe(r, image);
}

static int read_image(struct rom *r, size_t offset, struct rom_image *ret)
{
	struct cursor c = cursor_at(r, 0, r->size, offset);
	struct rom_image image = {.offset = offset};
	uint16_t signature = cursor_le16(&c);
	uint16_t pcir;
	int devices;

	cursor_skip(&c, POINTER_PCIR - 2);
	pcir = cursor_le16(&c);
	if (c.failed) {
		note_fault(r, offset, "the ROM ends here, an image should begin");
		return -EBADMSG;
	}
	if (signature != 0xaa55) {
		note_fault(r, offset, "no image: %02x %02x instead of 55 aa", signature & 0xff,
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

/* In two halves, so that a search of a flash dump does not match this program. */
#define MARK "mlxsign" ":"

enum {
	PRODUCT_TEXT = 0x0f, /* the version is free text */
	PRODUCT_PXE = 0x10,  /* from here on with device, port, protocol */
	PRODUCT_CLP = 0x12,  /* has no port and no protocol */
};

static size_t image_of(const struct rom *r, size_t offset)
{
	size_t i = 0;

	while (i < r->n_images && offset - r->images[i].offset >= r->images[i].size)
		i++;
	return i;
}

/* read_text: version as text: length in the low bytes of word 3, the text behind it. */
static bool read_text(struct cursor *c, struct rom_tag *t)
{
	uint32_t lengths, text_size;
	const uint8_t *text;

	cursor_skip(c, 4);
	lengths = cursor_le32(c);
	text_size = lengths >> 8 & 0xff;
	text = cursor_take(c, text_size);
	/* The signature's own length, in words, has to cover the text. */
	if (!text || (lengths & 0xff) < (text_size + 3) / 4 + 4)
		return false;
	for (size_t i = 0; i < text_size && i + 1 < sizeof(t->text); i++)
		if (text[i] >= ' ' && text[i] < 0x7f)
			t->text[strlen(t->text)] = (char)text[i];
	return true;
}

static bool read_tag(const struct rom *r, size_t offset, struct rom_tag *t)
{
	struct cursor c = cursor_make(r->data, r->size);
	uint32_t first, second, third;

	cursor_skip(&c, offset + strlen(MARK));
	first = cursor_le32(&c);
	second = cursor_le32(&c);
	t->product = (uint16_t)(first >> 16);
	t->version[0] = first & 0xff;
	t->n_version = 1;
	if (t->product == PRODUCT_TEXT)
		return read_text(&c, t);
	t->version[1] = second >> 16 & 0xff;
	t->version[2] = second & 0xffff;
	t->n_version = 3;
	if (t->product < PRODUCT_PXE)
		return !c.failed;
	third = cursor_le32(&c);
	t->device = (uint16_t)(third >> 16);
	t->cpu = third >> 8 & 0xf;
	if (t->product != PRODUCT_CLP) {
		t->port = third >> 12 & 0xf;
		t->protocol = third & 0xff;
	}
	return !c.failed;
}

static bool has_device(const struct rom_image *image, uint16_t device)
{
	for (size_t i = 0; i < image->n_devices; i++)
		if (image->devices[i] == device)
			return true;
	return image->device == device;
}

/* A tag of another device than its image says that one of them was put in by mistake. */
static void check_tag(struct rom *r, const struct rom_tag *t)
{
	const struct rom_image *image;

	if (t->image == r->n_images || t->device == 0)
		return;
	image = &r->images[t->image];
	if (!has_device(image, t->device))
		note_fault(r, t->offset,
			"the signature is of device %04x, image %zu of device %04x", t->device,
			t->image + 1, image->device);
}

static void read_tags(struct rom *r)
{
	const uint8_t *at = r->data;

	while ((at = memmem(at, r->size - (size_t)(at - r->data), MARK, strlen(MARK)))) {
		size_t offset = (size_t)(at - r->data);
		struct rom_tag t = {.offset = offset, .image = image_of(r, offset)};

		at += strlen(MARK);
		if (r->n_tags == ROM_TAGS_MAX) {
			note_fault(r, offset, "more than %d Mellanox signatures", ROM_TAGS_MAX);
			return;
		}
		if (!read_tag(r, offset, &t)) {
			note_fault(r, offset, "Mellanox signature is cut short");
			continue;
		}
		r->tags[r->n_tags++] = t;
		check_tag(r, &t);
	}
}

static bool is_padding(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] != p[0] || (p[i] != 0x00 && p[i] != 0xff))
			return false;
	return true;
}

/* check_tail: what follows the last image must be padding, or the chain is cut short. */
static void check_tail(struct rom *r, size_t end)
{
	if (!is_padding(r->data + end, r->size - end))
		note_fault(r, end, "%zu bytes after the last image are not padding (00 or ff)",
			r->size - end);
}

static int read_chain(struct rom *r)
{
	size_t at = 0;

	for (;;) {
		struct rom_image *image = &r->images[r->n_images];

		if (r->n_images == ROM_IMAGES_MAX) {
			note_fault(r, at, "more than %d images", ROM_IMAGES_MAX);
			return -EBADMSG;
		}
		if (read_image(r, at, image) < 0)
			return -EBADMSG;
		r->n_images++;
		at += image->size;
		if (image->last)
			break;
	}
	check_tail(r, at);
	return 0;
}

int rom_read(struct rom *r, const void *data, size_t size)
{
	int error;

	memset(r, 0, sizeof(*r));
	r->data = data;
	r->size = size;
	if (size > ROM_SIZE_MAX) {
		note_fault(r, ROM_SIZE_MAX, "larger than any expansion ROM (16 MiB)");
		error = -EBADMSG;
	} else {
		error = read_chain(r);
	}
	r->broken = error < 0;
	if (!r->broken)
		read_tags(r);
	return error;
}

void rom_fits(struct rom *r, uint16_t vendor, uint16_t device)
{
	for (size_t i = 0; i < r->n_images; i++)
		if (r->images[i].vendor != vendor || !has_device(&r->images[i], device))
			note_fault(r, r->images[i].offset,
				"image %zu is for %04x:%04x and not for the device %04x:%04x",
				i + 1, r->images[i].vendor, r->images[i].device, vendor, device);
}
