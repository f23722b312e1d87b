// SPDX-License-Identifier: GPL-2.0-or-later
/* iface_dhcp: the DHCP side of an interface; see iface.h. */
#include <net/ethernet.h>
#include <net/if_arp.h>
#include <netinet/ip.h>
#include <sys/epoll.h>

#include "address/heard.h"
#include "address/iface.h"
#include "address/lease_file.h"
#include "address/lease_warn.h"
#include "address/packet.h"
#include "address/uuid.h"
#include "report/report.h"

#define VENDOR_CLASS	     "initagent"
#define PACKETS_PER_DISPATCH 16
#define ADDRESSES_MAX	     32 /* looked at on an interface when adopting */

/* A name for a long way. */
static struct report *report_of(const struct iface *i)
{
	return i->room->env->report;
}

/* rd.ib.client-id=; a machine without UUID is told of, and asks as if nothing had been said. */
static int infiniband_ids(struct iface *i, struct client_id ids[CLIENT_IDS_MAX], uint64_t now)
{
	enum plan_clientid_kind kind = i->config.cfg.client_id_kind;
	uint8_t uuid[UUID_SIZE];
	int e = kind == PLAN_CLIENTID_UUID ? machine_uuid(i->room->env, uuid) : 0;

	if (e < 0) {
		report_log(report_of(i), REPORT_WARN, i->dev.name, now,
			"rd.ib.client-id=uuid: the firmware tells no UUID (%s); trying the usual forms",
			strerror(-e));
		kind = PLAN_CLIENTID_AUTO;
	}
	return client_id_list(ids, kind, &i->dev.hw, uuid);
}

/* The identity needs the hardware address, which may have been set just before. */
static int make_client(struct iface *i, uint64_t now)
{
	const struct address_config *cfg = &i->config.cfg;
	struct dhcp4_config c = {.vendor_class = VENDOR_CLASS};
	int e = dhcp_identity_make(&c.identity, i->dev.hwtype, &i->dev.hw, cfg->client_id,
		cfg->client_id_len);

	if (e == 0 && i->dev.hwtype == ARPHRD_INFINIBAND && !cfg->client_id_len) {
		e = infiniband_ids(i, c.ids, now);
		c.n_ids = e < 0 ? 0 : (size_t)e;
	}
	if (e < 0)
		return e;
	memcpy(c.hostname, i->config.hostname, sizeof(c.hostname));
	c.listed_only = cfg->n_servers > 0; /* servers of the other family alone leave none to this one */
	for (size_t n = 0; n < cfg->n_servers; n++)
		if (cfg->servers[n].family == AF_INET)
			c.servers[c.n_servers++] = cfg->servers[n].v4;
	return dhcp4_new(&i->dhcp, &c);
}

/* --- leases -------------------------------------------------------------------------------- */

static bool address_is_set(const struct iface *i, const struct inet_addr *addr)
{
	struct link_address set[ADDRESSES_MAX];
	int n = links_addresses(i->room->links, i->dev.ifindex, set, ARRAY_SIZE(set));

	for (int k = 0; k < n; k++)
		if (inet_equal(&set[k].addr, addr))
			return true;
	return false;
}

/* As much of a lease as the state machine needs to renew it. */
static struct dhcp4_lease lease_of(const struct address_result *r)
{
	return (struct dhcp4_lease){
		.ack = {
			.type = DHCP_ACK,
			.yiaddr = r->addr.v4,
			.server_id = r->server_id.v4,
			.prefix = r->prefix,
			.has_lease = 1,
			.lease_s = r->lease_s,
		},
		.obtained = r->obtained,
		.renew = r->renew,
		.rebind = r->rebind,
		.expires = r->expires,
	};
}

/* A lease of an earlier run: true when its address is still set and it goes on without a question. */
static bool adopt(struct iface *i, uint64_t now)
{
	struct address_result saved;
	struct dhcp4_lease lease;

	if (i->looked)
		return false;
	i->looked = true;
	if (lease_file_load(i->room->env, &i->dev, &saved) < 0 || saved.expires <= now ||
		saved.expires - now < IFACE_LEASE_MARGIN)
		return false;
	lease = lease_of(&saved);
	if (!dhcp4_adopt(i->dhcp, &lease, saved.client_id, saved.client_id_len, now))
		return false;
	if (!address_is_set(i, &saved.addr)) {
		dhcp4_stop(i->dhcp, now); /* the next start asks for it again */
		return false;
	}
	saved.adopted = true;
	iface_use(i, &saved, now);
	return true;
}

/* Failing to save costs a restarted agent some time, not the boot. */
static void save_lease(struct iface *i, uint64_t now)
{
	int e = lease_file_save(i->room->env, &i->result, &i->dev.hw);

	if (e < 0)
		report_log(report_of(i), REPORT_DEBUG, i->dev.name, now, "saving the lease: %s",
			strerror(-e));
}

/*
 * Every member of an IPoIB broadcast group sends with the group's MTU at most, which the link has when the
 * carrier comes; the kernel cuts what exceeds it without a word.
 */
static void bound_mtu(struct iface *i, struct address_result *want, uint64_t now)
{
	if (i->dev.hwtype != ARPHRD_INFINIBAND || want->mtu <= i->link_mtu)
		return;
	report_log(report_of(i), REPORT_WARN, i->dev.name, now,
		"MTU %u is more than the link's %u, which stays", want->mtu, i->link_mtu);
	want->mtu = i->link_mtu;
}

/* fresh: just obtained, as opposed to held all along. */
static void use_lease(struct iface *i, bool fresh, uint64_t now)
{
	const struct dhcp4_lease *lease = dhcp4_lease(i->dhcp);
	struct address_result want;

	result_lease(&want, &i->config.cfg, &i->dev, dhcp4_identity(i->dhcp), lease);
	bound_mtu(i, &want, now);
	if (fresh) {
		report_span(report_of(i), "address", "DHCP", i->began, now, 0);
		lease_warn(report_of(i), i->dev.name, &lease->ack, now);
	}
	iface_use(i, &want, now);
	if (i->state != IFACE_FAILED)
		save_lease(i, now);
}

/* The times are new, the rest stayed: the interface is not touched. */
static void renewed(struct iface *i, uint64_t now)
{
	const struct dhcp4_lease *lease = dhcp4_lease(i->dhcp);

	i->result.lease_s = lease->ack.lease_s;
	i->result.obtained = lease->obtained;
	i->result.renew = lease->renew;
	i->result.rebind = lease->rebind;
	i->result.expires = lease->expires;
	save_lease(i, now);
	if (!i->news.has_outcome)
		iface_event(i, ADDRESS_RENEWED, CAUSE_NONE, "");
}

/* --- events of the client ------------------------------------------------------------------ */

/* Something worse than silence: remembered, because silence follows it. */
static void hindered(struct iface *i, enum cause cause, const char *text, uint64_t now)
{
	i->hindrance = cause;
	report_cause(report_of(i), cause, i->dev.name, now, "%s", text);
	iface_hint(i, cause, "%s", text);
}

/*
 * A server that makes offers is up: what does not reach it, or comes back from another, is another question. The
 * cause is reported with the last REQUEST, and remembered from the first: the round may end before.
 */
static void unacked(struct iface *i, const struct dhcp4_unacked *u, uint64_t now)
{
	const struct inet_addr from = inet_from(u->server), offered = inet_from(u->address);
	const struct inet_addr other = inet_from(u->rival);
	char server[INET_ADDR_TEXT], address[INET_ADDR_TEXT], rival[INET_ADDR_TEXT];

	snprintf(i->unacked, sizeof(i->unacked), "server %s offered %s, but left %u REQUEST%s unanswered%s%s%s",
		inet_text(&from, server), inet_text(&offered, address), u->requests, u->requests == 1 ? "" : "s",
		other.family ? "; " : "", inet_text(&other, rival), other.family ? " acknowledged instead" : "");
	if (u->over) {
		hindered(i, CAUSE_DHCP_NO_ACK, i->unacked, now);
		return;
	}
	i->hindrance = CAUSE_DHCP_NO_ACK;
	iface_hint(i, CAUSE_DHCP_NO_ACK, "%s", i->unacked);
}

static void silence(struct iface *i, const struct dhcp4_event *ev, uint64_t now)
{
	char heard[HEARD_TEXT], strangers[64] = "";

	/*
	 * After a loss of carrier INIT-REBOOT found nobody to ask: what is set is valid until it expires
	 * (RFC 2131 section 3.2). A lease known from a file only is not taken on trust.
	 */
	if (i->state == IFACE_ASKING && i->applied && dhcp4_lease(i->dhcp)) {
		if (!dhcp4_verifies(i->dhcp))
			use_lease(i, false, now);
		return;
	}
	if (ev->strangers)
		snprintf(strangers, sizeof(strangers), "; %u answer%s for another hardware address or client", ev->strangers,
			ev->strangers == 1 ? "" : "s");
	if (i->state == IFACE_ASKING)
		iface_hint(i, i->hindrance ? i->hindrance : CAUSE_DHCP_NO_OFFER,
			"no DHCP answer %s, %u request%s sent%s%s", i->hindrance ? "that can be used" : "yet", ev->count,
			ev->count == 1 ? "" : "s", heard_since(i->room->env, i->dev.name, i->heard, heard), strangers);
}

/* The dark side of servers that know a node by one form of its identifier only: say which ones were sent. */
static void other_form(struct iface *i, const struct dhcp4_event *ev, uint64_t now)
{
	const struct client_id *id = &dhcp4_identity(i->dhcp)->client_id;
	char text[CLIENT_ID_TEXT];

	client_id_text(id, text);
	if (ev->again)
		report_log(report_of(i), REPORT_INFO, i->dev.name, now,
			"an offer to client identifier form %s; asking with form %s (%s) once more first",
			client_id_form_name(ev->before), client_id_form_name(id->form), text);
	else
		report_log(report_of(i), REPORT_INFO, i->dev.name, now,
			"no DHCP answer to client identifier form %s (%u request%s), trying form %s (%s)",
			client_id_form_name(ev->before), ev->count, ev->count == 1 ? "" : "s",
			client_id_form_name(id->form), text);
}

/* "10.0.0.9, 10.0.0.10": who answered without being allowed to. */
static void foreign_names(const struct iface *i, char *buf, size_t size)
{
	size_t len = 0;

	*buf = 0;
	for (size_t n = 0; n < i->n_foreign && len < size; n++) {
		struct inet_addr a = inet_from(i->foreign[n]);
		char name[INET_ADDR_TEXT];

		len += (size_t)snprintf(buf + len, size - len, "%s%s", n ? ", " : "", inet_text(&a, name));
	}
}

/* Remembered by address, so that the end of the wait names all of them. */
static void foreign(struct iface *i, struct in_addr server, uint64_t now)
{
	char names[IFACE_FOREIGN_MAX * (INET_ADDRSTRLEN + 2)], text[160];
	size_t n = 0;

	while (n < i->n_foreign && i->foreign[n].s_addr != server.s_addr)
		n++;
	if (n == i->n_foreign && n < IFACE_FOREIGN_MAX)
		i->foreign[i->n_foreign++] = server;
	foreign_names(i, names, sizeof(names));
	snprintf(text, sizeof(text), "server%s %s %s not in rd.net.dhcp.server=",
		i->n_foreign == 1 ? "" : "s", names, i->n_foreign == 1 ? "is" : "are");
	hindered(i, CAUSE_DHCP_FOREIGN, text, now);
}

/* The lease is gone: NAK or the end of its time. */
static void lease_gone(struct iface *i, enum cause cause, const char *text, uint64_t now)
{
	bool had = i->applied;

	lease_file_remove(i->room->env, i->dev.ifindex);
	if (had)
		iface_lost(i, cause, text);
	if (i->state != IFACE_NO_CARRIER && i->state != IFACE_GONE)
		iface_set_state(i, IFACE_ASKING, now);
}

/* A NAK takes effect whether or not there was a lease. */
static void refused(struct iface *i, const char *server, uint64_t now)
{
	char text[64];

	snprintf(text, sizeof(text), "NAK from %s", server);
	hindered(i, CAUSE_DHCP_NAK, text, now);
	lease_gone(i, CAUSE_DHCP_NAK, text, now);
}

/* What the state machine reports, as words, causes and changes of the interface. */
static void take_event(struct iface *i, const struct dhcp4_event *ev, uint64_t now)
{
	struct inet_addr server = inet_from(ev->server);
	char name[INET_ADDR_TEXT], text[160];

	inet_text(&server, name);
	switch (ev->type) {
	case DHCP4_LEASE: use_lease(i, true, now); break;
	case DHCP4_RENEWED: renewed(i, now); break;
	case DHCP4_REFUSED: refused(i, name, now); break;
	case DHCP4_EXPIRED:
		lease_gone(i, CAUSE_DHCP_EXPIRED, "the DHCP lease has run out", now);
		break;
	case DHCP4_FOREIGN: foreign(i, ev->server, now); break;
	case DHCP4_BAD_REPLY:
		snprintf(text, sizeof(text), "%s%s%s", ev->text, *name ? ", from " : "", name);
		hindered(i, CAUSE_DHCP_BAD_REPLY, text, now);
		break;
	case DHCP4_FORM: other_form(i, ev, now); break;
	case DHCP4_SILENCE: silence(i, ev, now); break;
	case DHCP4_UNACKED: unacked(i, &ev->unacked, now); break;
	case DHCP4_NOTHING:
	case DHCP4_EVENT_MAX: break;
	}
}

/* --- packets ------------------------------------------------------------------------------- */

/* Quiet, but open: see packet_mute(). */
static void stop_listening(struct iface *i)
{
	iface_unwatch(i->room, &i->renew_fd);
	if (!i->listens)
		return;
	epoll_ctl(i->room->epoll, EPOLL_CTL_DEL, i->fd, NULL);
	packet_mute(i->fd);
	i->listens = false;
}

/* The socket hears replies while they are expected, and only those of the transaction. */
static void match_socket(struct iface *i)
{
	uint32_t xid = dhcp4_xid(i->dhcp);

	if (!dhcp4_listens(i->dhcp)) {
		stop_listening(i);
		return;
	}
	if (i->listens && i->filter_xid == xid)
		return;
	if (i->fd < 0)
		i->fd = packet_open_dhcp(i->dev.ifindex, xid);
	else if (packet_expect(i->fd, xid) < 0)
		return;
	if (i->fd >= 0 && !i->listens)
		iface_watch(i->room, i->fd);
	i->listens = i->fd >= 0;
	i->filter_xid = xid;
}

/* By the IP stack, which knows the server's hardware address or finds it out. */
static int send_unicast(struct iface *i, const struct dhcp4_packet *p)
{
	if (i->renew_fd < 0)
		i->renew_fd = packet_open_unicast(i->dev.ifindex, p->source);
	if (i->renew_fd < 0)
		return i->renew_fd;
	return packet_unicast(i->renew_fd, p->dest, p->bytes + WIRE_HEADERS, p->len - WIRE_HEADERS);
}

/* By the packet socket, which works without an address. */
static int send_packet(struct iface *i, const struct dhcp4_packet *p)
{
	if (p->unicast)
		return send_unicast(i, p);
	return i->fd < 0 ? i->fd : packet_broadcast(i->fd, &i->dev, ETHERTYPE_IP, p->bytes, p->len);
}

/*
 * From the news of the carrier to the first packet handed to the kernel: what the agent itself takes. Only here
 * the clock is read: a dispatch's time is from before the work, and this work is what is measured.
 */
static void spoke(struct iface *i, uint64_t now)
{
	uint64_t sent = now_ns();
	char what[48];

	i->spoke = true;
	snprintf(what, sizeof(what), "first DHCP packet on %s", i->dev.name);
	report_span(report_of(i), "address", what, i->began, sent > now ? sent : now, 0);
}

/* Carries packets and events out of the client, until it has no more. */
static void pump(struct iface *i, uint64_t now)
{
	struct dhcp4_packet packet;
	struct dhcp4_event ev;

	while (i->dhcp && i->state != IFACE_FAILED && dhcp4_pop_event(i->dhcp, &ev))
		take_event(i, &ev, now);
	if (i->state == IFACE_FAILED)
		return;
	match_socket(i);
	while (dhcp4_pop_packet(i->dhcp, &packet)) {
		int e = send_packet(i, &packet);

		/* As good as lost on the wire: its timer runs. */
		if (e < 0)
			report_log(report_of(i), REPORT_DEBUG, i->dev.name, now,
				"sending a DHCP request: %s", strerror(-e));
		else if (!i->spoke)
			spoke(i, now);
	}
}

/* Raw bytes go to the parser process unseen. */
void iface_read(struct iface *i, struct parser *parser, struct parse_request *scratch)
{
	for (int n = 0; n < PACKETS_PER_DISPATCH && i->listens; n++) {
		bool verify = false;
		ssize_t len = packet_receive(i->fd, scratch->packet, sizeof(scratch->packet), &verify);

		if (len < 0)
			return;
		scratch->kind = PARSE_DHCP4;
		scratch->tag = (uint32_t)i->config.cfg.ifindex;
		scratch->verify = verify;
		scratch->len = (uint32_t)len;
		parser_submit(parser, scratch);
	}
}

void iface_take(struct iface *i, const struct dhcp_reply *reply, uint64_t now)
{
	if (!i->dhcp || i->state == IFACE_FAILED)
		return;
	dhcp4_take(i->dhcp, reply, now);
	pump(i, now);
}

void iface_no_parser(struct iface *i, uint64_t now)
{
	if (i->dhcp && i->state != IFACE_CONFIGURED && i->state != IFACE_FAILED)
		iface_fail(i, CAUSE_PARSER_DIED, "there is no process left to read DHCP replies", now);
}

/* --- start, stop, time --------------------------------------------------------------------- */

/* A round of rd.net.timeout.dhcp; without it the only one. */
static void begin_round(struct iface *i, uint64_t now)
{
	uint64_t limit = i->config.cfg.dhcp_limit;

	i->round_end = limit ? now + limit : NSEC_NEVER;
	i->hindrance = CAUSE_NONE;
	i->n_foreign = 0;
	i->heard = heard_packets(i->room->env, i->dev.name);
	dhcp4_start(i->dhcp, now);
	iface_set_state(i, IFACE_ASKING, now);
	pump(i, now);
}

/* The client is made with the first carrier and lives as long as the interface: it knows the lease. */
void iface_dhcp_start(struct iface *i, uint64_t now)
{
	if (!i->dhcp && make_client(i, now) < 0) {
		iface_fail(i, CAUSE_ADDRESS_FAILED, "no hardware address to ask DHCP with", now);
		return;
	}
	if (!adopt(i, now)) {
		iface_hint(i, CAUSE_DHCP_NO_OFFER, "asking for an address by DHCP");
		begin_round(i, now);
	}
}

void iface_dhcp_stop(struct iface *i, uint64_t now)
{
	if (!i->dhcp)
		return;
	dhcp4_stop(i->dhcp, now);
	match_socket(i);
}

/* RFC 2131 section 3.1.5: tell the server, rest, start over. */
void iface_dhcp_decline(struct iface *i, uint64_t now)
{
	lease_file_remove(i->room->env, i->dev.ifindex);
	dhcp4_decline(i->dhcp, now);
	iface_set_state(i, IFACE_ASKING, now);
	pump(i, now);
}

/* Fresh transaction and quick first retries, as if the link had just come up; or the end. */
static void end_round(struct iface *i, uint64_t now)
{
	uint32_t most = i->config.cfg.dhcp_rounds;
	enum cause cause = i->hindrance ? i->hindrance : CAUSE_DHCP_NO_OFFER;
	char text[192], names[IFACE_FOREIGN_MAX * (INET_ADDRSTRLEN + 2)], heard[HEARD_TEXT];

	i->rounds++;
	i->round_end = NSEC_NEVER;
	snprintf(text, sizeof(text), "no lease after %u round%s of %u s%s", i->rounds,
		i->rounds == 1 ? "" : "s", (unsigned)(i->config.cfg.dhcp_limit / NSEC_PER_SEC),
		heard_since(i->room->env, i->dev.name, i->heard, heard));
	if (cause == CAUSE_DHCP_FOREIGN) {
		size_t len = strlen(text);

		foreign_names(i, names, sizeof(names));
		snprintf(text + len, sizeof(text) - len, "; only %s answered", names);
	} else if (cause == CAUSE_DHCP_NO_ACK) {
		size_t len = strlen(text);

		snprintf(text + len, sizeof(text) - len, "; %s", i->unacked);
	}
	if (most && i->rounds >= most) {
		iface_fail(i, cause, text, now);
		return;
	}
	iface_hint(i, cause, "%s", text);
	dhcp4_stop(i->dhcp, now);
	begin_round(i, now);
}

uint64_t iface_dhcp_deadline(const struct iface *i)
{
	if (!i->dhcp || i->state == IFACE_FAILED)
		return NSEC_NEVER;
	return min_u64(i->round_end, dhcp4_deadline(i->dhcp));
}

void iface_dhcp_tick(struct iface *i, uint64_t now)
{
	if (!i->dhcp || i->state == IFACE_FAILED)
		return;
	dhcp4_tick(i->dhcp, now);
	pump(i, now);
	if (now >= i->round_end && i->state == IFACE_ASKING)
		end_round(i, now);
	else if (now >= i->round_end)
		i->round_end = NSEC_NEVER;
}
