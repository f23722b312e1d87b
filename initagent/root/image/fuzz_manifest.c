// SPDX-License-Identifier: GPL-2.0-or-later
/* Manifests: what is taken is sane, and written out it is read as the same again. */
#include "root/image/manifest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_again(const struct manifest *m)
{
	static struct manifest again;
	_cleanup_free_ char *text = NULL;
	const char *why;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (!f || manifest_write(m, f) < 0)
		__builtin_trap();
	fclose(f);
	if (manifest_parse(text, len, &again, &why) < 0 || memcmp(&again, m, sizeof(again)) != 0)
		__builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct manifest m;
	const char *why;
	int r = manifest_parse((const char *)data, size, &m, &why);

	if (r < 0)
		return why && *why ? 0 : (__builtin_trap(), 0);
	if (!manifest_sane(&m))
		__builtin_trap();
	manifest_fits(&m, "6.1.0-13-amd64");
	check_again(&m);
	return 0;
}
