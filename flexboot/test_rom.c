// SPDX-License-Identifier: GPL-2.0-or-later
/* Expansion ROMs made here, whole and spoilt; sysfs with its writes recorded. Real ROMs are in
 * tests/flexboot.bats.
 */
#include "check.h"

#include <sys/stat.h>

#include "base/io.h"
#include "flexboot/romfile.h"
#include "flexboot/romtext.h"

#define BLOCK 512

/* Little endian numbers into made-up ROMs. */
static void put16(uint8_t *p, unsigned int value)
{
	p[0] = (uint8_t)value;
	p[1] = (uint8_t)(value >> 8);
}

static void put32(uint8_t *p, uint32_t value)
{
	put16(p, value & 0xffff);
	put16(p + 2, value >> 16);
}

enum { PCIR = 0x40, DEVICES = 0x60, TAG = 0x200, PE = 0x100 };

/* header: what every image begins with. */
static void header(uint8_t *p, unsigned int blocks, uint8_t code, bool last)
{
	memset(p, 0, (size_t)blocks * BLOCK);
	put16(p, 0xaa55);
	put16(p + 0x18, PCIR);
	memcpy(p + PCIR, "PCIR", 4);
	put16(p + PCIR + 4, ROM_VENDOR_MELLANOX);
	put16(p + PCIR + 6, 0x1017);
	put16(p + PCIR + 8, DEVICES - PCIR);
	put16(p + PCIR + 0x0a, 0x1c);
	p[PCIR + 0x0c] = 3;
	p[PCIR + 0x0e] = 0x07;
	p[PCIR + 0x0f] = 0x02;
	put16(p + PCIR + 0x10, blocks);
	p[PCIR + 0x14] = code;
	p[PCIR + 0x15] = last ? 0x80 : 0;
	put16(p + DEVICES, 0x1019);
	put16(p + DEVICES + 2, 0x101b);
}

/* tag: a Mellanox signature: product, version 3.7.400, the image's device. */
static void tag(uint8_t *p, unsigned int product, unsigned int device)
{
	memcpy(p, "mlxsign:", 8);
	put32(p + 8, product << 16 | 3);
	put32(p + 12, 7u << 16 | 400);
	put32(p + 16, device << 16 | 1u << 12 | 1u << 8 | 0);
}

/* right_sum: the last byte makes the image add up to 0. */
static void right_sum(uint8_t *p, size_t size)
{
	uint8_t sum = 0;

	for (size_t i = 0; i + 1 < size; i++)
		sum = (uint8_t)(sum + p[i]);
	p[size - 1] = (uint8_t)-sum;
}

/* make: FlexBoot's shape: an x86 image of 4 blocks and an EFI one of 3. */
static void make(uint8_t rom[static 7 * BLOCK])
{
	uint8_t *efi = rom + 4 * BLOCK;

	header(rom, 4, ROM_X86, false);
	rom[2] = 4;
	put16(rom + 0x1a, 0x80);
	memcpy(rom + 0x80, "$PnP", 4);
	put16(rom + 0x90, 0xa0);
	memcpy(rom + 0xa0, "FlexBoot", 9);
	tag(rom + TAG, 0x10, 0x1017);
	right_sum(rom, 4 * BLOCK);

	header(efi, 3, ROM_EFI, true);
	put16(efi + 2, 3);
	put32(efi + 4, 0x0ef1);
	put16(efi + 8, 11);
	put16(efi + 0x0a, 0x8664);
	put16(efi + 0x16, PE);
	put16(efi + PE, 0x5a4d);
	put32(efi + PE + 0x3c, 0x40);
	memcpy(efi + PE + 0x40, "PE\0", 4);
	put16(efi + PE + 0x44, 0x8664);
	tag(efi + TAG, 0x11, 0x1017);
}

TEST(a_whole_rom_is_read)
{
	uint8_t bytes[7 * BLOCK];
	char version[80];
	struct rom r;

	make(bytes);
	CHECK_INT(rom_read(&r, bytes, sizeof(bytes)), 0);
	romtext_faults(&r, "rom", stderr);
	CHECK_INT(r.n_faults, 0);
	CHECK_INT(r.n_images, 2);
	CHECK_INT(r.images[0].code, ROM_X86);
	CHECK_STR(r.images[0].product, "FlexBoot");
	CHECK_INT(r.images[0].class, 0x020700);
	CHECK_INT(r.images[0].n_devices, 2);
	CHECK_INT(r.images[0].devices[1], 0x101b);
	CHECK_INT(r.images[1].offset, 4 * BLOCK);
	CHECK_INT(r.images[1].machine, 0x8664);
	CHECK(r.images[1].last);
	CHECK_INT(r.n_tags, 2);
	CHECK_STR(rom_version(&r.tags[0], version, sizeof(version)), "3.7.400");
	CHECK_STR(rom_product_name(r.tags[1].product), "UEFI");
	CHECK_INT(r.tags[1].image, 1);
	CHECK_INT(r.tags[0].port, 1);
}

static void check_told(const struct rom *r, const char *says, size_t offset)
{
	for (size_t i = 0; i < r->n_faults; i++)
		if (strstr(r->faults[i].text, says)) {
			CHECK_INT(r->faults[i].offset, offset);
			return;
		}
	romtext_faults(r, "rom", stderr);
	check_fail(__FILE__, __LINE__, "nothing says: %s", says);
}

/* What spoils a ROM, and the words and the offset it is told by. */
TEST(every_fault_is_told_with_its_offset)
{
	static const struct {
		size_t at;
		uint8_t byte;
		int status;
		size_t offset;
		const char *says;
	} rows[] = {
		{0x00, 0x54, -EBADMSG, 0, "no image: 54 aa"},
		{0x19, 0xff, -EBADMSG, 0xff40, "beyond the end"},
		{0x40, 'Q', -EBADMSG, 0x40, "no PCIR structure"},
		{0x4a, 0x10, -EBADMSG, 0x40, "cut short"},
		{0x50, 0x00, -EBADMSG, 0x50, "image of 0 bytes"},
		{0x50, 0x08, -EBADMSG, 0x50, "image of 4096 bytes, but 3584 are left"},
		{0x02, 0x00, 0, 0x02, "load 0 bytes"},
		{0x02, 0x05, 0, 0x02, "header says 2560 bytes, the image has 2048"},
		{0x300, 0x01, 0, 0x00, "add up to 01"},
		{0x800, 0x00, -EBADMSG, 0x800, "no image: 00 aa"},
		{0x804, 0x00, 0, 0x804, "EFI signature"},
		{0x80a, 0x4c, 0, 0x80a, "header says machine 864c, the PE file 8664"},
		{0x80c, 0x02, 0, 0x80c, "compression 2"},
		{0x816, 0x01, 0, 0x816, "no PE file at 0x101"},
		{0x93d, 0xff, 0, 0x900, "PE file is cut short"},
		{0x849, 0xff, 0, 0x10760, "runs out of the image"},
		{0x855, 0x00, -EBADMSG, 0xe00, "the ROM ends here"},
		{0xa12, 0x18, 0, 0xa00, "signature is of device 1018, image 2 of device 1017"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint8_t bytes[7 * BLOCK];
		struct rom r;

		make(bytes);
		bytes[rows[i].at] = rows[i].byte;
		CHECK_INT(rom_read(&r, bytes, sizeof(bytes)), rows[i].status);
		CHECK_INT(r.broken, rows[i].status < 0);
		check_told(&r, rows[i].says, rows[i].offset);
	}
}

TEST(a_rom_cut_anywhere_is_refused)
{
	uint8_t bytes[7 * BLOCK];
	struct rom r;

	make(bytes);
	for (size_t size = 0; size < sizeof(bytes); size++) {
		/* A copy of that size, so that the sanitizer sees a read behind it. */
		_cleanup_free_ uint8_t *copy = malloc(size ? size : 1);

		memcpy(copy, bytes, size);
		CHECK_INT(rom_read(&r, copy, size), -EBADMSG);
		CHECK(r.n_images <= 1);
	}
}

TEST(a_chain_without_end_stops)
{
	static uint8_t bytes[(ROM_IMAGES_MAX + 2) * BLOCK];
	struct rom r;

	for (size_t i = 0; i < ROM_IMAGES_MAX + 2; i++)
		header(bytes + i * BLOCK, 1, 0xff, false);
	CHECK_INT(rom_read(&r, bytes, sizeof(bytes)), -EBADMSG);
	CHECK_INT(r.n_images, ROM_IMAGES_MAX);
	CHECK_STR(r.faults[0].text, "more than 32 images");
}

TEST(padding_behind_the_last_image_is_no_fault_other_bytes_are)
{
	uint8_t bytes[8 * BLOCK];
	struct rom r;

	make(bytes);
	memset(bytes + 7 * BLOCK, 0xff, BLOCK);
	CHECK_INT(rom_read(&r, bytes, sizeof(bytes)), 0);
	CHECK_INT(r.n_faults, 0);
	bytes[8 * BLOCK - 1] = 1;
	CHECK_INT(rom_read(&r, bytes, sizeof(bytes)), 0);
	CHECK_STR(r.faults[0].text, "512 bytes after the last image are not padding (00 or ff)");
}

TEST(a_rom_fits_the_devices_it_names)
{
	uint8_t bytes[7 * BLOCK];
	struct rom r;

	make(bytes);
	rom_read(&r, bytes, sizeof(bytes));
	rom_fits(&r, 0x15b3, 0x1017);
	rom_fits(&r, 0x15b3, 0x101b);
	CHECK_INT(r.n_faults, 0);
	rom_fits(&r, 0x15b3, 0x1003);
	CHECK_INT(r.n_faults, 2);
	CHECK_STR(r.faults[0].text,
		"image 1 is for 15b3:1017 and not for the device 15b3:1003");
	rom_fits(&r, 0x15b4, 0x1017);
	CHECK_INT(r.n_faults, 4);
}

TEST(a_version_of_free_text)
{
	uint8_t bytes[7 * BLOCK];
	char version[80];
	struct rom r;

	make(bytes);
	tag(bytes + 0xa00, 0x0f, 0);
	put32(bytes + 0xa00 + 8 + 12, 9u << 8 | 7);
	memcpy(bytes + 0xa00 + 8 + 16, "12 a\x1b[0mb", 9);
	CHECK_INT(rom_read(&r, bytes, sizeof(bytes)), 0);
	CHECK_INT(r.n_tags, 2);
	CHECK_STR(rom_version(&r.tags[1], version, sizeof(version)), "12 a[0mb");
	/* A signature shorter than its own text. */
	put32(bytes + 0xa00 + 8 + 12, 9u << 8 | 6);
	rom_read(&r, bytes, sizeof(bytes));
	CHECK_INT(r.n_tags, 1);
	CHECK_STR(r.faults[0].text, "Mellanox signature is cut short");
}

TEST(images_are_extracted_and_nothing_is_overwritten)
{
	char dir[] = "/tmp/test-rom.XXXXXX", path[64], failed[128];
	_cleanup_free_ void *data = NULL;
	uint8_t bytes[7 * BLOCK];
	struct rom r;
	size_t size;

	make(bytes);
	rom_read(&r, bytes, sizeof(bytes));
	CHECK_INT(romfile_extract(&r, check_dir(dir), stderr, failed, sizeof(failed)), 0);
	snprintf(path, sizeof(path), "%s/image-1-x86.rom", dir);
	CHECK_INT(io_read_file(path, ROM_SIZE_MAX, &data, &size), 0);
	CHECK_INT(size, 4 * BLOCK);
	CHECK_MEM(data, bytes, size);
	free(data);
	snprintf(path, sizeof(path), "%s/image-2-efi-x86-64.efi", dir);
	CHECK_INT(io_read_file(path, ROM_SIZE_MAX, &data, &size), 0);
	CHECK_INT(size, 3 * BLOCK - PE);
	CHECK_MEM(data, bytes + 4 * BLOCK + PE, size);
	CHECK_INT(romfile_extract(&r, dir, stderr, failed, sizeof(failed)), -EEXIST);
	CHECK_STR(failed, "image-1-x86.rom");
}

/* What was written to a "rom" file; the file itself stays as it was. */
static char written[16];
static int refuse_after;

ssize_t __real_pwrite(int fd, const void *buf, size_t n, off_t offset);
ssize_t __wrap_pwrite(int fd, const void *buf, size_t n, off_t offset);

ssize_t __wrap_pwrite(int fd, const void *buf, size_t n, off_t offset)
{
	(void)fd;
	CHECK_INT(offset, 0);
	if (refuse_after && strlen(written) >= (size_t)refuse_after) {
		errno = EIO;
		return -1;
	}
	snprintf(written + strlen(written), sizeof(written) - strlen(written), "%.*s", (int)n,
		(const char *)buf);
	return (ssize_t)n;
}

static void device_file(const char *dir, const char *name, const void *data, size_t size)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/sys/bus/pci/devices/0000:3b:00.0/%s", dir, name);
	for (char *p = strchr(path + strlen(dir) + 1, '/'); p; p = strchr(p + 1, '/')) {
		*p = 0;
		mkdir(path, 0755);
		*p = '/';
	}
	f = fopen(path, "w");
	CHECK(f && (size == 0 || fwrite(data, size, 1, f) == 1));
	fclose(f);
}

TEST(an_adapter_s_rom_is_opened_read_and_closed)
{
	char dir[] = "/tmp/test-rom.XXXXXX";
	_cleanup_free_ void *data = NULL;
	struct romfile_device device;
	uint8_t bytes[7 * BLOCK];
	size_t size;

	make(bytes);
	check_dir(dir);
	device_file(dir, "vendor", "0x15b3\n", 7);
	device_file(dir, "device", "0x1017\n", 7);
	CHECK_INT(romfile_read_device(dir, "0000:3b:00.0", &data, &size, &device), -ENODATA);
	device_file(dir, "rom", "", 0);
	CHECK_INT(romfile_read_device(dir, "0000:3b:00.0", &data, &size, &device), -ENODATA);
	CHECK_STR(written, "1\n0\n");
	device_file(dir, "rom", bytes, sizeof(bytes));
	written[0] = 0;
	CHECK_INT(romfile_read_device(dir, "0000:3b:00.0", &data, &size, &device), 0);
	CHECK_STR(written, "1\n0\n");
	CHECK_INT(size, sizeof(bytes));
	CHECK_MEM(data, bytes, size);
	CHECK_INT(device.vendor, 0x15b3);
	CHECK_INT(device.device, 0x1017);
	free(data);
	data = NULL;
	/* It could be opened and not closed: an error, the node may not be used as it is. */
	written[0] = 0;
	refuse_after = 2;
	CHECK_INT(romfile_read_device(dir, "0000:3b:00.0", &data, &size, &device), -EIO);
	CHECK(!data);
}

TEST(names_that_are_no_pci_address_are_not_looked_up)
{
	static const char *const names[] = {"", "3b:00.0", "../../../../etc", "0000:3b:00.0/",
		"0000/3b/00/0", "000g:3b:00.0", "0000:3b:00.00"};
	struct romfile_device device;
	void *data = NULL;
	size_t size;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		CHECK_INT(romfile_read_device("", names[i], &data, &size, &device), -EINVAL);
	CHECK_INT(romfile_read_device("/nosuch", "0000:3b:00.0", &data, &size, &device), -ENODEV);
}

/* So that the fuzzer starts from what FlexBoot looks like. */
TEST(the_corpus_holds_this_rom)
{
	_cleanup_free_ void *data = NULL;
	uint8_t bytes[7 * BLOCK];
	size_t size;

	make(bytes);
	CHECK_INT(io_read_file("tests/corpus/rom/flexboot", ROM_SIZE_MAX, &data, &size), 0);
	CHECK_INT(size, sizeof(bytes));
	CHECK_MEM(data, bytes, size);
}
