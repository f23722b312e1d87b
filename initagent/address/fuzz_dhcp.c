// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The DHCP parser as the parser process runs it. First byte 0: the rest is an IP packet; otherwise
 * it is a DHCP message that gets right IP and UDP headers, so that inputs reach the options.
 */
#include "address/parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void wrap(struct parse_request *r)
{
	wire_wrap(r->packet, r->len, (struct in_addr){htonl(0x0a000001)},
		(struct in_addr){htonl(0xffffffff)});
	/* wire_wrap() makes requests: swap the ports, which leaves the checksum as it is. */
	r->packet[21] = WIRE_SERVER_PORT;
	r->packet[23] = WIRE_CLIENT_PORT;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct parse_request r;
	static struct parse_reply a;
	size_t offset;

	if (size == 0)
		return 0;
	offset = data[0] ? WIRE_HEADERS : 0;
	if (size - 1 > sizeof(r.packet) - offset)
		return 0;
	memset(&r, 0, sizeof(r));
	r.kind = PARSE_DHCP4;
	r.verify = 1;
	r.len = (uint32_t)(size - 1 + offset);
	memcpy(r.packet + offset, data + 1, size - 1);
	if (offset)
		wrap(&r);
	parse_packet(&r, &a);
	/* What the parser makes must pass the check its answers are put to. */
	if (!dhcp_reply_sane(&a.dhcp) || (offset && a.dhcp.wire_defect))
		__builtin_trap();
	return 0;
}
