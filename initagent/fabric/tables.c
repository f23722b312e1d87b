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

enum fabric_pkey fabric_find_pkey(
	const struct env *env, const struct fabric_port *port, uint16_t pkey)
{
	enum fabric_pkey best = PKEY_ABSENT;
	uint16_t entry;

	for (unsigned i = 0; best != PKEY_FULL && read_pkey(env, port, i, &entry); i++)
		if (entry & 0x7fff && !((entry ^ pkey) & 0x7fff))
			best = entry & 0x8000 ? PKEY_FULL : PKEY_LIMITED;
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

void fabric_gid_from_ipv4(uint32_t address, uint8_t ret_raw[static 16])
{
	memset(ret_raw, 0, 16);
	ret_raw[10] = ret_raw[11] = 0xff;
	memcpy(ret_raw + 12, &address, 4);
}

static enum gid_type read_type(const struct env *env, const struct fabric_port *p, unsigned index)
{
	char text[32];

	if (env_read(env, text, sizeof(text), CLASS "/%s/ports/%u/gid_attrs/types/%u", p->device,
		    p->port, index) > 0 &&
		streq(text, "RoCE v2"))
		return GID_ROCE_V2;
	return GID_IB_ROCE_V1;
}

static void fill(const struct env *env, const struct fabric_port *p, unsigned index,
	const uint8_t raw[static 16], struct fabric_gid *ret)
{
	ret->index = index;
	ret->type = read_type(env, p, index);
	memcpy(ret->raw, raw, sizeof(ret->raw));
	/* Empty entries and InfiniBand give EINVAL here. */
	if (env_read(env, ret->netdev, sizeof(ret->netdev), CLASS "/%s/ports/%u/gid_attrs/ndevs/%u",
		    p->device, p->port, index) < 0)
		ret->netdev[0] = 0;
}

int fabric_find_gid(const struct env *env, const struct fabric_port *port,
	const uint8_t raw[static 16], struct fabric_gid *ret)
{
	struct fabric_gid gid;
	uint8_t entry[16];
	bool found = false;
	char text[64];

	for (unsigned i = 0; i < GID_MAX; i++) {
		int r = env_read(env, text, sizeof(text), CLASS "/%s/ports/%u/gids/%u",
			port->device, port->port, i);

		if (r == -ENOENT)
			break; /* the end of the table */
		if (r < 0 || ports_parse_gid(text, entry) < 0 || memcmp(entry, raw, 16) != 0)
			continue;
		fill(env, port, i, entry, &gid);
		if (!found || gid.type == GID_ROCE_V2)
			*ret = gid;
		found = true;
		if (gid.type == GID_ROCE_V2)
			break;
	}
	return found ? 0 : -ENOENT;
}
