// SPDX-License-Identifier: GPL-2.0-or-later
/* resolver: see resolver.h. */
#include "resolver/resolver.h"

#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>

#include "report/report.h"
#include "resolver/dns_stream.h"
#include "resolver/hosts.h"
#include "resolver/name_list.h"
#include "base/inet_text.h"

#define DNS_PORT  53
#define HOSTS_MAX 65536
#define TYPE_A	  1
#define TYPE_AAAA 28
#define CHAIN_MAX 8 /* aliases asked for, one after the other */

/* Seconds to the next round of queries; the last one is repeated. */
static const uint8_t waits[] = {1, 2, 4};

/* The two questions asked about each name. */
enum asked { ASK_A, ASK_AAAA, ASK_N };

/* What a server answered that says nothing about the name: a DNS error code, or */
enum { ERROR_NONE = 0, ERROR_TRUNCATED = 16, ERROR_MALFORMED };

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
	struct dns_stream stream;
	size_t stream_server;
};

struct resolver {
	char name[ADDRESS_DOMAIN_MAX + 1];
	struct resolv_conf conf;
	struct name_list tries;
	size_t current;
	int fds[2]; /* for IPv4 and IPv6 servers */
	int epoll;
	unsigned turn; /* which of them is read first */
	struct question asked[ASK_N];
	unsigned round, cycle; /* of one name, of the list */
	uint64_t next, limit;
	bool again, all; /* some name of the list had only errors; an answer for one family waits for the end of the round */
	enum resolver_state state;
	struct inet_addr result[ADDRESS_RESOLVED_MAX];
	size_t n_result;
	/* For the reason. */
	bool timed_out, other_family;
	struct inet_addr unusable;
	unsigned error; /* the last one, of which server, about which name */
	struct inet_addr error_server;
	char error_name[ADDRESS_DOMAIN_MAX + 1];
};

/* With the kernel's random source port, 32 bits an off-path attacker would have to guess (RFC 5452). */
static uint16_t random_id(void)
{
	uint16_t id;

	while (getrandom(&id, sizeof(id), 0) != sizeof(id))
		continue;
	return id;
}

/* --- sending ------------------------------------------------------------------------------- */

/* What one server's address is for the kernel; a link-local one has its interface beside it. */
union endpoint {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static socklen_t endpoint_of(const struct resolver *r, size_t server, union endpoint *ret)
{
	const struct inet_addr *a = &r->conf.servers[server];

	memset(ret, 0, sizeof(*ret));
	if (a->family == AF_INET) {
		ret->v4 = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(DNS_PORT), .sin_addr = a->v4};
		return sizeof(ret->v4);
	}
	ret->v6 = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = htons(DNS_PORT), .sin6_addr = a->v6,
		.sin6_scope_id = (uint32_t)r->conf.zones[server]};
	return sizeof(ret->v6);
}

/* Opened when the first server of that family is asked. */
static int socket_for(struct resolver *r, int family)
{
	struct epoll_event ev = {.events = EPOLLIN};
	int *fd = &r->fds[family == AF_INET6];

	if (*fd < 0) {
		*fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		epoll_ctl(r->epoll, EPOLL_CTL_ADD, *fd, &ev);
	}
	return *fd;
}

/* The question as it was sent: an answer is checked against it. */
static struct dns_query query_of(const struct resolver *r, int which)
{
	struct dns_query q = {
		.id = r->asked[which].id,
		.type = which == ASK_A ? TYPE_A : TYPE_AAAA,
	};

	strscpy(q.name, r->asked[which].name, sizeof(q.name));
	return q;
}

/* To all servers. A failed send is like a lost packet: the next round tries again. */
static void ask_one(struct resolver *r, int which)
{
	struct dns_query q = query_of(r, which);
	uint8_t message[DNS_MESSAGE_MAX];
	int len = dns_encode(&q, message);

	memset(r->asked[which].errors, 0, sizeof(r->asked[which].errors));
	memset(r->asked[which].streamed, 0, sizeof(r->asked[which].streamed));
	dns_stream_close(&r->asked[which].stream);
	for (size_t s = 0; s < r->conf.n_servers && len > 0; s++) {
		union endpoint to;
		socklen_t size = endpoint_of(r, s, &to);
		int fd = socket_for(r, to.any.sa_family);

		if (fd >= 0)
			sendto(fd, message, (size_t)len, MSG_NOSIGNAL, &to.any, size);
	}
}

/* The open questions, again and again with growing gaps. */
static void ask(struct resolver *r, uint64_t now)
{
	unsigned i = r->round < ARRAY_SIZE(waits) ? r->round : ARRAY_SIZE(waits) - 1;

	for (int which = 0; which < ASK_N; which++)
		if (!r->asked[which].answered)
			ask_one(r, which);
	r->round++;
	r->next = now + waits[i] * NSEC_PER_SEC;
}

/* A new name is a new question with a new id: late answers for the last name do not match. */
static void begin_question(struct resolver *r, int which, const char *name, unsigned chain)
{
	struct question *q = &r->asked[which];

	dns_stream_close(&q->stream);
	*q = (struct question){.id = random_id(), .chain = chain, .stream.fd = -1};
	strscpy(q->name, name, sizeof(q->name));
}

static void begin_try(struct resolver *r, size_t try, uint64_t now)
{
	r->current = try;
	for (int which = 0; which < ASK_N; which++)
		begin_question(r, which, r->tries.names[try], 0);
	/* The gaps of the list grow at its end, those of one name begin with the first. */
	r->round = try + 1 == r->tries.n ? r->cycle : 0;
	ask(r, now);
}

/* All names, from the first one; cycle: how often that was so before. */
static void begin_list(struct resolver *r, unsigned cycle, uint64_t now)
{
	r->again = false;
	r->cycle = cycle;
	begin_try(r, 0, now);
}

/* An answer that UDP has no room for, or that a server under load does not want to send to an unproved address. */
static void ask_stream(struct resolver *r, int which, size_t server)
{
	struct question *q = &r->asked[which];
	struct dns_query query = query_of(r, which);
	uint8_t message[DNS_MESSAGE_MAX];
	union endpoint to;
	socklen_t size = endpoint_of(r, server, &to);
	int len = dns_encode(&query, message);

	q->streamed[server] = true;
	q->stream_server = server;
	if (len > 0)
		dns_stream_open(&q->stream, r->epoll, &to.any, size, message, (size_t)len);
}

/* No timer runs any more; the sockets close with the resolver. */
static void finish(struct resolver *r, enum resolver_state state)
{
	r->state = state;
	r->next = NSEC_NEVER;
}

static void add_result(struct resolver *r, const struct inet_addr *addrs, size_t n)
{
	for (size_t i = 0; i < n && r->n_result < ADDRESS_RESOLVED_MAX; i++)
		r->result[r->n_result++] = addrs[i];
}

/* --- begin ------------------------------------------------------------------------------- */

/* On the heap: a hosts file may be larger than a stack should bear. */
static size_t find_in_hosts(struct resolver *r, const struct env *env)
{
	_cleanup_free_ char *text = malloc(HOSTS_MAX);
	int len = text ? env_read(env, text, HOSTS_MAX, "/etc/hosts") : -ENOMEM;

	if (len == HOSTS_MAX - 1)
		report_log(env->report, REPORT_WARN, "/etc/hosts", now_ns(), "only the first %d bytes are looked at", len);
	return len > 0 ? hosts_find(text, (size_t)len, r->name, r->result) : 0;
}

/* A trailing dot is dropped: a name with a dot in it is tried as it is first anyway. */
int resolver_new(struct resolver **ret, const struct env *env, const char *name,
	const struct resolv_conf *conf, uint64_t limit_ns, uint64_t now)
{
	_cleanup_(resolver_freep) struct resolver *r = NULL;
	struct inet_addr a;
	size_t len = strnlen(name, ADDRESS_DOMAIN_MAX + 1);
	bool literal = value_inet(name, len, &a) == 0;

	if (len && name[len - 1] == '.' && !literal)
		len--;
	r = calloc(1, sizeof(*r));
	if (!r)
		return -ENOMEM;
	r->fds[0] = r->fds[1] = -1;
	for (int which = 0; which < ASK_N; which++)
		r->asked[which].stream.fd = -1;
	r->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (r->epoll < 0)
		return -errno;
	if (len > ADDRESS_DOMAIN_MAX)
		return -EINVAL;
	memcpy(r->name, name, len);
	if (!literal && !text_valid(TEXT_DOMAIN, r->name))
		return -EINVAL;
	r->conf = *conf;
	r->limit = limit_ns < NSEC_NEVER - now ? now + limit_ns : NSEC_NEVER;
	r->next = NSEC_NEVER;
	if (literal)
		add_result(r, &a, 1);
	else
		r->n_result = find_in_hosts(r, env);
	if (r->n_result) {
		finish(r, RESOLVER_FOUND);
	} else {
		name_list_make(&r->tries, r->name, r->conf.search);
		begin_list(r, 0, now);
	}
	*ret = r;
	r = NULL;
	return 0;
}

struct resolver *resolver_free(struct resolver *r)
{
	if (!r)
		return NULL;
	for (int which = 0; which < ASK_N; which++)
		dns_stream_close(&r->asked[which].stream);
	for (int which = 0; which < 2; which++)
		if (r->fds[which] >= 0)
			epoll_ctl(r->epoll, EPOLL_CTL_DEL, r->fds[which], NULL);
	closep(&r->fds[0]);
	closep(&r->fds[1]);
	closep(&r->epoll);
	free(r);
	return NULL;
}

/* The search domains may have changed too, so all names are listed anew. */
void resolver_servers(struct resolver *r, const struct resolv_conf *conf, uint64_t now)
{
	if (r->state != RESOLVER_ASKING || !memcmp(&r->conf, conf, sizeof(*conf)))
		return;
	r->conf = *conf;
	name_list_make(&r->tries, r->name, r->conf.search);
	begin_list(r, 0, now);
}

int resolver_fd(const struct resolver *r)
{
	return r->epoll;
}

uint64_t resolver_deadline(const struct resolver *r)
{
	return r->state == RESOLVER_ASKING ? min_u64(r->next, r->limit) : NSEC_NEVER;
}

/* --- answers ------------------------------------------------------------------------------- */

/* Which server sent this? RESOLV_SERVERS_MAX: none. */
static size_t find_server(const struct resolver *r, const union endpoint *from)
{
	size_t s = 0;

	for (; s < r->conf.n_servers; s++) {
		union endpoint e;

		endpoint_of(r, s, &e);
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
static bool match_query(const struct resolver *r, const uint8_t *packet, size_t len, size_t server, struct dns_query *ret)
{
	for (int which = 0; which < ASK_N && len >= 2 && server < RESOLV_SERVERS_MAX; which++) {
		const struct question *q = &r->asked[which];

		if (q->id != (packet[0] << 8 | packet[1]) || q->answered || q->errors[server])
			continue;
		*ret = query_of(r, which);
		return true;
	}
	return false;
}

static size_t read_packets(struct resolver *r, int fd, void *packet, size_t size, struct dns_query *ret, uint32_t *tag, int *budget)
{
	for (; *budget > 0; --*budget) {
		union endpoint from = {0};
		socklen_t len = sizeof(from);
		ssize_t n = recvfrom(fd, packet, size, MSG_DONTWAIT, &from.any, &len);

		/* A pending ICMP error is fetched like a packet. */
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return 0;
		*tag = (uint32_t)find_server(r, &from);
		if (n > 0 && match_query(r, packet, (size_t)n, *tag, ret)) {
			--*budget;
			return (size_t)n;
		}
	}
	return 0;
}

static size_t read_streams(struct resolver *r, void *packet, size_t size, struct dns_query *ret, uint32_t *tag)
{
	for (int which = 0; which < ASK_N; which++) {
		ssize_t n = dns_stream_read(&r->asked[which].stream, packet, size);

		if (n <= 0)
			continue;
		*ret = query_of(r, which);
		*tag = TAG_STREAM | (uint32_t)r->asked[which].stream_server;
		return (size_t)n;
	}
	return 0;
}

/* The sockets take turns at being first: a flood on one does not hide the other. */
size_t resolver_read(struct resolver *r, void *packet, size_t size, struct dns_query *ret, uint32_t *tag, int *budget)
{
	if (r->state != RESOLVER_ASKING)
		return 0;
	for (int k = 0; k < 2; k++) {
		int fd = r->fds[(r->turn + (unsigned)k) % 2];
		size_t n = fd < 0 ? 0 : read_packets(r, fd, packet, size, ret, tag, budget);

		if (n)
			return n;
	}
	r->turn++;
	return read_streams(r, packet, size, ret, tag);
}

/* In the order of the answer; a server that rotates its answers balances by that. */
static void take_addresses(struct question *q, const struct dns_answer *a)
{
	q->answered = true;
	for (q->n = 0; q->n < a->n; q->n++) {
		struct inet_addr *to = &q->addrs[q->n];

		*to = (struct inet_addr){.family = a->type == TYPE_A ? AF_INET : AF_INET6};
		memcpy(to->bytes, a->addresses[q->n], inet_addr_len(to->family));
	}
}

/* The question whose answer is of more use. */
static enum asked first_asked(const struct resolver *r)
{
	return r->conf.only_v6 ? ASK_AAAA : ASK_A;
}

/* What both questions have brought, the preferred kind first; false: nothing of use. */
static bool take_result(struct resolver *r)
{
	for (int k = 0; k < ASK_N; k++) {
		enum asked which = k ? !first_asked(r) : first_asked(r);
		const struct question *q = &r->asked[which];

		if (which == ASK_A && r->conf.only_v6)
			r->other_family = r->other_family || q->n;
		else
			add_result(r, q->addrs, q->n);
	}
	if (r->n_result)
		finish(r, RESOLVER_FOUND);
	return r->n_result > 0;
}

/* The end of the list, but some names had only errors: all are asked again when the round is over. */
static void next_try(struct resolver *r, uint64_t now)
{
	if (r->current + 1 < r->tries.n)
		begin_try(r, r->current + 1, now);
	else if (!r->again)
		finish(r, RESOLVER_FAILED);
}

/* Did every server (any: one, the others silent) answer with an error code? A cut or malformed answer is none of them. */
static bool only_errors(const struct resolver *r, const struct question *q, bool any)
{
	size_t n = 0, others = 0;

	for (size_t s = 0; s < r->conf.n_servers; s++) {
		n += q->errors[s] != ERROR_NONE && q->errors[s] < ERROR_TRUNCATED;
		others += q->errors[s] >= ERROR_TRUNCATED;
	}
	return !q->answered && !others && (any ? n > 0 : n && n == r->conf.n_servers);
}

/* Is it certain enough that the current name leads nowhere? over: the round is, and whoever is silent was long enough. */
static void judge_try(struct resolver *r, bool over, uint64_t now)
{
	const struct question *first = &r->asked[first_asked(r)], *other = &r->asked[!first_asked(r)];

	/* An address of the other kind counts only when there is none of the preferred one. */
	if (first->answered && (first->n || other->n) && take_result(r))
		return;
	if ((first->answered && other->answered) || (over && (first->no_name || other->no_name))) {
		next_try(r, now);
	} else if ((only_errors(r, first, over) && (!other->n || r->conf.only_v6)) ||
		(only_errors(r, other, over) && first->answered)) {
		r->again = true;
		next_try(r, now);
	}
}

/* A server's word that is none about the name; another one may know better. */
static void take_error(struct resolver *r, struct question *q, size_t server, unsigned error)
{
	q->errors[server] = (uint8_t)error;
	r->error = error;
	r->error_server = r->conf.servers[server];
	strscpy(r->error_name, q->name, sizeof(r->error_name));
}

static void take_alias(struct resolver *r, int which, const struct dns_answer *a)
{
	unsigned chain = r->asked[which].chain + 1;

	if (chain > CHAIN_MAX) {
		r->asked[which].answered = true;
		return;
	}
	begin_question(r, which, a->alias, chain);
	ask_one(r, which);
}

static void take_verdict(struct resolver *r, int which, const struct dns_answer *a, size_t server, bool stream)
{
	struct question *q = &r->asked[which];

	switch (a->verdict) {
	case DNS_ANSWER: take_addresses(q, a); break;
	case DNS_NO_NAME: q->answered = q->no_name = true; break;
	case DNS_NO_DATA: q->answered = true; break;
	case DNS_ALIAS: take_alias(r, which, a); break;
	case DNS_UNUSABLE:
		q->answered = true;
		r->unusable = (struct inet_addr){.family = which == ASK_A ? AF_INET : AF_INET6};
		memcpy(r->unusable.bytes, a->unusable, inet_addr_len(r->unusable.family));
		break;
	case DNS_TRUNCATED:
		take_error(r, q, server, ERROR_TRUNCATED);
		if (!stream && !q->streamed[server] && q->stream.fd < 0)
			ask_stream(r, which, server);
		break;
	case DNS_REFUSED: take_error(r, q, server, a->rcode ? a->rcode : ERROR_MALFORMED); break;
	case DNS_BAD: take_error(r, q, server, ERROR_MALFORMED); break;
	}
}

void resolver_take(struct resolver *r, const struct dns_answer *a, uint32_t tag, uint64_t now)
{
	int which = a->type == TYPE_A ? ASK_A : ASK_AAAA;
	size_t server = tag & ~(uint32_t)TAG_STREAM;

	if (r->state != RESOLVER_ASKING || a->id != r->asked[which].id || r->asked[which].answered ||
		server >= r->conf.n_servers)
		return;
	take_verdict(r, which, a, server, tag & TAG_STREAM);
	if (!r->all || (r->asked[ASK_A].answered && r->asked[ASK_AAAA].answered))
		judge_try(r, false, now);
}

/* At the limit an address of the other kind is better than nothing. */
void resolver_tick(struct resolver *r, uint64_t now)
{
	if (r->state != RESOLVER_ASKING)
		return;
	if (now >= r->limit) {
		r->timed_out = true;
		if (!take_result(r))
			finish(r, RESOLVER_FAILED);
		return;
	}
	if (now < r->next)
		return;
	judge_try(r, true, now);
	if (r->state != RESOLVER_ASKING || now < r->next)
		return;
	/* Nothing new: the same name again, or the whole list. */
	if (r->again && r->current + 1 == r->tries.n)
		begin_list(r, r->cycle + 1, now);
	else
		ask(r, now);
}

void resolver_want_all(struct resolver *r)
{
	r->all = true;
}

enum resolver_state resolver_state(const struct resolver *r)
{
	return r->state;
}

size_t resolver_result(const struct resolver *r, struct inet_addr ret[static ADDRESS_RESOLVED_MAX])
{
	memcpy(ret, r->result, sizeof(r->result));
	return r->n_result;
}

/* What the last server to answer with an error had to say. */
static void error_reason(const struct resolver *r, char *text, size_t size)
{
	char server[INET_ADDR_TEXT];

	inet_text(&r->error_server, server);
	if (r->error == ERROR_TRUNCATED)
		snprintf(text, size, "the answer of DNS server %s for %.100s is truncated, over TCP came none", server,
			r->error_name);
	else if (r->error == ERROR_MALFORMED)
		snprintf(text, size, "DNS server %s sends a malformed answer for %.100s", server, r->error_name);
	else
		snprintf(text, size, "DNS server %s answers %s for %.100s", server, dns_rcode_name(r->error),
			r->error_name);
}

/* Each has another remedy. */
void resolver_reason(const struct resolver *r, char *text, size_t size)
{
	char address[INET_ADDR_TEXT];

	if (!r->conf.n_servers)
		snprintf(text, size, "no DNS server is known to ask for %.120s", r->name);
	else if (r->timed_out && r->error)
		error_reason(r, text, size);
	else if (r->other_family)
		snprintf(text, size, "%.100s has IPv4 addresses only, and no interface here has one", r->name);
	else if (r->unusable.family)
		snprintf(text, size, "DNS gives no usable address for %.100s (it says %s)", r->name,
			inet_text(&r->unusable, address));
	else if (r->timed_out)
		snprintf(text, size, "no DNS server answered in time for %.120s", r->name);
	else
		snprintf(text, size, "the DNS server knows no address of %.120s", r->name);
}
