// SPDX-License-Identifier: GPL-2.0-or-later
#include "uki.h"

#include "fail.h"
#include "file.h"
#include "pe.h"
#include "spawn.h"

static const struct machine {
	uint16_t machine;
	const char *stub;
	const char *boot_name;
} machines[] = {
	{PE_MACHINE_X86_64, "/usr/lib/systemd/boot/efi/linuxx64.efi.stub", "BOOTX64.EFI"},
	{PE_MACHINE_ARM64, "/usr/lib/systemd/boot/efi/linuxaa64.efi.stub", "BOOTAA64.EFI"},
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

static int load_stub(const struct options *opt, const struct kernel *k, void **data, size_t *size)
{
	const struct machine *m = machine_of(k->machine);
	const char *file = opt->stub ? opt->stub : m ? m->stub : NULL;
	struct pe_info info;
	int r;

	if (!file)
		return refuse("the kernel is for machine %04x: name its EFI stub with STUB=FILE", k->machine);
	r = file_read(file, data, size, NULL);
	if (r == -ENOENT)
		return fail(r, "%s (package systemd-boot-efi)", file);
	if (r < 0)
		return fail(r, "%s", file);
	if (pe_read(*data, *size, &info) < 0)
		return refuse("%s is no EFI stub", file);
	if (info.machine != k->machine)
		return refuse("the EFI stub %s is for machine %04x, the kernel for %04x", file,
			info.machine, k->machine);
	return 0;
}

/* load_release: what a boot menu shows of the image. */
static int load_release(const struct format_input *in, void **data, size_t *size)
{
	const char *kver = source_kver(in->source);
	int n;

	if (in->opt->os_release) {
		int r = file_read(in->opt->os_release, data, size, NULL);

		return r < 0 ? fail(r, "%s", in->opt->os_release) : 0;
	}
	n = asprintf((char **)data,
		"NAME=initagent\nID=initagent\nVERSION_ID=" INITAGENT_VERSION
		"\nPRETTY_NAME=\"initagent " INITAGENT_VERSION ", kernel %s\"\n",
		kver);
	if (n < 0) {
		*data = NULL;
		return fail(-ENOMEM, "os-release");
	}
	*size = (size_t)n;
	return 0;
}

/* sign: sbsign reads and writes files. */
static int sign(const struct format_input *in, void **data, size_t *size)
{
	char from[512], to[512], log[512];
	const char *const argv[] = {"sbsign", "--key", in->opt->sb_key, "--cert", in->opt->sb_cert,
		"--output", to, from, NULL};
	int r;

	snprintf(from, sizeof(from), "%s/unsigned.efi", in->scratch);
	snprintf(to, sizeof(to), "%s/signed.efi", in->scratch);
	r = file_write(from, *data, *size);
	if (r < 0)
		return fail(r, "%s", from);
	snprintf(log, sizeof(log), "%s/log", in->scratch);
	r = spawn_quiet(argv, log);
	if (r < 0)
		return fail(r, "signing with %s and %s (sbsign, package sbsigntool)",
			in->opt->sb_key, in->opt->sb_cert);
	free(*data);
	*data = NULL;
	r = file_read(to, data, size, NULL);
	return r < 0 ? fail(r, "%s", to) : 0;
}

static const char *why(int error)
{
	static const struct {
		int error;
		const char *text;
	} rows[] = {{-EEXIST, "it holds a kernel already"},
		{-ENOSPC, "its header has no room for more sections"},
		{-EACCES, "it is signed"},
		{-EFBIG, "the image would have more than 4 GiB"}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].error == error)
			return rows[i].text;
	return strerror(-error);
}

int uki_build(const struct format_input *in, const struct kernel *k, void **ret, size_t *ret_size)
{
	const char *cmdline = in->opt->cmdline ? in->opt->cmdline : "";
	_cleanup_free_ void *stub = NULL;
	_cleanup_free_ void *osrel = NULL;
	size_t stub_size, osrel_size;
	int r = load_stub(in->opt, k, &stub, &stub_size);

	if (r == 0)
		r = load_release(in, &osrel, &osrel_size);
	if (r < 0)
		return r;
	/* The kernel last and with the memory it asks for: it unpacks itself in place. */
	const struct pe_section sections[] = {
		/* Left out when empty: then the stub takes what the boot loader hands over. */
		{.name = ".cmdline", .data = cmdline, .size = strlen(cmdline)},
		{.name = ".osrel", .data = osrel, .size = osrel_size},
		{.name = ".uname", .data = source_kver(in->source), .size = strlen(source_kver(in->source))},
		{.name = ".initrd", .data = in->initrd, .size = in->initrd_size},
		{.name = ".linux", .data = k->data, .size = k->size, .memory = k->image_size},
	};

	r = pe_append(stub, stub_size, sections + !cmdline[0], ARRAY_SIZE(sections) - !cmdline[0], ret,
		ret_size);
	if (r < 0)
		return refuse("the EFI stub cannot be used: %s", why(r));
	return in->opt->sb_key ? sign(in, ret, ret_size) : 0;
}
