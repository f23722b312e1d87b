// SPDX-License-Identifier: GPL-2.0-or-later
/* Whether a port in INIT waits for a subnet manager to begin, or is left out by one. */
#include "check.h"
#include "fabric/private.h"
#include "madlab.h"
#include "modtree.h"

struct room {
	struct modtree tree;
	struct madlab lab;
	struct mad_client client;
	struct neighbour neighbour;
	struct fabric_port port;
	uint64_t now;
};

static void room_new(struct room *r)
{
	memset(r, 0, sizeof(*r));
	modtree_bare(&r->tree);
	madlab_new(&r->lab);
	mad_client_init(&r->client, &r->tree.env, &r->lab.ops, "mlx5_0", 1);
	neighbour_init(&r->neighbour, &r->tree.env, "mlx5_0/1", &r->client);
	r->port = (struct fabric_port){.name = "mlx5_0/1",
		.link_layer = LINK_LAYER_INFINIBAND,
		.state = PORT_INIT,
		.phys = PHYS_LINK_UP};
	r->now = NSEC_PER_SEC;
}

static void room_free(struct room *r)
{
	mad_client_shut(&r->client);
	madlab_free(&r->lab);
}

/* Asks, and takes the answers, until there is nothing more to do at this time. */
static void turn(struct room *r)
{
	struct mad_result result;

	for (int i = 0; i < 4; i++) {
		neighbour_update(&r->neighbour, &r->port, r->now);
		mad_client_dispatch(&r->client, r->now);
		while (mad_client_pop(&r->client, &result))
			neighbour_take(&r->neighbour, &result, r->now);
	}
}

/* The switch is asked again; silence takes its time. */
static void ask_again(struct room *r)
{
	CHECK(r->neighbour.again > r->now && r->neighbour.again <= r->now + 4 * NSEC_PER_SEC);
	r->now = r->neighbour.again;
	turn(r);
	r->now += NSEC_PER_SEC;
	turn(r);
}

/* took: what there is new to tell is told. */
static bool took(struct room *r)
{
	bool tell = r->neighbour.tell;

	r->neighbour.tell = false;
	return tell;
}

static void waits_for(const struct room *r, const char *what)
{
	struct fabric_port port = r->port;
	char got[200], want[200];

	port.neighbour = r->neighbour.found;
	CHECK_INT(fabric_gate(&port, got, sizeof(got)), CAUSE_PORT_NO_SM);
	snprintf(want, sizeof(want), "mlx5_0/1 LinkUp INIT, %s (cable ends at leaf12 port 17)",
		what);
	CHECK_STR(got, want);
}

TEST(the_switch_says_whether_a_subnet_manager_was_there)
{
	struct room r;

	room_new(&r);
	turn(&r);
	CHECK(neighbour_known(&r.neighbour) && took(&r));
	waits_for(&r, "no subnet manager yet");
	r.lab.switch_sm_lid = 3;
	ask_again(&r);
	CHECK(took(&r));
	waits_for(&r, "no subnet manager yet, but its switch names one at LID 3");
	/* Nothing new, and silence proves nothing. */
	ask_again(&r);
	r.lab.deaf[MAD_SWITCH_PORT] = true;
	ask_again(&r);
	CHECK(!took(&r) && !neighbour_busy(&r.neighbour));
	waits_for(&r, "no subnet manager yet, but its switch names one at LID 3");
	r.lab.deaf[MAD_SWITCH_PORT] = false;
	r.lab.switch_sm_lid = 0;
	ask_again(&r);
	CHECK(took(&r));
	waits_for(&r, "no subnet manager yet");
	CHECK_INT(r.lab.sent[MAD_NODE_INFO], 1);
	room_free(&r);
}

TEST(a_port_that_is_set_up_asks_no_more)
{
	struct room r;

	room_new(&r);
	r.lab.switch_sm_lid = 3;
	turn(&r);
	CHECK(took(&r));
	CHECK_INT(r.neighbour.found.sm_lid, 3);
	r.port.state = PORT_ACTIVE;
	turn(&r);
	CHECK(r.neighbour.again == NSEC_NEVER && !neighbour_busy(&r.neighbour));
	CHECK_INT(r.neighbour.found.sm_lid, 0);
	CHECK_INT(r.lab.sent[MAD_SWITCH_PORT], 1);
	room_free(&r);
}

/* Two nodes back to back, a router, one that keeps silent: its port says nothing of a fabric. */
TEST(only_a_switch_is_asked)
{
	static const enum fabric_node types[] = {
		FABRIC_NODE_UNKNOWN, FABRIC_NODE_CA, FABRIC_NODE_ROUTER};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		struct room r;

		room_new(&r);
		r.lab.neighbour_type = types[i];
		r.lab.deaf[MAD_NODE_INFO] = types[i] == FABRIC_NODE_UNKNOWN;
		turn(&r);
		CHECK_INT(r.neighbour.found.type, types[i]);
		CHECK_INT(r.lab.sent[MAD_SWITCH_PORT], 0);
		CHECK(r.neighbour.again == NSEC_NEVER);
		room_free(&r);
	}
}
