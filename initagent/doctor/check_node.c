// SPDX-License-Identifier: GPL-2.0-or-later
/* check_node: why an adapter that is plugged in is no RDMA device. */
#include <dirent.h>
#include <limits.h>

#include "doctor/private.h"
#include "state/state_read.h"
#include "modules/catalog.h"
#include "modules/coldplug.h"
#include "modules/companions.h"
#include "modules/kmsg.h"

/* What the kernel's log says of a module, from its beginning. */
static void kernel_log_search(
	const struct env *env, const char *module, bool failed, struct kmsg_finding *ret)
{
	_cleanup_close_ int fd = kmsg_open(env);

	kmsg_collect(fd, module, failed, KMSG_WHOLE, ret);
}

static void check_row(struct findings *f, const cJSON *row)
{
	enum cause cause = cause_from_code(state_text(row, "cause"));

	if (cause != CAUSE_NONE && *state_text(row, "name"))
		findings_add(f, cause, false, state_text(row, "name"), NULL, "in this boot: %s",
			state_text(row, "text"));
}

/* Modules the agent could not load in this boot; in the state file every field may be missing. */
static void check_ledger(struct findings *f, const struct env *env)
{
	_cleanup_free_ char *buf = NULL;
	const cJSON *row;
	cJSON *top = NULL;

	if (state_read(env, &buf) < 0 || state_parse(buf, &top) < 0)
		return;
	cJSON_ArrayForEach(row, cJSON_GetObjectItem(top, "modules")) check_row(f, row);
	cJSON_Delete(top);
}

#define PCI_DEVICES	   "/sys/bus/pci/devices"
#define PCI_MAX		   4096
/* Class codes of the PCI Code and ID Assignment Specification, base class and sub-class. */
#define CLASS_ETHERNET	   0x0200
#define CLASS_INFINIBAND   0x0207
#define CLASS_FABRIC	   0x0208
#define CLASS_INFINIBAND_1 0x0c06 /* the first adapters: serial bus controller */
#define VENDOR_MELLANOX	   0x15b3 /* its Ethernet controllers are RDMA devices as well */

struct pci {
	char name[64];
	unsigned class, vendor;
	char driver[64]; /* "" : none */
};

static unsigned pci_number(const struct env *env, const char *name, const char *attribute)
{
	return (unsigned)env_number(env, PCI_DEVICES "/%s/%s", name, attribute);
}

static void pci_read(const struct env *env, const char *name, struct pci *ret)
{
	char path[PATH_MAX], target[PATH_MAX];
	ssize_t len;

	*ret = (struct pci){.vendor = pci_number(env, name, "vendor")};
	ret->class = pci_number(env, name, "class") >> 8; /* without the programming interface */
	(void)strscpy(ret->name, name, sizeof(ret->name));
	if (env_path(env, path, sizeof(path), PCI_DEVICES "/%s/driver", name) < 0)
		return;
	len = readlink(path, target, sizeof(target) - 1);
	if (len <= 0)
		return;
	target[len] = 0;
	(void)strscpy(ret->driver, path_last(target), sizeof(ret->driver));
}

static bool is_rdma(const struct pci *d)
{
	return d->class == CLASS_INFINIBAND || d->class == CLASS_FABRIC ||
	       d->class == CLASS_INFINIBAND_1 ||
	       (d->class == CLASS_ETHERNET && d->vendor == VENDOR_MELLANOX);
}

/* Others' Ethernet controllers may be for Ethernet alone, as i40e's X710: while a port is there,
 * that is no finding. */
static bool may_be_rdma(const struct survey *s, const struct pci *d)
{
	return is_rdma(d) || (s->n == 0 && d->class == CLASS_ETHERNET &&
		companion_next(d->driver, NULL));
}

static bool has_port(const struct survey *s, const char *pci)
{
	for (size_t i = 0; i < s->n; i++)
		if (streq(s->ports[i].pci, pci))
			return true;
	return false;
}

/* A driver has the adapter, but created no RDMA device. */
static void check_driven(struct findings *f, const struct env *env, const struct pci *d)
{
	/* Of drivers in two modules the RDMA one is the first companion. */
	const struct companion *row = companion_next(d->driver, NULL);
	const char *half = row ? row->name : NULL;
	struct kmsg_finding words = {.cause = CAUSE_NONE};

	if (half)
		kernel_log_search(env, half, true, &words);
	if (words.cause != CAUSE_NONE)
		findings_add(f, words.cause, true, half, NULL, "%s: %s", d->name, words.text);
	else if (half && !env_exists(env, "/sys/module/%s", half))
		findings_add(f, CAUSE_PORT_NO_HCA, true, d->name, NULL,
			"%s runs on %s, but its RDMA driver %s is not loaded", d->driver, d->name,
				half);
	else
		findings_add(f, CAUSE_PORT_NO_HCA, true, d->name, NULL,
			"%s runs on %s, but made no RDMA device", d->driver, d->name);
}

static void check_pci(struct findings *f, const struct env *env, const struct survey *s)
{
	_cleanup_closedir_ DIR *dir = env_opendir(env, PCI_DEVICES);
	const struct dirent *e;
	unsigned seen = 0;

	while ((e = dir_next(dir)) && seen++ < PCI_MAX) {
		struct pci d;

		pci_read(env, e->d_name, &d);
		if (may_be_rdma(s, &d) && *d.driver && !has_port(s, d.name))
			check_driven(f, env, &d);
	}
}

/* A module stands for the device: is it not loaded, or did it refuse the device? */
static void check_module(struct findings *f, const struct env *env, const struct catalog *c,
	const struct coldplug_device *dev, const struct kmod_module *mod, bool trouble)
{
	const char *name = kmod_module_get_name(mod);
	const char *forbidden = catalog_forbids(c, mod);
	bool live = catalog_present(c, mod);
	struct kmsg_finding words;

	kernel_log_search(env, name, !live, &words);
	if (words.cause != CAUSE_NONE)
		findings_add(f, words.cause, trouble, name, NULL, "%s: %s", dev->where, words.text);
	else if (live)
		findings_add(f, CAUSE_MODULE_PROBE, trouble, dev->where, NULL,
			"%s is loaded but not bound to %s", name, dev->where);
	else if (forbidden)
		findings_add(f, CAUSE_MODULE_BLACKLISTED, trouble, name, NULL, "%s for %s: %s",
			name, dev->where, forbidden);
	else
		findings_add(f, CAUSE_MODULE_FAILED, trouble, name, NULL, "%s for %s is not loaded",
			name, dev->where);
}

/* Why no module stands for a device. */
static const struct {
	enum cause cause;
	const char *what;
} lookups[] = {
	[CATALOG_MISSING] = {CAUSE_MODULE_NO_DRIVER, "no module here serves"},
	[CATALOG_NO_INDEX] = {CAUSE_MODULE_NO_INDEX, "no module index to find a driver for"},
	[CATALOG_BARRED] = {CAUSE_MODULE_BLACKLISTED, "modprobe.d forbids every driver of"},
};

static void check_undriven(struct findings *f, const struct env *env, const struct catalog *c,
	const struct coldplug_device *dev, bool trouble)
{
	struct kmod_list *list = NULL;
	enum catalog_answer answer = catalog_lookup(c, dev->modalias, &list);
	char made[COLDPLUG_MADE_SIZE] = "";

	if (answer == CATALOG_FOUND) {
		struct kmod_module *mod = kmod_module_get_module(list);

		check_module(f, env, c, dev, mod, trouble);
		kmod_module_unref(mod);
	} else {
		enum cause cause = answer == CATALOG_MISSING ? coldplug_no_driver(env, made)
							     : lookups[answer].cause;

		findings_add(f, cause, trouble, dev->where, NULL, "%s %s (%s)%s",
			lookups[answer].what, dev->where, dev->modalias, made);
	}
	kmod_module_unref_list(list);
}

static void check_drivers(struct findings *f, const struct env *env, const struct survey *s)
{
	const struct modules_config cfg = {0};
	_cleanup_free_ struct coldplug_device *devices = NULL;
	_cleanup_(catalog_freep) struct catalog *c = NULL;
	int n = coldplug_scan(env, false, &devices);

	if (n <= 0 || catalog_new(&c, env, &cfg) < 0)
		return;
	for (int i = 0; i < n; i++) {
		struct pci d;

		if (!coldplug_must_have(&devices[i]) || coldplug_has_driver(env, &devices[i]))
			continue;
		/* An unused Ethernet card is no trouble beside a working RDMA port. */
		pci_read(env, devices[i].where, &d);
		check_undriven(f, env, c, &devices[i], s->n == 0 || is_rdma(&d));
	}
}

void check_node(struct findings *f, const struct env *env, const struct survey *s)
{
	check_drivers(f, env, s);
	check_pci(f, env, s);
	check_ledger(f, env);
	if (s->n == 0 && f->n == 0)
		findings_add(f, CAUSE_PORT_NO_HCA, true, "node", NULL,
			"no RDMA adapter on the PCI bus");
	else if (s->n == 0)
		findings_add(f, CAUSE_PORT_NO_HCA, true, "node", NULL,
			"the reason is above");
}
