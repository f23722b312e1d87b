// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The resolver as an object: many questions at once, each with an id. Servers:
 * address/test_resolve_room.c.
 */
#include "check.h"

#include <poll.h>
#include <signal.h>

#include "modtree.h"
#include "report/record.h"
#include "report/report.h"
#include "resolver/private.h"
#include "resolver/resolver.h"

#define SEC NSEC_PER_SEC

static struct env env = {.prefix = "/nonexistent"};

static struct resolver *make(void)
{
	struct resolver *r = NULL;

	CHECK_INT(resolver_new(&r, &env), 0);
	return r;
}

static void check_event(struct resolver *r, uint32_t id, const char *want)
{
	struct resolver_event ev;
	char text[INET_ADDR_TEXT];

	CHECK(resolver_pop_event(r, &ev));
	CHECK_INT(ev.id, id);
	CHECK_STR(ev.n_addrs ? inet_text(&ev.addrs[0], text) : ev.text, want);
}

TEST(each_question_has_its_answer)
{
	_cleanup_(resolver_freep) struct resolver *r = make();
	struct resolver_event ev;

	CHECK(resolver_deadline(r) == NSEC_NEVER);
	CHECK_INT(resolver_ask(r, 7, "10.0.0.7", SEC, 0), 0);
	CHECK_INT(resolver_ask(r, 8, "nfs.example", 3 * SEC, 0), 0);
	CHECK_INT(resolver_ask(r, 9, "2001:db8::9", SEC, 0), 0);
	CHECK(resolver_deadline(r) == 0);
	check_event(r, 7, "10.0.0.7");
	check_event(r, 9, "2001:db8::9");
	CHECK(!resolver_pop_event(r, &ev));
	CHECK(resolver_deadline(r) > 0 && resolver_deadline(r) <= 3 * SEC);
	resolver_dispatch(r, 3 * SEC);
	check_event(r, 8, "no DNS server is known to resolve nfs.example");
	CHECK(!resolver_pop_event(r, &ev));
	CHECK(resolver_deadline(r) == NSEC_NEVER);
}

/* Nodes whose queries were lost together do not ask together again. */
TEST(each_node_has_its_own_gaps)
{
	uint64_t least = NSEC_NEVER, most = 0;

	for (int node = 0; node < 8; node++) {
		_cleanup_(resolver_freep) struct resolver *r = make();

		CHECK_INT(resolver_ask(r, 1, "nfs.example", 60 * SEC, 0), 0);
		least = min_u64(least, resolver_deadline(r));
		most = resolver_deadline(r) > most ? resolver_deadline(r) : most;
	}
	CHECK(least >= SEC && most <= SEC * 5 / 4);
	CHECK(least < most);
}

TEST(an_id_that_is_asked_again_or_cancelled)
{
	_cleanup_(resolver_freep) struct resolver *r = make();
	struct resolver_event ev;

	CHECK_INT(resolver_ask(r, 1, "10.0.0.1", SEC, 0), 0);
	CHECK_INT(resolver_ask(r, 1, "10.0.0.2", SEC, 0), 0);
	check_event(r, 1, "10.0.0.2");
	CHECK(!resolver_pop_event(r, &ev));
	CHECK_INT(resolver_ask(r, 1, "nfs.example", SEC, 0), 0);
	resolver_want_all(r, 1);
	resolver_want_all(r, 2);
	resolver_cancel(r, 1);
	resolver_cancel(r, 2);
	resolver_dispatch(r, 5 * SEC);
	CHECK(!resolver_pop_event(r, &ev));
	/* What cannot be asked takes the place of the id's earlier question all the same. */
	CHECK_INT(resolver_ask(r, 1, "10.0.0.1", SEC, 0), 0);
	CHECK_INT(resolver_ask(r, 1, "a b", SEC, 0), -EINVAL);
	CHECK(!resolver_pop_event(r, &ev));
}

TEST(as_many_as_there_is_room_for)
{
	_cleanup_(resolver_freep) struct resolver *r = make();

	for (uint32_t id = 0; id < RESOLVER_LOOKUPS_MAX; id++)
		CHECK_INT(resolver_ask(r, id, "nfs.example", SEC, 0), 0);
	CHECK_INT(resolver_ask(r, RESOLVER_LOOKUPS_MAX, "nfs.example", SEC, 0), -ENOSPC);
	CHECK_INT(resolver_ask(r, 3, "10.0.0.3", SEC, 0), 0);
	check_event(r, 3, "10.0.0.3");
	CHECK_INT(resolver_ask(r, RESOLVER_LOOKUPS_MAX, "10.0.0.4", SEC, 0), 0);
	check_event(r, RESOLVER_LOOKUPS_MAX, "10.0.0.4");
}

TEST(names_that_are_none)
{
	static const char *const bad[] = {"", ".", "a b", "a..b", "$(reboot)", "-x"};
	_cleanup_(resolver_freep) struct resolver *r = make();
	char longest[ADDRESS_DOMAIN_MAX + 3];

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		CHECK_INT(resolver_ask(r, 1, bad[i], SEC, 0), -EINVAL);
	for (size_t i = 0; i < sizeof(longest) - 1; i++)
		longest[i] = i % 64 == 63 ? '.' : 'x';
	longest[ADDRESS_DOMAIN_MAX + 1] = 0;
	CHECK_INT(resolver_ask(r, 1, longest, SEC, 0), -EINVAL);
	longest[ADDRESS_DOMAIN_MAX] = '.'; /* dropped */
	CHECK_INT(resolver_ask(r, 1, longest, SEC, 0), 0);
}

/* The line at the limit is "10.0.0.2 filer", if the rest of its name is not looked at. */
TEST(a_hosts_file_longer_than_is_read)
{
	static const char first[] = "10.0.0.1 first\n", cut[] = "10.0.0.2 filer";
	static char text[70000];
	struct report_config cfg = {.console_fd = -1, .kmsg_fd = -1};
	struct resolver *r = NULL;
	struct report_view v;
	struct modtree t;

	modtree_bare(&t);
	CHECK_INT(report_new(&t.env.report, &cfg), 0);
	memset(text, '#', sizeof(text) - 1);
	memcpy(text, first, sizeof(first) - 1);
	memcpy(text + 65535 - sizeof(cut), "\n", 1);
	memcpy(text + 65536 - sizeof(cut), cut, sizeof(cut) - 1);
	memcpy(text + 65535, "-2\n", 3);
	modtree_file(&t, "/etc/hosts", text);
	CHECK_INT(resolver_new(&r, &t.env), 0);
	CHECK_INT(resolver_ask(r, 1, "first", SEC, 0), 0);
	check_event(r, 1, "10.0.0.1");
	CHECK_INT(resolver_ask(r, 2, "filer", SEC, 0), 0);
	resolver_dispatch(r, 2 * SEC);
	check_event(r, 2, "no DNS server is known to resolve filer");
	report_view(t.env.report, &v);
	CHECK(v.log && strstr(v.log, "/etc/hosts: only the first 65535 bytes are read"));
	resolver_free(r);
	report_free(t.env.report);
}

/* The only child of this process, killed, and seen to be dead by the resolver. */
static void kill_parser(struct resolver *r, uint64_t now)
{
	struct pollfd p = {.fd = resolver_fd(r), .events = POLLIN};
	FILE *f = fopen("/proc/thread-self/children", "re");
	char line[64] = "";
	pid_t pid;

	CHECK(f && fgets(line, sizeof(line), f));
	fclose(f);
	pid = (pid_t)strtol(line, NULL, 10);
	CHECK(pid > 1 && kill(pid, SIGKILL) == 0);
	CHECK_INT(poll(&p, 1, 5000), 1);
	resolver_dispatch(r, now);
}

/* Servers may have answered: they are not to blame. */
TEST(without_its_parser_every_question_fails_at_once)
{
	static const char lost[] = "DNS answers cannot be read (IA-E508)";
	_cleanup_(resolver_freep) struct resolver *r = make();
	uint64_t now = 1;

	CHECK_INT(resolver_ask(r, 1, "nfs.example", 600 * SEC, now), 0);
	for (int i = 0; i < 6; i++) {
		struct resolver_event ev;

		CHECK(!resolver_pop_event(r, &ev));
		kill_parser(r, now);
		now += 16 * SEC;
		resolver_dispatch(r, now);
	}
	CHECK(resolver_deadline(r) == 0);
	check_event(r, 1, lost);
	CHECK_INT(resolver_ask(r, 2, "nfs.example", 600 * SEC, now), 0);
	CHECK(resolver_deadline(r) == 0);
	check_event(r, 2, lost);
	CHECK_INT(resolver_ask(r, 3, "10.0.0.7", SEC, now), 0);
	check_event(r, 3, "10.0.0.7");
}
