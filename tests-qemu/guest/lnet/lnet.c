// SPDX-License-Identifier: GPL-2.0-or-later
/* Stands in for Lustre's LNet: what its network drivers register with. */
#include <linux/module.h>

void lnet_register_lnd(const char *name);

void lnet_register_lnd(const char *name)
{
	pr_info("lnet: %s\n", name);
}
EXPORT_SYMBOL(lnet_register_lnd);

MODULE_DESCRIPTION("stand-in for LNet");
MODULE_LICENSE("GPL");
