// SPDX-License-Identifier: GPL-2.0-or-later
/* identity: see identity.h. */
#include "site/identity.h"

void identity_lemac(const uint8_t guid[static 8], uint8_t mac[static 6])
{
	memcpy(mac, guid, 3);
	memcpy(mac + 3, guid + 5, 3);
}

size_t identity_bytes(enum site_identity form, const struct site_node *n, const struct site_port *p,
	uint8_t bytes[static IDENTITY_BYTES])
{
	/* RFC 4361: type 255, IAID, DUID. FlexBoot's DUID: type 2, enterprise number 0x2c9. */
	static const uint8_t flexboot[] = {0xff, 0, 0, 0, 0, 0, 2, 0, 0, 2, 0xc9, 0};
	/* DUID type 3 (LL), hardware type 32 */
	static const uint8_t link_layer[] = {0, 3, 0, 0x20};
	static const uint8_t uuid[] = {0, 4};
	size_t len = 0;

	switch (form) {
	case IDENTITY_FLEXBOOT:
		memcpy(bytes, flexboot, sizeof(flexboot));
		memcpy(bytes + sizeof(flexboot), p->guid, 8);
		return sizeof(flexboot) + 8;
	case IDENTITY_IPXE:
		bytes[0] = 1;
		identity_lemac(p->guid, bytes + 1);
		return 7;
	case IDENTITY_HW:
		bytes[0] = 0x20;
		memcpy(bytes + 1, p->guid, 8);
		return 9;
	case IDENTITY_RFC4361:
	case IDENTITY_UUID:
		if (form == IDENTITY_UUID && !n->has_uuid)
			return 0;
		bytes[0] = 0xff;
		memcpy(bytes + 1, p->guid + 4, 4);
		len = 5;
		if (form == IDENTITY_UUID) {
			memcpy(bytes + len, uuid, sizeof(uuid));
			memcpy(bytes + len + sizeof(uuid), n->uuid, 16);
			return len + sizeof(uuid) + 16;
		}
		memcpy(bytes + len, link_layer, sizeof(link_layer));
		memcpy(bytes + len + sizeof(link_layer), p->guid, 8);
		return len + sizeof(link_layer) + 8;
	case IDENTITY_MAX:
		break;
	}
	return 0;
}
