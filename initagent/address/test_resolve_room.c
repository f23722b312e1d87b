// SPDX-License-Identifier: GPL-2.0-or-later
/* Names looked up by the whole room at DNS servers that answer right, wrong, late, in part or not at all. */
#include "addressroom.h"
#include "dnsserver.h"

#define LIMIT (12 * SEC)

static struct inet_addr servers[2];

/* va has an address and these name servers; NULL: none. */
static void begin(struct room_fixture *f, const char *first, const char *second)
{
	room_begin(f);
	netns_run_in(f->peer, "ip addr add 10.0.0.2/24 dev vb");
	f->cfg.method = ADDRESS_STATIC;
	f->cfg.addr = room_addr("10.0.0.7");
	f->cfg.prefix = 24;
	servers[0] = room_addr(first);
	servers[1] = room_addr(second ? second : first);
	f->cfg.nameservers = servers;
	f->cfg.n_nameservers = second ? 2 : 1;
	room_start(f);
	room_until(f, ADDRESS_CONFIGURED, 2 * SEC);
}

/* The addresses found, separated by one space, or the text of the cause. */
static const char *resolve(struct room_fixture *f, const char *name)
{
	static char text[512];
	struct address_event ev;
	size_t len = 0;

	CHECK_INT(addresses_resolve(f->addresses, name, LIMIT, room_clock(f)), 0);
	ev = room_until(f, ADDRESS_RESOLVED, LIMIT + SEC);
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

/* --- several addresses --------------------------------------------------------------------- */

static void ten_addresses(struct dnsserver_reply *m, const struct dnsserver_query *q)
{
	dnsserver_begin(m, q, DNSSERVER_PLAIN);
	dnsserver_address(m, q, q->name, "2001:db8::1");
	for (int i = 0; i < 10; i++) {
		char address[16];

		snprintf(address, sizeof(address), "10.0.0.%d", 30 - i);
		dnsserver_address(m, q, q->name, address);
	}
}

TEST(all_addresses_of_a_name_in_order)
{
	_cleanup_(room_end) struct room_fixture f;

	begin(&f, "10.0.0.1", NULL);
	dnsserver_start(f.peer, "10.0.0.1", ten_addresses);
	CHECK_STR(resolve(&f, "nfs.example"),
		"10.0.0.30 10.0.0.29 10.0.0.28 10.0.0.27 10.0.0.26 10.0.0.25 10.0.0.24 10.0.0.23");
}
