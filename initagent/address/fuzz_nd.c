// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Router advertisement options as the parser process gets them. First byte 0: the rest is the kernel's message, header
 * and all; otherwise it is options that get a right header, so that inputs reach them.
 */
#include "address/guard.h"

#include <linux/rtnetlink.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct guard_request r;
	static struct guard_answer a;
	struct nduseroptmsg head = {.nduseropt_family = 10, .nduseropt_icmp_type = 134};
	size_t offset;

	if (size == 0)
		return 0;
	offset = data[0] ? sizeof(head) : 0;
	if (size - 1 > sizeof(r.packet) - offset)
		return 0;
	r.kind = GUARD_ND;
	r.len = (uint32_t)(size - 1 + offset);
	head.nduseropt_opts_len = (uint16_t)(size - 1);
	memcpy(r.packet, &head, sizeof(head));
	memcpy(r.packet + offset, data + 1, size - 1);
	guard_answer_for(&r, &a);
	if (!nd_options_sane(&a.options))
		__builtin_trap();
	return 0;
}
