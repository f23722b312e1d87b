/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nbft: the NVMe Boot Firmware Table (NVM Express Boot Specification 1.0, section 3): an ACPI table
 * with lists of descriptors, which refer to texts and further descriptors by offset and length. All
 * numbers are little endian, addresses are IPv6's, IPv4's among them mapped.
 */
#include "firmware.h"

#include "base/cursor.h"

#define NBFT_MIN     128 /* header and control descriptor */
#define HEAP_AT      36
#define CONTROL_AT   64
#define REVISION     1
/* up to the last field that is read */
#define INTERFACE_MIN 22
#define NAMESPACE_MIN 60
#define TRANSPORT_TCP 3

enum { CONTROL = 1, HOST = 2, INTERFACE = 3, NAMESPACE = 4, TRANSPORT_INFO = 7 };

/* Flags; bit 0 is "valid" in each kind of descriptor. */
enum {
	VALID = 1 << 0,
	HOST_PRIMARY_MASK = 3 << 3,
	HOST_PRIMARY = 2 << 3,
	INFO_DHCP = 1 << 2,
	NAMESPACE_NOT_BOOTABLE = 1 << 1,
	NAMESPACE_AVAILABILITY = 3 << 7,
	NAMESPACE_UNAVAILABLE = 2 << 7,
	TCP_HEADER_DIGEST = 1 << 1,
	TCP_DATA_DIGEST = 1 << 2,
};

#define NID_UUID 3 /* namespace identifier type */

struct table {
	const uint8_t *bytes;
	size_t len;
	const char *why;
	struct firmware *f;
	/* indexes of this table's interfaces: the first of them is f->ifaces[first] */
	uint8_t index[FIRMWARE_IFACES_MAX];
	size_t first;
};

static bool refuse(struct table *t, const char *why)
{
	t->why = why;
	return false;
}

/* Bytes of the table; a failed cursor where they are not in it. */
static struct cursor part(const struct table *t, size_t offset, size_t len)
{
	struct cursor c = cursor_make(t->bytes, t->len);

	cursor_skip(&c, offset);
	return cursor_sub(&c, len);
}

/* What the reference at c refers to. */
static struct cursor object(const struct table *t, struct cursor *c)
{
	uint32_t offset = cursor_le32(c);
	uint16_t len = cursor_le16(c);

	return len ? part(t, offset, len) : cursor_make("", 0);
}

/* A text; zeroes at its end are no part of it. False if it is not in the table or too long. */
static bool text(const struct table *t, struct cursor *c, char *ret, size_t size)
{
	struct cursor s = object(t, c);

	if (s.failed)
		return false;
	while (s.left && !s.at[s.left - 1])
		s.left--;
	if (s.left >= size || memchr(s.at, 0, s.left))
		return false;
	memcpy(ret, s.at, s.left);
	ret[s.left] = 0;
	return true;
}

/* Is it IPv4's? All zeroes, mapped or not, are none. */
static bool address(struct cursor *c, struct inet_addr *ret)
{
	struct in6_addr a;

	*ret = (struct inet_addr){0};
	cursor_copy(c, &a, sizeof(a));
	if (!IN6_IS_ADDR_V4MAPPED(&a)) {
		ret->v6 = a;
		ret->family = IN6_IS_ADDR_UNSPECIFIED(&a) ? 0 : AF_INET6;
		return false;
	}
	memcpy(&ret->v4, a.s6_addr + 12, 4);
	ret->family = ret->v4.s_addr ? AF_INET : 0;
	return true;
}

/* --- the parts ------------------------------------------------------------------------------ */

static bool read_header(struct table *t)
{
	struct cursor c = cursor_make(t->bytes, t->len);
	uint32_t len;
	uint8_t sum = 0;

	cursor_skip(&c, 4);
	len = cursor_le32(&c);
	if (t->len < NBFT_MIN || memcmp(t->bytes, "NBFT", 4) != 0)
		return refuse(t, "not an NBFT");
	if (len < NBFT_MIN || len > t->len)
		return refuse(t, "its length is not that of the table");
	if (cursor_u8(&c) != REVISION)
		return refuse(t, "of an unknown revision");
	for (size_t i = 0; i < len; i++)
		sum = (uint8_t)(sum + t->bytes[i]);
	t->len = len;
	if (sum)
		return refuse(t, "its checksum is wrong");
	/* drafts of the specification have other fields here */
	cursor_skip(&c, HEAP_AT - 9);
	len = cursor_le32(&c);
	return !part(t, len, cursor_le32(&c)).failed || refuse(t, "its heap is not in the table");
}

/* Of several tables one may say that its name of this host counts. */
static bool read_host(struct table *t, struct cursor c)
{
	char nqn[NQN_SIZE];
	uint8_t id[16];
	uint8_t kind = cursor_u8(&c), flags = cursor_u8(&c);

	cursor_copy(&c, id, sizeof(id));
	if (kind != HOST || !(flags & VALID) || !text(t, &c, nqn, sizeof(nqn)) || c.failed ||
		!value_nqn(nqn, strlen(nqn)))
		return refuse(t, "no valid name of this host");
	if (*t->f->hostnqn && (flags & HOST_PRIMARY_MASK) != HOST_PRIMARY)
		return true;
	memcpy(t->f->hostnqn, nqn, sizeof(nqn));
	memcpy(t->f->hostid, id, sizeof(id));
	return true;
}

/* The descriptor that holds what NVMe/TCP has of an interface. */
static bool read_info(struct table *t, struct cursor c, uint8_t index)
{
	struct firmware_iface i = {.hwaddr.len = 6};
	struct inet_addr server;
	uint8_t kind = cursor_u8(&c), flags;
	bool mapped;

	cursor_skip(&c, 5); /* versions, transport, index again */
	flags = cursor_u8(&c);
	if (kind != TRANSPORT_INFO)
		return refuse(t, "an interface is not described");
	if (!(flags & VALID) || t->f->n_ifaces == FIRMWARE_IFACES_MAX)
		return true;
	cursor_skip(&c, 4); /* PCI address */
	cursor_copy(&c, i.hwaddr.bytes, 6);
	i.vlan = cursor_le16(&c);
	cursor_skip(&c, 1); /* origin of the address, in which firmware differs */
	mapped = address(&c, &i.addr);
	i.prefix = cursor_u8(&c);
	address(&c, &i.gateway);
	cursor_skip(&c, 3); /* route metric */
	address(&c, &i.dns[0]);
	address(&c, &i.dns[1]);
	/* without an address that of the DHCP server has the family */
	mapped |= address(&c, &server);
	i.six = i.addr.family ? i.addr.family == AF_INET6 : !mapped;
	i.dhcp = flags & INFO_DHCP;
	if (!text(t, &c, i.hostname, sizeof(i.hostname)))
		c.failed = true;
	t->why = c.failed ? "an interface is not whole" : firmware_check(&i);
	if (t->why)
		return false;
	t->index[t->f->n_ifaces] = index;
	t->f->ifaces[t->f->n_ifaces++] = i;
	return true;
}

static bool read_iface(struct table *t, struct cursor c)
{
	uint8_t kind = cursor_u8(&c), index = cursor_u8(&c), flags = cursor_u8(&c);
	uint8_t transport = cursor_u8(&c);

	cursor_skip(&c, 12);
	if (!(flags & VALID) || transport != TRANSPORT_TCP)
		return true;
	if (kind != INTERFACE)
		return refuse(t, "no interface where one is listed");
	return read_info(t, object(t, &c), index);
}

static int iface_of(const struct table *t, uint8_t index)
{
	for (size_t i = t->first; i < t->f->n_ifaces; i++)
		if (t->index[i] == index)
			return (int)i;
	return -1;
}

/* Address and port, in two objects. */
static bool read_portal(struct table *t, struct cursor *c, struct firmware_path *p)
{
	struct cursor where = object(t, c);
	char port[8];

	address(&where, &p->addr);
	if (where.failed || !inet_is_host(&p->addr))
		return refuse(t, "a namespace has no address that a host can have");
	if (!text(t, c, port, sizeof(port)) || value_port(port, strlen(port), &p->port) < 0)
		return refuse(t, "a namespace has no valid port");
	return true;
}

static bool read_namespace(struct table *t, struct cursor c)
{
	struct firmware_path p = {0};
	uint8_t kind = cursor_u8(&c), transport, id;
	uint16_t flags, tcp;

	cursor_skip(&c, 2);
	flags = cursor_le16(&c);
	transport = cursor_u8(&c);
	tcp = cursor_le16(&c);
	cursor_skip(&c, 2);
	if (!(flags & VALID) || flags & NAMESPACE_NOT_BOOTABLE || transport != TRANSPORT_TCP ||
		t->f->n_paths == FIRMWARE_PATHS_MAX)
		return true;
	if (kind != NAMESPACE)
		return refuse(t, "no namespace where one is listed");
	if (!read_portal(t, &c, &p))
		return false;
	cursor_skip(&c, 2);
	p.nsid = cursor_le32(&c);
	if (p.nsid == UINT32_MAX)
		return refuse(t, "a namespace has the number that means all of them");
	id = cursor_u8(&c);
	cursor_copy(&c, p.uuid, sizeof(p.uuid));
	if (id != NID_UUID)
		memset(p.uuid, 0, sizeof(p.uuid));
	cursor_skip(&c, 1); /* security profile: the server refuses what it does not allow */
	p.iface = iface_of(t, cursor_u8(&c));
	cursor_skip(&c, 7); /* further interfaces */
	p.unavailable = (flags & NAMESPACE_AVAILABILITY) == NAMESPACE_UNAVAILABLE;
	p.header_digest = tcp & VALID && tcp & TCP_HEADER_DIGEST;
	p.data_digest = tcp & VALID && tcp & TCP_DATA_DIGEST;
	if (!text(t, &c, p.nqn, sizeof(p.nqn)) || c.failed || !value_nqn(p.nqn, strlen(p.nqn)))
		return refuse(t, "a namespace is not in a subsystem with a valid NQN");
	t->f->paths[t->f->n_paths++] = p;
	return true;
}

/* A list: where it is, how long a descriptor, at least min, its version, how many. */
static bool read_list(struct table *t, struct cursor *c, size_t min,
	bool (*read)(struct table *t, struct cursor c))
{
	uint32_t at = cursor_le32(c);
	size_t size = cursor_le16(c), n;
	struct cursor list;

	cursor_skip(c, 1);
	n = cursor_u8(c);
	list = part(t, at, n ? size * n : 0);
	if (n && (list.failed || size < min))
		return refuse(t, "a list is not in the table");
	for (size_t i = 0; i < n; i++)
		if (!read(t, cursor_sub(&list, size)))
			return false;
	return true;
}

static bool read_control(struct table *t)
{
	struct cursor c = part(t, CONTROL_AT, NBFT_MIN - CONTROL_AT);
	uint8_t kind = cursor_u8(&c), flags;

	cursor_skip(&c, 5);
	flags = cursor_u8(&c);
	cursor_skip(&c, 1);
	if (!(flags & VALID))
		return true;
	if (kind != CONTROL)
		return refuse(t, "no control descriptor");
	if (!read_host(t, object(t, &c)))
		return false;
	cursor_skip(&c, 2);
	return read_list(t, &c, INTERFACE_MIN, read_iface) &&
		read_list(t, &c, NAMESPACE_MIN, read_namespace);
}

int nbft_parse(struct firmware *f, const void *bytes, size_t len, const char **ret_why)
{
	struct firmware next = *f;
	struct table t = {.bytes = bytes, .len = len, .f = &next, .first = f->n_ifaces};

	if (!read_header(&t) || !read_control(&t)) {
		*ret_why = t.why;
		return -EINVAL;
	}
	*f = next;
	return 0;
}
