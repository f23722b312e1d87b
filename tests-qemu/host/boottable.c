// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * boottable nbft|ibft KEY=VALUE...: writes a boot table of firmware to standard output, for QEMU's
 * -acpitable file=. hostnqn= and hostid= are the host's; mac= begins an interface, to which vlan=,
 * addr=, prefix=, gateway=, dns=, dhcp=, hostname= belong; traddr= a namespace, with port=, nqn=,
 * nsid=, uuid=, iface=, flags=, digests=.
 */
#include "boottable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct boottable table;
/* Places before the lists, until mac= and traddr= begin them. */
static struct boottable_iface *iface;
static struct boottable_namespace *space;

static const char *value_of(const char *arg, const char *key)
{
	size_t n = strlen(key);

	return strncmp(arg, key, n) == 0 && arg[n] == '=' ? arg + n + 1 : NULL;
}

#define TEXT(what, key)                                \
	if ((v = value_of(arg, #key)))                 \
	return (what)->key = v, 1
#define NUMBER(what, key)                              \
	if ((v = value_of(arg, #key)))                 \
	return (what)->key = (unsigned int)strtoul(v, NULL, 0), 1

static int take_iface(const char *arg)
{
	const char *v;

	TEXT(iface, addr);
	TEXT(iface, gateway);
	TEXT(iface, dns);
	TEXT(iface, dhcp);
	TEXT(iface, hostname);
	NUMBER(iface, vlan);
	NUMBER(iface, prefix);
	return 0;
}

static int take_namespace(const char *arg)
{
	const char *v;

	TEXT(space, port);
	TEXT(space, nqn);
	TEXT(space, uuid);
	NUMBER(space, nsid);
	NUMBER(space, iface);
	NUMBER(space, flags);
	NUMBER(space, digests);
	return 0;
}

static int take(const char *arg)
{
	const char *v;

	TEXT(&table, hostnqn);
	TEXT(&table, hostid);
	v = value_of(arg, "mac");
	if (v) {
		iface = iface ? iface + 1 : table.ifaces;
		iface->mac = v;
		return 1;
	}
	v = value_of(arg, "traddr");
	if (v) {
		space = space ? space + 1 : table.namespaces;
		space->addr = v;
		return 1;
	}
	return space ? take_namespace(arg) : iface ? take_iface(arg) : 0;
}

int main(int argc, char **argv)
{
	static uint8_t out[BOOTTABLE_MAX];
	size_t len;

	for (int i = 2; i < argc; i++)
		if (!take(argv[i])) {
			fprintf(stderr, "boottable: %s: unknown here\n", argv[i]);
			return 2;
		}
	if (argc < 2 || isatty(STDOUT_FILENO))
		return 2;
	len = strcmp(argv[1], "ibft") == 0 ? boottable_ibft(out, &table)
					   : boottable_nbft(out, &table);
	return fwrite(out, len, 1, stdout) != 1;
}
