// SPDX-License-Identifier: GPL-2.0-or-later
/* addressroom: see addressroom.h. */
#include "addressroom.h"

#include "report/report.h"

#include <poll.h>

/*
 * Time is an argument of the room, so the test's clock stands still, however slow the machine is:
 * only when nothing came over the wire for this long, and no server or worker of the test has
 * something to do, it jumps to the next deadline.
 */
#define QUIET_MS 150
/* Ahead of the real clock, which the room reads where it measures its own work. */
#define AHEAD (3600 * SEC)

static const struct env host = {.prefix = ""};

/* proc(5): the state stands behind the name in parentheses. */
static bool runs(long pid, const char *states)
{
	char text[512];
	const char *state = env_read(&host, text, sizeof(text), "/proc/%ld/stat", pid) > 0
		? strrchr(text, ')') : NULL;

	return state && strchr(states, state[2]);
}

static bool child_runs(long parent, const char *states)
{
	char text[4096] = "", *at = text, *end;

	(void)env_read(&host, text, sizeof(text), "/proc/%ld/task/%ld/children", parent, parent);
	for (long pid; (pid = strtol(at, &end, 10)) > 0; at = end)
		if (runs(pid, states))
			return true;
	return false;
}

/* On a machine with a lot to do a child may be ready for longer than QUIET_MS before its turn, and
 * so may the kernel's threads (ksoftirqd, kworker; their parent is 2), which hand packets on. */
bool room_child_runs(void)
{
	return child_runs(getpid(), "RD") || child_runs(2, "R");
}

uint64_t room_clock(const struct room_fixture *f)
{
	return (f->real ? now_ns() : f->began) + f->skew;
}

void room_begin(struct room_fixture *f)
{
	struct report_config rc = {.kmsg_fd = -1};

	*f = (struct room_fixture){.prefix = "/tmp/ia-address-XXXXXX", .console = {-1, -1},
		.began = now_ns(), .skew = AHEAD};
	netns_enter();
	f->peer = netns_peer();
	netns_veth("va", "vb", f->peer);
	netns_run_in(f->peer, "ip addr add 10.0.0.1/24 dev vb; ip link set vb up");
	/* The far end's queue is active only some time after our end is up: until then it drops
	 * replies. */
	netns_run("ip link set va up");
	netns_run_in(f->peer, "until ip link show vb | grep -q \"state UP\"; do sleep 0.01; done");
	check_dir(f->prefix);
	netns_run("mkdir %s/run %s/etc", f->prefix, f->prefix);
	CHECK_INT(pipe2(f->console, O_NONBLOCK | O_CLOEXEC), 0);
	rc.console_fd = f->console[1];
	CHECK_INT(report_new(&f->report, &rc), 0);
	f->env = (struct env){.prefix = f->prefix, .report = f->report};
	CHECK_INT(links_new(&f->links, &f->env, room_clock(f)), 0);
	CHECK_INT(addresses_new(&f->addresses, &f->env, f->links, room_clock(f)), 0);
	f->cfg.ifindex = links_by_name(f->links, "va")->ifindex;
	f->cfg.method = ADDRESS_DHCP4;
	f->cfg.probe = ADDRESS_PROBE_NONE;
}

void room_end(struct room_fixture *f)
{
	addresses_freep(&f->addresses);
	links_freep(&f->links);
	report_freep(&f->report);
	if (*f->prefix)
		netns_run("rm -r %s", f->prefix);
}

bool room_printed(struct room_fixture *f, const char *what)
{
	size_t have = strlen(f->text);
	ssize_t n = read(f->console[0], f->text + have, sizeof(f->text) - 1 - have);

	f->text[have + (n > 0 ? (size_t)n : 0)] = 0;
	return strstr(f->text, what);
}

static void pass_links(struct room_fixture *f)
{
	struct link_event ev;

	CHECK_INT(links_dispatch(f->links, room_clock(f)), 0);
	while (links_pop_event(f->links, &ev))
		addresses_link(f->addresses, ev.dev.ifindex, room_clock(f));
}

void room_carrier(struct room_fixture *f, bool carrier)
{
	struct pollfd p = {.fd = links_fd(f->links), .events = POLLIN};

	while (links_by_name(f->links, "va")->carrier != carrier) {
		CHECK_INT(poll(&p, 1, 60000), 1);
		pass_links(f);
	}
}

/* Lets time pass until there is input or the clock reaches the given time. */
static void pass_time(struct room_fixture *f, uint64_t to)
{
	struct pollfd p[2] = {{.fd = links_fd(f->links), .events = POLLIN},
		{.fd = addresses_fd(f->addresses), .events = POLLIN}};
	uint64_t now = room_clock(f), left = to > now ? (to - now) / NSEC_PER_MSEC + 1 : 0;
	int quiet = f->real && left < QUIET_MS ? (int)left : QUIET_MS;

	if (poll(p, 2, left ? quiet : 0) == 0 && left && !f->real && !room_child_runs())
		f->skew += to - now;
}

struct address_event room_next(struct room_fixture *f, uint64_t limit)
{
	uint64_t stop = room_clock(f) + limit;
	struct address_event ev;

	while (!addresses_pop_event(f->addresses, &ev)) {
		if (room_clock(f) >= stop) {
			room_printed(f, "");
			check_fail(__FILE__, __LINE__, "no event in time; console:\n%s", f->text);
		}
		pass_time(f, min_u64(stop, addresses_deadline(f->addresses)));
		pass_links(f);
		addresses_dispatch(f->addresses, room_clock(f));
	}
	return ev;
}

struct address_event room_until(
	struct room_fixture *f, enum address_event_type type, uint64_t limit)
{
	uint64_t stop = room_clock(f) + limit;
	struct address_event ev;

	do
		ev = room_next(f, room_clock(f) < stop ? stop - room_clock(f) : 0);
	while (ev.type != type);
	return ev;
}

void room_start(struct room_fixture *f)
{
	CHECK_INT(addresses_add(f->addresses, &f->cfg, room_clock(f)), 0);
}

const struct address_result *room_result(struct room_fixture *f)
{
	const struct address_result *r = addresses_result(f->addresses, f->cfg.ifindex);

	CHECK(r);
	return r;
}

pid_t room_lease(struct room_fixture *f, dhcpserver_fn server, uint64_t limit)
{
	pid_t pid = dhcpserver_start(f->peer, "vb", server);

	room_start(f);
	room_until(f, ADDRESS_CONFIGURED, limit);
	return pid;
}

struct inet_addr room_addr(const char *text)
{
	struct inet_addr a;

	CHECK_INT(value_inet(text, strlen(text), &a), 0);
	return a;
}

void room_restart(struct room_fixture *f)
{
	addresses_freep(&f->addresses);
	links_freep(&f->links);
	CHECK_INT(links_new(&f->links, &f->env, room_clock(f)), 0);
	CHECK_INT(addresses_new(&f->addresses, &f->env, f->links, room_clock(f)), 0);
	room_start(f);
}
