// SPDX-License-Identifier: GPL-2.0-or-later
#include "uki.h"

#include <elf.h>

#include "base/cursor.h"
#include "pe.h"

static const struct machine {
	uint16_t machine;
	uint16_t elf; /* the same machine, as ELF files number it */
	const char *stub;
	const char *boot_name;
} machines[] = {
	{PE_MACHINE_X86_64, EM_X86_64, "/usr/lib/systemd/boot/efi/linuxx64.efi.stub",
		"BOOTX64.EFI"},
	{PE_MACHINE_ARM64, EM_AARCH64, "/usr/lib/systemd/boot/efi/linuxaa64.efi.stub",
		"BOOTAA64.EFI"},
};

static const struct machine *machine_of(uint16_t machine)
{
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++)
		if (machines[i].machine == machine)
			return &machines[i];
	return NULL;
}

const char *uki_boot_name(uint16_t machine)
{
	const struct machine *m = machine_of(machine);

	return m ? m->boot_name : "BOOT.EFI";
}

/* Documentation/arch/x86/boot.rst: "HdrS" at 0x202, the version's place (less 0x200) at 0x20e. */
enum { BZIMAGE_MAGIC = 0x202, BZIMAGE_VERSION = 0x20e, BZIMAGE_BASE = 0x200 };

/* kernel_version: the version in a bzImage's header, "" for other formats (arm64). */
static const char *kernel_version(const struct bytes *b)
{
	struct cursor c = cursor_make(b->data, b->size);
	char text[128] = "";
	const uint8_t *magic;
	size_t offset;

	cursor_skip(&c, BZIMAGE_MAGIC);
	magic = cursor_take(&c, 4);
	cursor_skip(&c, BZIMAGE_VERSION - BZIMAGE_MAGIC - 4);
	offset = cursor_le16(&c);
	if (!magic || memcmp(magic, "HdrS", 4) != 0 || c.failed || offset == 0)
		return "";
	c = cursor_make(b->data, b->size);
	cursor_skip(&c, BZIMAGE_BASE + offset);
	for (size_t n = 0; n + 1 < sizeof(text); n++) {
		uint8_t byte = cursor_u8(&c);

		if (byte <= ' ' || byte >= 0x7f)
			break;
		text[n] = (char)byte;
	}
	return path_text("%s", text);
}

/* check_kernel: an arm64 kernel's header has no version to compare, its machine has to do. */
static void check_kernel(const struct pe_info *info, uint16_t machine, const char *name)
{
	const struct machine *m = machine_of(info->machine);

	if (m && m->elf != machine)
		refuse("the kernel %s is for machine %u, the image for machine %u (ELF numbers: "
		       "62 x86-64, 183 arm64)",
			name, m->elf, machine);
}

struct kernel kernel_load(const struct source *s, const char *file, uint16_t machine)
{
	const char *kver = source_kver(s), *name = file, *version;
	const char *const places[] = {path_text("boot/vmlinuz-%s", kver),
		path_text("lib/modules/%s/vmlinuz", kver),
		path_text("usr/lib/modules/%s/vmlinuz", kver)};
	struct kernel k = {0};
	struct pe_info info;
	int r = file ? file_read(file, &k.file, NULL) : -ENOENT;

	if (file)
		need(r, file);
	for (size_t i = 0; i < ARRAY_SIZE(places) && r == -ENOENT; i++)
		r = source_read(s, SOURCE_ROOT, name = places[i], &k.file);
	if (r < 0)
		die(r, "no kernel %s beside its modules: --kernel FILE (make: KERNEL=) names one",
			kver);
	version = kernel_version(&k.file);
	if (version[0] && !streq(version, kver))
		refuse("%s is kernel %s, the modules are of kernel %s", name, version, kver);
	if (pe_read(k.file.data, k.file.size, &info) < 0)
		refuse("%s is not a kernel with an EFI stub", name);
	check_kernel(&info, machine, name);
	k.machine = info.machine;
	k.image_size = info.image_size;
	return k;
}

void kernel_done(struct kernel *k)
{
	bytes_done(&k->file);
}

void uki_needs(struct needs *list, const struct options *opt, const struct kernel *k)
{
	const struct machine *m = machine_of(k->machine);

	if (!opt->stub && m)
		needs_add(list, m->stub, "systemd-boot-efi");
	if (opt->sb_key)
		needs_add(list, "sbsign", "sbsigntool");
}

static struct bytes load_stub(const struct options *opt, const struct kernel *k)
{
	const struct machine *m = machine_of(k->machine);
	const char *file = opt->stub ? opt->stub : m ? m->stub : NULL;
	struct bytes stub = {0};
	struct pe_info info;

	if (!file)
		refuse("the kernel is for machine %04x: --stub FILE (make: STUB=) names its stub",
			k->machine);
	need(file_read(file, &stub, NULL), file);
	if (pe_read(stub.data, stub.size, &info) < 0)
		refuse("%s is not an EFI stub", file);
	if (info.machine != k->machine)
		refuse("the EFI stub %s is for machine %04x, the kernel for %04x", file,
			info.machine, k->machine);
	return stub;
}

/* load_release: what a boot menu shows of the image. */
static struct bytes load_release(const struct format_input *in)
{
	struct bytes b = {0};

	if (in->opt->os_release) {
		need(file_read(in->opt->os_release, &b, NULL), in->opt->os_release);
		return b;
	}
	b.data = must(strdup(path_text("NAME=initagent\nID=initagent\nVERSION_ID="
		INITAGENT_VERSION "\nPRETTY_NAME=\"initagent " INITAGENT_VERSION
		", kernel %s\"\n", source_kver(in->source))));
	b.size = strlen(b.data);
	return b;
}

/* sign: sbsign reads and writes files. */
static void sign(const struct options *opt, struct bytes *image)
{
	const char *from = scratch("unsigned.efi"), *to = scratch("signed.efi");
	const char *const argv[] = {
		"sbsign", "--key", opt->sb_key, "--cert", opt->sb_cert, "--output", to, from, NULL};

	file_new(from, image->data, image->size);
	run(argv, true, path_text("signing with %s and %s", opt->sb_key, opt->sb_cert));
	bytes_done(image);
	need(file_read(to, image, NULL), to);
}

/* why_unfit: pe_append()'s error in words. */
static const char *why_unfit(int error)
{
	switch (error) {
	case -EEXIST: return "it already contains a kernel";
	case -ENOSPC: return "its header has no room for more sections";
	case -EACCES: return "it is signed";
	case -EFBIG: return "the image would have more than 4 GiB";
	default: return strerror(-error);
	}
}

struct bytes uki_build(const struct format_input *in, const struct kernel *k)
{
	const char *cmdline = in->opt->cmdline ? in->opt->cmdline : "",
		   *kver = source_kver(in->source);
	_cleanup_bytes_ struct bytes stub = load_stub(in->opt, k), release = load_release(in);
	/* The kernel last and with the memory it asks for: it unpacks itself in place. */
	const struct pe_section sections[] = {
		/* Left out when empty: then the stub takes what the boot loader hands over. */
		{.name = ".cmdline", .data = cmdline, .size = strlen(cmdline)},
		{.name = ".osrel", .data = release.data, .size = release.size},
		{.name = ".uname", .data = kver, .size = strlen(kver)},
		{.name = ".initrd", .data = in->initrd.data, .size = in->initrd.size},
		{.name = ".linux",
			.data = k->file.data,
			.size = k->file.size,
			.memory = k->image_size},
	};
	size_t skip = !cmdline[0];
	struct bytes uki = {0};
	int r = pe_append(stub.data, stub.size, sections + skip, ARRAY_SIZE(sections) - skip,
		&uki.data, &uki.size);

	if (r < 0)
		refuse("the EFI stub cannot be used: %s", why_unfit(r));
	if (in->opt->sb_key)
		sign(in->opt, &uki);
	return uki;
}
