// SPDX-License-Identifier: GPL-2.0-or-later
/* The DHCPv6 parser as the parser process runs it: the input is a UDP payload. */
#include "address/parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct parse_request r;
	static struct parse_reply a;

	if (size > sizeof(r.packet))
		return 0;
	r.kind = PARSE_DHCP6;
	r.len = (uint32_t)size;
	memcpy(r.packet, data, size);
	/* what a longer packet left is not to be read */
	memset(r.packet + size, 0xa5, sizeof(r.packet) - size);
	r.iaid = 0;
	parse_packet(&r, &a);
	/* Of another client's IA_NA nothing is read: once more as that client. */
	if (a.dhcp6.other_ia) {
		if (!dhcp6_reply_sane(&a.dhcp6))
			__builtin_trap();
		r.iaid = a.dhcp6.other_iaid;
		parse_packet(&r, &a);
	}
	/* What the parser makes must pass the check its answers are put to. */
	if (!dhcp6_reply_sane(&a.dhcp6))
		__builtin_trap();
	return 0;
}
