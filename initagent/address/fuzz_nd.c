// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Router advertisement options as the parser process gets them. First byte 0: the rest is the
 * kernel's message, header and all; otherwise it is options that get what the kernel puts around
 * them, so that inputs reach them.
 */
#include "address/parse.h"

#include <linux/rtnetlink.h>

#define ATTRIBUTE_SIZE 20

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct parse_request r;
	static struct parse_reply a;
	struct nduseroptmsg head = {.nduseropt_family = 10, .nduseropt_icmp_type = 134};
	const uint16_t attr[2] = {ATTRIBUTE_SIZE, NDUSEROPT_SRCADDR};
	size_t offset, around;

	if (size == 0)
		return 0;
	offset = data[0] ? sizeof(head) : 0;
	around = data[0] ? sizeof(head) + ATTRIBUTE_SIZE : 0;
	if (size - 1 > sizeof(r.packet) - around)
		return 0;
	memset(&r, 0, sizeof(r));
	r.kind = PARSE_ND;
	r.len = (uint32_t)(size - 1 + around);
	head.nduseropt_opts_len = (uint16_t)(size - 1);
	memcpy(r.packet, &head, sizeof(head));
	memcpy(r.packet + offset, data + 1, size - 1);
	if (data[0])
		memcpy(r.packet + offset + size - 1, attr, sizeof(attr));
	parse_packet(&r, &a);
	if (!nd_options_sane(&a.options))
		__builtin_trap();
	return 0;
}
