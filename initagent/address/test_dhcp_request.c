// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Who we say we are, on Ethernet, InfiniBand and odd links; and that no request outgrows its
 * buffer.
 */
#include "check.h"
#include "dhcpmsg.h"

#include "address/dhcp_request.h"

TEST(infiniband_identity)
{
	static const struct link_hw hw = {.len = 20, .bytes = {
		0x80, 0, 1, 2, 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0xb8, 0xce, 0xf6, 3, 0, 0x31, 0x33,
			0x3e}};
	struct dhcp_identity id;
	struct dhcp_request r = {.type = DHCP_DISCOVER, .id = &id, .xid = 7};
	uint8_t packet[DHCP_REQUEST_MAX];
	static const uint8_t zero[16];
	const uint8_t *v;
	size_t len, n;

	CHECK_INT(dhcp_identity_make(&id, 32, &hw, NULL, 0), 0);
	n = dhcp_request_encode(&r, packet);
	CHECK_MEM(packet + MSG_HEADERS, "\x01\x20\x00\x00", 4); /* RFC 4390: hlen 0 */
	CHECK_INT(packet[MSG_HEADERS + 10], 0x80);
	CHECK_MEM(packet + MSG_HEADERS + 28, zero, 16);
	v = msg_find(packet, n, 61, &len);
	CHECK_INT(len, 20);
	CHECK_MEM(v, "\xff\0\0\0\0\0\2\0\0\2\xc9\0\xb8\xce\xf6\3\0\x31\x33\x3e", 20);

	CHECK_INT(dhcp_identity_make(&id, 32, &hw, (const uint8_t *)"\x20\1\2", 3), 0);
	dhcp_request_encode(&r, packet);
	CHECK_INT((msg_find(packet, n, 61, &len), len), 3);
	CHECK_INT(id.hlen, 0);
}

TEST(odd_identities)
{
	struct link_hw hw = {0};
	struct dhcp_identity id;
	uint8_t long_id[ADDRESS_CLIENT_ID_MAX + 1] = {0};

	CHECK_INT(dhcp_identity_make(&id, 1, &hw, NULL, 0), -EINVAL);
	hw.len = 6;
	CHECK_INT(dhcp_identity_make(&id, 1, &hw, long_id, sizeof(long_id)), -EINVAL);
	CHECK_INT(dhcp_identity_make(&id, 1, &hw, long_id, sizeof(long_id) - 1), 0);
	hw.len = LINK_HW_MAX;
	CHECK_INT(dhcp_identity_make(&id, 772, &hw, NULL, 0), 0);
	CHECK_INT(id.hlen, 16);
}

TEST(the_longest_request_fits)
{
	static const struct link_hw hw = {.len = 6};
	struct dhcp_identity id;
	uint8_t client_id[ADDRESS_CLIENT_ID_MAX];
	_cleanup_free_ uint8_t *packet = malloc(DHCP_REQUEST_MAX);
	char name[65], class[65];
	struct dhcp_request r = {
		.type = DHCP_REQUEST, .id = &id, .hostname = name, .vendor_class = class,
		.requested = {1}, .server_id = {1}, .ciaddr = {1},
	};
	size_t len, n;

	memset(client_id, 1, sizeof(client_id));
	memset(name, 'n', 64);
	memset(class, 'c', 64);
	name[64] = class[64] = 0;
	CHECK_INT(dhcp_identity_make(&id, 1, &hw, client_id, sizeof(client_id)), 0);
	n = dhcp_request_encode(&r, packet);
	CHECK(n <= DHCP_REQUEST_MAX);
	msg_find(packet, n, 60, &len);
	CHECK_INT(len, 64);
	CHECK_INT(packet[n - 1], 255);
}
