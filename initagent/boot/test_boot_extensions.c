// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An image beside the root: what becomes of it keeps no node from booting, and is said. How one is
 * fetched: tests/extensions.bats.
 *
 * first: real time-outs of boots
 */
#include "check.h"

#include "boot/node.h"
#include "netns.h"

#define PULL "rd.systemd.pull=raw,sysext,verify=no::"

TEST(an_extension_whose_server_refuses)
{
	expect("root=nfs4:192.0.2.1:/export ip=" NODE " rd.retry=4 " PULL
		"http://192.0.2.1:8099/a.raw", BOOT_DONE, "IA-E614");
}

TEST(an_extension_whose_server_is_not_there_ends_with_rd_timeout)
{
	struct node n;
	uint64_t began;

	wire_up();
	node_open(&n, "root=nfs4:192.0.2.1:/export ip=" NODE " rd.timeout=8 " PULL
		"http://192.0.2.77:8099/a.raw " PULL "http://192.0.2.77:8099/b.raw");
	began = now_ns();
	CHECK_INT(boot(&n), BOOT_DONE);
	CHECK(now_ns() - began < 30 * NSEC_PER_SEC);
	CHECK_INT(met(&n, "IA-E614"), 2);
	node_close(&n);
}

TEST(an_extension_whose_server_has_no_name)
{
	expect("root=nfs4:192.0.2.1:/export ip=" NODE " rd.retry=4 " PULL
		"http://no.such.test/a.raw", BOOT_DONE, "IA-E614");
}

TEST(an_extension_without_its_proof)
{
	expect("root=nfs4:192.0.2.1:/export ip=" NODE " rd.systemd.pull=raw,sysext::"
		"http://192.0.2.1:8099/a.raw", BOOT_DONE, "IA-E614");
}

/* The agent was killed between the root and what comes beside it. */
TEST(a_root_that_is_adopted_gets_what_is_still_missing)
{
	struct node n;

	wire_up();
	netns_run("ip addr add 192.0.2.2/24 dev veth0; ip link set veth0 up");
	node_open(&n, "root=nfs4:192.0.2.1:/export rd.retry=4 ip=" NODE " " PULL
		"http://192.0.2.1:8099/a.raw");
	modtree_file(&n.tree, "/proc/self/mountinfo",
		"31 1 0:28 / / rw - nfs4 192.0.2.1:/export rw,vers=4.1,proto=tcp,addr=192.0.2.1\n");
	n.args.sysroot = "/";
	CHECK_INT(boot(&n), BOOT_DONE);
	CHECK_INT(met(&n, "IA-E614"), 1);
	node_close(&n);
}
