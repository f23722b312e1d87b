// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel.h"

#include "base/cursor.h"
#include "fail.h"
#include "file.h"
#include "pe.h"

/* Documentation/arch/x86/boot.rst: "HdrS" at 0x202, the version's place (less 0x200) at 0x20e. */
enum { BZIMAGE_MAGIC = 0x202, BZIMAGE_VERSION = 0x20e, BZIMAGE_BASE = 0x200 };

void kernel_version(const void *data, size_t size, char *buf, size_t buf_size)
{
	struct cursor c = cursor_make(data, size);
	const uint8_t *magic;
	size_t n = 0, offset;

	buf[0] = 0;
	cursor_skip(&c, BZIMAGE_MAGIC);
	magic = cursor_take(&c, 4);
	cursor_skip(&c, BZIMAGE_VERSION - BZIMAGE_MAGIC - 4);
	offset = cursor_le16(&c);
	if (!magic || memcmp(magic, "HdrS", 4) != 0 || c.failed || offset == 0)
		return;
	c = cursor_make(data, size);
	cursor_skip(&c, BZIMAGE_BASE + offset);
	for (uint8_t byte; n + 1 < buf_size && (byte = cursor_u8(&c)) > ' ' && byte < 0x7f;)
		buf[n++] = (char)byte;
	buf[n] = 0;
}

static int check(struct kernel *k, const struct source *s, const char *name)
{
	struct pe_info info;

	kernel_version(k->data, k->size, k->version, sizeof(k->version));
	if (k->version[0] && !streq(k->version, source_kver(s)))
		return refuse("%s is kernel %s, the modules are of kernel %s", name, k->version,
			source_kver(s));
	if (pe_read(k->data, k->size, &info) < 0)
		return refuse("%s is no kernel with an EFI stub", name);
	k->machine = info.machine;
	k->image_size = info.image_size;
	return 0;
}

static int read_default(struct kernel *k, const struct source *s, char *name, size_t size)
{
	static const char *const places[] = {
		"boot/vmlinuz-%s", "lib/modules/%s/vmlinuz", "usr/lib/modules/%s/vmlinuz"};
	int r = -ENOENT;

	for (size_t i = 0; i < ARRAY_SIZE(places) && r == -ENOENT; i++) {
		snprintf(name, size, places[i], source_kver(s));
		r = source_read_root(s, name, &k->data, &k->size);
	}
	if (r < 0)
		return fail(r, "no kernel %s beside its modules; name one with KERNEL=FILE",
			source_kver(s));
	return 0;
}

int kernel_load(struct kernel *ret, const struct source *s, const char *file)
{
	struct kernel k = {.data = NULL};
	char name[256];
	int r;

	if (file) {
		snprintf(name, sizeof(name), "%s", file);
		r = file_read(file, &k.data, &k.size, NULL);
		if (r < 0)
			return fail(r, "%s", file);
	} else {
		r = read_default(&k, s, name, sizeof(name));
		if (r < 0)
			return r;
	}
	r = check(&k, s, name);
	if (r < 0)
		kernel_done(&k);
	else
		*ret = k;
	return r;
}

void kernel_done(struct kernel *k)
{
	free(k->data);
	k->data = NULL;
}
