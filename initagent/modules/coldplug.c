// SPDX-License-Identifier: GPL-2.0-or-later
#include "modules/coldplug.h"

#include <fnmatch.h>
#include <limits.h>

#include "modules/catalog.h"
#include "modules/companions.h"

/* Modalias patterns (include/linux/mod_devicetable.h, scripts/mod/file2alias.c). */
static const char *const wanted[] = {
	"pci:*bc02*",		/* network controller, InfiniBand (0207) and fabric (0208) too */
	"pci:*bc0Csc06*",	/* InfiniBand, class of the first adapters */
	"virtio:d00000001v*",	/* virtio-net */
	"platform:virtio-mmio", /* virtio without PCI */
	"acpi:LNRO0005:*",	/* the same, told by ACPI */
	"of:N*Cvirtio,mmio*",	/* the same, told by a device tree */
	/* network controllers of a board; the device tree specification gives them that name */
	"of:Nethernet*",
	/* what such a port is behind: the bus to its PHY chip, SerDes lanes, PCI Express's own */
	"of:Nmdio*", "of:Nphy*", "of:Npcie-phy*",
	"platform:*eth*",	/* the same without device tree */
	/* hns, mvpp2, amd-xgbe, emac, xgene-enet; the buses to the PHY chips of the first two */
	"acpi:HISI00[BC][12]:*", "acpi:MRVL0110:*", "acpi:AMDI8001:*", "acpi:QCOM807[01]:*",
	"acpi:APMC0D*", "acpi:HISI0141:*", "acpi:MRVL010[01]:*",
	/* BlueField's own port, and the pins by which its PHY chip interrupts */
	"acpi:MLNXBF17:*", "acpi:MLNXBF22:*", "acpi:MLNXBF3[34]:*",
	"fsl-mc:*",		/* network objects of Layerscape (DPAA2) */
	"ccw:t3832m*", "ccw:t173[12]m*", /* s390: virtio; OSA and HiperSockets */
	/*
	 * USB adapters: communication class, RNDIS, vendor-specific interfaces. Only behind a host
	 * controller that is built in or asked for (rd.driver.pre=xhci_pci): else each server's BMC
	 * would show its own network interface as one more way.
	 */
	"usb:*ic02*", "usb:*icE0isc01*", "usb:*icFF*",
	"acpi:VM[Bb][Uu][Ss]:*",		/* Hyper-V: the bus of the next three */
	"vmbus:f8615163df3e46c5913ff2d488f965ed", /* Hyper-V network */
	"vmbus:8c2eaf3d32a74b09ab99bd1f1c86b501", /* Hyper-V NetworkDirect (RDMA) */
	"vmbus:44c4f61d444444009d52802e27ede19f", /* Hyper-V PCI pass-through: VFs of adapters */
	"xen:vif", "vio:Tnetwork*",		  /* IBM Power virtual Ethernet */
	"auxiliary:*.rdma*",			  /* RDMA half of mlx5, ice, bnxt, ionic, mana */
	"auxiliary:*.iwarp*",			  /* i40e, ice */
	"auxiliary:*.roce*",			  /* ice */
	"auxiliary:*.eth*",			  /* Ethernet half of mlx5 */
	"auxiliary:*.multiport*",		  /* second port of one mlx5 adapter */
	"mdio:*",				  /* PHY chips on board network ports */
};

static const char *const wanted_disks[] = {
	"pci:*bc01*",	       /* mass storage controller: NVMe, AHCI, SCSI, RAID */
	"virtio:d00000002v*",  /* virtio-blk */
	"virtio:d00000008v*",  /* virtio-scsi */
	"scsi:t-0x00*",	       /* a disk on any of the controllers that speak SCSI */
	"vmbus:d96361baa104294db60572e2ffb1dc7f", /* Hyper-V SCSI */
	"xen:vbd",
};

/* Buses that can carry one of these. */
static const char *const buses[] = {"pci", "virtio", "platform", "fsl-mc", "ccw", "usb", "vmbus",
	"xen", "vio", "auxiliary", "mdio_bus", "scsi"};

static bool matches(const char *const *patterns, size_t n, const char *modalias)
{
	for (size_t i = 0; i < n; i++)
		if (fnmatch(patterns[i], modalias, FNM_NOESCAPE) == 0)
			return true;
	return false;
}

bool coldplug_wants(const char *modalias)
{
	return catalog_valid_alias(modalias) && matches(wanted, ARRAY_SIZE(wanted), modalias);
}

/* Does it matter? Whether it is a disk goes with it. */
static bool judge(bool disks, struct coldplug_device *dev)
{
	dev->disk = disks && catalog_valid_alias(dev->modalias) &&
		matches(wanted_disks, ARRAY_SIZE(wanted_disks), dev->modalias);
	return dev->disk || coldplug_wants(dev->modalias);
}

bool coldplug_has_driver(const struct env *env, const struct coldplug_device *dev)
{
	return env_exists(env, "%s/driver", dev->path);
}

enum cause coldplug_no_driver(const struct env *env, char ret[static COLDPLUG_MADE_SIZE])
{
	char machine[COLDPLUG_MADE_SIZE - sizeof(", made on ")];

	*ret = 0;
	if (env_read(env, machine, sizeof(machine), "/etc/initagent/hostonly") < 0)
		return CAUSE_MODULE_NO_DRIVER;
	snprintf(ret, COLDPLUG_MADE_SIZE, ", made on %s", machine);
	return CAUSE_MODULE_HOSTONLY;
}

bool coldplug_must_have(const struct coldplug_device *dev)
{
	static const char *const optional[] = {"auxiliary:*", "mdio:*", "usb:*", "fsl-mc:*",
		"of:Nmdio*", "of:Nphy*", "of:Npcie-phy*", "acpi:VM*", "acpi:HISI0141:*",
		"acpi:MRVL010[01]:*"};

	return !dev->disk && !matches(optional, ARRAY_SIZE(optional), dev->modalias);
}

/* Does its driver have a half that no alias loads? */
static bool has_companion(const struct env *env, const struct coldplug_device *dev)
{
	char path[PATH_MAX], driver[PATH_MAX] = "";

	if (env_path(env, path, sizeof(path), "%s/driver", dev->path) >= 0 &&
		readlink(path, driver, sizeof(driver) - 1) < 0)
		return false;
	return companion_next(path_last(driver), NULL);
}

/* A wanted device without driver, or with one of two halves: fills ret. */
static bool look_at(const struct env *env, const char *bus, const char *device, bool disks,
	struct coldplug_device *ret)
{
	int len = snprintf(ret->path, sizeof(ret->path), "/sys/bus/%s/devices/%s", bus, device);

	if (len < 0 || (size_t)len >= sizeof(ret->path))
		return false;
	if (env_read(env, ret->modalias, sizeof(ret->modalias), "%s/modalias", ret->path) <= 0)
		return false;
	if (!judge(disks, ret) || (coldplug_has_driver(env, ret) && !has_companion(env, ret)))
		return false;
	(void)strscpy(ret->where, device, sizeof(ret->where));
	return true;
}

struct list {
	struct coldplug_device *rows;
	size_t n, size;
};

/* Room for one more. */
static int grow(struct list *l)
{
	size_t size = l->size ? l->size * 2 : 32;
	struct coldplug_device *rows;

	if (l->n < l->size)
		return 0;
	rows = realloc(l->rows, size * sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	l->rows = rows;
	l->size = size;
	return 0;
}

static int scan_bus(const struct env *env, const char *bus, bool disks, struct list *l)
{
	_cleanup_closedir_ DIR *dir = env_opendir(env, "/sys/bus/%s/devices", bus);
	const struct dirent *d;
	int r = 0;

	while (r == 0 && (d = dir_next(dir))) {
		r = grow(l);
		if (r == 0 && look_at(env, bus, d->d_name, disks, &l->rows[l->n]))
			l->n++;
	}
	return r;
}

static int compare(const void *a, const void *b)
{
	const struct coldplug_device *x = a, *y = b;

	return strcmp(x->where, y->where);
}

int coldplug_scan(const struct env *env, bool disks, struct coldplug_device **ret)
{
	struct list l = {0};
	int r = grow(&l);

	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(buses); i++)
		r = scan_bus(env, buses[i], disks, &l);
	if (r < 0) {
		free(l.rows);
		return r;
	}
	/* readdir's order depends on the file system; ours must not. */
	qsort(l.rows, l.n, sizeof(*l.rows), compare);
	*ret = l.rows;
	return (int)l.n;
}

bool coldplug_from_uevent(const struct uevent *ev, bool disks, struct coldplug_device *ret)
{
	const char *name = strrchr(ev->devpath, '/');

	if (!streq(ev->action, "add") || !name)
		return false;
	(void)strscpy(ret->modalias, ev->modalias, sizeof(ret->modalias));
	if (!judge(disks, ret))
		return false;
	(void)strscpy(ret->where, name + 1, sizeof(ret->where));
	snprintf(ret->path, sizeof(ret->path), "/sys%s", ev->devpath);
	return true;
}
