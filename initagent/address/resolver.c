// SPDX-License-Identifier: GPL-2.0-or-later
/* resolver: see resolver.h. */
#include "address/resolver.h"

#include <sys/random.h>
#include <sys/socket.h>

#include "address/hosts.h"
#include "address/text.h"

#define DNS_PORT  53
#define HOSTS_MAX 65536
#define TYPE_A	  1
#define TYPE_AAAA 28

/* Seconds to the next round of queries; the last one is repeated. */
static const uint8_t waits[] = {1, 2, 4};

/* The two questions asked about each name. */
enum asked { ASK_A, ASK_AAAA, ASK_N };

struct question {
	uint16_t id;
	bool answered;
	size_t n; /* 0: there is no such record */
	struct inet_addr addrs[ADDRESS_RESOLVED_MAX];
};

struct resolver {
	char name[ADDRESS_DOMAIN_MAX + 1];
	struct resolv_conf conf;
	char tries[RESOLVER_TRIES_MAX][ADDRESS_DOMAIN_MAX + 1];
	size_t n_tries, current;
	int fds[2]; /* for IPv4 and IPv6 servers */
	struct question asked[ASK_N];
	unsigned round;
	uint64_t next, limit;
	enum resolver_state state;
	struct inet_addr result[ADDRESS_RESOLVED_MAX];
	size_t n_result;
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

/* Opened when the first server of that family is asked. */
static int socket_for(struct resolver *r, int family)
{
	int which = family == AF_INET6;

	if (r->fds[which] < 0)
		r->fds[which] = socket(family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	return r->fds[which];
}

/* A failed send is like a lost packet: the next round tries again. */
static void send_to(struct resolver *r, const struct inet_addr *server, const void *data, size_t len)
{
	const struct sockaddr_in v4 = {
		.sin_family = AF_INET, .sin_port = htons(DNS_PORT), .sin_addr = server->v4};
	const struct sockaddr_in6 v6 = {
		.sin6_family = AF_INET6, .sin6_port = htons(DNS_PORT), .sin6_addr = server->v6};
	int fd = socket_for(r, server->family);

	if (fd >= 0 && server->family == AF_INET)
		sendto(fd, data, len, MSG_NOSIGNAL, (const struct sockaddr *)&v4, sizeof(v4));
	else if (fd >= 0)
		sendto(fd, data, len, MSG_NOSIGNAL, (const struct sockaddr *)&v6, sizeof(v6));
}

/* The question as it was sent: an answer is checked against it. */
static struct dns_query query_of(const struct resolver *r, int which)
{
	struct dns_query q = {
		.id = r->asked[which].id,
		.type = which == ASK_A ? TYPE_A : TYPE_AAAA,
	};

	strscpy(q.name, r->tries[r->current], sizeof(q.name));
	return q;
}

/* Both questions to all servers, again and again with growing gaps. */
static void ask(struct resolver *r, uint64_t now)
{
	unsigned i = r->round < ARRAY_SIZE(waits) ? r->round : ARRAY_SIZE(waits) - 1;

	for (int which = 0; which < ASK_N; which++) {
		struct dns_query q = query_of(r, which);
		uint8_t message[DNS_MESSAGE_MAX];
		int len = dns_encode(&q, message);

		for (size_t s = 0; s < r->conf.n_servers && len > 0 && !r->asked[which].answered; s++)
			send_to(r, &r->conf.servers[s], message, (size_t)len);
	}
	r->round++;
	r->next = now + waits[i] * NSEC_PER_SEC;
}

/* A new name is a new pair of questions with new ids: late answers for the last name do not match. */
static void begin_try(struct resolver *r, uint64_t now)
{
	for (int which = 0; which < ASK_N; which++)
		r->asked[which] = (struct question){.id = random_id()};
	r->round = 0;
	ask(r, now);
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

/* --- names --------------------------------------------------------------------------------- */

/* Names that are too long or malformed with this domain are left out. */
static void add_try(struct resolver *r, const char *domain)
{
	char text[ADDRESS_DOMAIN_MAX + 1];
	int n = snprintf(text, sizeof(text), "%s%s%s", r->name, *domain ? "." : "", domain);

	if (r->n_tries == RESOLVER_TRIES_MAX || n < 0 || (size_t)n >= sizeof(text) ||
		!text_valid(TEXT_DOMAIN, text))
		return;
	memcpy(r->tries[r->n_tries++], text, sizeof(text));
}

/* strsep() on a copy: the domains are separated by one space each. */
static void add_search(struct resolver *r)
{
	char search[ADDRESS_SEARCH_MAX + 1], *rest = search, *domain;

	strscpy(search, r->conf.search, sizeof(search));
	while ((domain = strsep(&rest, " ")))
		if (*domain)
			add_try(r, domain);
}

/* As with "options ndots:1": a name with a dot is tried as it is first. */
static void list_tries(struct resolver *r)
{
	bool dotted = strchr(r->name, '.');

	r->n_tries = 0;
	r->current = 0;
	if (dotted)
		add_try(r, "");
	add_search(r);
	if (!dotted) {
		/* The name itself has its place even when there are many domains. */
		if (r->n_tries == RESOLVER_TRIES_MAX)
			r->n_tries--;
		add_try(r, "");
	}
}

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
		list_tries(r);
		begin_try(r, now);
	}
	*ret = r;
	r = NULL;
	return 0;
}

struct resolver *resolver_free(struct resolver *r)
{
	if (!r)
		return NULL;
	closep(&r->fds[0]);
	closep(&r->fds[1]);
	free(r);
	return NULL;
}

/* The search domains may have changed too, so all names are listed anew. */
void resolver_servers(struct resolver *r, const struct resolv_conf *conf, uint64_t now)
{
	if (r->state != RESOLVER_ASKING || !memcmp(&r->conf, conf, sizeof(*conf)))
		return;
	r->conf = *conf;
	list_tries(r);
	begin_try(r, now);
}

int resolver_fd(const struct resolver *r, int which)
{
	return r->fds[which];
}

uint64_t resolver_deadline(const struct resolver *r)
{
	return r->state == RESOLVER_ASKING ? min_u64(r->next, r->limit) : NSEC_NEVER;
}

/* --- answers ------------------------------------------------------------------------------- */

static bool from_server(const struct resolver *r, const struct sockaddr_storage *ss)
{
	struct inet_addr a = {.family = ss->ss_family};
	const struct sockaddr_in *v4 = (const struct sockaddr_in *)(const void *)ss;
	const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)(const void *)ss;
	uint16_t port = a.family == AF_INET ? v4->sin_port : v6->sin6_port;

	if (a.family == AF_INET)
		a.v4 = v4->sin_addr;
	else
		a.v6 = v6->sin6_addr;
	for (size_t i = 0; i < r->conf.n_servers && port == htons(DNS_PORT); i++)
		if (inet_equal(&a, &r->conf.servers[i]))
			return true;
	return false;
}

/* Which of our questions has this id? */
static bool match_query(const struct resolver *r, const uint8_t *packet, size_t len, struct dns_query *ret)
{
	for (int which = 0; which < ASK_N && len >= 2; which++)
		if (r->asked[which].id == (packet[0] << 8 | packet[1])) {
			*ret = query_of(r, which);
			return true;
		}
	return false;
}

size_t resolver_read(struct resolver *r, void *packet, size_t size, struct dns_query *ret)
{
	for (int which = 0; which < 2; which++) {
		if (r->fds[which] < 0 || r->state != RESOLVER_ASKING)
			continue;
		for (int budget = 16; budget > 0; budget--) {
			struct sockaddr_storage ss = {0};
			socklen_t len = sizeof(ss);
			ssize_t n = recvfrom(r->fds[which], packet, size, MSG_DONTWAIT,
				(struct sockaddr *)&ss, &len);

			/* A pending ICMP error is fetched like a packet. */
			if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
				break;
			if (n > 0 && from_server(r, &ss) && match_query(r, packet, (size_t)n, ret))
				return (size_t)n;
		}
	}
	return 0;
}

/* A name that does not exist has neither kind of address: on with the next. */
static void next_try(struct resolver *r, uint64_t now)
{
	if (r->current + 1 < r->n_tries) {
		r->current++;
		begin_try(r, now);
	} else {
		finish(r, RESOLVER_NO_NAME);
	}
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

/* What both questions have brought, the preferred kind first; false: nothing. */
static bool take_result(struct resolver *r)
{
	for (int k = 0; k < ASK_N; k++) {
		const struct question *q = &r->asked[k ? !first_asked(r) : first_asked(r)];

		add_result(r, q->addrs, q->n);
	}
	if (r->n_result)
		finish(r, RESOLVER_FOUND);
	return r->n_result > 0;
}

/* An address of the other kind counts only when it is certain that there is none of the preferred one. */
void resolver_take(struct resolver *r, const struct dns_answer *a, uint64_t now)
{
	struct question *q = &r->asked[a->type == TYPE_A ? ASK_A : ASK_AAAA];

	if (r->state != RESOLVER_ASKING || a->id != q->id || q->answered)
		return;
	if (a->verdict == DNS_NO_NAME) {
		next_try(r, now);
		return;
	}
	if (a->verdict == DNS_ANSWER)
		take_addresses(q, a);
	else if (a->verdict == DNS_NO_DATA)
		q->answered = true;
	else
		return; /* another server may know better */
	if (!r->asked[first_asked(r)].answered)
		return;
	if (!take_result(r) && r->asked[!first_asked(r)].answered)
		next_try(r, now);
}

/* At the limit an address of the other kind is better than nothing. */
void resolver_tick(struct resolver *r, uint64_t now)
{
	if (r->state != RESOLVER_ASKING)
		return;
	if (now >= r->limit && !take_result(r))
		finish(r, RESOLVER_SILENT);
	else if (now >= r->next)
		ask(r, now);
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

const char *resolver_name(const struct resolver *r)
{
	return r->name;
}
