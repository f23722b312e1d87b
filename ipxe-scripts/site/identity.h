/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * identity: the DHCP client identifiers (option 61) under which the boot stages of one InfiniBand
 * port show up at a server. docs/dhcp-infiniband.md tells who sends which.
 */
#pragma once

#include "site/site.h"

/* The longest: type, IAID, DUID type, UUID. */
#define IDENTITY_BYTES 24

/* identity_bytes: the form of this port (with guid); 0 for the uuid of a node without one. */
size_t identity_bytes(enum site_identity form, const struct site_node *n, const struct site_port *p,
	uint8_t bytes[static IDENTITY_BYTES]);

/*
 * identity_lemac: the 48-bit address that iPXE makes of a port GUID and shows as the port's MAC.
 * FlexBoot's own is the same on adapters whose GUID was made of the MAC.
 */
void identity_lemac(const uint8_t guid[static 8], uint8_t mac[static 6]);
