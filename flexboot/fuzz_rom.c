// SPDX-License-Identifier: GPL-2.0-or-later
/* An expansion ROM from anywhere: read, shown, and every image lies in the file. */
#include "flexboot/romfile.h"
#include "flexboot/romtext.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct rom r;
	_cleanup_fclose_ FILE *sink = fopen("/dev/null", "we");
	char name[128];
	size_t at = 0;

	if (!sink)
		return 0;
	if (rom_read(&r, data, size) < 0 && r.n_faults == 0)
		__builtin_trap();
	for (size_t i = 0; i < r.n_images; i++) {
		if (r.images[i].offset != at || r.images[i].size > size - at ||
			r.images[i].init_size > r.images[i].size)
			__builtin_trap();
		at += r.images[i].size;
		romfile_image_name(&r, i, name, sizeof(name));
		if (strchr(name, '/'))
			__builtin_trap();
	}
	rom_fits(&r, ROM_VENDOR_MELLANOX, 0x1017);
	romtext_list(&r, "rom", sink);
	romtext_json(&r, "rom", sink);
	return 0;
}
