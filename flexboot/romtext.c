// SPDX-License-Identifier: GPL-2.0-or-later
#include "flexboot/romtext.h"

#include "base/print_json.h"

struct name {
	uint16_t number;
	const char *text;
};

static const char *name_of(const struct name *names, size_t n, uint16_t number, const char *other)
{
	for (size_t i = 0; i < n; i++)
		if (names[i].number == number)
			return names[i].text;
	return other;
}

/* PCI Firmware Specification 3.3, table 5-3. 0xff is what iPXE gives the payload of an .mrom. */
const char *rom_code_name(uint8_t code)
{
	static const struct name names[] = {{ROM_X86, "x86"}, {ROM_OPEN_FIRMWARE, "Open Firmware"},
		{ROM_HP_PA_RISC, "HP PA-RISC"}, {ROM_EFI, "EFI"}, {0xff, "payload"}};

	return name_of(names, ARRAY_SIZE(names), code, "other");
}

/* PE/COFF specification, machine types. */
const char *rom_machine_name(uint16_t machine)
{
	static const struct name names[] = {{0x014c, "i386"}, {0x8664, "x86-64"}, {0xaa64, "arm64"},
		{0x01c2, "arm"}, {0x0ebc, "EFI byte code"}, {0x5064, "riscv64"},
		{0x6264, "loongarch64"}};

	return name_of(names, ARRAY_SIZE(names), machine, "unknown machine");
}

static const char *rom_subsystem_name(uint16_t subsystem)
{
	static const struct name names[] = {
		{10, "application"}, {11, "boot service driver"}, {12, "runtime driver"}};

	return name_of(names, ARRAY_SIZE(names), subsystem, "unknown subsystem");
}

/* As mstflint names them (mlxfwops/lib/fw_ops.cpp). */
const char *rom_product_name(uint16_t product)
{
	static const struct name names[] = {{0x01, "CLP1"}, {0x02, "CLP2"}, {0x03, "CLP3"},
		{0x04, "CLP4"}, {0x0f, "CLP"}, {0x10, "PXE"}, {0x11, "UEFI"}, {0x12, "CLP"},
		{0x13, "NVMe"}, {0x14, "UEFI virtio-net"}, {0x15, "UEFI virtio-blk"},
		{0x16, "PXE virtio-net"}, {0x21, "FCODE"}};

	return name_of(names, ARRAY_SIZE(names), product, "unknown product");
}

static const char *rom_protocol_name(uint8_t protocol)
{
	static const struct name names[] = {{0, "IB"}, {1, "ETH"}, {2, "VPI"}, {0xff, "none"}};

	return name_of(names, ARRAY_SIZE(names), protocol, "unknown protocol");
}

const char *rom_version(const struct rom_tag *t, char *buf, size_t size)
{
	if (t->text[0])
		snprintf(buf, size, "%s", t->text);
	else if (t->n_version == 3)
		snprintf(buf, size, "%u.%u.%u", t->version[0], t->version[1], t->version[2]);
	else
		snprintf(buf, size, "%u", t->version[0]);
	return buf;
}

static void list_kind(const struct rom_image *image, FILE *out)
{
	switch (image->code) {
	case ROM_X86:
		fprintf(out, ", sum %02x (%s)", image->sum, image->sum ? "wrong" : "right");
		break;
	case ROM_EFI:
		fprintf(out, ", %s %s, %s", rom_machine_name(image->machine),
			rom_subsystem_name(image->subsystem),
			image->compression ? "compressed" : "not compressed");
		break;
	default:
		break;
	}
}

static void list_image(const struct rom_image *image, size_t number, FILE *out)
{
	fprintf(out, "  image %zu at %#zx: %s (code type %u), %zu bytes, %04x:%04x, class %06x",
		number, image->offset, rom_code_name(image->code), image->code, image->size,
		image->vendor, image->device, image->class);
	list_kind(image, out);
	fprintf(out, "%s\n", image->last ? ", last" : "");
	if (image->product[0])
		fprintf(out, "    name: %s\n", image->product);
	for (size_t i = 0; i < image->n_devices; i++)
		fprintf(out, "%s %04x%s", i ? "" : "    also for devices:", image->devices[i],
			i + 1 < image->n_devices ? "" : "\n");
}

static void list_tag(const struct rom *r, const struct rom_tag *t, FILE *out)
{
	char version[80];

	fprintf(out, "  Mellanox signature at %#zx: %s version %s", t->offset,
		rom_product_name(t->product), rom_version(t, version, sizeof(version)));
	if (t->device)
		fprintf(out, ", device %04x, protocol %s", t->device,
			rom_protocol_name(t->protocol));
	if (t->port)
		fprintf(out, ", port %u", t->port);
	if (t->image < r->n_images)
		fprintf(out, ", in image %zu", t->image + 1);
	fputc('\n', out);
}

void romtext_faults(const struct rom *r, const char *name, FILE *out)
{
	for (size_t i = 0; i < r->n_faults; i++)
		fprintf(out, "%s: at %#zx: %s\n", name, r->faults[i].offset, r->faults[i].text);
}

void romtext_list(const struct rom *r, const char *name, FILE *out)
{
	fprintf(out, "%s: %zu bytes, %zu image%s%s\n", name, r->size, r->n_images,
		r->n_images == 1 ? "" : "s", r->broken ? ", broken" : "");
	for (size_t i = 0; i < r->n_images; i++)
		list_image(&r->images[i], i + 1, out);
	for (size_t i = 0; i < r->n_tags; i++)
		list_tag(r, &r->tags[i], out);
	romtext_faults(r, name, out);
}

/* Numbers that people read as hexadecimal are strings of it; offsets and sizes are numbers. */
static void add_hex(cJSON *o, const char *key, int digits, unsigned int value)
{
	char text[16];

	snprintf(text, sizeof(text), "%0*x", digits, value);
	cJSON_AddStringToObject(o, key, text);
}

static cJSON *image_json(const struct rom_image *image)
{
	cJSON *o = cJSON_CreateObject();
	cJSON *devices;

	cJSON_AddNumberToObject(o, "offset", (double)image->offset);
	cJSON_AddNumberToObject(o, "size", (double)image->size);
	cJSON_AddNumberToObject(o, "code", image->code);
	cJSON_AddStringToObject(o, "kind", rom_code_name(image->code));
	add_hex(o, "vendor", 4, image->vendor);
	add_hex(o, "device", 4, image->device);
	add_hex(o, "class", 6, image->class);
	cJSON_AddBoolToObject(o, "last", image->last);
	if (image->product[0])
		cJSON_AddStringToObject(o, "name", image->product);
	if (image->code == ROM_X86)
		add_hex(o, "sum", 2, image->sum);
	if (image->code == ROM_EFI) {
		cJSON_AddStringToObject(o, "machine", rom_machine_name(image->machine));
		cJSON_AddStringToObject(o, "subsystem", rom_subsystem_name(image->subsystem));
		cJSON_AddBoolToObject(o, "compressed", image->compression != 0);
	}
	devices = cJSON_AddArrayToObject(o, "devices");
	for (size_t i = 0; i < image->n_devices; i++) {
		char id[8];

		snprintf(id, sizeof(id), "%04x", image->devices[i]);
		cJSON_AddItemToArray(devices, cJSON_CreateString(id));
	}
	return o;
}

static cJSON *tag_json(const struct rom *r, const struct rom_tag *t)
{
	cJSON *o = cJSON_CreateObject();
	char version[80];

	cJSON_AddNumberToObject(o, "offset", (double)t->offset);
	cJSON_AddStringToObject(o, "product", rom_product_name(t->product));
	cJSON_AddStringToObject(o, "version", rom_version(t, version, sizeof(version)));
	if (t->image < r->n_images)
		cJSON_AddNumberToObject(o, "image", (double)t->image + 1);
	if (t->device) {
		add_hex(o, "device", 4, t->device);
		cJSON_AddStringToObject(o, "protocol", rom_protocol_name(t->protocol));
		cJSON_AddNumberToObject(o, "port", t->port);
	}
	return o;
}

static cJSON *fault_json(const struct rom_fault *f)
{
	cJSON *o = cJSON_CreateObject();

	cJSON_AddNumberToObject(o, "offset", (double)f->offset);
	cJSON_AddStringToObject(o, "text", f->text);
	return o;
}

int romtext_json(const struct rom *r, const char *name, FILE *out)
{
	cJSON *top = cJSON_CreateObject();
	cJSON *images, *tags, *faults;

	cJSON_AddStringToObject(top, "rom", name);
	cJSON_AddNumberToObject(top, "size", (double)r->size);
	cJSON_AddBoolToObject(top, "broken", r->broken);
	images = cJSON_AddArrayToObject(top, "images");
	tags = cJSON_AddArrayToObject(top, "signatures");
	faults = cJSON_AddArrayToObject(top, "faults");
	for (size_t i = 0; i < r->n_images; i++)
		cJSON_AddItemToArray(images, image_json(&r->images[i]));
	for (size_t i = 0; i < r->n_tags; i++)
		cJSON_AddItemToArray(tags, tag_json(r, &r->tags[i]));
	for (size_t i = 0; i < r->n_faults; i++)
		cJSON_AddItemToArray(faults, fault_json(&r->faults[i]));
	return print_json(top, true, out);
}
