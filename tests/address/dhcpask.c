// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dhcpask: asks a DHCP server as one of the boot stages of a node would, and prints what it gets.
 *
 *	dhcpask IFNAME SHAPE PORT-ID [CLIENT-ID]
 *
 * SHAPE is a row of the table below. PORT-ID is the port's GUID (16 hex digits) or MAC (12).
 * CLIENT-ID (hex) is for the shape agent. One line on success:
 *
 *	addr=10.0.0.5 host=node001 file=http://... vendor=HTTPClient next=10.0.0.1
 *
 * file is option 67 or else the header's. Exit status 1: no offer, or no acknowledgement, within
 * $WAIT_MS milliseconds: a minute, unless none is what is expected.
 */
#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>

#include "dhcpmsg.h"

/* Kea and dnsmasq answer in a millisecond, on a machine that has nothing else to do. */
#define WAIT_MS 60000

enum id_form { ID_NONE, ID_FLEXBOOT, ID_HW, ID_IPXE, ID_GIVEN };

/*
 * As in the packets of real clients. What is known of them, and from where:
 * FlexBoot: the source of 3.4.812, which iPXE's authors keep (ipxe/vendor-mellanox-flexboot):
 *	hardware type 32 on InfiniBand with six octets, no user class, option 175 always, the
 *	client identifier unless a setting turns it off. The form "HW Type IB": NVIDIA, FlexBoot
 *	user manual.
 * UEFI on InfiniBand, and the iPXE that it loads, without client identifier: warewulf3, pull
 *	request 312.
 * iPXE: a capture in its issue 1374 (options 57, 93, 94, 60, 77, 55, 175, 61, 97).
 * PXE ROM: the PXE specification 2.1, 2.2.1 (options 57, 97, 93, 94, 60, no client identifier).
 * agent: RFC 4390.
 */
struct shape {
	const char *name;
	uint8_t htype, hlen;
	enum id_form id;
	const char *vendor, *user;
	int arch; /* -1: does not say, and is no PXE client */
	bool ipxe; /* sends iPXE's own options */
};

static const struct shape shapes[] = {
	{"flexboot", 32, 6, ID_FLEXBOOT, "PXEClient:Arch:00000:UNDI:002001", "iPXE", 0, true},
	{"flexboot-noclass", 32, 6, ID_FLEXBOOT, "PXEClient:Arch:00000:UNDI:002001", NULL, 0, true},
	{"flexboot-hw", 32, 6, ID_HW, "PXEClient:Arch:00000:UNDI:002001", NULL, 0, true},
	{"flexboot-noid", 32, 6, ID_NONE, "PXEClient:Arch:00000:UNDI:002001", NULL, 0, true},
	{"flexboot-ethernet", 1, 6, ID_IPXE, "PXEClient:Arch:00000:UNDI:002001", NULL, 0,
		true},
	{"ipxe", 1, 6, ID_IPXE, "PXEClient:Arch:00000:UNDI:002001", "iPXE", 0, true},
	{"ipxe-efi", 1, 6, ID_IPXE, "PXEClient:Arch:00007:UNDI:003010", "iPXE", 7, true},
	{"agent", 32, 0, ID_GIVEN, NULL, NULL, -1, false},
	{"agent-ethernet", 1, 6, ID_NONE, NULL, NULL, -1, false},
	{"agent-ethernet-id", 1, 6, ID_GIVEN, NULL, NULL, -1, false},
	{"pxe", 1, 6, ID_NONE, "PXEClient:Arch:00000:UNDI:002001", NULL, 0, false},
	{"pxe-efi", 1, 6, ID_NONE, "PXEClient:Arch:00007:UNDI:003001", NULL, 7, false},
	{"pxe-arm64", 1, 6, ID_NONE, "PXEClient:Arch:00011:UNDI:003000", NULL, 11, false},
	{"http-efi", 1, 6, ID_NONE, "HTTPClient:Arch:00016:UNDI:003001", NULL, 16, false},
	{"http-arm64", 1, 6, ID_NONE, "HTTPClient:Arch:00019:UNDI:003000", NULL, 19, false},
};

struct ask {
	const struct shape *shape;
	uint8_t port[8], mac[6], id[64];
	size_t n_port, n_id;
	int fd, ifindex;
	uint32_t xid;
	struct msg sent, got;
};

static void die(const char *what)
{
	fprintf(stderr, "dhcpask: %s: %m\n", what);
	exit(2);
}

static size_t read_hex(const char *s, uint8_t *bytes, size_t max)
{
	size_t n = 0;

	for (; s[0] && s[1] && n < max; s += 2) {
		char two[3] = {s[0], s[1], 0};

		bytes[n++] = (uint8_t)strtoul(two, NULL, 16);
	}
	return n;
}

/* The identifiers are written down here again, independent of the product's. */
static void make_id(struct ask *a, const char *given)
{
	static const uint8_t flexboot[] = {0xff, 0, 0, 0, 0, 0, 2, 0, 0, 2, 0xc9, 0};

	memcpy(a->mac, a->port, 6);
	if (a->n_port == 8)
		memcpy(a->mac + 3, a->port + 5, 3);
	if (a->shape->id == ID_FLEXBOOT) {
		memcpy(a->id, flexboot, sizeof(flexboot));
		memcpy(a->id + sizeof(flexboot), a->port, 8);
		a->n_id = sizeof(flexboot) + 8;
	} else if (a->shape->id == ID_HW) {
		a->id[0] = 0x20;
		memcpy(a->id + 1, a->port, 8);
		a->n_id = 9;
	} else if (a->shape->id == ID_IPXE) {
		a->id[0] = 1;
		memcpy(a->id + 1, a->mac, 6);
		a->n_id = 7;
	} else if (a->shape->id == ID_GIVEN && given) {
		a->n_id = read_hex(given, a->id, sizeof(a->id));
	}
}

static void open_socket(struct ask *a, const char *ifname)
{
	struct packet_mreq promisc = {.mr_type = PACKET_MR_PROMISC};
	struct sockaddr_ll ll = {.sll_family = AF_PACKET, .sll_protocol = htons(ETHERTYPE_IP)};

	a->ifindex = (int)if_nametoindex(ifname);
	a->fd = socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC, htons(ETHERTYPE_IP));
	promisc.mr_ifindex = ll.sll_ifindex = a->ifindex;
	/* Some servers answer to the client's MAC, which is not the interface's. */
	if (a->fd < 0 || bind(a->fd, (struct sockaddr *)&ll, sizeof(ll)) < 0 ||
		setsockopt(a->fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &promisc, sizeof(promisc)) < 0)
		die(ifname);
}

/* From 0.0.0.0 port 68 to everybody's port 67; no UDP checksum, which is allowed. */
static void as_client(struct msg *m)
{
	uint8_t *ip = m->bytes, *udp = ip + 20;
	uint32_t sum = 0;
	size_t i;

	memset(ip + 10, 0, 6);
	for (i = 0; i < 20; i += 2)
		sum += (uint32_t)ip[i] << 8 | ip[i + 1];
	sum = (sum & 0xffff) + (sum >> 16);
	sum = ~(sum + (sum >> 16));
	ip[10] = (uint8_t)(sum >> 8);
	ip[11] = (uint8_t)sum;
	udp[1] = 68;
	udp[3] = 67;
	udp[6] = udp[7] = 0;
}

/* What the PXE specification asks of every client (2.2.1), and iPXE's own encapsulated options: its
 * serial number of features, and the priority it gives to its settings.
 */
static void put_pxe(struct ask *a)
{
	static const uint8_t undi[] = {1, 3, 1}, max_size[] = {0x05, 0xc0}, ipxe[] = {0xb1, 5, 1,
		0x10, 0x41, 0x10, 0x00, 0xeb, 3, 1, 0, 0, 0x13, 1, 1};
	const uint8_t arch[] = {(uint8_t)(a->shape->arch >> 8), (uint8_t)a->shape->arch};
	uint8_t uuid[17] = {0};

	memcpy(uuid + 1, a->mac, sizeof(a->mac));
	msg_option(&a->sent, 57, max_size, sizeof(max_size));
	msg_option(&a->sent, 93, arch, sizeof(arch));
	msg_option(&a->sent, 94, undi, sizeof(undi));
	msg_option(&a->sent, 97, uuid, sizeof(uuid));
	if (a->shape->ipxe)
		msg_option(&a->sent, 175, ipxe, sizeof(ipxe));
}

static void send_request(struct ask *a, uint8_t type, uint32_t wanted, uint32_t server)
{
	static const uint8_t wants[] = {1, 3, 6, 12, 15, 17, 26, 43, 54, 60, 66, 67};
	struct sockaddr_ll to = {.sll_family = AF_PACKET,
		.sll_protocol = htons(ETHERTYPE_IP),
		.sll_ifindex = a->ifindex,
		.sll_halen = 6};
	struct msg *m = &a->sent;
	uint8_t *d = m->bytes + MSG_HEADERS;

	msg_begin(m, type, a->xid, 0);
	d[0] = 1;
	d[1] = a->shape->htype;
	d[2] = a->shape->hlen;
	d[10] = 0x80;
	memcpy(d + 28, a->mac, a->shape->hlen);
	if (a->n_id)
		msg_option(m, 61, a->id, a->n_id);
	if (a->shape->vendor)
		msg_text(m, 60, a->shape->vendor);
	if (a->shape->user)
		msg_text(m, 77, a->shape->user);
	if (a->shape->arch >= 0)
		put_pxe(a);
	if (wanted) {
		msg_u32(m, 50, wanted);
		msg_u32(m, 54, server);
	}
	msg_option(m, 55, wants, sizeof(wants));
	msg_end(m);
	as_client(m);
	memset(to.sll_addr, 0xff, 6);
	if (sendto(a->fd, m->bytes, m->len, 0, (struct sockaddr *)&to, sizeof(to)) < 0)
		die("send");
}

/* Waits for the answer of this type; 0 if there is none in time. */
static bool answer(struct ask *a, uint8_t type)
{
	const char *given = getenv("WAIT_MS");
	uint64_t wait = given && *given ? strtoull(given, NULL, 10) : WAIT_MS;
	uint64_t end = now_ns() + wait * NSEC_PER_MSEC, now;
	struct msg *m = &a->got;
	const uint8_t *t;
	size_t n;

	while ((now = now_ns()) < end) {
		struct pollfd p = {.fd = a->fd, .events = POLLIN};
		ssize_t len;

		if (poll(&p, 1, (int)((end - now) / NSEC_PER_MSEC) + 1) <= 0)
			continue;
		len = recv(a->fd, m->bytes, sizeof(m->bytes), 0);
		m->len = len > 0 ? (size_t)len : 0;
		if (m->len < MSG_OPTIONS || m->bytes[23] != 68 || m->bytes[MSG_HEADERS] != 2 ||
			msg_be32(m->bytes + MSG_HEADERS + 4) != a->xid)
			continue;
		t = msg_find(m->bytes, m->len, 53, &n);
		if (t && n == 1 && *t == type)
			return true;
	}
	return false;
}

static void put_option(const struct ask *a, const char *key, uint8_t code)
{
	size_t n = 0;
	const uint8_t *v = msg_find(a->got.bytes, a->got.len, code, &n);

	printf(" %s=%.*s", key, (int)n, v ? (const char *)v : "");
}

static void put_result(const struct ask *a)
{
	const uint8_t *d = a->got.bytes + MSG_HEADERS;
	char addr[INET_ADDRSTRLEN], next[INET_ADDRSTRLEN];
	size_t n;

	inet_ntop(AF_INET, d + 16, addr, sizeof(addr));
	inet_ntop(AF_INET, d + 20, next, sizeof(next));
	printf("addr=%s", addr);
	put_option(a, "host", 12);
	if (msg_find(a->got.bytes, a->got.len, 67, &n))
		put_option(a, "file", 67);
	else
		printf(" file=%.128s", (const char *)a->got.bytes + MSG_FILE);
	put_option(a, "vendor", 60);
	printf(" next=%s\n", next);
}

static const struct shape *find_shape(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(shapes); i++)
		if (streq(shapes[i].name, name))
			return &shapes[i];
	return NULL;
}

int main(int argc, char **argv)
{
	static struct ask a;

	a.shape = argc >= 4 ? find_shape(argv[2]) : NULL;
	if (!a.shape) {
		fprintf(stderr, "usage: dhcpask IFNAME SHAPE PORT-ID [CLIENT-ID]\n");
		return 2;
	}
	a.n_port = read_hex(argv[3], a.port, sizeof(a.port));
	make_id(&a, argc > 4 ? argv[4] : NULL);
	if (getrandom(&a.xid, sizeof(a.xid), 0) != sizeof(a.xid))
		die("getrandom");
	open_socket(&a, argv[1]);
	send_request(&a, 1, 0, 0);
	if (!answer(&a, 2)) {
		puts("no offer");
		return 1;
	}
	send_request(&a, 3, msg_be32(a.got.bytes + MSG_HEADERS + 16),
		msg_find_u32(a.got.bytes, a.got.len, 54));
	if (!answer(&a, 5)) {
		puts("no acknowledgement");
		return 1;
	}
	put_result(&a);
	return 0;
}
