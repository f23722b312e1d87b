// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names looked up by the whole room at DNS servers that answer right, wrong, late, in part or not
 * at all.
 */
#include "addressroom.h"

#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/wait.h>

#include "resolver/private.h"
#include "dnsserver.h"
#include "resolver/resolver.h"

#define LIMIT	 (60 * SEC)
#define IN_VAIN	 (3 * SEC) /* some rounds */
#define NXDOMAIN (DNSSERVER_PLAIN | 3)
#define SERVFAIL (DNSSERVER_PLAIN | 2)
#define REFUSED	 (DNSSERVER_PLAIN | 5)
#define TYPE_A	 1

static struct inet_addr servers[2];

/* va has this address and these name servers; second: NULL: none. The far end has 10.0.0.1,
 * 10.0.0.2, 2001:db8::1. */
static void begin(struct room_fixture *f, const char *address, const char *first,
	const char *second)
{
	room_begin(f);
	netns_run_in(f->peer,
		"ip addr add 10.0.0.2/24 dev vb; ip addr add 2001:db8::1/64 dev vb nodad");
	netns_run("echo 0 >/proc/sys/net/ipv6/conf/va/accept_dad; ip link set va down; ip link set "
		"va up");
	f->cfg.method = ADDRESS_STATIC;
	f->cfg.addr = room_addr(address);
	f->cfg.prefix = f->cfg.addr.family == AF_INET ? 24 : 64;
	servers[0] = room_addr(first);
	servers[1] = room_addr(second ? second : first);
	f->cfg.nameservers = servers;
	f->cfg.n_nameservers = second ? 2 : 1;
	f->real = true;
	room_start(f);
	room_until(f, ADDRESS_CONFIGURED, LIMIT);
}

/* The addresses found, separated by one space, or the text of the cause. */
static const char *resolve_for(struct room_fixture *f, const char *name, uint64_t limit)
{
	static char text[512];
	struct address_event ev;
	size_t len = 0;

	CHECK_INT(resolver_ask(addresses_resolver(f->addresses), 0, name, limit, room_clock(f)), 0);
	ev = room_until(f, ADDRESS_RESOLVED, limit + 10 * SEC);
	if (ev.cause)
		CHECK_INT(ev.n_addrs, 0);
	else
		CHECK(ev.n_addrs > 0 && inet_equal(&ev.addr, &ev.addrs[0]));
	snprintf(text, sizeof(text), "%s", ev.text);
	for (size_t n = 0; n < ev.n_addrs; n++) {
		char address[INET_ADDR_TEXT];

		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s", n ? " " : "",
			inet_text(&ev.addrs[n], address));
	}
	return text;
}

static const char *resolve(struct room_fixture *f, const char *name)
{
	return resolve_for(f, name, LIMIT);
}

/* --- one server with a name for each case ----------------------------------------------------- */

static void add_many(struct dnsserver_reply *m, const struct dnsserver_query *q, int n)
{
	for (int i = 1; i <= n; i++) {
		char address[16];

		snprintf(address, sizeof(address), "10.0.1.%d", i);
		dnsserver_address(m, q, q->name, address);
	}
}

/* An owner whose last label is "example", NUL, "x". */
static void add_record_with_nul(struct dnsserver_reply *m)
{
	static const char record[] = "\x04" "evil\x09" "example\0x\0\0\1\0\1\0\0\0\1\0\4\x0a\6\6\6";

	memcpy(m->bytes + m->len, record, sizeof(record) - 1);
	m->len += sizeof(record) - 1;
	m->bytes[7]++;
}

static void addresses_nobody_has(struct dnsserver_reply *m, const struct dnsserver_query *q)
{
	static const char *const bad[] = {"127.0.0.1", "0.0.0.0", "255.255.255.255", "224.0.0.1",
		"240.0.0.1", "169.254.1.1", "::", "::1", "::ffff:10.0.0.1", "fe80::1", "ff02::1",
		"::10.0.0.1"};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		dnsserver_address(m, q, q->name, bad[i]);
}

/* What UDP has no room for, or is not to be had so. */
static void answer_cut(struct dnsserver_reply *m, const struct dnsserver_query *q)
{
	static unsigned shy;
	bool is_shy = streq(q->name, "shy.example");

	dnsserver_begin(m, q, q->tcp ? DNSSERVER_PLAIN : DNSSERVER_TRUNCATED);
	if (q->tcp && streq(q->name, "cut.example"))
		add_many(m, q, 60);
	else if (q->tcp && streq(q->name, "huge.example"))
		add_many(m, q, 200);
	else if (streq(q->name, "half.example"))
		add_many(m, q, 2);
	if (is_shy && q->tcp) /* hangs up */
		m->len = 0;
	else if (is_shy && q->type == TYPE_A && ++shy == 2)
		add_many(m, q, 1);
}

static void answer_alias(struct dnsserver_reply *m, const struct dnsserver_query *q)
{
	dnsserver_begin(m, q, DNSSERVER_PLAIN);
	if (streq(q->name, "alias.example"))
		dnsserver_alias(m, q->name, "nas3.storage.example");
	else if (streq(q->name, "one.circle.example"))
		dnsserver_alias(m, q->name, "two.circle.example");
	else if (streq(q->name, "two.circle.example"))
		dnsserver_alias(m, q->name, "one.circle.example");
	else
		dnsserver_address(m, q, q->name, "10.0.0.33");
}

static void answer_many(struct dnsserver_reply *m, const struct dnsserver_query *q)
{
	dnsserver_begin(m, q, DNSSERVER_PLAIN);
	dnsserver_address(m, q, q->name, "2001:db8::1");
	add_many(m, q, 10);
}

static void answer_mixed(struct dnsserver_reply *m, const struct dnsserver_query *q)
{
	dnsserver_begin(m, q, DNSSERVER_PLAIN);
	addresses_nobody_has(m, q);
	dnsserver_address(m, q, q->name, q->type == TYPE_A ? "10.0.0.20" : "2001:db8:a::20");
}

static void answer_void(struct dnsserver_reply *m, const struct dnsserver_query *q)
{
	dnsserver_begin(m, q, DNSSERVER_PLAIN);
	dnsserver_address(m, q, q->name, "127.0.1.1");
}

static void answer_evil(struct dnsserver_reply *m, const struct dnsserver_query *q)
{
	dnsserver_begin(m, q, DNSSERVER_PLAIN);
	add_record_with_nul(m);
}

/* NXDOMAIN for the kind that there is none of. */
static void answer_one_kind(struct dnsserver_reply *m, const struct dnsserver_query *q)
{
	bool four = streq(q->name, "four.example");

	dnsserver_begin(m, q, (q->type == TYPE_A) == four ? DNSSERVER_PLAIN : NXDOMAIN);
	dnsserver_address(m, q, q->name, four ? "10.0.0.4" : "2001:db8::6");
}

/* Once. */
static void answer_opcode(struct dnsserver_reply *m, const struct dnsserver_query *q)
{
	static unsigned n;
	bool wrong = q->type == TYPE_A && n++ == 0;

	dnsserver_begin(m, q, DNSSERVER_PLAIN | (wrong ? 0x1000 : 0));
	dnsserver_address(m, q, q->name, wrong ? "10.6.6.6" : "10.0.0.5");
}

static void answer_all(struct dnsserver_reply *m, const struct dnsserver_query *q)
{
	static const struct {
		const char *name;
		dnsserver_fn fn;
	} names[] = {
		{"many.", answer_many}, {"mixed.", answer_mixed}, {"void.", answer_void},
			{"evil.", answer_evil},
		{"cut.", answer_cut}, {"huge.", answer_cut}, {"half.", answer_cut},
			{"shy.", answer_cut},
		{"alias.", answer_alias}, {"circle.", answer_alias}, {"nas3.", answer_alias},
		{"four.", answer_one_kind}, {"six.", answer_one_kind}, {"opcode.", answer_opcode},
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strstr(q->name, names[i].name)) {
			names[i].fn(m, q);
			return;
		}
	dnsserver_begin(m, q, NXDOMAIN);
}

TEST(what_a_server_may_answer)
{
	static const char all[] =
		"10.0.1.1 10.0.1.2 10.0.1.3 10.0.1.4 10.0.1.5 10.0.1.6 10.0.1.7 10.0.1.8";
	static const struct {
		const char *name, *want;
	} rows[] = {
		{"many.example", all},
		{"mixed.example", "10.0.0.20"},
		{"void.example",
			"DNS gives no usable address for void.example (reply: 127.0.1.1)"},
		{"evil.example", "the DNS server has no address for evil.example"},
		{"cut.example", all},
		{"huge.example", all},
		{"half.example", "10.0.1.1 10.0.1.2"},
		{"shy.example", "10.0.1.1"},
		{"alias.example", "10.0.0.33"},
		{"one.circle.example", "the DNS server has no address for one.circle.example"},
		{"four.example", "10.0.0.4"},
		{"six.example", "2001:db8::6"},
		{"opcode.example", "10.0.0.5"},
		{"none.example", "the DNS server has no address for none.example"},
	};
	_cleanup_(room_end) struct room_fixture f;

	begin(&f, "10.0.0.7", "10.0.0.1", NULL);
	dnsserver_start(f.peer, "10.0.0.1", answer_all);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_STR(resolve(&f, rows[i].name), rows[i].want);
}

TEST(only_ipv6_on_the_node)
{
	_cleanup_(room_end) struct room_fixture f;

	begin(&f, "2001:db8::7", "2001:db8::1", NULL);
	dnsserver_start(f.peer, "2001:db8::1", answer_all);
	CHECK_STR(resolve(&f, "mixed.example"), "2001:db8:a::20");
	CHECK_STR(resolve(&f, "many.example"), "2001:db8::1");
	CHECK_STR(resolve(&f, "four.example"),
		"four.example has IPv4 addresses only, and no interface here has one");
	CHECK_STR(resolve(&f, "half.example"),
		"half.example has IPv4 addresses only, and no interface here has one");
}

/* --- errors ---------------------------------------------------------------------------------- */

static void all_refused(struct dnsserver_reply *m, const struct dnsserver_query *q)
{
	dnsserver_begin(m, q, REFUSED);
}

static void half_void(struct dnsserver_reply *m, const struct dnsserver_query *q)
{
	if (q->type == TYPE_A)
		answer_void(m, q);
}

static void always_cut(struct dnsserver_reply *m, const struct dnsserver_query *q)
{
	if (!q->tcp)
		dnsserver_begin(m, q, DNSSERVER_TRUNCATED);
}

static void malformed(struct dnsserver_reply *m, const struct dnsserver_query *q)
{
	dnsserver_begin(m, q, DNSSERVER_PLAIN);
	m->bytes[7] = 1; /* a record that is not there */
	m->bytes[m->len++] = 0xc0;
}

/* A zone that is broken or not served, and one that is. */
static void old_zone_fails(struct dnsserver_reply *m, const struct dnsserver_query *q)
{
	static unsigned n;

	if (strstr(q->name, "old.example")) {
		dnsserver_begin(m, q, SERVFAIL);
	} else if (streq(q->name, "nfs.hpc.example")) {
		dnsserver_begin(m, q, DNSSERVER_PLAIN);
		dnsserver_address(m, q, q->name, "10.0.0.8");
	} else if (streq(q->name, "late.hpc.example") && q->type == TYPE_A && ++n > 1) {
		dnsserver_begin(m, q, DNSSERVER_PLAIN);
		dnsserver_address(m, q, q->name, "10.0.0.9");
	} else {
		dnsserver_begin(m, q, streq(q->name, "late.hpc.example") ? SERVFAIL : NXDOMAIN);
	}
}

TEST(what_the_server_answered_is_told)
{
	_cleanup_(room_end) struct room_fixture f;

	begin(&f, "10.0.0.7", "10.0.0.1", "10.0.0.2");
	dnsserver_start(f.peer, "10.0.0.1", all_refused);
	CHECK_STR(resolve_for(&f, "nfs.example", IN_VAIN),
		"DNS server 10.0.0.1 answers REFUSED for nfs.example");
}

TEST(an_address_nobody_has_and_silence)
{
	_cleanup_(room_end) struct room_fixture f;

	begin(&f, "10.0.0.7", "10.0.0.1", NULL);
	dnsserver_start(f.peer, "10.0.0.1", half_void);
	CHECK_STR(resolve_for(&f, "nfs.example", IN_VAIN),
		"DNS gives no usable address for nfs.example (reply: 127.0.1.1)");
}

TEST(truncated_without_end)
{
	_cleanup_(room_end) struct room_fixture f;

	begin(&f, "10.0.0.7", "10.0.0.1", NULL);
	dnsserver_start(f.peer, "10.0.0.1", always_cut);
	CHECK_STR(resolve_for(&f, "nfs.example", IN_VAIN),
		"the answer of DNS server 10.0.0.1 for nfs.example is truncated, and none came "
		"over TCP");
}

/* Both answers have no room over UDP; one of the two servers is not to be had over TCP. */
TEST(truncated_where_one_server_has_no_tcp)
{
	_cleanup_(room_end) struct room_fixture f;

	begin(&f, "10.0.0.7", "10.0.0.1", "10.0.0.2");
	dnsserver_start(f.peer, "10.0.0.1", always_cut);
	dnsserver_start(f.peer, "10.0.0.2", answer_all);
	CHECK_STR(resolve_for(&f, "cut.example", IN_VAIN),
		"10.0.1.1 10.0.1.2 10.0.1.3 10.0.1.4 10.0.1.5 10.0.1.6 10.0.1.7 10.0.1.8");
}

/* Asks no other servers, but names them. */
static void refer(struct dnsserver_reply *m, const struct dnsserver_query *q)
{
	static const char ns[] = "\7example\0\0\2\0\1\0\0\0\1\0\4\2ns";

	dnsserver_begin(m, q, 0x8100);
	memcpy(m->bytes + m->len, ns, sizeof(ns));
	m->len += sizeof(ns);
	m->bytes[9]++;
}

/* What it says is nothing about the name: another server has its time to answer. */
static void good_at_the_second_time(struct dnsserver_reply *m, const struct dnsserver_query *q)
{
	if (q->n > 2)
		answer_all(m, q);
}

TEST(a_server_that_refers_to_others)
{
	for (int other = 0; other < 2; other++) {
		_cleanup_(room_end) struct room_fixture f;

		begin(&f, "10.0.0.7", "10.0.0.1", "10.0.0.2");
		dnsserver_start(f.peer, "10.0.0.1", refer);
		if (other)
			dnsserver_start(f.peer, "10.0.0.2", good_at_the_second_time);
		CHECK_STR(resolve_for(&f, "mixed.example", IN_VAIN), other ? "10.0.0.20"
			: "DNS server 10.0.0.1 answers a referral to others for mixed.example");
	}
}

TEST(malformed_without_end)
{
	_cleanup_(room_end) struct room_fixture f;

	begin(&f, "10.0.0.7", "10.0.0.1", NULL);
	dnsserver_start(f.peer, "10.0.0.1", malformed);
	CHECK_STR(resolve_for(&f, "nfs.example", IN_VAIN),
		"DNS server 10.0.0.1 sends a malformed answer for nfs.example");
}

/* The lease has two search domains. */
static int lease_with_search(struct msg *m, const uint8_t *request, size_t len, unsigned type,
	unsigned n)
{
	(void)len;
	(void)n;
	if (!dhcpserver_answer(m, request, type))
		return 0;
	msg_option(m, 6, "\x0a\0\0\1\x0a\0\0\2", 8);
	msg_option(m, 119, "\3old\7example\0\3hpc\7example\0", 26);
	msg_end(m);
	return 1;
}

TEST(an_error_does_not_stop_the_search_list)
{
	_cleanup_(room_end) struct room_fixture f;

	room_begin(&f);
	netns_run_in(f.peer, "ip addr add 10.0.0.2/24 dev vb");
	dhcpserver_start(f.peer, "vb", lease_with_search);
	dnsserver_start(f.peer, "10.0.0.1", old_zone_fails); /* nothing listens on 10.0.0.2 */
	room_start(&f);
	room_until(&f, ADDRESS_CONFIGURED, 5 * SEC);
	f.real = true;
	CHECK_STR(resolve(&f, "nfs"), "10.0.0.8");
	/* Both fail at first: the list goes round. */
	CHECK_STR(resolve(&f, "late"), "10.0.0.9");
	/* One has an error, none has an address: the error is what an admin can do something
	 * about. */
	CHECK_STR(resolve_for(&f, "other", IN_VAIN),
		"DNS server 10.0.0.1 answers SERVFAIL for other.old.example");
}

/* --- floods ---------------------------------------------------------------------------------- */

static void flood(struct dnsserver_reply *m, const struct dnsserver_query *q)
{
	dnsserver_begin(m, q, SERVFAIL);
	m->times = UINT32_MAX;
}

/* The agent has one loop: a server that sends at line rate must leave the others, and the clock,
 * their turn. */
TEST(a_flood_of_answers)
{
	_cleanup_(room_end) struct room_fixture f;

	begin(&f, "10.0.0.7", "10.0.0.1", NULL);
	dnsserver_start(f.peer, "10.0.0.1", flood);
	CHECK_INT(resolver_ask(addresses_resolver(f.addresses), 0,
			"nfs.example", IN_VAIN, room_clock(&f)), 0);
	CHECK_STR(room_until(&f, ADDRESS_RESOLVED, 30 * SEC).text,
		"DNS server 10.0.0.1 answers SERVFAIL for nfs.example");
}

/* A hundred answers to the first query; the second one finds that they are all on their way. */
static void hundred(struct dnsserver_reply *m, const struct dnsserver_query *q)
{
	if (q->n == 2)
		raise(SIGSTOP);
	dnsserver_begin(m, q, SERVFAIL);
	m->times = 100;
}

static size_t read_portion(struct lookup *l, int fd, struct dns_answer *ret, uint32_t *ret_tag)
{
	uint8_t packet[DNS_MESSAGE_MAX];
	struct dns_query query;
	int budget = 16;
	size_t n = 0;

	while (budget > 0) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		size_t len;

		CHECK_INT(poll(&p, 1, 60000), 1);
		len = lookup_read(l, packet, sizeof(packet), &query, ret_tag, &budget);
		if (!len)
			continue;
		dns_parse(ret, &query, packet, len);
		n++;
	}
	CHECK_INT(budget, 0);
	return n;
}

TEST(a_flood_is_taken_in_portions)
{
	_cleanup_close_ int fd = epoll_create1(EPOLL_CLOEXEC);
	_cleanup_(lookup_freep) struct lookup *l = NULL;
	_cleanup_(room_end) struct room_fixture f;
	struct resolv_conf conf = {.servers = {room_addr("10.0.0.1")}, .n_servers = 1};
	struct dns_answer answer = {0};
	uint32_t tag = 0;
	int status;
	pid_t pid;

	begin(&f, "10.0.0.7", "10.0.0.1", NULL);
	pid = dnsserver_start(f.peer, "10.0.0.1", hundred);
	CHECK_INT(lookup_new(&l, &f.env, fd, &conf, "nfs.example", LIMIT, 0), 0);
	CHECK(waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status));
	CHECK_INT(read_portion(l, fd, &answer, &tag), 16);
	CHECK_INT(read_portion(l, fd, &answer, &tag), 16);
	/* A server that has said that it cannot help is not heard again in this round: not even
	 * parsed. */
	CHECK_INT(answer.verdict, DNS_REFUSED);
	lookup_take(l, &answer, tag, 0);
	CHECK_INT(read_portion(l, fd, &answer, &tag), 0);
}

/* Bytes that wait in this namespace's UDP sockets over IPv4. */
static unsigned long waiting_bytes(void)
{
	FILE *f = fopen("/proc/thread-self/net/udp", "re");
	unsigned long sum = 0, one;
	char line[256];

	CHECK(f && fgets(line, sizeof(line), f));
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%*s %*s %*s %*s %*x:%lx", &one) == 1)
			sum += one;
	fclose(f);
	return sum;
}

/* Packets that this namespace's IPv4 has delivered: what was sent may still wait for a softirq, and
 * nothing tells when the last of a number is there. */
static unsigned long delivered(void)
{
	static const struct env root = {.prefix = ""};
	static const char skipped[] = "Ip: %*u %*u %*u %*u %*u %*u %*u %*u %lu";
	unsigned long n = 0;
	char text[4096], *line;

	CHECK(env_read(&root, text, sizeof(text), "/proc/thread-self/net/snmp") > 0);
	line = strstr(text, "\nIp: ");
	CHECK(line && sscanf(line + 1, skipped, &n) == 1);
	return n;
}

TEST(a_dispatch_takes_a_portion)
{
	_cleanup_(room_end) struct room_fixture f;
	struct resolver *resolver;
	unsigned long all, before;
	int status;
	pid_t pid;

	begin(&f, "10.0.0.7", "10.0.0.1", NULL);
	resolver = addresses_resolver(f.addresses);
	pid = dnsserver_start(f.peer, "10.0.0.1", hundred);
	before = delivered();
	CHECK_INT(resolver_ask(resolver, 0, "nfs.example", IN_VAIN, room_clock(&f)), 0);
	CHECK(waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status));
	while (delivered() < before + 100)
		usleep(1000);
	all = waiting_bytes();
	CHECK(all > 0);
	resolver_dispatch(resolver, room_clock(&f));
	CHECK_INT(waiting_bytes(), all / 100 * 84);
}
