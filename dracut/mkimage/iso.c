// SPDX-License-Identifier: GPL-2.0-or-later
#include "iso.h"

#include <sys/stat.h>

#include "pe.h"

#define ISOLINUX "/usr/lib/ISOLINUX/"
#define SYSLINUX "/usr/lib/syslinux/modules/bios/"

/* FAT knows no time before 1980. */
#define FAT_EPOCH 315532800u

#define SECTOR 512u

/* What FAT itself takes: tables, directories, rounding to clusters. */
#define FAT_EXTRA ((size_t)1 << 20)

static bool for_bios(const struct options *opt, const struct kernel *k)
{
	return !opt->no_bios && k->machine == PE_MACHINE_X86_64;
}

void iso_needs(struct needs *list, const struct options *opt, const struct kernel *k)
{
	static const char isolinux[] = "isolinux (--no-bios does without)",
			  syslinux[] = "syslinux-common (likewise)";

	needs_add(list, "mformat", "mtools");
	needs_add(list, "mmd", "mtools");
	needs_add(list, "mcopy", "mtools");
	needs_add(list, "xorriso", "xorriso");
	if (!for_bios(opt, k))
		return;
	needs_add(list, ISOLINUX "isolinux.bin", isolinux);
	needs_add(list, ISOLINUX "isohdpfx.bin", isolinux);
	needs_add(list, SYSLINUX "ldlinux.c32", syslinux);
}

/* copy_file: a file of a package to a scratch file. */
static void copy_file(const char *from, const char *name)
{
	_cleanup_bytes_ struct bytes b = {0};

	need(file_read(from, &b, NULL), from);
	file_new(scratch(name), b.data, b.size);
}

static uint32_t time_of(const struct options *opt)
{
	return opt->mtime > FAT_EPOCH ? opt->mtime : FAT_EPOCH;
}

/* set_times: what mtools and xorriso write as times and numbers follows from this. */
static void set_times(const struct options *opt)
{
	setenv("SOURCE_DATE_EPOCH", path_text("%u", time_of(opt)), 1);
	/* Half hours of the zone would shift FAT's local times. */
	setenv("TZ", "UTC", 1);
	setenv("MTOOLS_SKIP_CHECK", "1", 1);
}

/* make_esp: the FAT file system UEFI starts from. */
static void make_esp(const struct format_input *in, const struct kernel *k, const char *image,
	const struct bytes *uki)
{
	const char *file = scratch("uki.efi"), *serial = path_text("%08x", in->opt->mtime);
	const char *sectors = path_text("%zu", (uki->size + uki->size / 100 + FAT_EXTRA) / SECTOR);
	const char *target = path_text("::/EFI/BOOT/%s", uki_boot_name(k->machine));

	file_new(file, uki->data, uki->size);
	run((const char *const[]){"mformat", "-i", image, "-C", "-h", "16", "-s", "32", "-T",
		    sectors, "-N", serial, "-v", "INITAGENT", "::", NULL},
		true, image);
	run((const char *const[]){"mmd", "-i", image, "::/EFI", "::/EFI/BOOT", NULL}, true, image);
	run((const char *const[]){"mcopy", "-i", image, file, target, NULL}, true, image);
}

/* make_isolinux: what a BIOS starts from. */
static void make_isolinux(const struct format_input *in, const struct kernel *k)
{
	const char *config =
		path_text("DEFAULT initagent\nLABEL initagent\n  KERNEL /boot/vmlinuz\n"
			  "  INITRD /boot/initrd.img\n  APPEND %s\n",
			in->opt->cmdline ? in->opt->cmdline : "");

	copy_file(ISOLINUX "isolinux.bin", "iso/isolinux/isolinux.bin");
	copy_file(SYSLINUX "ldlinux.c32", "iso/isolinux/ldlinux.c32");
	copy_file(ISOLINUX "isohdpfx.bin", "mbr.bin");
	file_new(scratch("iso/isolinux/isolinux.cfg"), config, strlen(config));
	file_new(scratch("iso/boot/vmlinuz"), k->file.data, k->file.size);
	file_new(scratch("iso/boot/initrd.img"), in->initrd.data, in->initrd.size);
}

/* add_args: appends list to argv, which has room. */
static void add_args(const char **argv, const char *const list[])
{
	while (*argv)
		argv++;
	while ((*argv++ = *list++))
		;
}

/*
 * make_iso: xorriso joins the two. The FAT file system is a partition of the stick as well: with a
 * BIOS part by ISOLINUX' own table, which points into the ISO file system, else appended behind it.
 */
static void make_iso(const struct format_input *in, bool bios, const char *out)
{
	/* The scratch directory's own times must not show; "=": seconds since 1970. */
	const char *time = path_text("=%u", time_of(in->opt));
	const char *const common[] = {"xorriso", "-as", "mkisofs", "-quiet", "-R", "-V",
		"INITAGENT", "--set_all_file_dates", time, "-o", out, NULL};
	const char *const for_both[] = {"-b", "isolinux/isolinux.bin", "-c", "isolinux/boot.cat",
		"-no-emul-boot", "-boot-load-size", "4", "-boot-info-table", "-isohybrid-mbr",
		scratch("mbr.bin"), "-eltorito-alt-boot", "-e", "efi.img", "-no-emul-boot",
		"-isohybrid-gpt-basdat", scratch("iso"), NULL};
	const char *const for_uefi[] = {"-e",
		"--interval:appended_partition_2:all::", "-no-emul-boot", "-partition_offset", "16",
		"-appended_part_as_gpt", "-append_partition", "2", "0xef", scratch("efi.img"),
		scratch("iso"), NULL};
	const char *argv[ARRAY_SIZE(common) + ARRAY_SIZE(for_both)] = {NULL};

	add_args(argv, common);
	add_args(argv, bios ? for_both : for_uefi);
	run(argv, true, out);
}

struct bytes iso_build(
	const struct format_input *in, const struct kernel *k, const struct bytes *uki)
{
	bool bios = for_bios(in->opt, k);
	const char *out = scratch("out.iso");
	struct bytes iso = {0};

	set_times(in->opt);
	make_dirs(scratch("iso/boot"));
	make_dirs(scratch("iso/isolinux"));
	make_esp(in, k, scratch(bios ? "iso/efi.img" : "efi.img"), uki);
	if (bios)
		make_isolinux(in, k);
	make_iso(in, bios, out);
	need(file_read(out, &iso, NULL), out);
	return iso;
}
