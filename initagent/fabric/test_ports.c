// SPDX-License-Identifier: GPL-2.0-or-later
/* Ports as sysfs shows them, the gate, and GIDs, on trees in tests/fixtures/fabric. */
#include "check.h"
#include "fabric/private.h"

#define TREE(name) "tests/fixtures/fabric/" name

static int scan(const char *tree, struct fabric_port **ret)
{
	const struct env env = {.prefix = tree};

	CHECK(access(tree, F_OK) == 0);
	return ports_scan(&env, ret);
}

static void gate_is(const struct fabric_port *p, enum cause cause, const char *text)
{
	char got[128];

	CHECK_INT(fabric_gate(p, got, sizeof(got)), cause);
	CHECK_STR(got, text);
}

TEST(no_rdma_at_all)
{
	const struct env env = {.prefix = "tests/fixtures/fabric/none"};
	_cleanup_free_ struct fabric_port *p = NULL;

	CHECK_INT(ports_scan(&env, &p), 0);
}

TEST(infiniband_without_subnet_manager)
{
	_cleanup_free_ struct fabric_port *p = NULL;

	CHECK_INT(scan(TREE("mlx5-init"), &p), 1);
	CHECK_STR(p->device, "mlx5_0");
	CHECK_STR(p->name, "mlx5_0/1");
	CHECK_INT(p->link_layer, LINK_LAYER_INFINIBAND);
	CHECK_INT(p->state, PORT_INIT);
	CHECK_INT(p->phys, PHYS_LINK_UP);
	CHECK_STR(p->netdev, "ib0");
	CHECK_STR(p->pci, "0000:3b:00.0");
	CHECK_STR(p->rate, "100 Gb/sec (4X EDR)");
	CHECK(p->guid == UINT64_C(0x0c42a1030065fe2a));
	gate_is(p, CAUSE_PORT_NO_SM, "mlx5_0/1 LinkUp INIT, no subnet manager yet");
}

TEST(infiniband_in_service)
{
	_cleanup_free_ struct fabric_port *p = NULL;

	CHECK_INT(scan(TREE("mlx5-active"), &p), 3);
	CHECK_STR(p[0].name, "mlx5_0/1");
	CHECK_STR(p[1].name, "mlx5_2/1");
	CHECK_STR(p[2].name, "mlx5_10/1");
	CHECK_INT(p[0].lid, 12);
	CHECK_INT(p[0].sm_lid, 1);
	CHECK_STR(p[0].netdev, "ib0");
	/* The port's GUID, not the node's. */
	CHECK(p[0].guid == UINT64_C(0x0c42a1030065fe2b));
	CHECK(p[0].node_guid == UINT64_C(0x0c42a1030065fe2a));
	gate_is(&p[0], CAUSE_NONE, "");
	/* sm_lid keeps its old value while the port is down: it proves nothing. */
	CHECK_INT(p[1].sm_lid, 1);
	gate_is(&p[1], CAUSE_PORT_NO_LINK,
		"mlx5_2/1 Polling DOWN, no link partner: cable out, or its other end off");
	gate_is(&p[2], CAUSE_PORT_DOWN, "mlx5_10/1 LinkUp ARMED, set up, but not activated by "
		"the subnet manager yet");
}

TEST(vpi_adapter_mixes_link_layers)
{
	_cleanup_free_ struct fabric_port *p = NULL;

	CHECK_INT(scan(TREE("mlx4-vpi"), &p), 2);
	CHECK_INT(p[0].link_layer, LINK_LAYER_INFINIBAND);
	CHECK_INT(p[1].link_layer, LINK_LAYER_ETHERNET);
	CHECK_STR(p[0].netdev, "ib0");
	CHECK_STR(p[1].netdev, "eth2");
	CHECK(p[1].guid == UINT64_C(0x0002c90300ef1230));
	/* No LID and no SM on the Ethernet side, and none is waited for. */
	CHECK_INT(p[1].sm_lid, 0);
	gate_is(&p[0], CAUSE_NONE, "");
	gate_is(&p[1], CAUSE_NONE, "");
}

TEST(roce_port)
{
	_cleanup_free_ struct fabric_port *p = NULL;

	CHECK_INT(scan(TREE("roce"), &p), 1);
	CHECK_STR(p->netdev, "ens1f0np0");
	CHECK(!p->iwarp);
	gate_is(p, CAUSE_NONE, "");
}

TEST(soft_roce_port)
{
	_cleanup_free_ struct fabric_port *p = NULL;

	CHECK_INT(scan(TREE("rxe"), &p), 1);
	CHECK_STR(p->netdev, "eth0");
	CHECK_STR(p->pci, "");
	CHECK(p->guid == UINT64_C(0x505400fffe990064));
	gate_is(p, CAUSE_NONE, "");
}

TEST(iwarp_port)
{
	_cleanup_free_ struct fabric_port *p = NULL;

	CHECK_INT(scan(TREE("siw"), &p), 1);
	CHECK(p->iwarp);
	CHECK_STR(p->netdev, "eth0");
}

TEST(omni_path_port)
{
	_cleanup_free_ struct fabric_port *p = NULL;

	CHECK_INT(scan(TREE("hfi1"), &p), 1);
	CHECK_INT(p->lid, 0x10001);
	CHECK_INT(p->link_layer, LINK_LAYER_INFINIBAND);
	gate_is(p, CAUSE_NONE, "");
}

struct gate_row {
	enum link_layer layer;
	enum port_state state;
	enum port_phys phys;
	uint32_t lid, sm_lid;
	enum cause cause;
};

TEST(gate_rows)
{
	static const struct gate_row rows[] = {
		{LINK_LAYER_INFINIBAND, PORT_ACTIVE, PHYS_LINK_UP, 5, 1, CAUSE_NONE},
		{LINK_LAYER_INFINIBAND, PORT_ACTIVE_DEFER, PHYS_LINK_UP, 5, 1, CAUSE_NONE},
		{LINK_LAYER_INFINIBAND, PORT_ACTIVE, PHYS_LINK_UP, 0, 1, CAUSE_PORT_NO_SM},
		{LINK_LAYER_INFINIBAND, PORT_ACTIVE, PHYS_LINK_UP, 0xffff, 1, CAUSE_PORT_NO_SM},
		{LINK_LAYER_INFINIBAND, PORT_ACTIVE, PHYS_LINK_UP, 5, 0, CAUSE_PORT_NO_SM},
		{LINK_LAYER_INFINIBAND, PORT_ACTIVE, PHYS_LINK_UP, 5, 0xffff, CAUSE_PORT_NO_SM},
		/* sm_lid is there before ACTIVE: not enough. */
		{LINK_LAYER_INFINIBAND, PORT_INIT, PHYS_LINK_UP, 5, 1, CAUSE_PORT_NO_SM},
		{LINK_LAYER_INFINIBAND, PORT_STATE_DOWN, PHYS_POLLING, 5, 1, CAUSE_PORT_NO_LINK},
		{LINK_LAYER_INFINIBAND, PORT_STATE_DOWN, PHYS_DISABLED, 0, 0, CAUSE_PORT_DISABLED},
		{LINK_LAYER_INFINIBAND, PORT_STATE_DOWN, PHYS_LINK_UP, 0, 0, CAUSE_PORT_DOWN},
		{LINK_LAYER_INFINIBAND, PORT_STATE_DOWN, PHYS_OFFLINE, 0, 0, CAUSE_PORT_NO_LINK},
		{LINK_LAYER_ETHERNET, PORT_ACTIVE, PHYS_LINK_UP, 0, 0, CAUSE_NONE},
		{LINK_LAYER_ETHERNET, PORT_STATE_DOWN, PHYS_DISABLED, 0, 0, CAUSE_PORT_NO_LINK},
		{LINK_LAYER_ETHERNET, PORT_INIT, PHYS_LINK_UP, 0, 0, CAUSE_PORT_DOWN},
		/* Not known to be Ethernet: the strict rules. */
		{LINK_LAYER_UNKNOWN, PORT_ACTIVE, PHYS_LINK_UP, 0, 0, CAUSE_PORT_NO_SM},
		{LINK_LAYER_INFINIBAND, PORT_NOP, PHYS_UNKNOWN, 0, 0, CAUSE_PORT_DOWN},
	};
	char text[128];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct fabric_port p = {.link_layer = rows[i].layer,
			.state = rows[i].state,
			.phys = rows[i].phys,
			.lid = rows[i].lid,
			.sm_lid = rows[i].sm_lid};

		CHECK_INT(fabric_gate(&p, text, sizeof(text)), rows[i].cause);
	}
}

/* SR-IOV: the port of a function shares the link, but has a state that its host sets (IBTA vol. 1,
 * annex A18; IFLA_VF_LINK_STATE). */
TEST(virtual_function_that_its_host_holds_down)
{
	const struct fabric_port p = {.name = "mlx5_4/1",
		.link_layer = LINK_LAYER_INFINIBAND,
		.state = PORT_STATE_DOWN,
		.phys = PHYS_LINK_UP};
	char text[160];

	CHECK_INT(fabric_gate(&p, text, sizeof(text)), CAUSE_PORT_DOWN);
	CHECK_STR(text, "mlx5_4/1 LinkUp DOWN, not ACTIVE although the link is up: is it a virtual "
			"function that its host holds down?");
}

TEST(state_texts)
{
	CHECK_INT(ports_parse_state("4: ACTIVE", PORT_STATE_MAX), 4);
	CHECK_INT(ports_parse_state("0: NOP", PORT_STATE_MAX), 0);
	CHECK_INT(ports_parse_state("ACTIVE", PORT_STATE_MAX), -EINVAL);
	CHECK_INT(ports_parse_state("4", PORT_STATE_MAX), -EINVAL);
	CHECK_INT(ports_parse_state("6: X", PORT_STATE_MAX), -EINVAL);
	/* hfi1 without a cable; ib_core has no word for that */
	CHECK_INT(ports_parse_state("9: <unknown>", PORT_PHYS_MAX), PHYS_OFFLINE);
	CHECK_INT(ports_parse_state("-1: X", PORT_STATE_MAX), -EINVAL);
	CHECK_INT(ports_parse_state("", PORT_STATE_MAX), -EINVAL);
}

TEST(gid_texts)
{
	static const char *const bad[] = {"", "fe80", "fe80:0000:0000:0000:0c42:a103:0065:fe2",
		"fe80:0000:0000:0000:0c42:a103:0065:fe2ab",
		"fe80:0000:0000:0000:0c42:a103:0065:fe2g", "fe80:0000:0000:0000:0c42:a103:0065",
		"fe80-0000:0000:0000:0c42:a103:0065:fe2a"};
	static const uint8_t want[16] = {
		0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0x0c, 0x42, 0xa1, 0x03, 0, 0x65, 0xfe, 0x2a};
	uint8_t raw[16] = {1};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		CHECK_INT(ports_parse_gid(bad[i], raw), -EINVAL);
	CHECK_INT(raw[0], 1);
	CHECK_INT(ports_parse_gid("fe80:0000:0000:0000:0C42:a103:0065:fe2a", raw), 0);
	CHECK_MEM(raw, want, 16);
}

TEST(gid_of_an_address)
{
	const struct env env = {.prefix = TREE("roce")};
	const struct inet_addr here = {.family = AF_INET, .bytes = {10, 0, 0, 5}};
	const struct inet_addr elsewhere = {.family = AF_INET, .bytes = {10, 0, 0, 6}};
	const struct inet_addr six = {.family = AF_INET6, .bytes = {0xfe, 0x80, 0, 0, 0, 0, 0, 0,
		0x0e, 0x42, 0xa1, 0xff, 0xfe, 0x65, 0xfe, 0x2a}};
	_cleanup_free_ struct fabric_port *p = NULL;

	CHECK_INT(scan(TREE("roce"), &p), 1);
	CHECK(fabric_has_gid(&env, p, &here));
	CHECK(!fabric_has_gid(&env, p, &elsewhere));
	CHECK(fabric_has_gid(&env, p, &six));
}

static char *printed(const char *tree)
{
	const struct env env = {.prefix = tree};
	_cleanup_free_ struct fabric_port *p = NULL;
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	int n = ports_scan(&env, &p);

	CHECK(n >= 0);
	fabric_print_ports(&env, p, (size_t)n, f);
	fclose(f);
	return text;
}

TEST(the_printed_table)
{
	_cleanup_free_ char *text = printed(TREE("mlx4-vpi"));

	CHECK_STR(text,
		"port         link layer  phys     state        LID SM LID LMC GUID                "
		"rate                 firmware      P_Keys\n"
		"mlx4_0/1     InfiniBand  LinkUp   ACTIVE         3      1   0 0002:c903:00ef:1231 "
		"56 Gb/sec (4X FDR)   2.42.5000     -\n"
		"mlx4_0/2     Ethernet    LinkUp   ACTIVE         -      -   - 0002:c903:00ef:1230 "
		"40 Gb/sec (4X QDR)   2.42.5000     -\n");
}

TEST(the_printed_table_names_what_is_missing)
{
	_cleanup_free_ char *init = printed(TREE("mlx5-init")), *none = printed("/nonexistent");

	CHECK(strstr(init, "\n  mlx5_0/1 LinkUp INIT, no subnet manager yet\n"));
	CHECK_STR(none, "no RDMA device\n");
}
