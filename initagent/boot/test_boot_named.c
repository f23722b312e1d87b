// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Modules that rd.driver.pre= and rd.driver.post= name, in their order; the network alone, beside a
 * root of dracut's; rd.retry= and rd.timeout= beside each other (boot/node.h).
 *
 * first: real time-outs of boots
 */
#include "check.h"

#include "boot/node.h"
#include "netns.h"

static const cJSON *module_row(const struct node *n, const char *name)
{
	const cJSON *m;

	cJSON_ArrayForEach(m, cJSON_GetObjectItem(n->state, "modules"))
		if (streq(text_at(m, "name"), name))
			return m;
	check_fail(__FILE__, __LINE__, "%s", name);
	return NULL;
}

/* When the interface was first seen as a rail. */
static double rail_begin(const struct node *n)
{
	const cJSON *c;

	cJSON_ArrayForEach(c, cJSON_GetObjectItem(n->state, "timeline"))
		if (streq(text_at(c, "room"), "rail"))
			return number_at(c, "s");
	return 0;
}

static void in_order(const struct node *n, const char *const *names)
{
	for (size_t i = 1; names[i]; i++)
		CHECK(number_at(module_row(n, names[i]), "begin_s") >=
			number_at(module_row(n, names[i - 1]), "end_s"));
}

/* nfsv3 takes 2.5 s. Each waits for the one before, the root's own for the last of pre; post does
 * not wait for the root's own, and the interface waits for the last of post. */
TEST(named_modules_keep_their_order)
{
	static const char *const pre[] = {"nfsv3", "ib_srp", "sd_mod", "nfsv4", NULL};
	static const char *const post[] = {"sd_mod", "rpcrdma", "nbd", NULL};
	struct node n;

	wire_up();
	node_open(&n, "root=nfs4:192.0.2.1:/export ip=" NODE " rd.driver.pre=nfsv3,ib_srp "
		      "rd.driver.post=rpcrdma,no_such rd.driver.pre=sd_mod rd.driver.post=nbd");
	CHECK_INT(boot(&n), BOOT_DONE);
	in_order(&n, pre);
	in_order(&n, post);
	CHECK(rail_begin(&n) >= number_at(module_row(&n, "nbd"), "end_s"));
	CHECK_INT(met(&n, "IA-E201"), 1);
	node_close(&n);
}

TEST(a_named_module_that_never_ends_holds_no_boot)
{
	struct node n;

	wire_up();
	node_open(&n, "root=nfs4:192.0.2.1:/export ip=" NODE " rd.driver.post=stuck,nbd");
	CHECK_INT(boot(&n), BOOT_DONE);
	CHECK_INT(met(&n, "IA-E211"), 1);
	CHECK(number_at(module_row(&n, "nbd"), "begin_s") <
		number_at(module_row(&n, "stuck"), "end_s"));
	node_close(&n);
}

/* rd.neednet: a boot of the network alone; the root is mounted by somebody else, as /proc is. */
static enum boot_outcome beside(const char *line, const char *code)
{
	enum boot_outcome outcome;
	struct node n;

	wire_up();
	node_open(&n, line);
	n.args.sysroot = "/proc";
	outcome = boot(&n);
	if (*code)
		CHECK(met(&n, code) > 0);
	if (outcome == BOOT_DONE) {
		const cJSON *rail = cJSON_GetArrayItem(cJSON_GetObjectItem(n.state, "rails"), 0);

		CHECK_STR(text_at(rail, "address"), "192.0.2.2/24");
		CHECK(!cJSON_IsObject(cJSON_GetObjectItem(n.state, "root")));
	}
	node_close(&n);
	return outcome;
}

TEST(the_network_beside_a_root_that_is_not_ours)
{
	CHECK_INT(beside("root=LABEL=x rd.neednet=1 ip=" NODE, ""), BOOT_DONE);
	/* every interface that is named, as dracut; two ip= mean rd.neednet=1 */
	CHECK_INT(beside("root=/dev/sda1 ip=" NODE " ip=eth9:dhcp rd.retry=2", "IA-E401"),
		BOOT_FAILED);
	CHECK_INT(beside("root=LABEL=x ip=" NODE, ""), BOOT_NOT_OURS);
	CHECK_INT(beside("root=LABEL=x rd.neednet=0 ip=" NODE, ""), BOOT_NOT_OURS);
	CHECK_INT(beside("root=LABEL=x netroot=iscsi:192.0.2.1::::iqn.x rd.neednet=1 ip=" NODE, ""),
		BOOT_NOT_OURS);
	CHECK_INT(beside("root=LABEL=x rd.iscsi.firmware=1 rd.neednet=1 ip=" NODE, ""),
		BOOT_NOT_OURS);
	CHECK_INT(beside("root=iscsi:192.0.2.1::::iqn.x rd.neednet=1 ip=" NODE, ""), BOOT_NOT_OURS);
	/* dracut reads the iBFT of its own disks */
	CHECK_INT(beside("root=LABEL=x rd.iscsi.firmware=1 ip=ibft", ""), BOOT_NOT_OURS);
	CHECK_INT(beside("root=LABEL=x rd.neednet=1 ip=ibft", "IA-E108"), BOOT_FAILED);
}

TEST(no_limit_of_the_network_leaves_that_of_the_boot)
{
	expect("root=nfs4:192.0.2.1:/refused ip=" NODE " rd.retry=0 rd.timeout=2", BOOT_FAILED,
		"IA-E704");
	expect("root=nfs4:192.0.2.1:/refused ip=" NODE " rd.retry=2s rd.timeout=0", BOOT_FAILED,
		"IA-E602");
	expect("root=nfs4:192.0.2.1:/export ip=" NODE " rd.retry=-1 rd.timeout=soon", BOOT_DONE,
		"IA-E101");
}
