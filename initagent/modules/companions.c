// SPDX-License-Identifier: GPL-2.0-or-later
/* companions: see companions.h. One row a gap, with its reason. */
#include "modules/companions.h"

static const struct companion companions[] = {
	{"rdma_rxe", "crypto-crc32", COMPANION_BEFORE, false,
		"older rxe asks the crypto layer for crc32 when a link is made", false},
	{"mlx4_core", "mlx4_ib", COMPANION_AFTER, true,
		"mlx4_ib has no alias; mlx4_core asks the kernel's helper for it", true},
	{"mlx4_core", "mlx4_en", COMPANION_AFTER, false,
		"mlx4_en has no alias; mlx4_core asks the kernel's helper for it", true},
	{"mlx5_core", "mlx5_ib", COMPANION_AFTER, true,
		"mlx5_ib has its auxiliary bus alias only since 5.11", false},
	{"bnxt_en", "bnxt_re", COMPANION_AFTER, false,
		"bnxt_re has an auxiliary bus alias on newer kernels only", false},
	{"mana", "mana_ib", COMPANION_AFTER, false, "auxiliary device comes late", false},
	{"cxgb4", "iw_cxgb4", COMPANION_AFTER, false,
		"iw_cxgb4 attaches to cxgb4 by itself and has no alias", false},
	{"qede", "qedr", COMPANION_AFTER, false, "qedr attaches to qede by itself", false},
	{"be2net", "ocrdma", COMPANION_AFTER, false, "ocrdma attaches to be2net by itself", false},
	{"i40e", "i40iw", COMPANION_AFTER, false, "X722 before Linux 5.14", false},
	{"i40e", "irdma", COMPANION_AFTER, false, "irdma serves X722, by the auxiliary bus", false},
	{"ice", "irdma", COMPANION_AFTER, false, "irdma serves E810, by the auxiliary bus", false},
};

const struct companion *companion_next(const char *module, const struct companion *prev)
{
	const struct companion *end = companions + ARRAY_SIZE(companions);

	for (const struct companion *c = prev ? prev + 1 : companions; c < end; c++)
		if (streq(c->module, module))
			return c;
	return NULL;
}
