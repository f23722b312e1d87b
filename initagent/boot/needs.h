/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * needs: which kernel modules the plan needs beyond the drivers of the hardware, in the order in which
 * they are wanted. Pure.
 */
#pragma once

#include "plan.h"

/* One module and what cannot be done without it. */
struct need {
	const char *module;
	bool vital;	 /* the boot cannot succeed without it */
	const char *why; /* for messages */
};

#define NEEDS_MAX 16

/*
 * needs_of_plan: fills ret with the protocol modules of the plan (soft RDMA drivers, RPC transport,
 * NFS client). Returns their number. Modules of the NFS versions further down the list are left to the
 * kernel's own request, when and if it comes to them.
 */
size_t needs_of_plan(const struct boot_plan *plan, struct need ret[static NEEDS_MAX]);

/* needs_link_driver: the module that makes software RDMA links of a type (rd.rdma.link=); NULL: known by its alias only. */
const char *needs_link_driver(const char *type);

/* needs_of_block: what a block root needs, with a writable layer or without. The file system's module is known when its content is. */
size_t needs_of_block(const struct plan_block *block, bool overlay, struct need ret[static NEEDS_MAX]);
