// SPDX-License-Identifier: GPL-2.0-or-later
/* iface_dhcp: DHCP on an interface: what its client reports, as causes and changes; see iface.h. */
#include "address/iface.h"
#include "address/lease_file.h"
#include "base/hex.h"
#include "report/report.h"

#define DUID_TEXT 41 /* twenty octets: the forms with a time or UUID are shorter */

static const struct iface_dhcp *dhcp_of(const struct iface *i)
{
	return i->family == AF_INET6 ? &iface_dhcp6 : &iface_dhcp4;
}

static bool is_running(const struct iface *i)
{
	return (i->dhcp4 || i->dhcp6) && i->state != IFACE_FAILED;
}

static const char *plural(unsigned n)
{
	return n == 1 ? "" : "s";
}

/* --- is anything received? ----------------------------------------------------------------- */

/*
 * A segment on which nothing at all is received (VLAN, P_Key, switch port) is another matter than
 * one without a DHCP server. Counted by the driver
 * (Documentation/ABI/testing/sysfs-class-net-statistics).
 */
uint64_t iface_dhcp_packets(const struct iface *i)
{
	char text[32], *end;
	uint64_t n;

	if (env_read(i->room->env, text, sizeof(text), "/sys/class/net/%s/statistics/rx_packets",
		    i->dev.name) <= 0)
		return UINT64_MAX;
	n = strtoull(text, &end, 10);
	return *end ? UINT64_MAX : n;
}

const char *iface_dhcp_heard(const struct iface *i, char buf[static HEARD_TEXT])
{
	uint64_t n = iface_dhcp_packets(i);

	if (n == UINT64_MAX || n < i->heard)
		return "";
	if (n == i->heard)
		return ", nothing at all received";
	snprintf(buf, HEARD_TEXT, ", %llu packet%s of any kind received",
		(unsigned long long)(n - i->heard), n - i->heard == 1 ? "" : "s");
	return buf;
}

/* --- leases -------------------------------------------------------------------------------- */

/* Failing to save costs a restarted agent some time, not the boot. */
void iface_dhcp_save(struct iface *i, const struct address_result *lease, uint64_t now)
{
	int e = lease_file_save(i->room->env, lease, &i->dev.hw);

	if (e < 0)
		report_log(iface_report(i), REPORT_DEBUG, i->dev.name, now, "saving the lease: %s",
			strerror(-e));
}

bool iface_dhcp_worth(const struct address_result *saved, uint64_t now)
{
	return saved->expires > now && saved->expires - now >= IFACE_LEASE_MARGIN;
}

void iface_dhcp_ask(struct iface *i, uint64_t now)
{
	if (i->state != IFACE_ASKING)
		i->heard = iface_dhcp_packets(i);
	/* under a mounted root it goes on asking */
	if (i->dhcp_end == NSEC_NEVER && !i->room->keep)
		i->dhcp_end = dhcp_after(now, dhcp_of(i)->limit(&i->config.cfg));
	iface_set_state(i, IFACE_ASKING, now);
}

static void lease_gone(struct iface *i, enum cause cause, const char *text, uint64_t now)
{
	bool had = i->applied;

	lease_file_remove(i->room->env, i->family, i->dev.ifindex);
	if (had) {
		i->rounds = 0;
		iface_lost(i, cause, text);
	}
	if (i->state != IFACE_NO_CARRIER && i->state != IFACE_GONE)
		iface_dhcp_ask(i, now);
}

/* --- what the client reports --------------------------------------------------------------- */

void iface_dhcp_hindered(struct iface *i, enum cause cause, const char *text, uint64_t now)
{
	i->hindrance = cause;
	report_cause(iface_report(i), cause, i->dev.name, now, "%s", text);
	iface_hint(i, cause, "%s", text);
}

/* A NAK takes effect whether or not there was a lease; a status code only if the client dropped
 * it. */
static void lease_refused(struct iface *i, const struct dhcp_event *ev, uint64_t now)
{
	enum cause cause = i->dhcp6 ? CAUSE_DHCP6_REFUSED : CAUSE_DHCP_NAK;
	char text[96], server[INET_ADDR_TEXT];

	if (i->dhcp6)
		snprintf(text, sizeof(text), "the DHCPv6 server says: %s (%u)",
			dhcp6_status_words(ev->status), ev->status);
	else
		snprintf(text, sizeof(text), "NAK from %s", inet_text(&ev->server, server));
	if (ev->again) {
		report_log(iface_report(i), REPORT_INFO, i->dev.name, now,
			"%s to the address of rd.net.dhcp.request=; asking for any", text);
		return;
	}
	iface_dhcp_hindered(i, cause, text, now);
	if (!i->dhcp6 || (i->applied && !i->informs && !dhcp6_lease(i->dhcp6)))
		lease_gone(i, cause, text, now);
}

static void lease_withdrawn(struct iface *i, uint64_t now)
{
	char text[128], name[INET_ADDR_TEXT];

	snprintf(text, sizeof(text), "the DHCPv6 server has withdrawn %s (valid lifetime 0)",
		inet_text(&i->result.addr, name));
	lease_gone(i, CAUSE_DHCP_EXPIRED, text, now);
}

static void bad_reply(struct iface *i, const struct dhcp_event *ev, uint64_t now)
{
	char text[256], server[INET_ADDR_TEXT];

	inet_text(&ev->server, server);
	snprintf(text, sizeof(text), "%s%s%s%s", i->dhcp6 ? "DHCPv6 answer: " : "", ev->text,
		*server ? ", from " : "", server);
	iface_dhcp_hindered(i, CAUSE_DHCP_BAD_REPLY, text, now);
}

static void no_reply(struct iface *i, const struct dhcp_event *ev, uint64_t now)
{
	char heard[HEARD_TEXT], strangers[64] = "";

	if (i->state != IFACE_ASKING || (i->dhcp4 && iface_dhcp4_keeps(i, now)))
		return;
	if (ev->strangers)
		snprintf(strangers, sizeof(strangers),
			"; %u answer%s for another hardware address or client",
			ev->strangers, plural(ev->strangers));
	iface_hint(i, i->hindrance ? i->hindrance : CAUSE_DHCP_NO_OFFER,
		"no %s answer %s, %u request%s sent%s%s", dhcp_of(i)->name,
		i->hindrance ? "that can be used" : "yet", ev->count, plural(ev->count),
		iface_dhcp_heard(i, heard), strangers);
}

/* "0003000102005e000053": as servers log it; of a long one the beginning will do. */
static const char *duid_text(const struct duid *d, char buf[static DUID_TEXT])
{
	return hex_text(buf, DUID_TEXT, d->bytes, min_u64(d->len, DUID_TEXT / 2), "");
}

/*
 * A server that makes offers is up: what does not reach it, or comes back from another, is another
 * question. Reported with the last REQUEST, and kept from the first: the round may end before.
 */
static void offer_unacked(struct iface *i, const struct dhcp_unacked *u, uint64_t now)
{
	char server[INET_ADDR_TEXT], address[INET_ADDR_TEXT], rival[INET_ADDR_TEXT],
		duid[DUID_TEXT];
	const char *name = duid_text(&u->duid, duid);

	if (i->state != IFACE_ASKING)
		return;
	snprintf(i->unacked, sizeof(i->unacked),
		"server %s%s%s%s offered %s, but left %u REQUEST%s unanswered%s%s%s", name,
		*name ? " (" : "", inet_text(&u->server, server), *name ? ")" : "",
		inet_text(&u->address, address), u->requests, plural(u->requests),
		u->rival.family ? "; " : "", inet_text(&u->rival, rival),
		u->rival.family ? " acknowledged instead" : "");
	if (u->over) {
		iface_dhcp_hindered(i, CAUSE_DHCP_NO_ACK, i->unacked, now);
		return;
	}
	i->hindrance = CAUSE_DHCP_NO_ACK;
	iface_hint(i, CAUSE_DHCP_NO_ACK, "%s", i->unacked);
}

/* Kept by address, so that the end of the wait names all of them. */
static void foreign_server(struct iface *i, struct in_addr server, uint64_t now)
{
	char names[IFACE_FOREIGN_MAX * (INET_ADDRSTRLEN + 2)], text[160];
	size_t n = 0;

	while (n < i->n_foreign && i->foreign[n].s_addr != server.s_addr)
		n++;
	if (n == i->n_foreign && n < IFACE_FOREIGN_MAX)
		i->foreign[i->n_foreign++] = server;
	iface_dhcp4_foreign(i, names, sizeof(names));
	snprintf(text, sizeof(text), "server%s %s %s not in rd.net.dhcp.server=",
		plural(i->n_foreign),
		names, i->n_foreign == 1 ? "is" : "are");
	iface_dhcp_hindered(i, CAUSE_DHCP_FOREIGN, text, now);
}

/* Servers may know a node by one form of its identifier only: say which ones were sent. */
static void other_form(struct iface *i, const struct dhcp_event *ev, uint64_t now)
{
	const struct client_id *id = &dhcp4_identity(i->dhcp4)->client_id;
	const char *before = client_id_form_name(ev->before), *form = client_id_form_name(id->form);
	char text[CLIENT_ID_TEXT];

	client_id_text(id, text);
	if (ev->again)
		report_log(iface_report(i), REPORT_INFO, i->dev.name, now,
			"an offer to client identifier form %s; asking with form %s (%s) once more "
			"first",
			before, form, text);
	else
		report_log(iface_report(i), REPORT_INFO, i->dev.name, now,
			"no DHCP answer to client identifier form %s (%u request%s), trying form "
			"%s (%s)",
			before, ev->count, plural(ev->count), form, text);
}

static void take_event(struct iface *i, const struct dhcp_event *ev, uint64_t now)
{
	char text[64];

	switch (ev->type) {
	case DHCP_EVENT_LEASE: dhcp_of(i)->use_lease(i, now); break;
	case DHCP_EVENT_RENEWED:
		dhcp_of(i)->renew(i, now);
		if (!i->has_outcome && i->state == IFACE_CONFIGURED)
			iface_event(i, ADDRESS_RENEWED, CAUSE_NONE, "");
		break;
	case DHCP_EVENT_INFORMED: iface_dhcp6_informed(i, now); break;
	case DHCP_EVENT_REFUSED: lease_refused(i, ev, now); break;
	case DHCP_EVENT_WITHDRAWN: lease_withdrawn(i, now); break;
	case DHCP_EVENT_EXPIRED:
		snprintf(text, sizeof(text), "the %s lease has expired", dhcp_of(i)->name);
		lease_gone(i, CAUSE_DHCP_EXPIRED, text, now);
		break;
	case DHCP_EVENT_FOREIGN: foreign_server(i, ev->server.v4, now); break;
	case DHCP_EVENT_BAD_REPLY: bad_reply(i, ev, now); break;
	case DHCP_EVENT_FORM: other_form(i, ev, now); break;
	case DHCP_EVENT_SILENCE: no_reply(i, ev, now); break;
	case DHCP_EVENT_UNACKED: offer_unacked(i, &ev->unacked, now); break;
	case DHCP_EVENT_NOTHING:
	case DHCP_EVENT_MAX: break;
	}
}

/* --- start, stop, time --------------------------------------------------------------------- */

static bool pop_event(struct iface *i, struct dhcp_event *ret)
{
	return i->dhcp6 ? dhcp6_pop_event(i->dhcp6, ret) : dhcp4_pop_event(i->dhcp4, ret);
}

void iface_dhcp_pump(struct iface *i, uint64_t now)
{
	struct dhcp_event ev;

	while (is_running(i) && pop_event(i, &ev))
		take_event(i, &ev, now);
	if (!is_running(i))
		return;
	dhcp_of(i)->listen(i);
	dhcp_of(i)->send(i, now);
}

void iface_dhcp_stop(struct iface *i, uint64_t now)
{
	if (i->dhcp4)
		dhcp4_stop(i->dhcp4, now);
	if (i->dhcp6)
		dhcp6_stop(i->dhcp6, now);
	if (i->dhcp4 || i->dhcp6)
		dhcp_of(i)->listen(i);
}

/* The server is told; the client rests, then starts over (RFC 2131 section 3.1.5, RFC 8415
 * section 18.2.8). */
bool iface_dhcp_decline(struct iface *i, uint64_t now)
{
	bool leased = i->way == ADDRESS_DHCP6 ? i->dhcp6 && dhcp6_lease(i->dhcp6) && !i->informs
					      : i->way == ADDRESS_DHCP4;

	if (!leased)
		return false;
	lease_file_remove(i->room->env, i->family, i->dev.ifindex);
	if (i->dhcp6)
		dhcp6_decline(i->dhcp6, now);
	else
		dhcp4_decline(i->dhcp4, now);
	iface_dhcp_ask(i, now);
	iface_dhcp_pump(i, now);
	return true;
}

void iface_dhcp_take(struct iface *i, const struct parse_reply *reply, uint64_t now)
{
	if (!is_running(i))
		return;
	if (i->dhcp6)
		dhcp6_take(i->dhcp6, &reply->dhcp6, now);
	else
		dhcp4_take(i->dhcp4, &reply->dhcp, now);
	iface_dhcp_pump(i, now);
}

void iface_no_parser(struct iface *i, uint64_t now)
{
	char text[64];

	if (!is_running(i) || i->state != IFACE_ASKING)
		return;
	snprintf(text, sizeof(text), "the parser process failed too often: cannot read %s replies",
		dhcp_of(i)->name);
	iface_fail(i, CAUSE_PARSER_DIED, text, now);
}

uint64_t iface_dhcp_deadline(const struct iface *i)
{
	if (!is_running(i))
		return NSEC_NEVER;
	return min_u64(i->dhcp_end,
		i->dhcp6 ? dhcp6_deadline(i->dhcp6) : dhcp4_deadline(i->dhcp4));
}

void iface_dhcp_tick(struct iface *i, uint64_t now)
{
	if (!is_running(i))
		return;
	if (i->dhcp6)
		dhcp6_tick(i->dhcp6, now);
	else
		dhcp4_tick(i->dhcp4, now);
	iface_dhcp_pump(i, now);
	if (now < i->dhcp_end)
		return;
	i->dhcp_end = NSEC_NEVER;
	if (i->state == IFACE_ASKING)
		dhcp_of(i)->over(i, now);
}
