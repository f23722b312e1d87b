// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Images: kind, and the way through an ISO's folders. To keep inputs small the first 32 KiB of an
 * ISO, which it leaves unused, are not part of the input when that does not begin with one of the
 * other marks.
 */
#include <sys/mman.h>

#include "root/image/probe.h"

#define UNUSED 32768

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look(int fd, uint64_t size, uint32_t part, const char *volume)
{
	struct probe p;
	struct iso_file f;

	probe_look(fd, &(struct probe_question){.size = size, .part = part, .volume = volume}, &p);
	if (p.kind >= IMAGE_KIND_MAX || p.inner >= IMAGE_KIND_MAX || p.file.offset > size ||
		p.file.size > size - p.file.offset)
		__builtin_trap();
	if (iso_find(fd, size, "a/b", "c", &f) == 0 && (f.size == 0 || f.offset + f.size > size))
		__builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	bool iso = size > 6 && memcmp(data + 1, "CD001", 5) == 0;

	if (fd < 0)
		fd = memfd_create("image", MFD_CLOEXEC);
	if (ftruncate(fd, 0) < 0 || pwrite(fd, data, size, iso ? UNUSED : 0) != (ssize_t)size)
		return 0;
	look(fd, size + (iso ? UNUSED : 0), 0, NULL);
	look(fd, size + (iso ? UNUSED : 0), 2, NULL);
	look(fd, size + (iso ? UNUSED : 0), 0, "LABEL=root");
	return 0;
}
