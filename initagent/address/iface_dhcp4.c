// SPDX-License-Identifier: GPL-2.0-or-later
/* iface_dhcp4: DHCPv4 on an interface: identity, leases, packets; see iface.h. */
#include <net/ethernet.h>
#include <net/if_arp.h>
#include <sys/epoll.h>

#include "address/iface.h"
#include "address/lease_file.h"
#include "address/packet.h"
#include "report/report.h"

#define VENDOR_CLASS  "initagent"
/* Packets after the first one, of all interfaces: a node with many would fill the report. */
#define REPEATS_SHOWN 64
#define ADDRESSES_MAX 32 /* looked at on an interface when adopting */

/* rd.ib.client-id=; a machine without UUID is told of, and asks as if nothing had been said. */
static int infiniband_ids(struct iface *i, struct client_id ids[CLIENT_IDS_MAX], uint64_t now)
{
	enum plan_clientid_kind kind = i->config.cfg.ib_client_id.kind;
	uint8_t uuid[UUID_SIZE];
	int e = kind == PLAN_CLIENTID_UUID ? machine_uuid(i->room->env, uuid) : 0;

	if (e < 0) {
		report_log(iface_report(i), REPORT_WARN, i->dev.name, now,
			"rd.ib.client-id=uuid: the firmware has no UUID (%s); trying the usual "
			"forms",
			strerror(-e));
		kind = PLAN_CLIENTID_AUTO;
	}
	return client_id_list(ids, kind, &i->dev.hw, uuid);
}

/* The identity needs the hardware address, which may have been set just before. */
static int make_client(struct iface *i, uint64_t now)
{
	const struct address_config *cfg = &i->config.cfg;
	struct dhcp4_config c = {.vendor_class = VENDOR_CLASS, .request = cfg->request};
	const struct plan_clientid *ib = &cfg->ib_client_id;
	/* Ethernet has but one form, and rd.ib.client-id= is not about it. */
	bool by_form = i->dev.hwtype == ARPHRD_INFINIBAND && !cfg->client_id_len;
	bool hex = by_form && ib->kind == PLAN_CLIENTID_HEX;
	int e = dhcp_identity_make(&c.identity, i->dev.hwtype, &i->dev.hw,
		hex ? ib->bytes : cfg->client_id, hex ? ib->len : cfg->client_id_len);

	if (e == 0 && by_form && !hex) {
		e = infiniband_ids(i, c.ids, now);
		c.n_ids = e < 0 ? 0 : (size_t)e;
	}
	if (e < 0)
		return e;
	memcpy(c.hostname, i->config.hostname, sizeof(c.hostname));
	/* servers of the other family alone leave none to this one */
	c.listed_only = cfg->n_servers > 0;
	for (size_t n = 0; n < cfg->n_servers; n++)
		if (cfg->servers[n].family == AF_INET)
			c.servers[c.n_servers++] = cfg->servers[n].v4;
	return dhcp4_new(&i->dhcp4, &c);
}

/* --- leases -------------------------------------------------------------------------------- */

static bool is_set(const struct iface *i, const struct inet_addr *addr)
{
	struct link_address set[ADDRESSES_MAX];
	int n = links_addresses(i->room->links, i->dev.ifindex, set, ARRAY_SIZE(set));

	for (int k = 0; k < n; k++)
		if (inet_equal(&set[k].addr, addr))
			return true;
	return false;
}

/* As much of a lease as the client needs to renew it. */
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
		.life = {r->obtained, r->renew, r->rebind, r->expires},
	};
}

/* A lease of an earlier run: true when its address is still set and it goes on without a
 * question. */
static bool adopt_lease(struct iface *i, uint64_t now)
{
	struct address_result saved;
	struct dhcp4_lease lease;

	if (i->looked)
		return false;
	i->looked = true;
	if (lease_file_load(i->room->env, AF_INET, &i->dev, &saved) < 0 ||
		!iface_dhcp_worth(&saved, now))
		return false;
	lease = lease_of(&saved);
	if (!dhcp4_adopt(i->dhcp4, &lease, saved.client_id, saved.client_id_len, now))
		return false;
	if (!is_set(i, &saved.addr)) {
		dhcp4_stop(i->dhcp4, now); /* the next start asks for it again */
		return false;
	}
	saved.adopted = true;
	iface4_use(i, &saved, now);
	return true;
}

/*
 * Every member of an IPoIB broadcast group sends with the group's MTU at most, which the link has
 * when the carrier comes; the kernel silently truncates what exceeds it.
 */
static void bound_mtu(struct iface *i, struct address_result *want, uint64_t now)
{
	if (i->dev.hwtype != ARPHRD_INFINIBAND || want->mtu <= i->link_mtu)
		return;
	report_log(iface_report(i), REPORT_WARN, i->dev.name, now,
		"MTU %u exceeds the link's %u, which is kept", want->mtu, i->link_mtu);
	want->mtu = i->link_mtu;
}

static void use_lease(struct iface *i, uint64_t now)
{
	struct address_result want;

	result_lease(&want, &i->config.cfg, &i->dev, dhcp4_identity(i->dhcp4),
		dhcp4_lease(i->dhcp4));
	bound_mtu(i, &want, now);
	iface4_use(i, &want, now);
	if (i->state != IFACE_FAILED)
		iface_dhcp_save(i, &i->result, now);
}

static void use_new_lease(struct iface *i, uint64_t now)
{
	report_span(iface_report(i), "address", "DHCP", i->began, now, 0);
	lease_warn(iface_report(i), i->dev.name, &dhcp4_lease(i->dhcp4)->ack, now);
	use_lease(i, now);
}

/* The times are new, the rest stayed: the interface is not touched. */
static void renew(struct iface *i, uint64_t now)
{
	const struct dhcp4_lease *lease = dhcp4_lease(i->dhcp4);

	result_times(&i->result, lease->ack.lease_s, &lease->life);
	iface_dhcp_save(i, &i->result, now);
}

/*
 * After a loss of carrier INIT-REBOOT got no reply: what is set is valid until it expires (RFC 2131
 * section 3.2). A lease known from a file only is not taken on trust.
 */
bool iface_dhcp4_keeps(struct iface *i, uint64_t now)
{
	if (!i->applied || !dhcp4_lease(i->dhcp4))
		return false;
	if (!dhcp4_verifies(i->dhcp4))
		use_lease(i, now);
	return true;
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

/* The socket hears only replies of the transaction. */
static void listen_for_replies(struct iface *i)
{
	uint32_t xid = dhcp4_xid(i->dhcp4);

	if (!dhcp4_listens(i->dhcp4)) {
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

/* Unicast by the IP stack, which finds the server's hardware address; else without an address of
 * ours. */
static int send_packet(struct iface *i, const struct dhcp4_packet *p)
{
	if (!p->unicast)
		return i->fd < 0 ? i->fd
				 : packet_broadcast(i->fd, &i->dev, ETHERTYPE_IP, p->bytes, p->len);
	if (i->renew_fd < 0)
		i->renew_fd = packet_open_unicast(i->dev.ifindex, p->source);
	if (i->renew_fd < 0)
		return i->renew_fd;
	return packet_unicast(i->renew_fd, p->dest, p->bytes + WIRE_HEADERS, p->len - WIRE_HEADERS);
}

/*
 * From the notice of the carrier to the first packet handed to the kernel: what the agent itself
 * takes. From then on from packet to packet: what it waited for an answer. Only here the clock is
 * read: a dispatch's time is from before the work, and this work is measured.
 */
static void record_packet(struct iface *i, uint64_t now)
{
	uint64_t sent = now_ns(), from = i->spoken ? i->spoke : i->began;
	char what[48];

	sent = sent > now ? sent : now;
	if (i->spoken++)
		snprintf(what, sizeof(what), "DHCP packet %u on %s", i->spoken, i->dev.name);
	else
		snprintf(what, sizeof(what), "first DHCP packet on %s", i->dev.name);
	i->spoke = sent;
	if (i->spoken == 1 || (*i->room->repeats)++ < REPEATS_SHOWN)
		report_span(iface_report(i), "address", what, from, sent, 0);
}

static void send_packets(struct iface *i, uint64_t now)
{
	struct dhcp4_packet packet;

	while (dhcp4_pop_packet(i->dhcp4, &packet)) {
		int e = send_packet(i, &packet);

		/* As good as lost on the wire: its timer runs. */
		if (e < 0)
			report_log(iface_report(i), REPORT_DEBUG, i->dev.name, now,
				"sending a DHCP request: %s", strerror(-e));
		else
			record_packet(i, now);
	}
}

void iface_dhcp4_read(struct iface *i, struct parser *parser, struct parse_request *scratch)
{
	for (int n = 0; n < IFACE_PACKETS_PER_DISPATCH && i->listens; n++) {
		bool verify = false;
		ssize_t len = packet_receive(i->fd, scratch->packet, sizeof(scratch->packet),
			&verify, NULL);

		if (len < 0)
			return;
		scratch->kind = PARSE_DHCP4;
		scratch->tag = (uint32_t)i->config.cfg.ifindex;
		scratch->verify = verify;
		scratch->len = (uint32_t)len;
		parser_submit(parser, scratch);
	}
}

/* --- rounds -------------------------------------------------------------------------------- */

/* rd.net.timeout.dhcp */
static uint64_t one_round(const struct address_config *cfg)
{
	return cfg->dhcp_limit ? cfg->dhcp_limit : NSEC_NEVER;
}

/* A round of rd.net.timeout.dhcp; without it the only one. */
static void begin_round(struct iface *i, uint64_t now)
{
	i->hindrance = CAUSE_NONE;
	i->n_foreign = 0;
	i->heard = iface_dhcp_packets(i);
	dhcp4_start(i->dhcp4, now);
	iface_dhcp_ask(i, now);
	iface_dhcp_pump(i, now);
}

/* The client is made with the first carrier and lives as long as the interface: it knows the
 * lease. */
void iface_dhcp4_start(struct iface *i, uint64_t now)
{
	if (!i->dhcp4 && make_client(i, now) < 0) {
		iface_fail(i, CAUSE_ADDRESS_FAILED, "no hardware address for DHCP", now);
		return;
	}
	if (!adopt_lease(i, now)) {
		iface_hint(i, CAUSE_DHCP_NO_OFFER, "asking for an address by DHCP");
		begin_round(i, now);
	}
}

/* "10.0.0.9, 10.0.0.10" */
void iface_dhcp4_foreign(const struct iface *i, char *buf, size_t size)
{
	size_t len = 0;

	*buf = 0;
	for (size_t n = 0; n < i->n_foreign && len < size; n++) {
		struct inet_addr a = inet_from(i->foreign[n]);
		char name[INET_ADDR_TEXT];

		len += (size_t)snprintf(buf + len, size - len, "%s%s", n ? ", " : "",
			inet_text(&a, name));
	}
}

/* Fresh transaction and quick first retries, as if the link had just come up; or the end. */
static void end_round(struct iface *i, uint64_t now)
{
	enum cause cause = i->hindrance ? i->hindrance : CAUSE_DHCP_NO_OFFER;
	const struct address_config *cfg = &i->config.cfg;
	char text[384], why[192] = "", heard[HEARD_TEXT];

	i->rounds++;
	if (cause == CAUSE_DHCP_FOREIGN)
		iface_dhcp4_foreign(i, why, sizeof(why));
	else if (cause == CAUSE_DHCP_NO_ACK)
		strscpy(why, i->unacked, sizeof(why));
	snprintf(text, sizeof(text), "no lease after %u round%s of %u s%s%s%s%s%s", i->rounds,
		i->rounds == 1 ? "" : "s", (unsigned)(cfg->dhcp_limit / NSEC_PER_SEC),
		iface_dhcp_heard(i, heard), *why ? "; " : "",
		cause == CAUSE_DHCP_FOREIGN ? "only " : "", why,
		cause == CAUSE_DHCP_FOREIGN ? " answered" : "");
	if (cfg->dhcp_rounds && i->rounds >= cfg->dhcp_rounds) {
		iface_fail(i, cause, text, now);
		return;
	}
	iface_hint(i, cause, "%s", text);
	dhcp4_stop(i->dhcp4, now);
	begin_round(i, now);
}

const struct iface_dhcp iface_dhcp4 = {
	"DHCP", use_new_lease, renew, listen_for_replies, send_packets, one_round, end_round,
};
