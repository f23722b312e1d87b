// SPDX-License-Identifier: GPL-2.0-or-later
/* DHCP in the whole room: what it does when the carrier comes, and how soon. */
#include "addressroom.h"

#include "report/record.h"
#include "report/report.h"

TEST(the_first_discover_leaves_with_the_carrier)
{
	_cleanup_(room_end) struct room_fixture f;
	uint64_t began;

	room_begin(&f);
	netns_run_in(f.peer, "ip link set vb down");
	room_carrier(&f, false);
	dhcpserver_start(f.peer, "vb", dhcpserver_plain);
	room_start(&f);
	while (room_next(&f, 5 * SEC).cause != CAUSE_NETDEV_NO_CARRIER)
		continue;
	netns_run_in(f.peer, "ip link set vb up");
	room_carrier(&f, true);
	began = room_clock(&f);
	room_until(&f, ADDRESS_CONFIGURED, 5 * SEC);
	CHECK(room_clock(&f) - began < SEC / 2);
}

/* The timeline shows what the agent itself takes from the notice of the carrier to the first
 * packet. */
TEST(the_first_packet_is_on_the_timeline)
{
	_cleanup_(room_end) struct room_fixture f;
	const struct report_work *found = NULL;
	struct report_view view;
	uint64_t began;

	room_begin(&f);
	f.real = true;
	f.skew = 0; /* the end of the span is read from the real clock */
	dhcpserver_start(f.peer, "vb", dhcpserver_plain);
	began = room_clock(&f);
	room_start(&f);
	room_until(&f, ADDRESS_CONFIGURED, 60 * SEC);
	report_view(f.report, &view);
	for (size_t i = 0; i < view.n_works; i++)
		if (streq(view.works[i].what, "first DHCP packet on va"))
			found = &view.works[i];
	CHECK(found);
	CHECK(found->begin >= began && found->end > found->begin);
	CHECK(found->end < room_clock(&f));
}

/* Each later packet's span is the pause before it: about 1 s, then 2 s. */
TEST(the_pauses_between_packets_are_on_the_timeline)
{
	_cleanup_(room_end) struct room_fixture f;
	uint64_t pause[2] = {0};
	struct report_view view;

	room_begin(&f);
	f.cfg.dhcp_limit = 5 * SEC;
	f.cfg.dhcp_rounds = 1;
	room_start(&f);
	room_until(&f, ADDRESS_FAILED, 10 * SEC);
	report_view(f.report, &view);
	for (size_t i = 0; i < view.n_works; i++)
		for (int n = 0; n < 2; n++)
			if (streq(view.works[i].what, n ? "DHCP packet 3 on va"
				: "DHCP packet 2 on va"))
				pause[n] = view.works[i].end - view.works[i].begin;
	CHECK(pause[0] > 800 * NSEC_PER_MSEC && pause[0] < 1600 * NSEC_PER_MSEC);
	CHECK(pause[1] > 1700 * NSEC_PER_MSEC && pause[1] < 3000 * NSEC_PER_MSEC);
}

/* The kernel tells of it in two steps, "down" and "gone"; the agent may look between them. */
TEST(an_interface_that_is_removed_is_gone)
{
	_cleanup_(room_end) struct room_fixture f;
	struct address_event ev;

	room_begin(&f);
	dhcpserver_start(f.peer, "vb", dhcpserver_plain);
	room_start(&f);
	room_until(&f, ADDRESS_CONFIGURED, 5 * SEC);
	netns_run("ip link set va down");
	CHECK_INT(links_dispatch(f.links, room_clock(&f)), 0);
	netns_run("ip link del va");
	addresses_link(f.addresses, f.cfg.ifindex, room_clock(&f));
	ev = room_next(&f, 5 * SEC);
	CHECK_INT(ev.type, ADDRESS_LOST);
	CHECK_INT(ev.cause, CAUSE_NETDEV_MISSING);
}
