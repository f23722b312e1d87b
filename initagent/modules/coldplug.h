/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * coldplug: which devices a network boot needs a driver for: network and RDMA adapters, and what
 * virtual machines put in front of them; disks only where a cache on one is wanted. Graphics and
 * the rest can wait for the real root. It owns the table of modaliases.
 * In: sysfs, kernel uevents. Out: the devices without a driver; whether its absence is a cause.
 * Callers: doctor/. Tests: test_devices.c, fuzz_uevent.c.
 */
#pragma once

#include "base/env.h"
#include "modules/uevent.h"
#include "report/causes.h"

#define MODALIAS_SIZE 256

struct coldplug_device {
	char where[64]; /* its name on the bus: "0000:3b:00.0" */
	char path[512]; /* its folder in sysfs, "/sys/..." */
	char modalias[MODALIAS_SIZE];
	bool disk;	/* nice to have: no driver for it is no news */
};

/* coldplug_wants: whether a device with this modalias, which is no disk, matters here. */
bool coldplug_wants(const char *modalias);

/*
 * coldplug_scan: all devices in sysfs that matter and have no driver yet, or one with companions,
 * which may not be there. The list is the caller's (free()). Returns their number or -ENOMEM; a bus
 * that is not there is just empty.
 */
int coldplug_scan(const struct env *env, bool disks, struct coldplug_device **ret);

/* coldplug_from_uevent: the same for an announcement; false when it is of no interest. */
bool coldplug_from_uevent(const struct uevent *ev, bool disks, struct coldplug_device *ret);

/* coldplug_has_driver: some driver, loaded or built in, has the device by now. */
bool coldplug_has_driver(const struct env *env, const struct coldplug_device *dev);

/*
 * coldplug_no_driver: why the image has none for a device, with ", made on MACHINE" in ret, or "":
 * dracut/70initagent/module-setup.sh names the machine in an image that is for one alone.
 */
#define COLDPLUG_MADE_SIZE 96
enum cause coldplug_no_driver(const struct env *env, char ret[static COLDPLUG_MADE_SIZE]);

/*
 * coldplug_must_have: whether no driver at all is bad news. PHYs have a generic one, parts of an
 * adapter (auxiliary bus) may be served by the driver that made them, and what a USB device or an
 * object of DPAA2 is for, its class does not tell.
 */
bool coldplug_must_have(const struct coldplug_device *dev);
