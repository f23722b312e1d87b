// SPDX-License-Identifier: GPL-2.0-or-later

#include "link/udev_name.h"

#include <ctype.h>
#include <limits.h>
#include <net/if_arp.h>
#include <stdlib.h>
#include <strings.h>

#include "value.h"

struct pci {
	unsigned domain, bus, slot, function;
};

/* What a name says: after the prefix [P<domain>], the numbers of its form, and the rest. */
struct want {
	unsigned domain, bus, number, function;
	const char *rest; /* the port and what is below the function; a form without numbers: all */
};

/* Where an interface is: the folder of its device or, above that, of a PCI function. */
struct place {
	char path[PATH_MAX];
	struct pci pci;
	char below[32]; /* the end of the name: USB's u<port>..., v<number> of a virtual function */
	bool usb;
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

static bool find_folder(const struct env *env, const char *dev, const char *below,
	char ret[static PATH_MAX])
{
	char link[PATH_MAX];

	return env_path(env, link, sizeof(link), "/sys/class/net/%s/%s", dev, below) >= 0 &&
	       realpath(link, ret);
}

/* To the folder above; false: there is none. */
static bool go_up(char *path)
{
	char *slash = strrchr(path, '/');

	if (slash)
		*slash = 0;
	return slash;
}

static bool is_pci(const char *path, struct pci *ret)
{
	char tail;

	return sscanf(path_last(path), "%x:%x:%x.%u%c", &ret->domain, &ret->bus, &ret->slot,
		       &ret->function, &tail) == 4;
}

/* dir is a whole path. */
static bool read_number(const char *dir, const char *attribute, unsigned *ret)
{
	char text[16];

	if (env_read(&(struct env){.prefix = ""}, text, sizeof(text), "%s/%s", dir, attribute) <= 0)
		return false;
	*ret = (unsigned)strtoul(text, NULL, 0);
	return true;
}

/* 1-1.2:1.0, a bus and its ports, configuration and interface, into u1u2: what the usual
 * configuration 1 and interface 0 leave. */
static bool name_usb(const char *part, char *ret, size_t size)
{
	const char *dash = strchr(part, '-');
	unsigned config, interface;
	char ports[16], tail;

	if (!dash || sscanf(dash + 1, "%15[0-9.]:%u.%u%c", ports, &config, &interface, &tail) != 3)
		return false;
	for (char *dot = strchr(ports, '.'); dot; dot = strchr(dot, '.'))
		*dot = 'u';
	snprintf(ret, size, "u%s", ports);
	if (config != 1)
		str_add(ret, size, "c%u", config % 1000);
	if (interface)
		str_add(ret, size, "i%u", interface % 1000);
	return true;
}

/* A virtual function is named after its physical one: goes there, if the name's v<number> is the
 * function's; false: it is not. */
static bool go_to_physical(struct place *at, const char *rest)
{
	char link[PATH_MAX + 32], path[PATH_MAX], physical[PATH_MAX];
	const char *v = strrchr(rest, 'v');

	snprintf(link, sizeof(link), "%s/physfn", at->path);
	if (!realpath(link, physical))
		return true;
	if (!v || snprintf(at->below, sizeof(at->below), "%s", v) >= (int)sizeof(at->below))
		return false;
	snprintf(link, sizeof(link), "%s/virtfn%s", physical, v + 1);
	if (!realpath(link, path) || !streq(path, at->path))
		return false;
	strscpy(at->path, physical, sizeof(at->path));
	return true;
}

/* The PCI function that the name begins with; false: none, or another virtual one. */
static bool find_function(const struct env *env, const char *dev, const char *rest,
	struct place *at)
{
	at->below[0] = 0;
	at->usb = false;
	if (!find_folder(env, dev, "device", at->path))
		return false;
	at->usb = name_usb(path_last(at->path), at->below, sizeof(at->below));
	if (strncmp(path_last(at->path), "virtio", strlen("virtio")) == 0)
		(void)go_up(at->path);
	while (at->usb && !is_pci(at->path, &at->pci))
		if (!go_up(at->path))
			return false;
	return is_pci(at->path, &at->pci) && go_to_physical(at, rest) &&
	       is_pci(at->path, &at->pci);
}

/* Is the rest of the name that port's, and what is below the function? A name without a port is
 * the uplink's of an embedded switch ("p0"), not that of the port to a virtual function ("pf0vf1"),
 * which newer schemes call r1. Of IPoIB some kernels have the number in dev_id. */
static bool port_is(const struct env *env, const struct netdev *dev, const char *rest,
	const char *below)
{
	unsigned long port = env_number(env, "/sys/class/net/%s/dev_port", dev->name);
	unsigned number, function;
	size_t len = strlen(rest), tail = strlen(below);
	char want[IFNAMSIZ] = "", name[IFNAMSIZ] = "";
	const char *s = want;

	if (len < tail || len - tail >= sizeof(want) || !streq(rest + len - tail, below))
		return false;
	memcpy(want, rest, len - tail);
	if (!port && dev->hwtype == ARPHRD_INFINIBAND)
		port = env_number(env, "/sys/class/net/%s/dev_id", dev->name);
	(void)env_read(env, name, sizeof(name), "/sys/class/net/%s/phys_port_name", dev->name);
	if (*s == 'n' && s[1])
		return streq(s + 1, name);
	if (take(&s, 'r', &number))
		return !*s && sscanf(name, "pf%*uvf%u", &function) == 1 && number == function;
	number = 0;
	(void)take(&s, 'd', &number);
	return !*s && number == port && !strchr(name, 'f');
}

/* With ARI the slot's number is part of the function's. */
static bool function_is(const struct place *at, const struct want *want)
{
	return at->pci.domain == want->domain && (at->pci.function == want->function ||
			at->pci.function + 8 * at->pci.slot == want->function);
}

static bool onboard_is(const struct env *env, const struct netdev *dev, const struct want *want)
{
	struct place at;
	unsigned index;

	if (!find_function(env, dev->name, want->rest, &at) || at.usb)
		return false;
	/* of ACPI's _DSM, or SMBIOS type 41 */
	if (!read_number(at.path, "acpi_index", &index) && !read_number(at.path, "index", &index))
		return false;
	return index == want->number && port_is(env, dev, want->rest, at.below);
}

/* ACPI's _SUN, of the function or the port above it (schemes since v257), or the hotplug slot of
 * the function or a bridge above it. Schemes differ in which bridges count: here all do. */
static bool slot_is(const struct env *env, const struct netdev *dev, const struct want *want)
{
	char address[32];
	struct place at;
	unsigned sun;
	bool found = false;

	if (!want->number || !find_function(env, dev->name, want->rest, &at) ||
		!function_is(&at, want) || !port_is(env, dev, want->rest, at.below))
		return false;
	if (env_read(env, address, sizeof(address), "/sys/bus/pci/slots/%u/address",
			want->number) <= 0)
		address[0] = 0;
	for (int up = 0; !found && is_pci(at.path, &at.pci); up++) {
		found = (*address && strncmp(path_last(at.path), address, strlen(address)) == 0) ||
			(up < 2 && read_number(at.path, "firmware_node/sun", &sun) &&
				sun == want->number);
		(void)go_up(at.path);
	}
	return found;
}

static bool path_is(const struct env *env, const struct netdev *dev, const struct want *want)
{
	struct place at;

	return find_function(env, dev->name, want->rest, &at) && function_is(&at, want) &&
	       at.pci.bus == want->bus && at.pci.slot == want->number &&
	       port_is(env, dev, want->rest, at.below);
}

/* The alias ethernet<number> of the devicetree has the path of the interface's node: its own or,
 * where only the adapter has one, that. */
static bool alias_is(const struct env *env, const struct netdev *dev, const struct want *want)
{
	char path[PATH_MAX], alias[256], tail[sizeof(alias) + 32];
	size_t len, n;

	if (*want->rest || (!find_folder(env, dev->name, "of_node", path) &&
			!find_folder(env, dev->name, "device/of_node", path)))
		return false;
	if (env_read(env, alias, sizeof(alias), "/sys/firmware/devicetree/base/aliases/ethernet%u",
			want->number) <= 0 &&
		(want->number || env_read(env, alias, sizeof(alias),
			"/sys/firmware/devicetree/base/aliases/ethernet") <= 0))
		return false;
	n = (size_t)snprintf(tail, sizeof(tail), "/devicetree/base%s", alias);
	len = strlen(path);
	return len > n && streq(path + len - n, tail);
}

/* HISI00C2:10, a vendor of three or four characters, model and instance, into ahisic2i16. */
static bool acpi_is(const struct env *env, const struct netdev *dev, const struct want *want)
{
	char path[PATH_MAX], name[48], tail;
	unsigned model, instance;
	const char *id;
	int vendor;

	if (!find_folder(env, dev->name, "device", path))
		return false;
	id = path_last(path);
	vendor = (int)strlen(id) - 7;
	if ((vendor != 3 && vendor != 4) ||
		sscanf(id + vendor, "%4x:%2x%c", &model, &instance, &tail) != 2)
		return false;
	snprintf(name, sizeof(name), "a%.*s%xi%u", vendor, id, model, instance);
	return strcasecmp(name, want->rest) == 0 && go_up(path) &&
		streq(path_last(path), "platform");
}

/* USB that is not PCI's */
static bool usb_is(const struct env *env, const struct netdev *dev, const struct want *want)
{
	struct place at;

	return !find_function(env, dev->name, want->rest, &at) && at.usb &&
	       streq(at.below, want->rest);
}

/* What is made on top of an adapter has its address, but no device. */
static bool address_is(const struct env *env, const struct netdev *dev, const struct want *want)
{
	struct hw_addr hw = {.len = 6};
	char path[PATH_MAX];

	return value_hex(want->rest + 1, strlen(want->rest + 1), hw.bytes, 6) == 0 &&
	       netdev_matches(dev, &hw) && find_folder(env, dev->name, "device", path);
}

/* By the letter after the prefix: the letters of the numbers (p: the bus, f: the function, which
 * may be left out), whether InfiniBand has the form, too, and what such a name means. */
static const struct form {
	char letter;
	bool infiniband;
	char numbers[4];
	bool (*is)(const struct env *env, const struct netdev *dev, const struct want *want);
} forms[] = {
	{'o', true, "o", onboard_is}, {'s', true, "sf", slot_is}, {'p', true, "psf", path_is},
	{'d', false, "d", alias_is},  {'a', false, "", acpi_is},  {'u', false, "", usb_is},
	{'x', false, "", address_is},
};

/* Takes the numbers after the prefix; NULL: no form has them. */
static const struct form *take_numbers(struct want *ret)
{
	const struct form *form = forms;

	(void)take(&ret->rest, 'P', &ret->domain);
	while (form < forms + ARRAY_SIZE(forms) && form->letter != *ret->rest)
		form++;
	if (form == forms + ARRAY_SIZE(forms))
		return NULL;
	for (const char *c = form->numbers; *c; c++) {
		unsigned *to = *c == 'p' ? &ret->bus : *c == 'f' ? &ret->function : &ret->number;
		bool taken = take(&ret->rest, *c, to);

		if (!taken && *c != 'f')
			return NULL;
	}
	return form;
}

static const struct form *parse(const char *name, uint16_t hwtype, struct want *ret)
{
	const char *prefix = hwtype == ARPHRD_ETHER	   ? "en"
			     : hwtype == ARPHRD_INFINIBAND ? "ib"
							   : NULL;
	const struct form *form;

	if (!prefix || strncmp(name, prefix, 2) != 0)
		return NULL;
	*ret = (struct want){.rest = name + 2};
	form = take_numbers(ret);
	return form && (form->infiniband || hwtype == ARPHRD_ETHER) ? form : NULL;
}

bool udev_name_is(const struct env *env, const struct netdev *dev, const char *name)
{
	struct want want;
	const struct form *form = parse(name, dev->hwtype, &want);

	return form && form->is(env, dev, &want);
}
