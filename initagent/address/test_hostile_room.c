// SPDX-License-Identifier: GPL-2.0-or-later
/* Malformed replies by the thousand, and a parser process that dies. */
#include "addressroom.h"

#include <signal.h>
#include <sys/random.h>

/* --- hostility ----------------------------------------------------------------------------- */

/* Random bytes in random places; sometimes pure noise, sometimes only a wrong length. */
static int server_hostile(struct msg *m, const uint8_t *request, size_t len, unsigned type,
	unsigned n)
{
	static unsigned sent;
	unsigned r[4];

	if (sent >= 1000)
		return dhcpserver_plain(m, request, len, type, n);
	if (!dhcpserver_answer(m, request, type))
		return 0;
	if (getrandom(r, sizeof(r), 0) != sizeof(r))
		return 0;
	for (unsigned i = 0; i < r[0] % 60; i++) {
		uint8_t noise[3];

		if (getrandom(noise, 3, 0) != 3)
			return 0;
		m->bytes[m->len++] = noise[0];
		m->bytes[m->len++] = noise[1];
		m->bytes[m->len++] = noise[2];
	}
	if (r[1] % 4 == 0)
		m->bytes[MSG_OPTIONS + 2] = (uint8_t)r[2]; /* message type */
	if (r[1] % 4 == 1)
		m->bytes[MSG_OPTIONS + 4] = (uint8_t)r[2]; /* a length */
	msg_wrap(m);
	if (r[1] % 4 == 2) {
		m->bytes[24] = (uint8_t)r[2]; /* UDP length */
		m->bytes[25] = (uint8_t)r[3];
	}
	if (r[1] % 4 == 3)
		m->len = MSG_OPTIONS + r[3] % (m->len - MSG_OPTIONS);
	sent += 50;
	return 50;
}

TEST(a_thousand_malformed_replies)
{
	_cleanup_(room_end) struct room_fixture f;

	room_begin(&f);
	dhcpserver_start(f.peer, "vb", server_hostile);
	f.cfg.dhcp_limit = 2 * SEC; /* more requests in less time */
	room_start(&f);
	room_until(&f, ADDRESS_CONFIGURED, 25 * SEC);
	CHECK_INT(ntohl(room_result(&f)->addr.v4.s_addr), 0x0a000005);
	CHECK(!room_printed(&f, "IA-E508")); /* the parser process lives */
}

static int server_malformed(struct msg *m, const uint8_t *request, size_t len, unsigned type,
	unsigned n)
{
	int times = dhcpserver_answer(m, request, type);

	(void)len;
	(void)n;
	m->bytes[m->len++] = 12;
	m->bytes[m->len++] = 200;
	msg_wrap(m);
	return times;
}

TEST(malformed_replies_are_the_cause)
{
	_cleanup_(room_end) struct room_fixture f;
	struct address_event ev;

	room_begin(&f);
	f.cfg.dhcp_limit = 2 * SEC;
	f.cfg.dhcp_rounds = 1;
	dhcpserver_start(f.peer, "vb", server_malformed);
	room_start(&f);
	ev = room_until(&f, ADDRESS_FAILED, 4 * SEC);
	CHECK_INT(ev.cause, CAUSE_DHCP_BAD_REPLY);
	CHECK(room_printed(&f, "an option runs past the end of its field"));
	CHECK(room_printed(&f, "IA-E504"));
}

/* Our child that is under seccomp, 0 if there is none (yet). */
static pid_t find_parser(void)
{
	static const struct env root = {.prefix = ""};
	char children[4096], status[4096], *rest = children, *pid;

	if (env_read(&root, children, sizeof(children), "/proc/%d/task/%d/children", (int)getpid(),
		    (int)getpid()) <= 0)
		return 0;
	while ((pid = strsep(&rest, " ")))
		if (*pid && env_read(&root, status, sizeof(status), "/proc/%s/status", pid) > 0 &&
			strstr(status, "\nSeccomp:\t2\n"))
			return (pid_t)strtol(pid, NULL, 10);
	return 0;
}

/* Kills the parser process, another one than the last killed. */
static pid_t kill_parser(struct room_fixture *f, pid_t last)
{
	for (uint64_t end = now_ns() + 60 * SEC; now_ns() < end;) {
		pid_t pid = find_parser();

		if (pid && pid != last) {
			CHECK_INT(kill(pid, SIGSEGV), 0);
			return pid;
		}
		usleep(10000);
		addresses_dispatch(f->addresses, room_clock(f));
		if (!room_child_runs())
			f->skew += SEC / 10;
	}
	check_fail(__FILE__, __LINE__, "no parser process found");
}

TEST(a_dead_parser_is_replaced_and_the_lease_comes)
{
	_cleanup_(room_end) struct room_fixture f;

	room_begin(&f);
	room_start(&f);
	room_until(&f, ADDRESS_HINDRANCE, 5 * SEC);
	kill_parser(&f, 0);
	dhcpserver_start(f.peer, "vb", dhcpserver_plain);
	room_until(&f, ADDRESS_CONFIGURED, 8 * SEC);
	CHECK(room_printed(&f, "IA-E508"));
}

/* It is started again five times, the last time after 8 s; then it is lost, for interfaces that
 * come later too. */
TEST(a_parser_that_dies_for_ever_is_the_end_of_dhcp)
{
	_cleanup_(room_end) struct room_fixture f;
	struct address_event ev;
	pid_t last = 0;

	room_begin(&f);
	room_start(&f);
	room_until(&f, ADDRESS_HINDRANCE, 5 * SEC);
	for (int i = 0; i < 6; i++)
		last = kill_parser(&f, last);
	ev = room_until(&f, ADDRESS_FAILED, 3 * SEC);
	CHECK_INT(ev.cause, CAUSE_PARSER_DIED);
	addresses_remove(f.addresses, f.cfg.ifindex, false, room_clock(&f));
	room_start(&f);
	ev = room_until(&f, ADDRESS_FAILED, SEC);
	CHECK_INT(ev.cause, CAUSE_PARSER_DIED);
}
