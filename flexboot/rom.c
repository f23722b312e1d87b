// SPDX-License-Identifier: GPL-2.0-or-later
/* rom: the chain of images, and what must hold between them. */
#include "flexboot/rom.h"

#include <stdarg.h>

void rom_fault(struct rom *r, size_t offset, const char *fmt, ...)
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

static bool blank(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] != p[0] || (p[i] != 0x00 && p[i] != 0xff))
			return false;
	return true;
}

/* tail: what follows the last image may be padding only, or it was meant to be part of the chain. */
static void check_tail(struct rom *r, size_t end)
{
	if (!blank(r->data + end, r->size - end))
		rom_fault(r, end, "%zu bytes behind the last image are no padding (00 or ff)",
			r->size - end);
}

static int read_chain(struct rom *r)
{
	size_t at = 0;

	for (;;) {
		struct rom_image *image = &r->images[r->n_images];

		if (r->n_images == ROM_IMAGES_MAX) {
			rom_fault(r, at, "more than %d images", ROM_IMAGES_MAX);
			return -EBADMSG;
		}
		if (rom_image_read(r, at, image) < 0)
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
		rom_fault(r, ROM_SIZE_MAX, "larger than any expansion ROM (16 MiB)");
		error = -EBADMSG;
	} else {
		error = read_chain(r);
	}
	r->broken = error < 0;
	if (!r->broken)
		rom_tags_read(r);
	return error;
}

static bool image_names(const struct rom_image *image, uint16_t vendor, uint16_t device)
{
	if (image->vendor != vendor)
		return false;
	for (size_t i = 0; i < image->n_devices; i++)
		if (image->devices[i] == device)
			return true;
	return image->device == device;
}

void rom_fits(struct rom *r, uint16_t vendor, uint16_t device)
{
	for (size_t i = 0; i < r->n_images; i++)
		if (!image_names(&r->images[i], vendor, device))
			rom_fault(r, r->images[i].offset,
				"image %zu is for %04x:%04x and not for the device %04x:%04x", i + 1,
				r->images[i].vendor, r->images[i].device, vendor, device);
}
