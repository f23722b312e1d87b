// SPDX-License-Identifier: GPL-2.0-or-later
/* lookup: the addresses of one name; see private.h and resolver.h. */
#include <sys/epoll.h>

#include "inet_text.h"
#include "base/random.h"
#include "link/link.h"
#include "resolver/private.h"

#define DNS_PORT 53
#define CHAIN_MAX 8 /* aliases asked for, one after the other */

/* Seconds to the next round of queries; the last one is repeated. */
static const uint8_t waits[] = {1, 2, 4};

/* The two questions asked about each name. */
enum asked { ASK_A, ASK_AAAA, ASK_N };

/* An answer that says nothing about the name: a DNS error code (DNS_REFERRAL at most), or */
enum { ERROR_NONE = 0, ERROR_TRUNCATED = DNS_REFERRAL + 1, ERROR_MALFORMED };

/* What the servers have told of a question: nothing yet, errors only, that there is no address
 * (that could be used), or addresses. */
enum outcome { OUTCOME_OPEN, OUTCOME_ERRORS, OUTCOME_NONE, OUTCOME_ADDRESSES, OUTCOME_N };

/* A tag is the number of the server, and whether it answered over TCP. */
#define TAG_STREAM 0x100

struct question {
	char name[ADDRESS_DOMAIN_MAX + 1]; /* the name tried, or what it is an alias of */
	unsigned chain;			   /* aliases so far */
	uint16_t id;
	bool answered, no_name;
	size_t n; /* 0: there is no such record */
	struct inet_addr addrs[ADDRESS_RESOLVED_MAX];
	uint8_t errors[RESOLV_SERVERS_MAX]; /* in this round; that server is heard no more in it */
	bool streamed[RESOLV_SERVERS_MAX];  /* asked over TCP in this round */
	struct dns_stream streams[RESOLV_SERVERS_MAX];
};

struct lookup {
	char name[ADDRESS_DOMAIN_MAX + 1];
	const struct resolv_conf *conf;
	struct name_list tries;
	size_t current;
	int fds[2]; /* for IPv4 and IPv6 servers */
	int epoll;
	unsigned turn; /* which of them is read first */
	struct question asked[ASK_N];
	unsigned round, cycle; /* of one name, of the list */
	uint64_t next, limit;
	bool again; /* some name of the list had only errors */
	bool all;   /* an answer for one family waits for the end of the round */
	enum lookup_state state;
	struct inet_addr result[ADDRESS_RESOLVED_MAX];
	size_t n_result;
	/* For the reason. */
	bool timed_out, other_family;
	struct inet_addr unusable;
	unsigned error; /* the last one, of which server, about which name */
	struct inet_addr error_server;
	char error_name[ADDRESS_DOMAIN_MAX + 1];
};

/* --- sending ------------------------------------------------------------------------------- */

/* What one server's address is for the kernel; a link-local one has its interface beside it. */
union endpoint {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static socklen_t endpoint_of(const struct lookup *l, size_t server, union endpoint *ret)
{
	const struct inet_addr *a = &l->conf->servers[server];

	memset(ret, 0, sizeof(*ret));
	if (a->family == AF_INET) {
		ret->v4 = (struct sockaddr_in){.sin_family = AF_INET,
			.sin_port = htons(DNS_PORT), .sin_addr = a->v4};
		return sizeof(ret->v4);
	}
	ret->v6 = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = htons(DNS_PORT),
		.sin6_addr = a->v6, .sin6_scope_id = (uint32_t)l->conf->zones[server]};
	return sizeof(ret->v6);
}

/* Opened when the first server of that family is asked. */
static int socket_for(struct lookup *l, int family)
{
	struct epoll_event ev = {.events = EPOLLIN};
	int *fd = &l->fds[family == AF_INET6];

	if (*fd < 0) {
		*fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		epoll_ctl(l->epoll, EPOLL_CTL_ADD, *fd, &ev);
	}
	return *fd;
}

/* The question as it was sent: an answer is checked against it. */
static struct dns_query query_of(const struct lookup *l, int which)
{
	struct dns_query q = {
		.id = l->asked[which].id,
		.type = which == ASK_A ? DNS_TYPE_A : DNS_TYPE_AAAA,
	};

	strscpy(q.name, l->asked[which].name, sizeof(q.name));
	return q;
}

static void close_streams(struct question *q)
{
	for (size_t s = 0; s < RESOLV_SERVERS_MAX; s++)
		dns_stream_close(&q->streams[s]);
}

/* To all servers. A failed send is like a lost packet: the next round tries again. */
static void send_query(struct lookup *l, int which)
{
	struct question *asked = &l->asked[which];
	struct dns_query q = query_of(l, which);
	uint8_t message[DNS_MESSAGE_MAX];
	int len = dns_encode(&q, message);

	memset(asked->errors, 0, sizeof(asked->errors));
	memset(asked->streamed, 0, sizeof(asked->streamed));
	close_streams(asked);
	for (size_t s = 0; s < l->conf->n_servers && len > 0; s++) {
		union endpoint to;
		socklen_t size = endpoint_of(l, s, &to);
		int fd = socket_for(l, to.any.sa_family);

		if (fd >= 0)
			sendto(fd, message, (size_t)len, MSG_NOSIGNAL, &to.any, size);
	}
}

/* The open questions, again and again with growing gaps, of which nodes that ask together have each
 * their own. */
static void send_round(struct lookup *l, uint64_t now)
{
	unsigned i = l->round < ARRAY_SIZE(waits) ? l->round : ARRAY_SIZE(waits) - 1;
	uint64_t wait = waits[i] * NSEC_PER_SEC;

	for (int which = 0; which < ASK_N; which++)
		if (!l->asked[which].answered)
			send_query(l, which);
	l->round++;
	l->next = now + wait + random_part(wait / 4);
}

/*
 * A new name is a new question with a new id: late answers for the last name do not match. With the
 * random source port of each lookup, 32 bits for an off-path attacker to guess (RFC 5452).
 */
static void begin_question(struct lookup *l, int which, const char *name, unsigned chain)
{
	struct question *q = &l->asked[which];

	close_streams(q);
	memset(q, 0, offsetof(struct question, streams));
	q->id = (uint16_t)random_u32();
	q->chain = chain;
	strscpy(q->name, name, sizeof(q->name));
}

static void begin_try(struct lookup *l, size_t try, uint64_t now)
{
	l->current = try;
	for (int which = 0; which < ASK_N; which++)
		begin_question(l, which, l->tries.names[try], 0);
	/* The gaps of the list grow at its end, those of one name begin with the first. */
	l->round = try + 1 == l->tries.n ? l->cycle : 0;
	send_round(l, now);
}

/* All names, from the first one; cycle: how often that was so before. */
static void begin_list(struct lookup *l, unsigned cycle, uint64_t now)
{
	l->again = false;
	l->cycle = cycle;
	begin_try(l, 0, now);
}

/* For an answer that UDP has no room for, or of a server under load that verifies our address. */
static void ask_stream(struct lookup *l, int which, size_t server)
{
	struct question *q = &l->asked[which];
	struct dns_query query = query_of(l, which);
	uint8_t message[DNS_MESSAGE_MAX];
	union endpoint to;
	socklen_t size = endpoint_of(l, server, &to);
	int len = dns_encode(&query, message); /* as before over UDP */

	q->streamed[server] = true;
	dns_stream_open(&q->streams[server], l->epoll, &to.any, size, message, (size_t)len);
}

/* No timer runs any more; the sockets close with the resolver. */
static void end_lookup(struct lookup *l, enum lookup_state state)
{
	l->state = state;
	l->next = NSEC_NEVER;
}

static void add_result(struct lookup *l, const struct inet_addr *addrs, size_t n)
{
	for (size_t i = 0; i < n && l->n_result < ADDRESS_RESOLVED_MAX; i++)
		l->result[l->n_result++] = addrs[i];
}

/* --- begin ------------------------------------------------------------------------------- */

/* A trailing dot is dropped: a name with a dot in it is tried as it is first anyway. */
int lookup_new(struct lookup **ret, const struct env *env, int epoll,
	const struct resolv_conf *conf, const char *name, uint64_t limit_ns, uint64_t now)
{
	_cleanup_(lookup_freep) struct lookup *l = NULL;
	struct inet_addr a;
	size_t len = strnlen(name, ADDRESS_DOMAIN_MAX + 2);
	bool literal = value_inet(name, len, &a) == 0;

	if (len && name[len - 1] == '.' && !literal)
		len--;
	if (len > ADDRESS_DOMAIN_MAX)
		return -EINVAL;
	l = calloc(1, sizeof(*l));
	if (!l)
		return -ENOMEM;
	l->fds[0] = l->fds[1] = -1;
	for (int i = 0; i < ASK_N * RESOLV_SERVERS_MAX; i++)
		l->asked[i % ASK_N].streams[i / ASK_N].fd = -1;
	memcpy(l->name, name, len);
	if (!literal && !text_valid(TEXT_DOMAIN, l->name))
		return -EINVAL;
	l->epoll = epoll;
	l->conf = conf;
	l->limit = limit_ns < NSEC_NEVER - now ? now + limit_ns : NSEC_NEVER;
	if (literal)
		add_result(l, &a, 1);
	else
		l->n_result = hosts_read(env, l->name, l->result, now);
	if (l->n_result)
		end_lookup(l, LOOKUP_FOUND);
	else
		lookup_restart(l, now);
	*ret = l;
	l = NULL;
	return 0;
}

struct lookup *lookup_free(struct lookup *l)
{
	if (!l)
		return NULL;
	for (int which = 0; which < ASK_N; which++)
		close_streams(&l->asked[which]);
	/* Out of the set first: a forked child may hold a copy. */
	for (int which = 0; which < 2; which++) {
		if (l->fds[which] >= 0)
			epoll_ctl(l->epoll, EPOLL_CTL_DEL, l->fds[which], NULL);
		closep(&l->fds[which]);
	}
	free(l);
	return NULL;
}

/* The search domains may have changed too. */
void lookup_restart(struct lookup *l, uint64_t now)
{
	if (l->state != LOOKUP_ASKING)
		return;
	name_list_make(&l->tries, l->name, l->conf->search);
	begin_list(l, 0, now);
}

uint64_t lookup_deadline(const struct lookup *l)
{
	return l->state == LOOKUP_ASKING ? min_u64(l->next, l->limit) : NSEC_NEVER;
}

/* --- answers ------------------------------------------------------------------------------- */

/* Which server sent this? RESOLV_SERVERS_MAX: none. */
static size_t find_server(const struct lookup *l, const union endpoint *from)
{
	size_t s = 0;

	for (; s < l->conf->n_servers; s++) {
		union endpoint e;

		endpoint_of(l, s, &e);
		if (e.any.sa_family != from->any.sa_family)
			continue;
		if (e.any.sa_family == AF_INET && e.v4.sin_port == from->v4.sin_port &&
			e.v4.sin_addr.s_addr == from->v4.sin_addr.s_addr)
			return s;
		if (e.any.sa_family == AF_INET6 && e.v6.sin6_port == from->v6.sin6_port &&
			IN6_ARE_ADDR_EQUAL(&e.v6.sin6_addr, &from->v6.sin6_addr) &&
			(!e.v6.sin6_scope_id || e.v6.sin6_scope_id == from->v6.sin6_scope_id))
			return s;
	}
	return RESOLV_SERVERS_MAX;
}

/* Which of our open questions has this id, and this server not answered with an error? */
static bool match_query(const struct lookup *l, const uint8_t *packet, size_t len, size_t server,
	struct dns_query *ret)
{
	for (int which = 0; which < ASK_N && len >= 2 && server < RESOLV_SERVERS_MAX; which++) {
		const struct question *q = &l->asked[which];

		if (q->id != (packet[0] << 8 | packet[1]) || q->answered || q->errors[server])
			continue;
		*ret = query_of(l, which);
		return true;
	}
	return false;
}

static size_t read_packets(struct lookup *l, int fd, void *packet, size_t size,
	struct dns_query *ret, uint32_t *tag, int *budget)
{
	for (; *budget > 0; --*budget) {
		union endpoint from = {0};
		socklen_t len = sizeof(from);
		ssize_t n = recvfrom(fd, packet, size, MSG_DONTWAIT, &from.any, &len);

		/* A pending ICMP error is fetched like a packet. */
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return 0;
		*tag = (uint32_t)find_server(l, &from);
		if (n > 0 && match_query(l, packet, (size_t)n, *tag, ret)) {
			--*budget;
			return (size_t)n;
		}
	}
	return 0;
}

static size_t read_streams(struct lookup *l, void *packet, size_t size, struct dns_query *ret,
	uint32_t *tag)
{
	ssize_t n = 0;

	for (int i = 0; n <= 0 && i < ASK_N * RESOLV_SERVERS_MAX; i++) {
		n = dns_stream_read(&l->asked[i % ASK_N].streams[i / ASK_N], packet, size);
		*ret = query_of(l, i % ASK_N);
		*tag = TAG_STREAM | (uint32_t)i / ASK_N;
	}
	return n > 0 ? (size_t)n : 0;
}

/* The sockets take turns at being first: a flood on one does not hide the other. */
size_t lookup_read(struct lookup *l, void *packet, size_t size, struct dns_query *ret,
	uint32_t *tag, int *budget)
{
	if (l->state != LOOKUP_ASKING)
		return 0;
	for (int k = 0; k < 2; k++) {
		int fd = l->fds[(l->turn + (unsigned)k) % 2];
		size_t n = fd < 0 ? 0 : read_packets(l, fd, packet, size, ret, tag, budget);

		if (n)
			return n;
	}
	l->turn++;
	return read_streams(l, packet, size, ret, tag);
}

/* In the order of the answer; a server that rotates its answers balances by that. */
static void take_addresses(struct question *q, const struct dns_answer *a)
{
	q->answered = true;
	for (q->n = 0; q->n < a->n; q->n++) {
		struct inet_addr *to = &q->addrs[q->n];

		*to = (struct inet_addr){.family = a->type == DNS_TYPE_A ? AF_INET : AF_INET6};
		memcpy(to->bytes, a->addresses[q->n], inet_addr_len(to->family));
	}
}

/* What both questions have brought, the preferred kind first; false: nothing of use. */
static bool take_result(struct lookup *l)
{
	const struct question *a = &l->asked[ASK_A], *aaaa = &l->asked[ASK_AAAA];

	if (l->conf->only_v6)
		l->other_family = l->other_family || a->n;
	else
		add_result(l, a->addrs, a->n);
	add_result(l, aaaa->addrs, aaaa->n);
	if (l->n_result)
		end_lookup(l, LOOKUP_FOUND);
	return l->n_result > 0;
}

/* At the end of the list all are asked again when the round is over, if some had only errors. */
static void next_try(struct lookup *l, uint64_t now)
{
	if (l->current + 1 < l->tries.n)
		begin_try(l, l->current + 1, now);
	else if (!l->again)
		end_lookup(l, LOOKUP_FAILED);
}

/* Did every server (any: one, the others silent) answer with an error code? A truncated or
 * malformed answer does not count. */
static bool only_errors(const struct lookup *l, const struct question *q, bool any)
{
	size_t n = 0;

	for (size_t s = 0; s < l->conf->n_servers; s++) {
		if (q->errors[s] >= ERROR_TRUNCATED)
			return false;
		n += q->errors[s] != ERROR_NONE;
	}
	return n && (any || n == l->conf->n_servers);
}

/* What is known of one question. A name that does not exist has no record of the other kind. */
static enum outcome outcome_of(const struct lookup *l, enum asked which, bool over)
{
	const struct question *q = &l->asked[which];
	bool no_name = l->asked[ASK_A].no_name || l->asked[ASK_AAAA].no_name;

	if (q->n && !(which == ASK_A && l->conf->only_v6))
		return OUTCOME_ADDRESSES;
	if (q->answered || (over && no_name))
		return OUTCOME_NONE;
	return only_errors(l, q, over) ? OUTCOME_ERRORS : OUTCOME_OPEN;
}

/* Goes on with the next name once enough is known of this one. over: the round is, servers had
 * their time. */
static void judge_try(struct lookup *l, bool over, uint64_t now)
{
	/* By what is known of the preferred question, and of the other. */
	static const enum { WAIT, TAKE, RETRY } verdicts[OUTCOME_N][OUTCOME_N] = {
		/* the other:	       open, errors, none, addresses */
		[OUTCOME_OPEN]      = {WAIT,  WAIT,  WAIT,  WAIT},
		[OUTCOME_ERRORS]    = {RETRY, RETRY, RETRY, WAIT},
		[OUTCOME_NONE]      = {WAIT,  RETRY, TAKE,  TAKE},
		[OUTCOME_ADDRESSES] = {TAKE,  TAKE,  TAKE,  TAKE},
	};
	enum asked first = l->conf->only_v6 ? ASK_AAAA : ASK_A;

	switch (verdicts[outcome_of(l, first, over)][outcome_of(l, !first, over)]) {
	case WAIT: return;
	case TAKE:
		if (take_result(l))
			return;
		break;
	case RETRY: l->again = true; break;
	}
	next_try(l, now);
}

/* An error says nothing about the name; another server may know better. */
static void take_error(struct lookup *l, struct question *q, size_t server, unsigned error)
{
	q->errors[server] = (uint8_t)error;
	l->error = error;
	l->error_server = l->conf->servers[server];
	strscpy(l->error_name, q->name, sizeof(l->error_name));
}

static void take_alias(struct lookup *l, int which, const struct dns_answer *a)
{
	unsigned chain = l->asked[which].chain + 1;

	if (chain > CHAIN_MAX) {
		l->asked[which].answered = true;
		return;
	}
	begin_question(l, which, a->alias, chain);
	send_query(l, which);
}

static void take_verdict(struct lookup *l, int which, const struct dns_answer *a, size_t server,
	bool stream)
{
	struct question *q = &l->asked[which];

	switch (a->verdict) {
	case DNS_ANSWER: take_addresses(q, a); break;
	case DNS_NO_NAME: q->answered = q->no_name = true; break;
	case DNS_NO_DATA: q->answered = true; break;
	case DNS_ALIAS: take_alias(l, which, a); break;
	case DNS_UNUSABLE:
		q->answered = true;
		l->unusable = (struct inet_addr){.family = which == ASK_A ? AF_INET : AF_INET6};
		memcpy(l->unusable.bytes, a->unusable, inet_addr_len(l->unusable.family));
		break;
	case DNS_TRUNCATED:
		take_error(l, q, server, ERROR_TRUNCATED);
		if (!stream && !q->streamed[server])
			ask_stream(l, which, server);
		break;
	case DNS_REFUSED: take_error(l, q, server, a->rcode ? a->rcode : ERROR_MALFORMED); break;
	case DNS_BAD: take_error(l, q, server, ERROR_MALFORMED); break;
	}
}

void lookup_take(struct lookup *l, const struct dns_answer *a, uint32_t tag, uint64_t now)
{
	int which = a->type == DNS_TYPE_A ? ASK_A : ASK_AAAA;
	size_t server = tag & ~(uint32_t)TAG_STREAM;

	if (l->state != LOOKUP_ASKING || a->id != l->asked[which].id || l->asked[which].answered ||
		server >= l->conf->n_servers)
		return;
	take_verdict(l, which, a, server, tag & TAG_STREAM);
	if (!l->all || (l->asked[ASK_A].answered && l->asked[ASK_AAAA].answered))
		judge_try(l, false, now);
}

/* At the limit an address of the other kind is better than nothing. */
void lookup_tick(struct lookup *l, uint64_t now)
{
	if (l->state != LOOKUP_ASKING)
		return;
	if (now >= l->limit) {
		l->timed_out = true;
		if (!take_result(l))
			end_lookup(l, LOOKUP_FAILED);
		return;
	}
	if (now < l->next)
		return;
	judge_try(l, true, now);
	if (l->state != LOOKUP_ASKING || now < l->next)
		return;
	/* Nothing new: the same name again, or the whole list. */
	if (l->again && l->current + 1 == l->tries.n)
		begin_list(l, l->cycle + 1, now);
	else
		send_round(l, now);
}

void lookup_want_all(struct lookup *l)
{
	l->all = true;
}

enum lookup_state lookup_state(const struct lookup *l)
{
	return l->state;
}

size_t lookup_result(const struct lookup *l, struct inet_addr ret[static ADDRESS_RESOLVED_MAX])
{
	memcpy(ret, l->result, sizeof(l->result));
	return l->n_result;
}

static void say_error(const struct lookup *l, char *text, size_t size)
{
	char server[INET_ADDR_TEXT];

	inet_text(&l->error_server, server);
	if (l->error == ERROR_TRUNCATED)
		snprintf(text, size,
			"the answer of DNS server %s for %.100s is truncated, and none came over "
			"TCP",
			server, l->error_name);
	else if (l->error == ERROR_MALFORMED)
		snprintf(text, size, "DNS server %s sends a malformed answer for %.100s", server,
			l->error_name);
	else
		snprintf(text, size, "DNS server %s answers %s for %.100s", server,
			dns_rcode_name(l->error), l->error_name);
}

/* Each asks for a different correction. */
void lookup_reason(const struct lookup *l, char *text, size_t size)
{
	char address[INET_ADDR_TEXT];

	if (!l->conf->n_servers)
		snprintf(text, size, "no DNS server is known to resolve %.120s", l->name);
	else if (l->timed_out && l->error)
		say_error(l, text, size);
	else if (l->other_family)
		snprintf(text, size,
			"%.100s has IPv4 addresses only, and no interface here has one",
			l->name);
	else if (l->unusable.family)
		snprintf(text, size, "DNS gives no usable address for %.100s (reply: %s)", l->name,
			inet_text(&l->unusable, address));
	else if (l->timed_out)
		snprintf(text, size, "no DNS server answered in time for %.120s", l->name);
	else
		snprintf(text, size, "the DNS server has no address for %.120s", l->name);
}
