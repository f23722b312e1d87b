// SPDX-License-Identifier: GPL-2.0-or-later
/* tag: the signatures in Mellanox' ROMs: product, version, device, port, protocol. */
#include "base/cursor.h"
#include "flexboot/rom.h"

/* In two halves, so that this program is no match when somebody searches a flash dump. */
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

/* A tag of another device than its image says that one of them was put in by mistake. */
static void check_tag(struct rom *r, const struct rom_tag *t)
{
	const struct rom_image *image;

	if (t->image == r->n_images || t->device == 0)
		return;
	image = &r->images[t->image];
	for (size_t i = 0; i < image->n_devices; i++)
		if (image->devices[i] == t->device)
			return;
	if (image->device != t->device)
		rom_fault(r, t->offset, "the signature is of device %04x, image %zu of device %04x",
			t->device, t->image + 1, image->device);
}

void rom_tags_read(struct rom *r)
{
	const uint8_t *at = r->data;

	while ((at = memmem(at, r->size - (size_t)(at - r->data), MARK, strlen(MARK)))) {
		size_t offset = (size_t)(at - r->data);
		struct rom_tag t = {.offset = offset, .image = image_of(r, offset)};

		at += strlen(MARK);
		if (r->n_tags == ROM_TAGS_MAX) {
			rom_fault(r, offset, "more than %d Mellanox signatures", ROM_TAGS_MAX);
			return;
		}
		if (!read_tag(r, offset, &t)) {
			rom_fault(r, offset, "Mellanox signature is cut short");
			continue;
		}
		r->tags[r->n_tags++] = t;
		check_tag(r, &t);
	}
}
