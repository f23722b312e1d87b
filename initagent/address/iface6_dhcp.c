// SPDX-License-Identifier: GPL-2.0-or-later
/* iface6_dhcp: the DHCPv6 side of an interface; see iface6.h. */
#include <sys/epoll.h>
#include <sys/socket.h>

#include "address/heard.h"
#include "address/iface6.h"
#include "address/lease_file.h"
#include "address/lease_warn.h"
#include "report/report.h"

#define PACKETS_PER_DISPATCH 16
#define DUID_TEXT	     41 /* twenty octets: the forms with a time or UUID are shorter */

/* All DHCPv6 relays and servers of the link (RFC 8415 section 7.1). */
#define ALL_SERVERS {{{0xff, 0x02, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 2}}}

static struct report *report_of(const struct iface6 *i)
{
	return i->room->env->report;
}

/* --- leases -------------------------------------------------------------------------------- */

/* As much of a lease as the state machine needs to renew it. */
static struct dhcp6_lease lease_of(const struct address_result *r)
{
	struct dhcp6_lease l = {
		.reply = {
			.type = DHCP6_REPLY,
			.has_ia = 1,
			.has_address = 1,
			.address = r->addr.v6,
			.preferred_s = r->lease_s,
			.valid_s = r->lease_s,
			.server.len = (uint16_t)r->server_duid_len,
		},
		.obtained = r->obtained,
		.renew = r->renew,
		.rebind = r->rebind,
		.expires = r->expires,
	};

	memcpy(l.reply.server.bytes, r->server_duid, r->server_duid_len);
	for (size_t n = 0; n < r->n_dns; n++)
		if (r->dns[n].family == AF_INET6)
			memcpy(l.reply.dns[l.reply.n_dns++], r->dns[n].bytes, 16);
	for (size_t n = 0; n < r->n_ntp; n++)
		if (r->ntp[n].family == AF_INET6)
			memcpy(l.reply.ntp[l.reply.n_ntp++], r->ntp[n].bytes, 16);
	memcpy(l.reply.search, r->search, sizeof(l.reply.search));
	memcpy(l.reply.boot_file, r->boot_file, sizeof(l.reply.boot_file));
	return l;
}

/* The identity needs the hardware address, which may have been set just before. */
static int make_client(struct iface6 *i, bool informs)
{
	struct dhcp6_config c = {.iaid = duid_iaid(&i->dev), .information = informs};
	int e = duid_make(&i->client, i->room->env, &i->dev);

	if (e < 0)
		return e;
	c.client = i->client;
	memcpy(c.hostname, i->config.hostname, sizeof(c.hostname));
	i->dhcp = dhcp6_free(i->dhcp);
	e = dhcp6_new(&i->dhcp, &c);
	i->informs = informs;
	return e;
}

/* Is what the file says this client's, and is its time not up? */
static bool still_ours(const struct iface6 *i, const struct address_result *saved, uint64_t now)
{
	return saved->expires > now && saved->expires - now >= IFACE_LEASE_MARGIN &&
		saved->client_id_len == i->client.len &&
		!memcmp(saved->client_id, i->client.bytes, i->client.len);
}

bool iface6_adopts(struct iface6 *i, uint64_t now)
{
	struct address_result saved;
	struct dhcp6_lease lease;
	struct inet6_view v = {0};

	if (i->looked)
		return false;
	i->looked = true;
	if (lease6_file_load(i->room->env, &i->dev, &saved) < 0 || make_client(i, false) < 0)
		return false;
	if (!still_ours(i, &saved, now) ||
		inet6_look(i->room->links, i->dev.ifindex, &saved.addr, &v) < 0 || v.wanted != INET6_USABLE)
		return false;
	lease = lease_of(&saved);
	dhcp6_adopt(i->dhcp, &lease, now);
	saved.adopted = true;
	i->result = saved;
	i->applied = i->stale = true;
	return true;
}

/* Failing to save costs a restarted agent some time, not the boot. */
static void save_lease(struct iface6 *i, uint64_t now)
{
	const struct dhcp6_reply *reply = &dhcp6_lease(i->dhcp)->reply;
	struct address_result lease = i->result;
	int e;

	/* Not what routers say of DNS: it has an end of its own, and comes again. */
	for (lease.n_dns = 0; lease.n_dns < reply->n_dns; lease.n_dns++) {
		lease.dns[lease.n_dns] = (struct inet_addr){.family = AF_INET6};
		memcpy(lease.dns[lease.n_dns].bytes, reply->dns[lease.n_dns], 16);
	}
	memcpy(lease.search, reply->search, sizeof(lease.search));
	e = lease6_file_save(i->room->env, &lease, &i->dev.hw);
	if (e < 0)
		report_log(report_of(i), REPORT_DEBUG, i->dev.name, now, "saving the lease: %s", strerror(-e));
}

/* Once a lease: whoever runs the server can mend it. */
static void say_dropped(struct iface6 *i, const struct dhcp6_reply *reply, uint64_t now)
{
	for (unsigned f = 0; f < FIELD6_MAX; f++)
		if (reply->dropped & UINT32_C(1) << f)
			report_log(report_of(i), REPORT_WARN, i->dev.name, now,
				"ignoring what is invalid in the %s of the DHCPv6 answer", dhcp6_field_name((enum dhcp6_field)f));
	if (reply->has_address && reply->valid_s < LEASE_SHORT_S)
		report_log(report_of(i), REPORT_WARN, i->dev.name, now,
			"DHCPv6 lease of %u s only: lost as soon as the server does not answer in time", reply->valid_s);
}

/* /128: what else is on the link, the address does not say (RFC 8415 section 18.2.10.1, RFC 5942). */
static void result_of_lease(struct iface6 *i, struct address_result *ret)
{
	const struct dhcp6_lease *l = dhcp6_lease(i->dhcp);
	const struct inet_addr addr = {.family = AF_INET6, .v6 = l->reply.address};

	iface6_result(i, ret, &addr, 128);
}

/* A new address; the old one, if any, goes. */
static void use_lease(struct iface6 *i, uint64_t now)
{
	report_span(report_of(i), "address", "DHCPv6", i->began, now, 0);
	say_dropped(i, &dhcp6_lease(i->dhcp)->reply, now);
	iface6_release(i);
	result_of_lease(i, &i->result);
	iface6_set_state(i, IFACE6_CHECKING, now);
	if (!iface6_set_address(i, now))
		return;
	save_lease(i, now);
	i->stale = true;
}

/* The address is the same; its times are new, and maybe the servers. */
static void renewed(struct iface6 *i, uint64_t now)
{
	bool adopted = i->result.adopted;

	result_of_lease(i, &i->result);
	i->result.adopted = adopted;
	save_lease(i, now);
	if (!i->news.has_outcome && i->state == IFACE6_CONFIGURED)
		iface6_event(i, ADDRESS_RENEWED, CAUSE_NONE, "");
}

/* --- events of the client ------------------------------------------------------------------ */

/* Something worse than silence: remembered, because silence follows it. */
static void hindered(struct iface6 *i, enum cause cause, const char *text, uint64_t now)
{
	i->hindrance = cause;
	report_cause(report_of(i), cause, i->dev.name, now, "%s", text);
	iface6_hint(i, cause, "%s", text);
}

static void silence(struct iface6 *i, unsigned count)
{
	char heard[HEARD_TEXT];

	if (i->state == IFACE6_ASKING)
		iface6_hint(i, i->hindrance ? i->hindrance : CAUSE_DHCP_NO_OFFER,
			"no DHCPv6 answer %s, %u request%s sent%s", i->hindrance ? "that can be used" : "yet", count,
			count == 1 ? "" : "s", heard_since(i->room->env, i->dev.name, i->heard, heard));
}

/* "0003000102005e000053": as servers log it; of a long one the beginning will do. */
static const char *duid_text(const struct duid *d, char buf[static DUID_TEXT])
{
	size_t len = 0;

	*buf = 0;
	for (size_t n = 0; n < d->len && len + 2 < DUID_TEXT; n++)
		len += (size_t)snprintf(buf + len, DUID_TEXT - len, "%02x", d->bytes[n]);
	return buf;
}

/* As unacked() of IPv4. While a lease is held there is nothing to be waited for. */
static void unacked(struct iface6 *i, const struct dhcp6_unacked *u, uint64_t now)
{
	const struct inet_addr from = {.family = AF_INET6, .v6 = u->source};
	const struct inet_addr offered = {.family = AF_INET6, .v6 = u->address};
	char duid[DUID_TEXT], source[INET_ADDR_TEXT], address[INET_ADDR_TEXT];

	if (i->state != IFACE6_ASKING)
		return;
	snprintf(i->unacked, sizeof(i->unacked), "server %s (%s) offered %s, but left %u REQUEST%s unanswered",
		duid_text(&u->server, duid), inet_text(&from, source), inet_text(&offered, address), u->requests,
		u->requests == 1 ? "" : "s");
	if (u->over) {
		hindered(i, CAUSE_DHCP_NO_ACK, i->unacked, now);
		return;
	}
	i->hindrance = CAUSE_DHCP_NO_ACK;
	iface6_hint(i, CAUSE_DHCP_NO_ACK, "%s", i->unacked);
}

/* What is heard counts from here; already asking, it goes on counting. */
static void ask(struct iface6 *i, uint64_t now)
{
	if (i->state != IFACE6_ASKING)
		i->heard = heard_packets(i->room->env, i->dev.name);
	iface6_set_state(i, IFACE6_ASKING, now);
}

static void lease_gone(struct iface6 *i, enum cause cause, const char *text, uint64_t now)
{
	bool had = i->applied;

	lease6_file_remove(i->room->env, i->dev.ifindex);
	if (had)
		iface6_lost(i, cause, text);
	if (i->state != IFACE6_NO_CARRIER && i->state != IFACE6_GONE)
		ask(i, now);
}

/* While it only gathers information there is no lease to be refused. */
static void refused(struct iface6 *i, uint32_t status, uint64_t now)
{
	char text[96];

	snprintf(text, sizeof(text), "the DHCPv6 server says: %s (%u)", dhcp6_status_words(status), status);
	hindered(i, CAUSE_DHCP6_REFUSED, text, now);
	if (i->applied && !i->informs && !dhcp6_lease(i->dhcp))
		lease_gone(i, CAUSE_DHCP6_REFUSED, text, now);
}

/* A bad answer's sender is known to us, not to the client. */
static void bad_reply(struct iface6 *i, const struct dhcp6_event *ev, uint64_t now)
{
	const struct inet_addr from = {.family = AF_INET6, .v6 = ev->source};
	char text[192], name[INET_ADDR_TEXT];

	snprintf(text, sizeof(text), "DHCPv6 answer: %s, from %s", ev->text, inet_text(&from, name));
	hindered(i, CAUSE_DHCP_BAD_REPLY, text, now);
}

static void withdrawn(struct iface6 *i, uint64_t now)
{
	char text[128], name[INET_ADDR_TEXT];

	snprintf(text, sizeof(text), "the DHCPv6 server has taken %s back (valid lifetime 0)",
		inet_text(&i->result.addr, name));
	lease_gone(i, CAUSE_DHCP_EXPIRED, text, now);
}

static void take_event(struct iface6 *i, const struct dhcp6_event *ev, uint64_t now)
{

	switch (ev->type) {
	case DHCP6_EVENT_LEASE: use_lease(i, now); break;
	case DHCP6_EVENT_RENEWED: renewed(i, now); break;
	case DHCP6_EVENT_INFORMED:
		say_dropped(i, &dhcp6_lease(i->dhcp)->reply, now);
		i->stale = true;
		break;
	case DHCP6_EVENT_REFUSED: refused(i, ev->status, now); break;
	case DHCP6_EVENT_EXPIRED:
		lease_gone(i, CAUSE_DHCP_EXPIRED, "the DHCPv6 lease has run out", now);
		break;
	case DHCP6_EVENT_BAD_REPLY: bad_reply(i, ev, now); break;
	case DHCP6_EVENT_WITHDRAWN: withdrawn(i, now); break;
	case DHCP6_EVENT_UNACKED: unacked(i, &ev->unacked, now); break;
	case DHCP6_EVENT_SILENCE: silence(i, ev->count); break;
	case DHCP6_EVENT_NOTHING:
	case DHCP6_EVENT_MAX: break;
	}
}

/* --- packets ------------------------------------------------------------------------------- */

/*
 * An ordinary UDP socket: the link-local address is there before DHCPv6 begins, and the kernel checks headers and
 * checksums. Bound to that address, so that it is the source of what is sent.
 */
static int open_socket(const struct iface6 *i)
{
	const struct sockaddr_in6 own = {
		.sin6_family = AF_INET6,
		.sin6_port = htons(DHCP6_CLIENT_PORT),
		.sin6_addr = i->seen.link_local_addr.v6,
		.sin6_scope_id = (uint32_t)i->dev.ifindex,
	};
	_cleanup_close_ int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int ret;

	if (fd < 0)
		return -errno;
	if (setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, i->dev.name, (socklen_t)strlen(i->dev.name) + 1) < 0 ||
		bind(fd, (const struct sockaddr *)&own, sizeof(own)) < 0)
		return -errno;
	ret = fd;
	fd = -1;
	return ret;
}

/* Open as long as the client may expect an answer. */
static void match_socket(struct iface6 *i)
{
	if (!i->dhcp || !dhcp6_listens(i->dhcp)) {
		iface_unwatch(i->room, &i->fd);
	} else if (i->fd < 0) {
		i->fd = open_socket(i);
		iface_watch(i->room, i->fd);
	}
}

static int send_packet(const struct iface6 *i, const struct dhcp6_packet *p)
{
	const struct sockaddr_in6 all = {
		.sin6_family = AF_INET6,
		.sin6_port = htons(DHCP6_SERVER_PORT),
		.sin6_addr = ALL_SERVERS,
		.sin6_scope_id = (uint32_t)i->dev.ifindex,
	};

	if (i->fd < 0)
		return i->fd;
	return sendto(i->fd, p->bytes, p->len, MSG_NOSIGNAL, (const struct sockaddr *)&all, sizeof(all)) < 0
		? -errno : 0;
}

/* Carries events and packets out of the client, until it has no more. */
static void pump(struct iface6 *i, uint64_t now)
{
	struct dhcp6_packet packet;
	struct dhcp6_event ev;
	int e;

	while (i->dhcp && i->state != IFACE6_FAILED && dhcp6_pop_event(i->dhcp, &ev))
		take_event(i, &ev, now);
	match_socket(i);
	while (i->dhcp && dhcp6_pop_packet(i->dhcp, &packet)) {
		e = send_packet(i, &packet);
		/* As good as lost on the wire: its timer runs. */
		if (e < 0)
			report_log(report_of(i), REPORT_DEBUG, i->dev.name, now,
				"sending a DHCPv6 request: %s", strerror(-e));
	}
}

/*
 * With allowed servers on the command line, others are not heard, whatever the family: a list of IPv4 addresses alone
 * must not leave DHCPv6 open to anybody. Servers answer from their link-local address.
 */
static bool allowed(struct iface6 *i, const struct in6_addr *source)
{
	const struct address_config *cfg = &i->config.cfg;
	struct inet_addr from = {.family = AF_INET6, .v6 = *source};
	char name[INET_ADDR_TEXT];

	for (size_t n = 0; n < cfg->n_servers; n++)
		if (inet_equal(&cfg->servers[n], &from))
			return true;
	if (cfg->n_servers)
		iface6_hint(i, CAUSE_DHCP_FOREIGN, "server %s is not in rd.net.dhcp.server=", inet_text(&from, name));
	return !cfg->n_servers;
}

/* Not read, so that it may not be ours: once will do. */
static void too_long(struct iface6 *i, size_t len, uint64_t now)
{
	char text[64];

	if (i->hindrance == CAUSE_DHCP_BAD_REPLY)
		return;
	snprintf(text, sizeof(text), "DHCPv6 answer of %zu bytes is too long", len);
	hindered(i, CAUSE_DHCP_BAD_REPLY, text, now);
}

void iface6_read(struct iface6 *i, struct parser *parser, struct parse_request *scratch, uint64_t now)
{
	for (int n = 0; n < PACKETS_PER_DISPATCH && i->fd >= 0; n++) {
		struct sockaddr_in6 from = {0};
		socklen_t size = sizeof(from);
		ssize_t len = recvfrom(i->fd, scratch->packet, sizeof(scratch->packet), MSG_TRUNC,
			(struct sockaddr *)&from, &size);

		if (len < 0)
			return;
		if (!allowed(i, &from.sin6_addr))
			continue;
		if ((size_t)len > sizeof(scratch->packet)) {
			too_long(i, (size_t)len, now);
			continue;
		}
		scratch->kind = PARSE_DHCP6;
		scratch->iaid = duid_iaid(&i->dev);
		scratch->source = from.sin6_addr;
		scratch->tag = (uint32_t)i->config.cfg.ifindex;
		scratch->len = (uint32_t)len;
		parser_submit(parser, scratch);
	}
}

void iface6_take(struct iface6 *i, const struct dhcp6_reply *reply, uint64_t now)
{
	if (!i->dhcp || i->state == IFACE6_FAILED)
		return;
	dhcp6_take(i->dhcp, reply, now);
	pump(i, now);
}

void iface6_no_parser(struct iface6 *i, uint64_t now)
{
	if (i->dhcp && i->state == IFACE6_ASKING)
		iface6_fail(i, CAUSE_PARSER_DIED, "there is no process left to read DHCPv6 answers", now);
}

/* --- start, stop, time --------------------------------------------------------------------- */

/* rd.net.timeout.dhcp as often as rd.net.dhcp.retry says: together beyond 64 bits, which counts as without end. */
static uint64_t all_rounds(const struct address_config *cfg)
{
	if (!cfg->dhcp_limit || !cfg->dhcp_rounds || cfg->dhcp_limit > NSEC_NEVER / cfg->dhcp_rounds)
		return NSEC_NEVER;
	return cfg->dhcp_limit * cfg->dhcp_rounds;
}

/* With both options the time has an end of its own; otherwise rd.retry is the only one. */
static void begin_asking(struct iface6 *i, uint64_t now)
{
	uint64_t span = all_rounds(&i->config.cfg);

	i->dhcp_end = span < NSEC_NEVER - now ? now + span : NSEC_NEVER;
	ask(i, now);
	iface6_hint(i, CAUSE_DHCP_NO_OFFER, "asking for an address by DHCPv6");
}

static void asked_too_long(struct iface6 *i, uint64_t now)
{
	const struct address_config *cfg = &i->config.cfg;
	char text[320], heard[HEARD_TEXT];
	bool unanswered = i->hindrance == CAUSE_DHCP_NO_ACK;

	i->dhcp_end = NSEC_NEVER;
	if (i->state != IFACE6_ASKING)
		return;
	snprintf(text, sizeof(text), "no DHCPv6 lease after %llu s%s%s%s",
		(unsigned long long)(all_rounds(cfg) / NSEC_PER_SEC),
		heard_since(i->room->env, i->dev.name, i->heard, heard), unanswered ? "; " : "",
		unanswered ? i->unacked : "");
	iface6_fail(i, i->hindrance ? i->hindrance : CAUSE_DHCP_NO_OFFER, text, now);
}

/* The client is made when it is first needed and lives on with its lease. Started twice, it does not notice. */
void iface6_dhcp_start(struct iface6 *i, bool informs, uint64_t now)
{
	if ((!i->dhcp || i->informs != informs) && make_client(i, informs) < 0) {
		iface6_fail(i, CAUSE_ADDRESS_FAILED, "neither UUID nor hardware address to ask DHCPv6 with", now);
		return;
	}
	if (!informs && !i->applied) {
		begin_asking(i, now);
	}
	dhcp6_start(i->dhcp, now);
	pump(i, now);
}

void iface6_dhcp_stop(struct iface6 *i, uint64_t now)
{
	if (!i->dhcp)
		return;
	dhcp6_stop(i->dhcp, now);
	match_socket(i);
}

/* RFC 8415 section 18.2.8. */
void iface6_dhcp_decline(struct iface6 *i, uint64_t now)
{
	lease6_file_remove(i->room->env, i->dev.ifindex);
	dhcp6_decline(i->dhcp, now);
	ask(i, now);
	pump(i, now);
}

uint64_t iface6_dhcp_deadline(const struct iface6 *i)
{
	if (!i->dhcp || i->state == IFACE6_FAILED)
		return NSEC_NEVER;
	return min_u64(i->dhcp_end, dhcp6_deadline(i->dhcp));
}

void iface6_dhcp_tick(struct iface6 *i, uint64_t now)
{
	if (!i->dhcp || i->state == IFACE6_FAILED)
		return;
	dhcp6_tick(i->dhcp, now);
	pump(i, now);
	if (now >= i->dhcp_end)
		asked_too_long(i, now);
}
