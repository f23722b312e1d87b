// SPDX-License-Identifier: GPL-2.0-or-later
/* Discovery log pages: which record is taken, and what is said when none is. */
#include "check.h"

#include "root/block/discovery.h"

#define A "nqn.2024-01.org.example:a"
#define B "nqn.2024-01.org.example:b"
enum { RDMA = 1, TCP = 3 };

static uint8_t page[DISCOVERY_PAGE_MAX];
static size_t records;

static void begin(void)
{
	memset(page, 0, sizeof(page));
	records = 0;
}

/* Texts are padded with spaces, as the specification has it; nvmet pads with zeroes. */
static void pad(uint8_t *at, size_t size, const char *text)
{
	memset(at, ' ', size);
	memcpy(at, text, strlen(text));
}

static uint8_t *add(int transport, const char *address, const char *port, const char *nqn)
{
	uint8_t *r = page + 1024 * ++records;

	page[8] = (uint8_t)records;
	r[0] = (uint8_t)transport;
	r[1] = 1;
	r[2] = 2;
	pad(r + 32, 32, port);
	memcpy(r + 256, nqn, strlen(nqn));
	pad(r + 512, 256, address);
	return r;
}

static unsigned turn;

static struct discovery judge(const char *nqn, bool rdma)
{
	const struct discovery_want want = {nqn, "192.0.2.2", rdma, turn};
	struct discovery d, caged;

	discovery_judge(page, sizeof(page), &want, &d);
	discovery_judge_apart(page, sizeof(page), &want, &caged);
	CHECK_MEM(&d, &caged, sizeof(d));
	return d;
}

TEST(the_only_subsystem_over_the_transport_asked_for)
{
	struct discovery d;

	begin();
	add(TCP, "192.0.2.1", "4421", A);
	add(RDMA, "192.0.2.1", "4420", B);
	d = judge(NULL, false);
	CHECK_INT(d.how, DISCOVERY_FOUND);
	CHECK_STR(d.nqn, A);
	CHECK_STR(d.address, "192.0.2.1");
	CHECK_INT(d.port, 4421);
	CHECK_STR(judge(NULL, true).nqn, B);
}

TEST(the_address_that_was_asked_is_preferred)
{
	begin();
	add(TCP, "192.0.2.1", "4421", A);
	add(TCP, "192.0.2.2", "4422", A);
	CHECK_INT(judge(A, false).port, 4422);
	begin();
	add(TCP, "192.0.2.2", "4422", A);
	add(TCP, "192.0.2.1", "4421", A);
	CHECK_INT(judge(A, false).port, 4422);
}

/* A service knows addresses that this node does not reach, or whose controller has no way to the
 * namespace (ANA): each is tried. */
TEST(the_others_have_their_turn)
{
	static const unsigned ports[] = {4422, 4421, 4422, 4423, 4422, 4422};

	begin();
	add(TCP, "192.0.2.9", "4429", B);
	add(TCP, "192.0.2.1", "4421", A);
	add(TCP, "192.0.2.2", "4422", A);
	add(RDMA, "192.0.2.2", "4420", A);
	add(TCP, "192.0.2.3", "4423", A);
	for (turn = 0; turn < ARRAY_SIZE(ports); turn++)
		CHECK_INT(judge(A, false).port, ports[turn]);
	CHECK_INT(judge(NULL, false).how, DISCOVERY_SEVERAL);
	turn = 7;
	begin();
	add(TCP, "192.0.2.1", "4421", A);
	CHECK_INT(judge(A, false).port, 4421);
	CHECK_INT(judge(B, false).how, DISCOVERY_NONE);
	turn = 0;
}

TEST(several_and_none_are_named)
{
	struct discovery d;

	begin();
	add(TCP, "192.0.2.1", "4421", A);
	add(TCP, "192.0.2.1", "4421", B);
	d = judge(NULL, false);
	CHECK_INT(d.how, DISCOVERY_SEVERAL);
	CHECK_STR(d.text, A ", " B);
	CHECK_STR(judge(B, false).nqn, B);
	d = judge("nqn.other", false);
	CHECK_INT(d.how, DISCOVERY_NONE);
	CHECK_STR(d.text, A ", " B);
	CHECK_INT(judge(A, true).how, DISCOVERY_NONE);
	/* one name that is the beginning of another */
	begin();
	add(TCP, "192.0.2.1", "4421", A "2");
	add(TCP, "192.0.2.1", "4421", A);
	add(TCP, "192.0.2.2", "4421", A);
	CHECK_STR(judge("nqn.other", false).text, A "2, " A);
}

TEST(tls_is_said)
{
	begin();
	add(TCP, "192.0.2.1", "4420", A)[3] = 1;
	CHECK_INT(judge(A, false).how, DISCOVERY_SECURE);
	begin();
	add(TCP, "192.0.2.1", "4420", A)[3] = 2; /* not required */
	CHECK_INT(judge(A, false).how, DISCOVERY_FOUND);
	/* There is a way without, at an address that was not asked; in whatever order. */
	for (int first = 0; first < 2; first++) {
		begin();
		add(TCP, first ? "192.0.2.2" : "192.0.2.1", "4420", A)[3] = (uint8_t)first;
		add(TCP, first ? "192.0.2.1" : "192.0.2.2", "4420", A)[3] = (uint8_t)!first;
		CHECK_STR(judge(A, false).address, "192.0.2.1");
		CHECK_INT(judge(A, false).how, DISCOVERY_FOUND);
	}
}

TEST(records_that_the_kernel_must_not_be_told)
{
	begin();
	add(TCP, "192.0.2.1,hostnqn=x", "4420", A);
	add(TCP, "server", "4420", A);
	add(TCP, "0.0.0.0", "4420", A);
	add(TCP, "127.0.0.1", "4420", A);
	add(TCP, "224.0.0.1", "4420", A);
	add(TCP, "192.0.2.1", "0", A);
	add(TCP, "192.0.2.1", "99999", A);
	add(TCP, "192.0.2.1", "4420", A ",ctrl_loss_tmo=0");
	add(TCP, "192.0.2.1", "4420", "not an nqn");
	add(TCP, "192.0.2.1", "4420", A)[2] = 1; /* another discovery service */
	CHECK_INT(judge(NULL, false).how, DISCOVERY_NONE);
}

TEST(more_records_announced_than_there_are)
{
	const struct discovery_want want = {NULL, "", false, 0};
	struct discovery d;

	begin();
	add(TCP, "192.0.2.1", "4420", A);
	page[8] = page[9] = 0xff;
	CHECK_INT(judge(NULL, false).how, DISCOVERY_FOUND);
	discovery_judge(page, 100, &want, &d);
	CHECK_INT(d.how, DISCOVERY_BAD);
	discovery_judge(page, 1024 + 1000, &want, &d);
	CHECK_INT(d.how, DISCOVERY_NONE);
}
