// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DNS answers. The first byte chooses the question, the second whether the header is made to fit.
 */
#include "resolver/dns.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = {"nfs.example", "a", "x.y.z.example", "server"};
	struct dns_query q = {.id = 0x1234};
	uint8_t message[1500];
	struct dns_answer a;

	if (size < 2 || size - 2 > sizeof(message))
		return 0;
	q.type = data[0] & 4 ? 28 : 1;
	strscpy(q.name, names[data[0] & 3], sizeof(q.name));
	memcpy(message, data + 2, size - 2);
	if (data[1] && size - 2 >= 6)
		memcpy(message, "\x12\x34\x81\x80\x00\x01", 6);
	dns_parse(&a, &q, message, size - 2);
	if (!dns_answer_sane(&a))
		__builtin_trap();
	return 0;
}
