// SPDX-License-Identifier: GPL-2.0-or-later
/* A port's P_Key table and RDMA-CM's RoCE version, on trees of plain files. */
#include "check.h"

#include "fabric/fabric.h"
#include "modtree.h"

#define PKEYS "/sys/class/infiniband/mlx5_0/ports/1/pkeys/"
#define ROCE  "/sys/kernel/config/rdma_cm/mlx5_0/ports/2/default_roce_mode"

static const struct fabric_port port1 = {.device = "mlx5_0", .port = 1};
static const struct fabric_port port2 = {.device = "mlx5_0", .port = 2};

static enum fabric_pkey find(const struct modtree *t, uint16_t pkey)
{
	return fabric_find_pkey(&t->env, &port1, pkey, NULL);
}

TEST(pkeys_are_found_whatever_their_membership)
{
	struct modtree t;

	modtree_bare(&t);
	modtree_file(&t, PKEYS "0", "0xffff\n");
	modtree_file(&t, PKEYS "1", "0x0000\n");
	modtree_file(&t, PKEYS "2", "0x0005\n");
	modtree_file(&t, PKEYS "3", "0x8006\n");
	CHECK_INT(find(&t, 0xffff), PKEY_FULL);
	CHECK_INT(find(&t, 0x7fff), PKEY_FULL);
	CHECK_INT(find(&t, 0x8005), PKEY_LIMITED);
	CHECK_INT(find(&t, 0x8006), PKEY_FULL);
	CHECK_INT(find(&t, 0x8007), PKEY_ABSENT);
	/* An empty entry is no partition. */
	CHECK_INT(find(&t, 0x8000), PKEY_ABSENT);
	CHECK_INT(find(&t, 0), PKEY_ABSENT);
}

TEST(full_membership_beats_a_limited_one_before_it)
{
	struct modtree t;

	modtree_bare(&t);
	modtree_file(&t, PKEYS "0", "0x0005\n");
	modtree_file(&t, PKEYS "1", "0x8005\n");
	CHECK_INT(find(&t, 0x8005), PKEY_FULL);
}

TEST(a_port_that_is_gone_has_no_pkeys)
{
	struct modtree t;

	modtree_bare(&t);
	CHECK_INT(find(&t, 0xffff), PKEY_ABSENT);
}

TEST(the_roce_version_is_written_for_the_port)
{
	char text[32];
	struct modtree t;

	modtree_bare(&t);
	modtree_file(&t, ROCE, "");
	CHECK_INT(fabric_set_roce(&t.env, &port2, true), 0);
	CHECK(env_read(&t.env, text, sizeof(text), ROCE) > 0);
	CHECK_STR(text, "RoCE v2");
	modtree_file(&t, ROCE, "");
	CHECK_INT(fabric_set_roce(&t.env, &port2, false), 0);
	CHECK(env_read(&t.env, text, sizeof(text), ROCE) > 0);
	CHECK_STR(text, "IB/RoCE v1");
}

TEST(without_rdma_cm_there_is_nothing_to_set)
{
	struct modtree t;

	modtree_bare(&t);
	CHECK_INT(fabric_set_roce(&t.env, &port2, true), -ENOENT);
}
