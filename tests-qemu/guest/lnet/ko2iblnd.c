// SPDX-License-Identifier: GPL-2.0-or-later
/* Stands in for Lustre's InfiniBand driver: needs LNet and ib_core. */
#include <linux/module.h>
#include <rdma/ib_verbs.h>

void lnet_register_lnd(const char *name);

static struct ib_client client = {.name = "ko2iblnd"};

static int __init ko2iblnd_init(void)
{
	int r = ib_register_client(&client);

	if (r == 0)
		lnet_register_lnd("o2ib");
	return r;
}

static void __exit ko2iblnd_exit(void)
{
	ib_unregister_client(&client);
}

module_init(ko2iblnd_init);
module_exit(ko2iblnd_exit);
MODULE_DESCRIPTION("stand-in for Lustre's o2iblnd");
MODULE_LICENSE("GPL");
