// SPDX-License-Identifier: GPL-2.0-or-later
/* tables: the P_Key and GID tables of a port, read from sysfs when asked. */
#include "fabric/private.h"

#define CLASS	 "/sys/class/infiniband"
#define PKEY_MAX 65536 /* PartitionCap is 16 bits (IBTA 14.2.5.3) */
#define GID_MAX	 1024  /* the largest tables have 256 entries */

/* False: the end of the table. The membership bit is the highest of 16; 0 is an empty entry. */
static bool read_pkey(
	const struct env *env, const struct fabric_port *port, unsigned i, uint16_t *ret)
{
	char text[16];

	if (i >= PKEY_MAX || env_read(env, text, sizeof(text), CLASS "/%s/ports/%u/pkeys/%u",
				     port->device, port->port, i) < 0)
		return false;
	*ret = (uint16_t)strtoul(text, NULL, 0);
	return true;
}

enum fabric_pkey fabric_find_pkey(const struct env *env, const struct fabric_port *port,
	uint16_t pkey, uint16_t *ret_index)
{
	enum fabric_pkey best = PKEY_ABSENT;
	uint16_t entry;

	for (unsigned i = 0; best != PKEY_FULL && read_pkey(env, port, i, &entry); i++) {
		if (!(entry & 0x7fff) || (entry ^ pkey) & 0x7fff)
			continue;
		best = entry & 0x8000 ? PKEY_FULL : PKEY_LIMITED;
		if (ret_index)
			*ret_index = (uint16_t)i;
	}
	return best;
}

size_t fabric_pkeys(
	const struct env *env, const struct fabric_port *port, uint16_t *ret, size_t max)
{
	uint16_t entry;
	size_t n = 0;

	for (unsigned i = 0; n < max && read_pkey(env, port, i, &entry); i++)
		if (entry & 0x7fff)
			ret[n++] = entry;
	return n;
}

bool fabric_has_gid(
	const struct env *env, const struct fabric_port *port, const struct inet_addr *addr)
{
	uint8_t raw[16] = {[10] = 0xff, [11] = 0xff}, entry[16];
	char text[64];
	int r = 0;

	if (addr->family == AF_INET)
		memcpy(raw + 12, addr->bytes, 4);
	else
		memcpy(raw, addr->bytes, sizeof(raw));
	/* ENOENT: the end of the table. */
	for (unsigned i = 0; r != -ENOENT && i < GID_MAX; i++) {
		r = env_read(env, text, sizeof(text), CLASS "/%s/ports/%u/gids/%u", port->device,
			port->port, i);
		if (r >= 0 && ports_parse_gid(text, entry) == 0 && !memcmp(entry, raw, 16))
			return true;
	}
	return false;
}
