// SPDX-License-Identifier: GPL-2.0-or-later
/* iface_dhcp6: DHCPv6 on an interface: leases and packets; see iface.h. */
#include <sys/socket.h>

#include "address/iface.h"
#include "address/lease_file.h"
#include "report/report.h"

/* All DHCPv6 relays and servers of the link (RFC 8415 section 7.1). */
#define ALL_SERVERS {{{0xff, 0x02, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 2}}}

/* --- leases -------------------------------------------------------------------------------- */

/* As much of a lease as the client needs to renew it. */
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
		.life = {r->obtained, r->renew, r->rebind, r->expires},
	};

	memcpy(l.reply.server.bytes, r->server_duid, r->server_duid_len);
	for (size_t n = 0; n < r->n_dns; n++)
		if (r->dns[n].family == AF_INET6)
			l.reply.dns[l.reply.n_dns++] = r->dns[n].v6;
	for (size_t n = 0; n < r->n_ntp; n++)
		if (r->ntp[n].family == AF_INET6)
			l.reply.ntp[l.reply.n_ntp++] = r->ntp[n].v6;
	memcpy(l.reply.search, r->search, sizeof(l.reply.search));
	memcpy(l.reply.boot_file, r->boot_file, sizeof(l.reply.boot_file));
	return l;
}

/* The identity needs the hardware address, which may have been set just before. */
static int make_client(struct iface *i, bool informs)
{
	struct dhcp6_config c = {.iaid = duid_iaid(&i->dev), .information = informs};
	int e = duid_make(&i->client, i->room->env, &i->dev);

	if (e < 0)
		return e;
	c.client = i->client;
	memcpy(c.hostname, i->config.hostname, sizeof(c.hostname));
	i->dhcp6 = dhcp6_free(i->dhcp6);
	e = dhcp6_new(&i->dhcp6, &c);
	i->informs = informs;
	return e;
}

bool iface_dhcp6_adopts(struct iface *i, uint64_t now)
{
	struct address_result saved;
	struct dhcp6_lease lease;
	struct inet6_view v = {0};

	if (i->looked)
		return false;
	i->looked = true;
	if (lease_file_load(i->room->env, AF_INET6, &i->dev, &saved) < 0 ||
		make_client(i, false) < 0)
		return false;
	if (!iface_dhcp_worth(&saved, now) || saved.client_id_len != i->client.len ||
		memcmp(saved.client_id, i->client.bytes, i->client.len) ||
		inet6_look(i->room->links, i->dev.ifindex, &saved.addr, &v) < 0 ||
		v.wanted != INET6_USABLE)
		return false;
	lease = lease_of(&saved);
	dhcp6_adopt(i->dhcp6, &lease, now);
	saved.adopted = true;
	i->result = saved;
	i->applied = i->stale = true;
	return true;
}

/* Not what routers say of DNS: it has an end of its own, and comes again. */
static void save_lease(struct iface *i, uint64_t now)
{
	const struct dhcp6_reply *reply = &dhcp6_lease(i->dhcp6)->reply;
	struct address_result lease = i->result;

	for (lease.n_dns = 0; lease.n_dns < reply->n_dns; lease.n_dns++)
		lease.dns[lease.n_dns] = inet_from6(&reply->dns[lease.n_dns]);
	memcpy(lease.search, reply->search, sizeof(lease.search));
	iface_dhcp_save(i, &lease, now);
}

/* Once a lease: the admin of the server can correct it. */
static void say_dropped(struct iface *i, uint64_t now)
{
	const struct dhcp6_reply *reply = &dhcp6_lease(i->dhcp6)->reply;

	for (unsigned f = 0; f < FIELD6_MAX; f++)
		if (reply->dropped & UINT32_C(1) << f)
			report_log(iface_report(i), REPORT_WARN, i->dev.name, now,
				"ignoring invalid %s in DHCPv6 reply",
				dhcp6_field_name((enum dhcp6_field)f));
		else if (reply->partly & UINT32_C(1) << f)
			report_log(iface_report(i), REPORT_WARN, i->dev.name, now,
				"ignoring some entries of %s in DHCPv6 reply: invalid, or more "
				"than %d", dhcp6_field_name((enum dhcp6_field)f), ADDRESS_LIST_MAX);
	if (reply->has_address && reply->valid_s < LEASE_SHORT_S)
		report_log(iface_report(i), REPORT_WARN, i->dev.name, now,
			"DHCPv6 lease of %u s only: lost as soon as the server does not answer in "
			"time",
			reply->valid_s);
}

void iface_dhcp6_informed(struct iface *i, uint64_t now)
{
	say_dropped(i, now);
	i->stale = true;
}

/* /128: what else is on the link, the address does not say (RFC 8415 section 18.2.10.1, RFC
 * 5942). */
static void result_of_lease(struct iface *i, struct address_result *ret)
{
	const struct inet_addr addr = inet_from6(&dhcp6_lease(i->dhcp6)->reply.address);

	iface6_result(i, ret, &addr, 128);
}

/* A new address; the old one, if any, goes, unless it is the root's. */
static void use_lease(struct iface *i, uint64_t now)
{
	report_span(iface_report(i), "address", "DHCPv6", i->began, now, 0);
	say_dropped(i, now);
	if (!i->room->keep)
		iface_release(i);
	result_of_lease(i, &i->result);
	iface_set_state(i, IFACE_CHECKING, now);
	if (!iface_set_address(i, now))
		return;
	save_lease(i, now);
	i->stale = true;
}

/* The address is the same; its times are new, and maybe the servers. */
static void renew(struct iface *i, uint64_t now)
{
	bool adopted = i->result.adopted;

	result_of_lease(i, &i->result);
	i->result.adopted = adopted;
	save_lease(i, now);
}

/* --- packets ------------------------------------------------------------------------------- */

/*
 * An ordinary UDP socket: the link-local address is there before DHCPv6 begins, and the kernel
 * checks headers and checksums. Bound to that address, so that it is the source of what is sent.
 */
static int open_socket(const struct iface *i)
{
	const struct sockaddr_in6 own = {
		.sin6_family = AF_INET6,
		.sin6_port = htons(DHCP6_CLIENT_PORT),
		.sin6_addr = i->seen.link_local_addr.v6,
		.sin6_scope_id = (uint32_t)i->dev.ifindex,
	};
	socklen_t len = (socklen_t)strlen(i->dev.name) + 1;
	_cleanup_close_ int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int done = fd;

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, i->dev.name, len) < 0 ||
		bind(fd, (const struct sockaddr *)&own, sizeof(own)) < 0)
		return -errno;
	fd = -1;
	return done;
}

static void listen_for_replies(struct iface *i)
{
	if (!dhcp6_listens(i->dhcp6)) {
		iface_unwatch(i->room, &i->fd);
	} else if (i->fd < 0) {
		i->fd = open_socket(i);
		iface_watch(i->room, i->fd);
	}
}

static void send_packets(struct iface *i, uint64_t now)
{
	const struct sockaddr_in6 all = {
		.sin6_family = AF_INET6,
		.sin6_port = htons(DHCP6_SERVER_PORT),
		.sin6_addr = ALL_SERVERS,
		.sin6_scope_id = (uint32_t)i->dev.ifindex,
	};
	struct dhcp6_packet p;

	/* What cannot be sent is as good as lost on the wire: its timer runs. */
	while (dhcp6_pop_packet(i->dhcp6, &p))
		if (i->fd < 0 ||
			sendto(i->fd, p.bytes, p.len, MSG_NOSIGNAL, (const struct sockaddr *)&all,
					 sizeof(all)) < 0)
			report_log(iface_report(i), REPORT_DEBUG, i->dev.name, now,
				"sending a DHCPv6 request: %s",
				strerror(i->fd < 0 ? -i->fd : errno));
}

/*
 * With allowed servers on the command line, others are not heard, whatever the family: a list of
 * IPv4 addresses alone must not leave DHCPv6 open. Servers answer from their link-local address.
 */
static bool is_allowed(struct iface *i, const struct in6_addr *source, uint64_t now)
{
	const struct address_config *cfg = &i->config.cfg;
	const struct inet_addr from = inet_from6(source);
	char text[96], name[INET_ADDR_TEXT];

	for (size_t n = 0; n < cfg->n_servers; n++)
		if (inet_equal(&cfg->servers[n], &from))
			return true;
	if (!cfg->n_servers)
		return true;
	snprintf(text, sizeof(text), "server %s is not in rd.net.dhcp.server=",
		inet_text(&from, name));
	iface_dhcp_hindered(i, CAUSE_DHCP_FOREIGN, text, now);
	return false;
}

/* Not read, so that it may not be ours: once will do. */
static void reply_too_long(struct iface *i, size_t len, uint64_t now)
{
	char text[64];

	if (i->hindrance == CAUSE_DHCP_BAD_REPLY)
		return;
	snprintf(text, sizeof(text), "DHCPv6 answer of %zu bytes is too long", len);
	iface_dhcp_hindered(i, CAUSE_DHCP_BAD_REPLY, text, now);
}

void iface_dhcp6_read(struct iface *i, struct parser *parser, struct parse_request *scratch,
	uint64_t now)
{
	for (int n = 0; n < IFACE_PACKETS_PER_DISPATCH && i->fd >= 0; n++) {
		struct sockaddr_in6 from = {0};
		socklen_t size = sizeof(from);
		ssize_t len = recvfrom(i->fd, scratch->packet, sizeof(scratch->packet), MSG_TRUNC,
			(struct sockaddr *)&from, &size);

		if (len < 0)
			return;
		if (!is_allowed(i, &from.sin6_addr, now))
			continue;
		if ((size_t)len > sizeof(scratch->packet)) {
			reply_too_long(i, (size_t)len, now);
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

/* --- start and end ------------------------------------------------------------------------- */

/* rd.net.timeout.dhcp as often as rd.net.dhcp.retry says; without both, or beyond 64 bits, no
 * end. */
static uint64_t all_rounds(const struct address_config *cfg)
{
	if (!cfg->dhcp_limit || !cfg->dhcp_rounds ||
		cfg->dhcp_limit > NSEC_NEVER / cfg->dhcp_rounds)
		return NSEC_NEVER;
	return cfg->dhcp_limit * cfg->dhcp_rounds;
}

/* The client is made when it is first needed and lives on with its lease. A second start has no
 * effect. */
void iface_dhcp6_start(struct iface *i, bool informs, uint64_t now)
{
	if ((!i->dhcp6 || i->informs != informs) && make_client(i, informs) < 0) {
		iface_fail(i, CAUSE_ADDRESS_FAILED,
			"neither UUID nor hardware address for a DUID", now);
		return;
	}
	if (!informs && !i->applied) {
		iface_dhcp_ask(i, now);
		iface_hint(i, CAUSE_DHCP_NO_OFFER, "asking for an address by DHCPv6");
	}
	dhcp6_start(i->dhcp6, now);
	iface_dhcp_pump(i, now);
}

static void end_asking(struct iface *i, uint64_t now)
{
	bool unacked = i->hindrance == CAUSE_DHCP_NO_ACK;
	char text[320], heard[HEARD_TEXT];

	snprintf(text, sizeof(text), "no DHCPv6 lease after %llu s%s%s%s",
		(unsigned long long)(all_rounds(&i->config.cfg) / NSEC_PER_SEC),
		iface_dhcp_heard(i, heard), unacked ? "; " : "", unacked ? i->unacked : "");
	iface_fail(i, i->hindrance ? i->hindrance : CAUSE_DHCP_NO_OFFER, text, now);
}

const struct iface_dhcp iface_dhcp6 = {
	"DHCPv6", use_lease, renew, listen_for_replies, send_packets, all_rounds, end_asking,
};
