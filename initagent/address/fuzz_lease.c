// SPDX-License-Identifier: GPL-2.0-or-later
/* The saved lease. What is taken must come out again and be taken again, unchanged. */
#include "address/lease_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct address_result first, second;
	char text[LEASE_FILE_MAX];
	struct link_hw hw, again;
	int len;

	if (lease_text_parse((const char *)data, size, &first, &hw) < 0)
		return 0;
	len = lease_text_write(&first, &hw, text);
	if (lease_text_parse(text, (size_t)len, &second, &again) < 0)
		__builtin_trap();
	if (memcmp(&first, &second, sizeof(first)) || hw.len != again.len ||
		memcmp(hw.bytes, again.bytes, hw.len))
		__builtin_trap();
	return 0;
}
