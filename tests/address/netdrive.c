// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * netdrive: runs the link and address rooms on one interface, as boot.c would, and prints what
 *happens, a line an event: for tests/address.bats, against real servers.
 *
 *   netdrive IFNAME [key=value]...
 *	static=ADDR/PREFIX gateway=ADDR dns=ADDR mtu=N server=ADDR probe=none|parallel|first
 *	request=ADDR
 *hostname=NAME method=METHOD second=METHOD (as ip= has them; second: an IPv6 one beside dhcp)
 *	auto-limit=SECONDS dhcp-limit=SECONDS
 *	guid=HEX clientid=auto|flexboot|hw|rfc4361|uuid client-id=HEX prefix=DIR limit=SECONDS (20)
 *hold=SECONDS resolve=NAME neighbour=ADDR
 *
 * guid= shows the interface to the agent as IPoIB with this port GUID, which the kernel cannot
 *(ibtap.c says why).
 *
 * Ends after the first "configured" and the steps asked for, and hold. Status: 0 done, 1 failed, 2
 *not in time.
 */
#include <net/if_arp.h>
#include <poll.h>
#include <sys/resource.h>

#include "address/address.h"
#include "report/report.h"
#include "resolver/resolver.h"

#define SEC NSEC_PER_SEC

struct drive {
	struct env env;
	struct report *report;
	struct links *links;
	struct addresses *addresses;
	struct address_config cfg;
	struct inet_addr dns, neighbour;
	const char *ifname, *resolve;
	uint64_t began, asked, stop, hold;
	bool configured, resolving, probing;
	int status; /* -1: not done */
};

static void die(const char *what, const char *why)
{
	fprintf(stderr, "netdrive: %s: %s\n", what, why);
	exit(64);
}

/* --- an interface that looks like IPoIB ---------------------------------------------------- */

static struct link_hw guid; /* len 0: interfaces are shown as they are */

/* The linker leads every caller of links_by_index() here (-Wl,--wrap). */
const struct netdev *__real_links_by_index(const struct links *l, int ifindex);
const struct netdev *__wrap_links_by_index(const struct links *l, int ifindex);

const struct netdev *__wrap_links_by_index(const struct links *l, int ifindex)
{
	static const uint8_t own[] = {
		0x80, 0, 0, 0x48, 0xfe, 0x80}; /* connected mode, QPN, prefix */
	static const struct link_hw all = {.len = 20,
		.bytes = {0, 0xff, 0xff, 0xff, 0xff, 0x12, 0x40, 0x1b, 0xff, 0xff, [16] = 0xff,
			0xff, 0xff, 0xff}};
	const struct netdev *dev = __real_links_by_index(l, ifindex);
	static struct netdev shown;

	if (!dev || !guid.len || dev->hw.len == all.len)
		return dev;
	shown = *dev;
	shown.hwtype = ARPHRD_INFINIBAND;
	shown.hw = (struct link_hw){.len = all.len};
	memcpy(shown.hw.bytes, own, sizeof(own));
	memcpy(shown.hw.bytes + all.len - guid.len, guid.bytes, guid.len);
	shown.broadcast = all;
	return &shown;
}

/* --- arguments ----------------------------------------------------------------------------- */

static struct inet_addr address(const char *text)
{
	struct inet_addr a;

	if (value_inet(text, strlen(text), &a) < 0)
		die("not an address", text);
	return a;
}

static uint32_t number(const char *text)
{
	uint32_t n;

	if (value_u32(text, strlen(text), UINT32_MAX, &n) < 0)
		die("not a number", text);
	return n;
}

static size_t hex(const char *text, uint8_t *bytes, size_t max)
{
	size_t n = 0;
	unsigned byte;

	for (; n < max && sscanf(text + 2 * n, "%2x", &byte) == 1; n++)
		bytes[n] = (uint8_t)byte;
	return n;
}

static void set_static(struct drive *d, const char *value)
{
	int prefix;

	if (value_inet_prefix(value, strlen(value), &d->cfg.addr, &prefix) < 0 || prefix < 0)
		die("not ADDR/PREFIX", value);
	d->cfg.method = ADDRESS_STATIC;
	d->cfg.prefix = (uint8_t)prefix;
}

static enum plan_clientid_kind kind(const char *text)
{
	static const char *const names[] = {
		[PLAN_CLIENTID_AUTO] = "auto", [PLAN_CLIENTID_FLEXBOOT] = "flexboot",
		[PLAN_CLIENTID_HW] = "hw", [PLAN_CLIENTID_RFC4361] = "rfc4361",
		[PLAN_CLIENTID_UUID] = "uuid",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (streq(text, names[i]))
			return i;
	die("not a form of client identifier", text);
	return PLAN_CLIENTID_AUTO;
}

static enum address_method method(const char *name)
{
	for (unsigned m = 0; m < ADDRESS_METHOD_MAX; m++)
		if (streq(name, address_method_name((enum address_method)m)))
			return (enum address_method)m;
	die("no method", name);
	return ADDRESS_STATIC;
}

static bool set_network(struct drive *d, const char *key, const char *value)
{
	if (streq(key, "static"))
		set_static(d, value);
	else if (streq(key, "gateway"))
		d->cfg.gateway = address(value);
	else if (streq(key, "server"))
		d->cfg.servers[d->cfg.n_servers++] = address(value);
	else if (streq(key, "request"))
		d->cfg.request = address(value).v4;
	else if (streq(key, "mtu"))
		d->cfg.mtu = number(value);
	else if (streq(key, "method"))
		d->cfg.method = method(value);
	else if (streq(key, "second"))
		d->cfg.second = method(value);
	else if (streq(key, "dhcp-limit"))
		d->cfg.dhcp_limit = number(value) * SEC, d->cfg.dhcp_rounds = 1;
	else if (streq(key, "auto-limit"))
		d->cfg.auto_limit = number(value) * SEC;
	else if (streq(key, "hostname"))
		d->cfg.hostname = value;
	else if (streq(key, "guid"))
		guid.len = (uint8_t)hex(value, guid.bytes, 8);
	else if (streq(key, "clientid"))
		d->cfg.ib_client_id.kind = kind(value);
	else if (streq(key, "client-id"))
		d->cfg.client_id_len = hex(value, d->cfg.client_id, sizeof(d->cfg.client_id));
	else
		return false;
	return true;
}

static void set(struct drive *d, char *arg)
{
	char *value = strchr(arg, '=');

	if (!value)
		die("not key=value", arg);
	*value++ = 0;
	if (set_network(d, arg, value))
		return;
	if (streq(arg, "dns"))
		d->dns = address(value);
	else if (streq(arg, "neighbour"))
		d->neighbour = address(value);
	else if (streq(arg, "resolve"))
		d->resolve = value;
	else if (streq(arg, "prefix"))
		d->env.prefix = value;
	else if (streq(arg, "limit"))
		d->stop = d->began + number(value) * SEC;
	else if (streq(arg, "hold"))
		d->hold = number(value) * SEC;
	else if (streq(arg, "probe"))
		d->cfg.probe = streq(value, "none") ? ADDRESS_PROBE_NONE
			: streq(value, "first") ? ADDRESS_PROBE_FIRST : ADDRESS_PROBE_PARALLEL;
	else
		die("unknown key", arg);
}

static void show_addr(const char *key, const struct inet_addr *a)
{
	char text[INET_ADDR_TEXT];

	if (a->family)
		printf(" %s=%s", key, inet_text(a, text));
}

static void show_text(const char *key, const char *text)
{
	if (*text)
		printf(" %s=%s", key, text);
}

static void show_result(const struct address_result *r)
{
	show_addr("addr", &r->addr);
	printf("/%u", r->prefix);
	show_addr("gateway", &r->gateway);
	for (size_t i = 0; i < r->n_dns; i++)
		show_addr("dns", &r->dns[i]);
	for (size_t i = 0; i < r->n_ntp; i++)
		show_addr("ntp", &r->ntp[i]);
	for (size_t i = 0; i < r->n_routes; i++) {
		show_addr("route", &r->routes[i].dst);
		printf("/%u", r->routes[i].prefix);
		show_addr("via", &r->routes[i].gateway);
	}
	show_text("hostname", r->hostname);
	show_text("domain", r->domain);
	show_text("search", r->search);
	show_text("root-path", r->root_path);
	show_text("boot-file", r->boot_file);
	show_text("tftp-server", r->tftp_server);
	show_addr("next-server", &r->next_server);
	show_addr("server", &r->server_id);
	if (r->method >= ADDRESS_LINK6)
		show_text("method", address_method_name(r->method));
	printf(" mtu=%u lease=%u adopted=%d", r->mtu, r->lease_s, r->adopted);
}

static const char *code(enum cause cause)
{
	return cause ? cause_info(cause)->code : "-";
}

/* The steps after the address. */
static void next_steps(struct drive *d, uint64_t now)
{
	if (d->neighbour.family && !d->probing) {
		d->probing = true;
		if (links_probe(d->links, &d->neighbour, 5 * SEC, now) < 0) {
			printf("neighbour error %s\n", links_error(d->links));
			d->status = 1;
		}
	} else if (d->resolve && !d->resolving) {
		d->resolving = true;
		d->asked = now;
		if (resolver_ask(addresses_resolver(d->addresses), 0, d->resolve,
				6 * SEC, now) < 0) {
			printf("resolve error\n");
			d->status = 1;
		}
	} else if (!d->hold) {
		d->status = 0;
	} else if (d->stop > now + d->hold) {
		d->stop = now + d->hold;
	}
}

static void address_event(struct drive *d, const struct address_event *ev, uint64_t now)
{
	static const char *const names[] = {
		[ADDRESS_CONFIGURED] = "configured",
		[ADDRESS_RENEWED] = "renewed",
		[ADDRESS_HINDRANCE] = "hindrance",
		[ADDRESS_LOST] = "lost",
		[ADDRESS_FAILED] = "failed",
		[ADDRESS_RESOLVED] = "resolved",
	};
	const struct address_result *r = addresses_result(d->addresses, d->cfg.ifindex);

	printf("%s %s %s", names[ev->type], code(ev->cause), ev->text);
	if (ev->type == ADDRESS_CONFIGURED && r) {
		show_result(r);
		printf(" ms=%llu", (unsigned long long)((now - d->began) / NSEC_PER_MSEC));
	}
	show_addr("is", &ev->addr);
	if (ev->type == ADDRESS_RESOLVED)
		printf(" ms=%llu", (unsigned long long)((now - d->asked) / NSEC_PER_MSEC));
	printf("\n");
	fflush(stdout);
	if (ev->type == ADDRESS_FAILED)
		d->status = 1;
	if ((ev->type == ADDRESS_CONFIGURED && !d->configured) || ev->type == ADDRESS_RESOLVED) {
		d->configured = true;
		next_steps(d, now);
	}
}

static void link_event(struct drive *d, const struct link_event *ev, uint64_t now)
{
	if (ev->type == LINK_NEIGH_REACHABLE || ev->type == LINK_NEIGH_FAILED) {
		printf("neighbour %s\n", ev->type == LINK_NEIGH_REACHABLE ? "reachable" : "failed");
		next_steps(d, now);
		return;
	}
	addresses_link(d->addresses, ev->dev.ifindex, now);
}

static void turn(struct drive *d)
{
	struct pollfd p[2] = {{.fd = links_fd(d->links), .events = POLLIN},
		{.fd = addresses_fd(d->addresses), .events = POLLIN}};
	uint64_t now = now_ns(), until = min_u64(d->stop, links_deadline(d->links));
	struct address_event aev;
	struct link_event lev;

	until = min_u64(until, addresses_deadline(d->addresses));
	poll(p, 2, until > now ? (int)((until - now) / NSEC_PER_MSEC) + 1 : 0);
	now = now_ns();
	links_dispatch(d->links, now);
	while (links_pop_event(d->links, &lev))
		link_event(d, &lev, now);
	addresses_dispatch(d->addresses, now);
	while (addresses_pop_event(d->addresses, &aev))
		address_event(d, &aev, now);
}

static void start(struct drive *d)
{
	struct report_config rc = {.console_fd = STDERR_FILENO, .kmsg_fd = -1, .debug = true};
	const struct netdev *dev;

	if (report_new(&d->report, &rc) < 0)
		die("report", "no memory");
	d->env.report = d->report;
	if (links_new(&d->links, &d->env, now_ns()) < 0 ||
		addresses_new(&d->addresses, &d->env, d->links, now_ns()) < 0)
		die("rooms", strerror(errno));
	dev = links_by_name(d->links, d->ifname);
	if (!dev)
		die("no such interface", d->ifname);
	d->cfg.ifindex = dev->ifindex;
	if (d->dns.family) {
		d->cfg.nameservers = &d->dns;
		d->cfg.n_nameservers = 1;
	}
	if (addresses_add(d->addresses, &d->cfg, now_ns()) < 0)
		die("addresses_add", "refused");
}

int main(int argc, char **argv)
{
	struct drive d = {
		.env.prefix = "", .status = -1, .began = now_ns(), .cfg.method = ADDRESS_DHCP4};
	struct rusage used;

	d.stop = d.began + 20 * SEC;
	if (argc < 2)
		die("usage", "netdrive IFNAME [key=value]...");
	d.ifname = argv[1];
	for (int i = 2; i < argc; i++)
		set(&d, argv[i]);
	start(&d);
	while (d.status < 0 && now_ns() < d.stop)
		turn(&d);
	if (d.status < 0)
		d.status = d.configured ? 0 : 2;
	addresses_freep(&d.addresses);
	links_freep(&d.links);
	report_freep(&d.report);
	getrusage(RUSAGE_SELF, &used);
	printf("cpu self_us=%lld", used.ru_utime.tv_sec * 1000000LL + used.ru_utime.tv_usec +
		used.ru_stime.tv_sec * 1000000LL + used.ru_stime.tv_usec);
	getrusage(RUSAGE_CHILDREN, &used);
	printf(" parser_us=%lld\n", used.ru_utime.tv_sec * 1000000LL + used.ru_utime.tv_usec +
		used.ru_stime.tv_sec * 1000000LL + used.ru_stime.tv_usec);
	return d.status;
}
