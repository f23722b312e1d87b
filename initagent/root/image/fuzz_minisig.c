// SPDX-License-Identifier: GPL-2.0-or-later
/* Signature and key files. Nothing that was made up here may verify. */
#include "root/image/minisig.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct minisig_key key = {
		.number = {0, 0xf7, 0x33, 0x3f, 0xfd, 0x85, 0xaf, 0xbc}};
	struct minisig_key parsed;
	struct minisig s;

	if (minisig_parse((const char *)data, size, &s) == 0) {
		if (strlen(s.comment) >= MINISIG_COMMENT_MAX ||
			minisig_verify(&s, &key, 1, "x", 1) >= 0)
			__builtin_trap();
	}
	minisig_key_parse((const char *)data, size, &parsed);
	return 0;
}
