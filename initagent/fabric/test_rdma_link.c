// SPDX-License-Identifier: GPL-2.0-or-later
/* RDMA links as far as no RDMA module is needed; the rest is proved in a VM. */
#include "check.h"
#include "fabric/rdma_link.h"

TEST(words_the_kernel_could_not_mean)
{
	static const struct {
		const char *name, *type, *netdev, *text;
	} rows[] = {
		{"", "rxe", "eth0", "invalid RDMA device name"},
		{"rxe%d", "rxe", "eth0", "invalid RDMA device name"},
		{"a/b", "rxe", "eth0", "invalid RDMA device name"},
		{"a b", "rxe", "eth0", "invalid RDMA device name"},
		{"rxe0", "", "eth0", "invalid link type"},
		{"rxe0", "../rxe", "eth0", "invalid link type"},
		{"rxe0", "longer-than-any", "eth0", "invalid link type"},
		{"rxe0", "rxe", "", "invalid netdev name"},
		{"rxe0", "rxe", "a-name-over-15-x", "invalid netdev name"},
		{"rxe0", "rxe", "a/b", "invalid netdev name"},
	};
	char text[128];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		CHECK_INT(rdma_link_add(
				  rows[i].name, rows[i].type, rows[i].netdev, text, sizeof(text)),
			-EINVAL);
		CHECK_STR(text, rows[i].text);
	}
}

TEST(without_ib_core)
{
	char text[128];

	if (access("/sys/class/infiniband", F_OK) == 0)
		check_skip("this machine has RDMA modules loaded");
	CHECK_INT(rdma_link_add("rxe0", "rxe", "lo", text, sizeof(text)), -EPROTONOSUPPORT);
	CHECK_STR(text, "the RDMA core (ib_core) is not loaded");
}
