// SPDX-License-Identifier: GPL-2.0-or-later

#include "link/udev_name.h"

#include <ctype.h>
#include <limits.h>
#include <net/if_arp.h>
#include <stdlib.h>

struct pci {
	unsigned domain, bus, slot, function;
};

/* What a name says: [P<domain>] o<index> | s<slot> | p<bus>s<slot>, [f<function>], and of which
 * port of the function it is: n<name> or d<number>. */
struct place {
	char kind; /* 'o', 's' or 'p' */
	struct pci pci;
	unsigned port;
	const char *port_name; /* NULL: the name has none */
};

/* A letter and its number, if they are next. */
static bool take(const char **s, char letter, unsigned *ret)
{
	char *end;

	if (**s != letter || !isdigit((unsigned char)(*s)[1]))
		return false;
	*ret = (unsigned)strtoul(*s + 1, &end, 10);
	*s = end;
	return true;
}

static bool parse(const char *name, uint16_t hwtype, struct place *ret)
{
	const char *prefix = hwtype == ARPHRD_ETHER	   ? "en"
			     : hwtype == ARPHRD_INFINIBAND ? "ib"
							   : NULL;
	const char *s;

	*ret = (struct place){0};
	if (!prefix || strncmp(name, prefix, 2) != 0)
		return false;
	s = name + 2;
	(void)take(&s, 'P', &ret->pci.domain);
	ret->kind = *s;
	if (*s == 'o') {
		if (!take(&s, 'o', &ret->pci.slot))
			return false;
	} else {
		bool bus = take(&s, 'p', &ret->pci.bus);

		if (!take(&s, 's', &ret->pci.slot) || bus != (ret->kind == 'p'))
			return false;
		(void)take(&s, 'f', &ret->pci.function);
	}
	if (*s == 'n' && s[1])
		ret->port_name = s + 1;
	else
		(void)take(&s, 'd', &ret->port);
	return ret->port_name || !*s;
}

/* The last part of the path, which is cut off; NULL: there is none. */
static char *cut(char *path)
{
	char *last = strrchr(path, '/');

	if (!last)
		return NULL;
	*last = 0;
	return last + 1;
}

static bool is_pci(const char *part, struct pci *ret)
{
	char tail;

	return sscanf(part, "%x:%x:%x.%u%c", &ret->domain, &ret->bus, &ret->slot, &ret->function,
		       &tail) == 4;
}

/* Is the slot of that number the one of the function called part, or of a bridge above it? */
static bool in_slot(const struct env *env, unsigned slot, char *path, const char *part)
{
	char address[32];
	struct pci above;

	if (env_read(env, address, sizeof(address), "/sys/bus/pci/slots/%u/address", slot) <= 0)
		return false;
	for (; part && is_pci(part, &above); part = cut(path))
		if (strncmp(part, address, strlen(address)) == 0)
			return true;
	return false;
}

static bool is_index(const struct env *env, const char *dev, unsigned index)
{
	char text[16];

	/* of ACPI's _DSM, or SMBIOS type 41 */
	if (env_read(env, text, sizeof(text), "/sys/class/net/%s/device/acpi_index", dev) <= 0 &&
		env_read(env, text, sizeof(text), "/sys/class/net/%s/device/index", dev) <= 0)
		return false;
	return strtoul(text, NULL, 10) == index;
}

static bool place_is(const struct env *env, const char *dev, const struct place *want)
{
	char link[PATH_MAX], path[PATH_MAX], *part;
	struct pci at;

	if (env_path(env, link, sizeof(link), "/sys/class/net/%s/device", dev) < 0 ||
		!realpath(link, path))
		return false;
	part = cut(path);
	if (part && strncmp(part, "virtio", strlen("virtio")) == 0)
		part = cut(path);
	if (!part || !is_pci(part, &at))
		return false;
	if (want->kind == 'o')
		return is_index(env, dev, want->pci.slot);
	/* With ARI the slot's number is part of the function's. */
	if (at.domain != want->pci.domain || (at.function != want->pci.function &&
			at.function + 8 * at.slot != want->pci.function))
		return false;
	return want->kind == 'p' ? at.bus == want->pci.bus && at.slot == want->pci.slot
				 : in_slot(env, want->pci.slot, path, part);
}

static unsigned number(const struct env *env, const char *dev, const char *attribute)
{
	char text[16];

	return env_read(env, text, sizeof(text), "/sys/class/net/%s/%s", dev, attribute) > 0
		? (unsigned)strtoul(text, NULL, 0) : 0;
}

/* A name without a port is the uplink's of an embedded switch ("p0"), not that of the port to a
 * virtual function ("pf0vf1"). Of IPoIB some kernels have the number in dev_id. */
static bool port_is(const struct env *env, const struct netdev *dev, const struct place *want)
{
	char name[IFNAMSIZ] = "";
	unsigned port = number(env, dev->name, "dev_port");

	if (!port && dev->hwtype == ARPHRD_INFINIBAND)
		port = number(env, dev->name, "dev_id");
	(void)env_read(env, name, sizeof(name), "/sys/class/net/%s/phys_port_name", dev->name);
	if (want->port_name)
		return streq(want->port_name, name);
	return port == want->port && !strchr(name, 'f');
}

bool udev_name_is(const struct env *env, const struct netdev *dev, const char *name)
{
	struct place want;

	return parse(name, dev->hwtype, &want) && port_is(env, dev, &want) &&
	       place_is(env, dev->name, &want);
}
