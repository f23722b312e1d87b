// SPDX-License-Identifier: GPL-2.0-or-later
/* What a router says arrives in pieces: address, routes, and DNS by way of the parser process. */
#include "addressroom.h"

#include "radvert.h"

#define ROUTER "fe80::a1"

/* The parser process has no processor for half a second. */
#define STOP_PARSER                                                                                \
	"for p in $(cat /proc/$PPID/task/$PPID/children); do "                                     \
	"grep -q 'Seccomp:.*2' /proc/$p/status || continue; "                                      \
	"kill -STOP $p; { sleep 0.5; kill -CONT $p; } & done; [ \"$!\" ]"

TEST(the_first_result_has_what_the_router_says_of_dns)
{
	_cleanup_(room_end) struct room_fixture f;
	struct radvert m;

	room_begin(&f);
	netns_run("ip link set va down address 02:00:00:00:00:05; cd /proc/sys/net/ipv6/conf/va; "
		  "echo 0 >accept_dad; echo 0 >router_solicitation_delay; ip link set va up");
	netns_run_in(f.peer, "ip addr add " ROUTER "/64 dev vb nodad");
	f.cfg.method = ADDRESS_AUTO6;
	f.real = true;
	CHECK_INT(links_dispatch(f.links, room_clock(&f)), 0); /* the new hardware address */
	room_start(&f);
	CHECK_INT(system("until ip -6 addr show va | grep -q fe80; do sleep 0.02; done"), 0);
	CHECK_INT(system(STOP_PARSER), 0);
	radvert_begin(&m, ROUTER, 0, 1800);
	radvert_servers(&m, 1200, "2001:db8:a::1");
	radvert_prefix(&m, "2001:db8:7::", 3600, 1800);
	radvert_send(f.peer, "vb", &m, 1);
	room_until(&f, ADDRESS_CONFIGURED, 60 * SEC);
	CHECK_INT(room_result(&f)->n_dns, 1);
}
