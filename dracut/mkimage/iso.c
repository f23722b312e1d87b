// SPDX-License-Identifier: GPL-2.0-or-later
#include "iso.h"

#include <sys/stat.h>

#include "fail.h"
#include "file.h"
#include "pe.h"
#include "spawn.h"
#include "uki.h"

#define ISOLINUX "/usr/lib/ISOLINUX/"
#define SYSLINUX "/usr/lib/syslinux/modules/bios/"

/* FAT knows no time before 1980. */
#define FAT_EPOCH 315532800u

#define SECTOR 512u

/* What FAT itself takes: tables, directories, rounding to clusters. */
#define FAT_EXTRA ((size_t)1 << 20)

enum { PATH_SIZE = 512 };

/* below: SCRATCH/iso/NAME or SCRATCH/NAME. */
static const char *below(const struct format_input *in, const char *name, char buf[static PATH_SIZE])
{
	snprintf(buf, PATH_SIZE, "%s/%s", in->scratch, name);
	return buf;
}

static int write_below(const struct format_input *in, const char *name, const void *data, size_t size)
{
	char path[PATH_SIZE];
	int r = file_write(below(in, name, path), data, size);

	return r < 0 ? fail(r, "%s", path) : 0;
}

/* copy: a file of the package, whose name is told when it is not there. */
static int copy(const struct format_input *in, const char *from, const char *package, const char *name)
{
	_cleanup_free_ void *data = NULL;
	size_t size;
	int r = file_read(from, &data, &size, NULL);

	if (r < 0)
		return fail(r, "%s (package %s; --no-bios does without)", from, package);
	return write_below(in, name, data, size);
}

static int run(const struct format_input *in, const char *const argv[], const char *package)
{
	char log[PATH_SIZE];
	int r = spawn_quiet(argv, below(in, "log", log));

	return r < 0 ? fail(r, "%s (package %s)", argv[0], package) : 0;
}

static uint32_t time_of(const struct options *opt)
{
	return opt->mtime > FAT_EPOCH ? opt->mtime : FAT_EPOCH;
}

/* set_times: what mtools and xorriso write as times and numbers follows from this. */
static int set_times(const struct options *opt)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", time_of(opt));
	/* Half hours of the zone would shift FAT's local times. */
	return setenv("SOURCE_DATE_EPOCH", text, 1) < 0 || setenv("TZ", "UTC", 1) < 0 ||
			       setenv("MTOOLS_SKIP_CHECK", "1", 1) < 0
		       ? -errno
		       : 0;
}

/* make_esp: the FAT file system UEFI starts from. */
static int make_esp(const struct format_input *in, const struct kernel *k, const char *name,
	const void *uki, size_t uki_size)
{
	char image[PATH_SIZE], file[PATH_SIZE], sectors[24], serial[16], target[64];
	size_t size = (uki_size + uki_size / 100 + FAT_EXTRA) / SECTOR;
	const char *const format[] = {"mformat", "-i", image, "-C", "-h", "16", "-s", "32", "-T",
		sectors, "-N", serial, "-v", "INITAGENT", "::", NULL};
	const char *const dirs[] = {"mmd", "-i", image, "::/EFI", "::/EFI/BOOT", NULL};
	const char *const put[] = {"mcopy", "-i", image, file, target, NULL};
	int r = write_below(in, "uki.efi", uki, uki_size);

	below(in, name, image);
	below(in, "uki.efi", file);
	snprintf(sectors, sizeof(sectors), "%zu", size);
	snprintf(serial, sizeof(serial), "%08x", in->opt->mtime);
	snprintf(target, sizeof(target), "::/EFI/BOOT/%s", uki_boot_name(k->machine));
	if (r == 0)
		r = run(in, format, "mtools");
	if (r == 0)
		r = run(in, dirs, "mtools");
	return r < 0 ? r : run(in, put, "mtools");
}

static int make_dirs(const struct format_input *in)
{
	static const char *const dirs[] = {"iso", "iso/boot", "iso/isolinux"};
	char path[PATH_SIZE];

	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++)
		if (mkdir(below(in, dirs[i], path), 0755) < 0)
			return fail(-errno, "%s", path);
	return 0;
}

/* make_isolinux: what a BIOS starts from. */
static int make_isolinux(const struct format_input *in, const struct kernel *k)
{
	_cleanup_free_ char *config = NULL;
	int r;

	if (asprintf(&config, "DEFAULT initagent\nLABEL initagent\n  KERNEL /boot/vmlinuz\n"
			      "  INITRD /boot/initrd.img\n  APPEND %s\n",
		    in->opt->cmdline ? in->opt->cmdline : "") < 0)
		return -ENOMEM;
	r = copy(in, ISOLINUX "isolinux.bin", "isolinux", "iso/isolinux/isolinux.bin");
	if (r == 0)
		r = copy(in, SYSLINUX "ldlinux.c32", "syslinux-common", "iso/isolinux/ldlinux.c32");
	if (r == 0)
		r = copy(in, ISOLINUX "isohdpfx.bin", "isolinux", "mbr.bin");
	if (r == 0)
		r = write_below(in, "iso/isolinux/isolinux.cfg", config, strlen(config));
	if (r == 0)
		r = write_below(in, "iso/boot/vmlinuz", k->data, k->size);
	return r < 0 ? r : write_below(in, "iso/boot/initrd.img", in->initrd, in->initrd_size);
}

/*
 * make_iso: xorriso joins the two. The FAT file system is a partition of the stick as well: with a
 * BIOS part by ISOLINUX' own table, which points into the ISO file system, else appended behind it.
 */
static int make_iso(const struct format_input *in, bool bios, char path[static PATH_SIZE])
{
	static const char *const for_bios[] = {"-b", "isolinux/isolinux.bin", "-c", "isolinux/boot.cat",
		"-no-emul-boot", "-boot-load-size", "4", "-boot-info-table", "-isohybrid-mbr"};
	static const char *const for_uefi[] = {"-eltorito-alt-boot", "-e", "efi.img", "-no-emul-boot",
		"-isohybrid-gpt-basdat"};
	static const char *const only_uefi[] = {"-e", "--interval:appended_partition_2:all::",
		"-no-emul-boot", "-partition_offset", "16", "-appended_part_as_gpt",
		"-append_partition", "2", "0xef"};
	const char *argv[40] = {"xorriso", "-as", "mkisofs", "-quiet", "-R", "-V", "INITAGENT",
		"--set_all_file_dates"};
	char mbr[PATH_SIZE], esp[PATH_SIZE], tree[PATH_SIZE], time[16];
	size_t n = 8;

	/* The scratch directory's own times must not show; "=": seconds since 1970. */
	snprintf(time, sizeof(time), "=%u", time_of(in->opt));
	argv[n++] = time;
	argv[n++] = "-o";

	argv[n++] = below(in, "out.iso", path);
	if (bios) {
		for (size_t i = 0; i < ARRAY_SIZE(for_bios); i++)
			argv[n++] = for_bios[i];
		argv[n++] = below(in, "mbr.bin", mbr);
		for (size_t i = 0; i < ARRAY_SIZE(for_uefi); i++)
			argv[n++] = for_uefi[i];
	} else {
		for (size_t i = 0; i < ARRAY_SIZE(only_uefi); i++)
			argv[n++] = only_uefi[i];
		argv[n++] = below(in, "efi.img", esp);
	}
	argv[n++] = below(in, "iso", tree);
	return run(in, argv, "xorriso");
}

int iso_build(const struct format_input *in, const struct kernel *k, const void *uki, size_t uki_size,
	void **ret, size_t *ret_size)
{
	bool bios = !in->opt->no_bios && k->machine == PE_MACHINE_X86_64;
	char path[PATH_SIZE];
	int r = set_times(in->opt);

	if (r == 0)
		r = make_dirs(in);
	if (r == 0)
		r = make_esp(in, k, bios ? "iso/efi.img" : "efi.img", uki, uki_size);
	if (r == 0 && bios)
		r = make_isolinux(in, k);
	if (r == 0)
		r = make_iso(in, bios, path);
	if (r < 0)
		return r;
	r = file_read(path, ret, ret_size, NULL);
	return r < 0 ? fail(r, "%s", path) : 0;
}
