// SPDX-License-Identifier: GPL-2.0-or-later
#include "flexboot/romfile.h"

#include <ctype.h>
#include <limits.h>

#include "base/io.h"
#include "flexboot/romtext.h"

/* A device's name is looked up as a path: domain:bus:device.function and nothing else. */
static bool device_name(const char *name)
{
	static const char form[] = "xxxx:xx:xx.x";

	if (strlen(name) != strlen(form))
		return false;
	for (size_t i = 0; form[i]; i++)
		if (form[i] == 'x' ? !isxdigit((unsigned char)name[i]) : name[i] != form[i])
			return false;
	return true;
}

/* read_id: a file that holds "0x15b3". */
static int read_id(int dir, const char *name, uint16_t *ret)
{
	_cleanup_close_ int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	char text[16] = "", *end;
	unsigned long value;

	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
		return -errno;
	value = strtoul(text, &end, 16);
	if (end == text || value > UINT16_MAX)
		return -EBADMSG;
	*ret = (uint16_t)value;
	return 0;
}

/* open_bar: the kernel compares with "0" and two bytes, hence the line feed; all else means on. */
static int open_bar(int fd, bool on)
{
	return pwrite(fd, on ? "1\n" : "0\n", 2, 0) == 2 ? 0 : -errno;
}

static int read_rom(int dir, void **data, size_t *size)
{
	_cleanup_close_ int fd = openat(dir, "rom", O_RDWR | O_CLOEXEC);
	int r, closed;

	if (fd < 0)
		return errno == ENOENT ? -ENODATA : -errno;
	r = open_bar(fd, true);
	if (r < 0)
		return r;
	r = io_read_all(fd, ROM_SIZE_MAX, data, size);
	closed = open_bar(fd, false);
	if (r == 0 && (closed < 0 || *size == 0)) {
		free(*data);
		*data = NULL;
		return closed < 0 ? closed : -ENODATA;
	}
	return r;
}

int romfile_read_device(const char *prefix, const char *name, void **data, size_t *size,
	struct romfile_device *ret)
{
	_cleanup_close_ int dir = -1;
	char path[PATH_MAX];
	int r;

	if (!device_name(name))
		return -EINVAL;
	if (snprintf(path, sizeof(path), "%s/sys/bus/pci/devices/%s", prefix, name) >=
		(int)sizeof(path))
		return -ENAMETOOLONG;
	dir = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return errno == ENOENT ? -ENODEV : -errno;
	r = read_id(dir, "vendor", &ret->vendor);
	if (r == 0)
		r = read_id(dir, "device", &ret->device);
	return r < 0 ? r : read_rom(dir, data, size);
}

const char *romfile_image_name(const struct rom *r, size_t i, char *buf, size_t size)
{
	const struct rom_image *image = &r->images[i];

	if (image->code == ROM_EFI)
		snprintf(
			buf, size, "image-%zu-efi-%s.rom", i + 1, rom_machine_name(image->machine));
	else
		snprintf(buf, size, "image-%zu-%s.rom", i + 1, rom_code_name(image->code));
	for (char *p = buf; *p; p++)
		*p = *p == ' ' ? '-' : (char)tolower((unsigned char)*p);
	return buf;
}

static int write_new(int dir, const char *name, const uint8_t *data, size_t size)
{
	_cleanup_close_ int fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

	return fd < 0 ? -errno : io_write_all(fd, data, size);
}

/* has_pe: there is a PE file to write: uncompressed, and the header's offset lies in the image. */
static bool has_pe(const struct rom_image *image)
{
	return image->code == ROM_EFI && image->compression == 0 && image->efi_offset &&
	       image->efi_offset < image->init_size;
}

int romfile_extract(const struct rom *r, const char *dir, FILE *out, char *failed, size_t size)
{
	_cleanup_close_ int fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);

	snprintf(failed, size, "%s", dir);
	if (fd < 0)
		return -errno;
	for (size_t i = 0; i < r->n_images; i++) {
		const struct rom_image *image = &r->images[i];
		const uint8_t *data = r->data + image->offset;
		int error;

		romfile_image_name(r, i, failed, size);
		error = write_new(fd, failed, data, image->size);
		if (error < 0)
			return error;
		fprintf(out, "%s\n", failed);
		if (!has_pe(image))
			continue;
		memcpy(strrchr(failed, '.'), ".efi", sizeof(".efi"));
		error = write_new(fd, failed, data + image->efi_offset,
			image->init_size - image->efi_offset);
		if (error < 0)
			return error;
		fprintf(out, "%s\n", failed);
	}
	return 0;
}
