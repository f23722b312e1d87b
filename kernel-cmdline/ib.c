/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ib: the options of RDMA ports: which of them, which partitions, IPoIB's mode, DHCP's identity. */
#include "parser.h"

/* InfiniBand: an HCA has at most 254 ports (IBTA 14.2.5.3, NumPorts). */
#define PORT_MAX 254

/* The membership bit of a P_Key (IBTA 10.9.1.2); without it the P_Key is a limited member's. */
#define PKEY_FULL 0x8000

/* NodeDescription holds 64 bytes (IBTA 14.2.5.2), the kernel keeps the last for a NUL. */
#define NODEDESC_MAX 63

/* Longest client identifier: what the DHCP client sends (an option could hold 255, RFC 2132 2). */
#define CLIENTID_MAX 64

/* Hex digits without separators, two a byte. Returns the number of bytes or -EINVAL. */
static int read_hex(struct slice s, uint8_t *bytes, size_t max)
{
	size_t n = s.len / 2;

	return n && n <= max && value_hex(s.s, s.len, bytes, n) == 0 ? (int)n : -EINVAL;
}

/* --- which ports -------------------------------------------------------------------------- */

/* DEVICE[/PORT], or DEVICE:PORT as UCX writes it; 0 stands for all ports of the device. */
static bool read_port(struct slice s, struct plan_port *ret, struct slice *ret_device)
{
	size_t slash = slice_find(s, slice_find(s, "/") < s.len ? "/" : ":");
	struct slice number = slice_from(s, slash + (slash < s.len));
	uint32_t port = 0;

	*ret_device = (struct slice){s.s, slash};
	if (!value_module(s.s, slash))
		return false;
	if (slash < s.len && (value_u32(number.s, number.len, PORT_MAX, &port) < 0 || port == 0))
		return false;
	ret->port = port;
	return true;
}

/* "ib0": no driver and no udev rule names an RDMA device so. */
static bool is_netdev_name(const char *s)
{
	return strncmp(s, "ib", 2) == 0 && s[2] && !s[2 + strspn(s + 2, "0123456789")];
}

static const char *take_port(struct parser *p, struct plan_word *w, struct slice item)
{
	struct plan_port port;
	struct slice device;
	bool number;

	if (!read_port(item, &port, &device)) {
		left_out(p, w, item,
			"write rd.ib.port=DEVICE[/PORT], for example rd.ib.port=mlx5_0/1",
			"not a port");
		return NULL;
	}
	port.device = keep(p, device);
	number = strspn(port.device, "0123456789") == device.len;
	if (number || is_netdev_name(port.device))
		complain(p, w, item, DIAG_WARN, "name the RDMA device, as ibstat does",
			"%s is a %s", port.device,
			number ? "number" : "network interface's name");
	return APPEND(p, &p->ports, port, w) ? keep(p, item) : NULL;
}

PARSE(ib_port)
{
	return take_list(p, w, "uses only these RDMA ports:", take_port);
}

/* What the GUID of a GID would be written as: its last 8 octets (IBTA 4.1.1). */
static const char *guid_of_gid(struct parser *p, struct slice s)
{
	struct hw_addr guid = {.len = 8};
	char text[HW_ADDR_TEXT];
	struct inet_addr gid;

	if (value_inet(s.s, s.len, &gid) < 0 || gid.family != AF_INET6)
		return NULL;
	memcpy(guid.bytes, &gid.v6.s6_addr[8], 8);
	return textf(p, "write the port's GUID, %s", hw_text(&guid, text));
}

static const char *take_guid(struct parser *p, struct plan_word *w, struct slice item)
{
	char text[HW_ADDR_TEXT];
	const char *remedy;
	struct hw_addr guid;

	if (value_guid(item.s, item.len, &guid) < 0) {
		remedy = guid_of_gid(p, item);
		left_out(p, w, item, remedy ? remedy
			: "write the port GUID as ibstat does, for example 0x0002c903000e0b72",
			remedy ? "a GID, not a GUID" : "not a GUID");
		return NULL;
	}
	if (value_hw_zero(&guid)) {
		left_out(p, w, item, NULL, "no port has the GUID 0");
		return NULL;
	}
	return APPEND(p, &p->guids, guid, w) ? textf(p, "%s", hw_text(&guid, text)) : NULL;
}

PARSE(ib_guid)
{
	return take_list(p, w, "uses only the ports with these GUIDs:", take_guid);
}

/* --- partitions --------------------------------------------------------------------------- */

static bool has_prefix(struct slice s)
{
	return slice_starts(s, "0x") || slice_starts(s, "0X");
}

/* A P_Key in hex, with or without 0x; 0 and 0x8000 are no partitions (IBTA 10.9.1.1). */
static bool read_pkey(struct slice s, uint16_t *ret)
{
	char digits[] = "0000";
	uint8_t bytes[2];

	if (has_prefix(s))
		s = slice_from(s, 2);
	if (s.len == 0 || s.len > 4)
		return false;
	memcpy(digits + 4 - s.len, s.s, s.len);
	if (value_hex(digits, 4, bytes, 2) < 0)
		return false;
	*ret = (uint16_t)(bytes[0] << 8 | bytes[1]);
	return (*ret & 0x7fff) != 0;
}

/* The same child asked for twice is one. */
static bool known_pkey(const struct parser *p, const struct plan_pkey *want)
{
	FOR_EACH(struct plan_pkey, k, &p->pkeys)
		if (k->pkey == want->pkey && (k->parent == want->parent ||
			(k->parent && want->parent && streq(k->parent, want->parent))))
			return true;
	return false;
}

/* [PARENT.]PKEY; parent keeps its '.'. */
static bool split_pkey(struct slice item, struct slice *parent, struct slice *key, uint16_t *ret)
{
	*parent = item;
	while (parent->len && parent->s[parent->len - 1] != '.')
		parent->len--;
	*key = slice_from(item, parent->len);
	return read_pkey(*key, ret) && (!parent->len || value_ifname(parent->s, parent->len - 1));
}

/*
 * The kernel makes the child with the full-membership bit set whatever is asked for, and so do we:
 * the port's own table decides what it really is. NetworkManager's ib.pkey= needs the parent.
 */
static const char *take_pkey(struct parser *p, struct plan_word *w, struct slice item)
{
	bool parent_needed = w->row->id == OPTION_IB_PKEY;
	struct plan_pkey pkey = {0};
	struct slice parent, key;

	if (!split_pkey(item, &parent, &key, &pkey.pkey) || (parent_needed && !parent.len)) {
		left_out(p, w, item,
			textf(p, "for example %s=%s8001", w->name, parent_needed ? "ib0." : "0x"),
			"not a partition");
		return NULL;
	}
	if (parent_needed && has_prefix(key))
		differ(p, w, key, DIAG_WARN, textf(p, "write %s=%.*s%.*s", w->name, SLICE(parent),
				SLICE(slice_from(key, 2))),
			"0x is not NetworkManager's form: it drops the whole profile");
	if (parent.len)
		pkey.parent = keep(p, (struct slice){parent.s, parent.len - 1});
	if (!(pkey.pkey & PKEY_FULL))
		complain(p, w, item, DIAG_NOTE, NULL,
			"read as 0x%04x: the interface has the full-membership bit in any case",
			pkey.pkey | PKEY_FULL);
	pkey.pkey |= PKEY_FULL;
	return known_pkey(p, &pkey) || APPEND(p, &p->pkeys, pkey, w) ? keep(p, item) : NULL;
}

/* rd.ib.pkey=[PARENT.]PKEY,... and NetworkManager's ib.pkey=PARENT.PKEY */
PARSE(ib_pkey)
{
	struct slice v = word_value(w);

	if (row->id == OPTION_IB_PKEY && slice_find(v, ",") < v.len)
		differ(p, w, v, DIAG_WARN, "repeat the option for each partition",
			"a list: NetworkManager refuses it");
	return take_list(p, w, "uses the IPoIB interface of partition", take_pkey);
}

/* --- one value each ----------------------------------------------------------------------- */

const struct choice ib_modes[] = {
	{"datagram", PLAN_IB_MODE_DATAGRAM, NULL},
	{"connected", PLAN_IB_MODE_CONNECTED, NULL},
	{0},
};

PARSE(ib_mode)
{
	const struct choice *c = choice_find(ib_modes, word_value(w));

	if (!c)
		return left_out(p, w, word_value(w),
			choice_near(p, w, ib_modes, "datagram or connected"),
			"not a mode of IPoIB");
	p->plan->ib.mode = (enum plan_ib_mode)c->value;
	return say(p, w, "sets IPoIB interfaces to %s mode", w->value);
}

PARSE(ib_nodedesc)
{
	struct slice v = word_value(w);

	if (v.len > NODEDESC_MAX || has_control(v))
		return left_out(p, w, v, "at most 63 printable bytes", "not a node description");
	p->plan->ib.nodedesc = w->value;
	return say(p, w, "names this node %s in the fabric", w->value);
}

static bool keep_clientid(
	struct parser *p, const uint8_t *bytes, size_t n, struct plan_clientid *ret)
{
	uint8_t *copy = arena_alloc(p->arena, n);

	if (!copy) {
		p->oom = true;
		return false;
	}
	memcpy(copy, bytes, n);
	*ret = (struct plan_clientid){.kind = PLAN_CLIENTID_HEX, .bytes = copy, .len = n};
	return true;
}

/*
 * 01ff2a..., with or without separators between the bytes. RFC 2132 9.14: a type and at least one
 * byte.
 */
static bool read_clientid(struct parser *p, struct slice s, struct plan_clientid *ret)
{
	uint8_t bytes[CLIENTID_MAX];
	int n = read_hex(s, bytes, sizeof(bytes));

	if (n < 0)
		n = value_octets(s.s, s.len, bytes, sizeof(bytes));
	return n >= 2 && keep_clientid(p, bytes, (size_t)n, ret);
}

/* "@TEXT": type octet 0 and the text, as NetworkManager sends it. */
static bool read_clientid_text(struct parser *p, struct slice s, struct plan_clientid *ret)
{
	uint8_t bytes[CLIENTID_MAX] = {0};

	if (s.len == 0 || s.len > sizeof(bytes) - 1)
		return false;
	memcpy(bytes + 1, s.s, s.len);
	return keep_clientid(p, bytes, s.len + 1, ret);
}

const struct choice client_id_kinds[] = {
	{"auto", PLAN_CLIENTID_AUTO,
		"tries the forms of client identifier that boot ROMs use, in turn"},
	{"flexboot", PLAN_CLIENTID_FLEXBOOT, "sends the client identifier that FlexBoot sends"},
	{"hw", PLAN_CLIENTID_HW, "sends hardware type and port GUID as the client identifier"},
	{"rfc4361", PLAN_CLIENTID_RFC4361, "sends a client identifier of IAID and DUID (RFC 4361)"},
	{"uuid", PLAN_CLIENTID_UUID, "sends the machine's UUID as the client identifier"},
	{"hex", PLAN_CLIENTID_HEX, NULL}, /* never alone */
	{0},
};

PARSE(ib_clientid)
{
	const struct choice *c = choice_find(client_id_kinds, word_value(w));
	struct slice v = word_value(w);

	if (c && c->text) {
		p->plan->ib.clientid =
			(struct plan_clientid){.kind = (enum plan_clientid_kind)c->value};
		return say(p, w, "%s", c->text);
	}
	if (!slice_starts(v, "hex:") || !read_clientid(p, slice_from(v, 4), &p->plan->ib.clientid))
		return left_out(p, w, v, "auto, flexboot, hw, rfc4361, uuid or hex:BYTES",
			"not a client identifier");
	return say(p, w, "sends this client identifier: %s", w->value + 4);
}

/* --- RoCE, DHCP servers ------------------------------------------------------------------- */

/* [DEVICE[/PORT]:]v1|v2 */
PARSE(roce)
{
	struct slice v = word_value(w), device = {NULL, 0};
	size_t colon = slice_find(v, ":");
	struct slice version = colon < v.len ? slice_from(v, colon + 1) : v;
	struct plan_roce item = {0};
	bool named = false;

	if (!slice_is(version, "v1") && !slice_is(version, "v2"))
		return left_out(p, w, version, "v1 or v2, for example rd.rdma.roce=mlx5_0/1:v2",
			"not a version of RoCE");
	if (colon < v.len && !read_port((struct slice){v.s, colon}, &item.port, &device))
		return left_out(p, w, (struct slice){v.s, colon},
			"write rd.rdma.roce=DEVICE[/PORT]:v2", "not a port");
	FOR_EACH(struct plan_roce, r, &p->roces)
		named |= r->port.device != NULL;
	item.v2 = slice_is(version, "v2");
	item.port.device = device.s ? keep(p, device) : NULL;
	if (!APPEND(p, &p->roces, item, w))
		return false;
	return say(p, w, "RDMA-CM uses RoCE %.*s on %s", SLICE(version),
		device.s ? textf(p, "%.*s", (int)colon, v.s)
			: named ? "every other RoCE port" : "every RoCE port");
}

static const char *take_dhcp_server(struct parser *p, struct plan_word *w, struct slice item)
{
	struct inet_addr a;

	if (value_inet(item.s, item.len, &a) < 0) {
		left_out(p, w, item, "write rd.net.dhcp.server=ADDR[,ADDR...]", "not an address");
		return NULL;
	}
	if (!check_host(p, w, item, DIAG_ERROR, &a))
		return NULL;
	return APPEND_MAX(p, &p->dhcp_servers, a, w, PLAN_DHCP_SERVERS_MAX) ? keep(p, item) : NULL;
}

PARSE(dhcp_server)
{
	return take_list(p, w, "takes leases only from", take_dhcp_server);
}

/* IFNAME:HEX or IFNAME:@TEXT, one for each interface; the last for one counts. */
PARSE(dhcp_client_id)
{
	static const char remedy[] = "write rd.net.dhcp.client-id=IFNAME:01-52-54-00-45-87-42 "
				     "or IFNAME:@TEXT";
	struct slice name, id = word_value(w);
	struct plan_clientid parsed;
	struct plan_client_id item;
	bool good;

	if (!slice_next(&id, ':', &name) || !value_ifname(name.s, name.len))
		return left_out(p, w, name, remedy, "not an interface name");
	good = id.s && (slice_starts(id, "@") ? read_clientid_text(p, slice_from(id, 1), &parsed)
					      : read_clientid(p, id, &parsed));
	if (!good)
		return left_out(p, w, id.s ? id : name, remedy, "not a client identifier");
	item = (struct plan_client_id){keep(p, name), parsed.bytes, parsed.len};
	if (!APPEND(p, &p->client_ids, item, w))
		return false;
	return say(p, w, "sends this client identifier on %s: %.*s", item.ifname, SLICE(id));
}

/* Without a value it is iPXE's ${netX/ip} where it has none. */
PARSE(dhcp_request)
{
	static const char remedy[] = "write rd.net.dhcp.request=[IFNAME:]ADDR";
	struct slice v = word_value(w), name = {v.s, slice_find(v, ":")};
	bool named = name.len < v.len;
	struct plan_dhcp_request item = {.word = (size_t)(w - p->words)};
	struct slice text = named ? slice_from(v, name.len + 1) : v;

	if (!v.len)
		return true;
	if (value_inet(text.s, text.len, &item.addr) < 0 || item.addr.family != AF_INET)
		return left_out(p, w, text, remedy, "not an IPv4 address");
	if (named && !value_ifname(name.s, name.len))
		return left_out(p, w, name, remedy, "not an interface name");
	if (!inet_is_host(&item.addr))
		return left_out(p, w, text, remedy, "no host can have this address");
	item.ifname = named ? keep(p, name) : NULL;
	return APPEND(p, &p->dhcp_requests, item, w) &&
		say(p, w, "asks the DHCP server for %.*s first", SLICE(text));
}
