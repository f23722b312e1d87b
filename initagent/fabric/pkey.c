// SPDX-License-Identifier: GPL-2.0-or-later
/* pkey: the P_Key table of a port, read from sysfs when asked. */
#include "fabric/fabric.h"
#include "fabric/ports.h"

#define CLASS	 "/sys/class/infiniband"
#define PKEY_MAX 65536 /* PartitionCap is 16 bits (IBTA 14.2.5.3) */

enum fabric_pkey fabric_find_pkey(const struct env *env, const struct fabric_port *port, uint16_t pkey)
{
	enum fabric_pkey best = PKEY_ABSENT;
	char text[16];

	for (unsigned i = 0; i < PKEY_MAX && best != PKEY_FULL; i++) {
		unsigned long entry;

		if (env_read(env, text, sizeof(text), CLASS "/%s/ports/%u/pkeys/%u", port->device, port->port,
			    i) < 0)
			break; /* the end of the table */
		entry = strtoul(text, NULL, 0);
		/* 0 is an empty entry; the membership bit is the highest of 16. */
		if ((entry & 0x7fff) == 0 || (entry & 0x7fff) != (pkey & 0x7fffU))
			continue;
		best = entry & 0x8000 ? PKEY_FULL : PKEY_LIMITED;
	}
	return best;
}

size_t ports_pkeys(const struct env *env, const struct fabric_port *port, uint16_t *ret, size_t max)
{
	char text[16];
	size_t n = 0;

	for (unsigned i = 0; i < PKEY_MAX && n < max; i++) {
		unsigned long entry;

		if (env_read(env, text, sizeof(text), CLASS "/%s/ports/%u/pkeys/%u", port->device, port->port,
			    i) < 0)
			break;
		entry = strtoul(text, NULL, 0);
		if (entry & 0x7fff)
			ret[n++] = (uint16_t)entry;
	}
	return n;
}
