// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dhcp_parse: see dhcp_reply.h. Runs in the parser process.
 *
 * Two kinds of fault are distinguished: what makes the whole reply unusable (a defect), and a field
 * that is invalid, which is dropped and named while the rest is taken: one odd option must
 * not keep a node from booting.
 */
#include "address/dhcp_option.h"
#include "address/dhcp_reply.h"
#include "inet_text.h"

/* RFC 2131 section 2, figure 1. */
#define BOOTREPLY    2
#define OVERLOAD_FILE  1
#define OVERLOAD_SNAME 2
#define MTU_MIN	     576   /* RFC 791 section 3.1; option 26 allows 68, which is of no use */
#define MTU_MAX	     65520 /* IPoIB connected mode */

/* The fixed fields that may hold options. */
struct fields {
	struct cursor sname, file, options;
};

static void drop(struct dhcp_reply *r, enum dhcp_field f)
{
	r->dropped |= UINT32_C(1) << f;
}

/* Kept in network byte order, as struct in_addr always is. */
static void read_address(struct cursor *c, struct in_addr *ret)
{
	cursor_copy(c, ret, sizeof(*ret));
}

static enum dhcp_defect read_fixed(struct dhcp_reply *r, struct cursor c, struct fields *f)
{
	uint8_t op = cursor_u8(&c);

	cursor_skip(&c, 1); /* htype */
	r->hlen = cursor_u8(&c);
	cursor_skip(&c, 1); /* hops */
	r->xid = cursor_be32(&c);
	cursor_skip(&c, 4); /* secs, flags */
	read_address(&c, &r->ciaddr);
	read_address(&c, &r->yiaddr);
	read_address(&c, &r->siaddr);
	cursor_skip(&c, 4); /* giaddr */
	cursor_copy(&c, r->chaddr, sizeof(r->chaddr));
	f->sname = cursor_sub(&c, DHCP_SNAME_SIZE);
	f->file = cursor_sub(&c, DHCP_FILE_SIZE);
	if (c.failed)
		return DHCP_SHORT;
	if (op != BOOTREPLY)
		return DHCP_NOT_REPLY;
	/* 0.0.0.0 is how most servers say that there is none. */
	if (r->siaddr.s_addr && !inet4_is_host(r->siaddr)) {
		r->siaddr.s_addr = 0;
		drop(r, FIELD_NEXT_SERVER);
	}
	if (cursor_be32(&c) != DHCP_COOKIE)
		return c.failed ? DHCP_SHORT : DHCP_NO_COOKIE;
	f->options = c;
	return DHCP_GOOD;
}

/*
 * Option 52 counts only in the options field: file and sname cannot overload themselves. An option
 * that runs past the end of one of them costs itself and what follows it there: the options field
 * was complete, and a reply that lacks a name is better than none.
 */
static enum dhcp_defect index_overloaded(struct dhcp_reply *r, struct option_index *x,
	struct cursor field)
{
	enum dhcp_defect d = option_index_add(x, field);

	if (d != DHCP_OPTION_CUT)
		return d;
	drop(r, FIELD_OVERLOADED);
	return DHCP_GOOD;
}

static enum dhcp_defect index_options(struct dhcp_reply *r, struct option_index *x,
	const struct fields *f)
{
	enum dhcp_defect d = option_index_add(x, f->options);

	if (d != DHCP_GOOD)
		return d;
	if (option_exact(x, DHCP_OPT_OVERLOAD, &x->overload, 1) == -EINVAL)
		return DHCP_OPTION_SIZE;
	/* RFC 2131 section 4.1: file first, then sname. */
	if (x->overload & OVERLOAD_FILE)
		d = index_overloaded(r, x, f->file);
	if (d == DHCP_GOOD && x->overload & OVERLOAD_SNAME)
		d = index_overloaded(r, x, f->sname);
	return d;
}

/* Without these the reply means nothing; a wrong size in them means damage. */
static enum dhcp_defect read_essentials(struct dhcp_reply *r, struct option_index *x)
{
	uint8_t type = 0;
	int e = option_exact(x, DHCP_OPT_TYPE, &type, 1);

	if (e == -ENOENT)
		return DHCP_NO_TYPE;
	if (e < 0 || type == DHCP_NONE || type >= DHCP_TYPE_MAX)
		return DHCP_OPTION_SIZE;
	r->type = type;
	e = option_exact(x, DHCP_OPT_SERVER_ID, &r->server_id, sizeof(r->server_id));
	if (e == -EINVAL)
		return DHCP_OPTION_SIZE;
	e = option_exact(x, DHCP_OPT_LEASE, &r->lease_s, sizeof(r->lease_s));
	if (e == -EINVAL)
		return DHCP_OPTION_SIZE;
	r->has_lease = e == 0;
	r->rapid = option_exact(x, DHCP_OPT_RAPID_COMMIT, &type, 0) == 0;
	r->lease_s = ntohl(r->lease_s);
	return DHCP_GOOD;
}

/* Whether they make sense together is for the state machine, which knows the lease. */
static void read_times(struct dhcp_reply *r, struct option_index *x)
{
	int e1 = option_exact(x, DHCP_OPT_T1, &r->t1_s, sizeof(r->t1_s));
	int e2 = option_exact(x, DHCP_OPT_T2, &r->t2_s, sizeof(r->t2_s));

	if (e1 == -EINVAL || e2 == -EINVAL)
		drop(r, FIELD_TIMES);
	r->t1_s = e1 ? 0 : ntohl(r->t1_s);
	r->t2_s = e2 ? 0 : ntohl(r->t2_s);
}

/* A mask with holes, or none of its bits set, is no mask. */
static void read_mask(struct dhcp_reply *r, struct option_index *x)
{
	uint32_t mask, holes;
	int e = option_exact(x, DHCP_OPT_MASK, &r->mask, sizeof(r->mask));

	if (e == -ENOENT)
		return;
	mask = e ? 0 : ntohl(r->mask.s_addr);
	holes = ~mask & (~mask + 1); /* zero if the ones of the mask are all on the left */
	if (e || mask == 0 || holes)
		drop(r, FIELD_MASK);
	else
		r->prefix = (uint32_t)__builtin_popcount(mask);
}

/* Only what the option says; whether it is one of the lease's subnet is for result_lease(). */
static void read_broadcast(struct dhcp_reply *r, struct option_index *x)
{
	int e = option_exact(x, DHCP_OPT_BROADCAST, &r->broadcast, sizeof(r->broadcast));

	if (e == -EINVAL || (e == 0 && r->broadcast.s_addr == 0))
		drop(r, FIELD_BROADCAST);
}

/* Too small an MTU would cripple the root, too large a one is refused by the driver. */
static void read_mtu(struct dhcp_reply *r, struct option_index *x)
{
	uint16_t mtu;
	int e = option_exact(x, DHCP_OPT_MTU, &mtu, sizeof(mtu));

	if (e == 0 && ntohs(mtu) >= MTU_MIN && ntohs(mtu) <= MTU_MAX)
		r->mtu = ntohs(mtu);
	else if (e != -ENOENT)
		drop(r, FIELD_MTU);
}

/* What became of a list: the number of its entries that are kept. */
static uint32_t took(struct dhcp_reply *r, enum dhcp_field field, int n, bool partly)
{
	if (n < 0)
		drop(r, field);
	else if (partly)
		r->partly |= UINT32_C(1) << field;
	return n < 0 ? 0 : (uint32_t)n;
}

static uint32_t read_list(struct dhcp_reply *r, struct option_index *x, uint8_t code,
	enum dhcp_field field, struct in_addr *ret)
{
	bool partly = false;
	struct cursor c;
	int n;

	if (!option_get(x, code, &c))
		return 0;
	n = option_addresses(c, ret, ADDRESS_LIST_MAX, &partly);
	return took(r, field, n, partly);
}

/* RFC 3442: when option 121 is there, options 3 and 33 are ignored. A broken one counts as
 * absent. */
static void read_routes(struct dhcp_reply *r, struct option_index *x)
{
	bool partly = false;
	struct cursor c;
	int n;

	if (option_get(x, DHCP_OPT_CLASSLESS_ROUTES, &c)) {
		n = option_classless_routes(c, r->routes, ADDRESS_ROUTES_MAX, &partly);
		r->n_routes = took(r, FIELD_ROUTES, n, partly);
		if (r->n_routes)
			return;
	}
	r->n_routers = read_list(r, x, DHCP_OPT_ROUTERS, FIELD_ROUTERS, r->routers);
	if (!option_get(x, DHCP_OPT_STATIC_ROUTES, &c))
		return;
	partly = false;
	n = option_static_routes(c, r->routes, ADDRESS_ROUTES_MAX, &partly);
	r->n_routes = took(r, FIELD_ROUTES, n, partly);
}

/* A fixed text field that holds no options: up to its first NUL. */
static void read_field(struct dhcp_reply *r, struct cursor c, enum dhcp_field field,
	enum text_kind kind, char *dst, size_t size)
{
	size_t len = strnlen((const char *)c.at, c.left);

	if (*dst == 0 && len && !text_take(kind, dst, size, c.at, len))
		drop(r, field);
}

/* The header fields stand in for options 66 and 67 unless they hold options themselves. */
static void read_texts(struct dhcp_reply *r, struct option_index *x, const struct fields *f)
{
#define ROW(c, fld, k, m) {c, fld, k, offsetof(struct dhcp_reply, m), sizeof(r->m)}
	static const struct {
		uint8_t code;
		enum dhcp_field field;
		enum text_kind kind;
		size_t offset, size;
	} rows[] = {
		ROW(DHCP_OPT_HOSTNAME, FIELD_HOSTNAME, TEXT_HOSTNAME, hostname),
		ROW(DHCP_OPT_DOMAIN, FIELD_DOMAIN, TEXT_DOMAIN, domain),
		ROW(DHCP_OPT_ROOT_PATH, FIELD_ROOT_PATH, TEXT_BOOT, root_path),
		ROW(DHCP_OPT_BOOT_FILE, FIELD_BOOT_FILE, TEXT_BOOT, boot_file),
		ROW(DHCP_OPT_TFTP_SERVER, FIELD_TFTP_SERVER, TEXT_PATH, tftp_server),
	};
#undef ROW
	struct cursor c;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (option_get(x, rows[i].code, &c) &&
			(c.failed ||
			!text_take(rows[i].kind, (char *)r + rows[i].offset, rows[i].size, c.at,
					     c.left)))
			drop(r, rows[i].field);
	if (!(x->overload & OVERLOAD_FILE))
		read_field(r, f->file, FIELD_BOOT_FILE, TEXT_BOOT, r->boot_file,
			sizeof(r->boot_file));
	if (!(x->overload & OVERLOAD_SNAME))
		read_field(r, f->sname, FIELD_TFTP_SERVER, TEXT_PATH, r->tftp_server,
			sizeof(r->tftp_server));
	if (option_get(x, DHCP_OPT_SEARCH, &c) && option_search(c, r->search) < 0)
		drop(r, FIELD_SEARCH);
}

/* RFC 6842: an echo is compared with what we sent; longer than ours can never be equal. */
static void read_client_id(struct dhcp_reply *r, struct option_index *x)
{
	struct cursor c;

	if (!option_get(x, DHCP_OPT_CLIENT_ID, &c))
		return;
	if (c.failed || c.left == 0 || c.left > sizeof(r->client_id)) {
		drop(r, FIELD_CLIENT_ID);
		return;
	}
	memcpy(r->client_id, c.at, c.left);
	r->client_id_len = (uint32_t)c.left;
}

static enum dhcp_defect parse_message(struct dhcp_reply *r, struct cursor message)
{
	struct option_index x;
	struct fields f;
	enum dhcp_defect d = read_fixed(r, message, &f);

	x.n = x.n_cut = 0;
	x.overload = 0;
	if (d == DHCP_GOOD)
		d = index_options(r, &x, &f);
	if (d == DHCP_GOOD)
		d = read_essentials(r, &x);
	if (d != DHCP_GOOD)
		return d;
	read_times(r, &x);
	read_mask(r, &x);
	read_broadcast(r, &x);
	read_mtu(r, &x);
	read_routes(r, &x);
	r->n_dns = read_list(r, &x, DHCP_OPT_DNS, FIELD_DNS, r->dns);
	r->n_ntp = read_list(r, &x, DHCP_OPT_NTP, FIELD_NTP, r->ntp);
	read_texts(r, &x, &f);
	read_client_id(r, &x);
	return DHCP_GOOD;
}

/* The reply is zeroed first: what is not in the packet is zero, padding included. */
void dhcp_parse(struct dhcp_reply *ret, const void *packet, size_t len, bool verify_checksum)
{
	struct cursor message;

	memset(ret, 0, sizeof(*ret));
	ret->wire_defect = wire_open(packet, len, verify_checksum, &message, &ret->source);
	if (ret->wire_defect == WIRE_GOOD)
		ret->defect = parse_message(ret, message);
}
