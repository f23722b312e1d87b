/* SPDX-License-Identifier: GPL-2.0-or-later */
/* apply: puts a result on its interface through the link room, and takes it off again. */
#pragma once

#include "address/address.h"
#include "report/causes.h"

struct apply_outcome {
	enum cause cause; /* CAUSE_NONE, or the first thing that went wrong */
	char text[192];
	bool adopted; /* the address was there before */
};

/*
 * apply_result: MTU, address, routes, default route. Only a failed address is an error (-errno): a
 * route that cannot be set may not be needed for the root, so it is told in *ret and the rest goes on.
 */
int apply_result(struct links *links, const struct address_result *r, uint32_t metric,
	struct apply_outcome *ret);

/* apply_around: MTU and routes only: the address and the default route are the kernel's doing. */
void apply_around(struct links *links, const struct address_result *r, uint32_t metric,
	struct apply_outcome *ret);

/*
 * apply_metric: the same address and routes with another metric, without a gap. Errors do not matter: what cannot be
 * moved stays where it was, or is gone with its interface.
 */
void apply_metric(struct links *links, const struct address_result *r, uint32_t from, uint32_t to);

/* apply_release: takes routes and address off; errors do not matter, the interface may be gone. */
void apply_release(struct links *links, const struct address_result *r, uint32_t metric);
