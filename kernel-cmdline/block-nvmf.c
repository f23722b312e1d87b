/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * block-nvmf: a namespace by NVMe over fabrics.
 *
 *	nvmf:rdma|tcp:SERVER[:PORT][,SERVER[:PORT]...][:NQN][,OPTION=VALUE...]
 *	nvmf:NQN[,OPTION=VALUE...]	with rd.nvmf.discover=
 *	nvmf[:nbft[,OPTION=VALUE...]]	what the firmware's boot table (NBFT) says
 *
 * An NQN has colons of its own; it always begins with "nqn.". A comma ends it, since the kernel's
 * interface takes its options separated by commas, too.
 */
#include "parser.h"

/*
 * NVMe base specification 4.7: "nqn." year "-" month "." reversed domain name; Linux targets take
 * others as well.
 */
static void comment_nqn(struct parser *p, const struct plan_word *w, struct slice s)
{
	uint32_t month = 0, year;

	if (s.len > 12 && s.s[8] == '-' && s.s[11] == '.' &&
		value_u32(s.s + 4, 4, 9999, &year) == 0 && value_u32(s.s + 9, 2, 12, &month) == 0 &&
		month)
		return;
	complain(p, w, s, DIAG_WARN,
		"nqn.YYYY-MM.DOMAIN:NAME, for example nqn.2014-08.org.nvmexpress:uuid:UUID",
		"an NQN without year, month and domain: not every target takes it");
}

/*
 * The kernel shows them in lower case. Only zeros is none (RFC 9562 5.9): no namespace has it, and
 * no host may.
 */
static const char *uuid_text(struct parser *p, struct slice s)
{
	char text[VALUE_UUID];

	return value_uuid(s.s, s.len, text) && text[strspn(text, "0-")] ? keep(p, slice_of(text))
		: NULL;
}

static bool set_nsid(struct block_spec *x, struct slice v)
{
	if (value_u32(v.s, v.len, UINT32_MAX - 1, &x->out->unit) < 0 || !x->out->unit)
		return block_fail(x, v, "not the number of a namespace");
	return true;
}

static bool set_uuid(struct block_spec *x, struct slice v)
{
	x->out->uuid = uuid_text(x->p, v);
	return x->out->uuid || block_fail(x, v, "not a UUID");
}

static const struct {
	const char *name;
	bool (*take)(struct block_spec *x, struct slice value);
} own_options[] = {
	{"nsid=", set_nsid}, {"uuid=", set_uuid}, {"part=", block_part},
};

/*
 * Numbers that are handed to the kernel as they are, with what it takes
 * (drivers/nvme/host/fabrics.c).
 */
static const struct kernel_option {
	const char *name;
	uint32_t min, max;
	bool endless; /* -1: without end */
} kernel_options[] = {
	{"ctrl_loss_tmo=", 0, 1 << 20, true},	 {"reconnect_delay=", 1, 1 << 20, false},
	{"keep_alive_tmo=", 0, 1 << 20, false},	 {"fast_io_fail_tmo=", 0, 1 << 20, true},
	{"nr_io_queues=", 1, 1 << 20, false},	 {"queue_size=", 16, 1024, false},
};

static bool keep_option(struct block_spec *x, struct slice option)
{
	const char *before = x->out->options;

	x->out->options = textf(x->p, "%s%s%.*s", before, *before ? "," : "", SLICE(option));
	return true;
}

static bool take_kernel_option(
	struct block_spec *x, struct slice option, const struct kernel_option *o)
{
	struct slice v = slice_from(option, strlen(o->name));
	uint32_t n;

	if (!(o->endless && slice_is(v, "-1")) &&
		(value_u32(v.s, v.len, o->max, &n) < 0 || n < o->min))
		return block_fail(x, v, textf(x->p, "not a number from %u to %u", o->min, o->max));
	return keep_option(x, option);
}

static bool take_option(struct block_spec *x, struct slice option)
{
	/* The kernel's switches: checksums that an NBFT may ask for. */
	if (slice_is(option, "hdr_digest") || slice_is(option, "data_digest")) {
		x->digest = option;
		return keep_option(x, option);
	}
	for (size_t i = 0; i < ARRAY_SIZE(own_options); i++)
		if (slice_starts(option, own_options[i].name)) {
			block_again(x, option, i);
			return own_options[i].take(
				x, slice_from(option, strlen(own_options[i].name)));
		}
	for (size_t i = 0; i < ARRAY_SIZE(kernel_options); i++)
		if (slice_starts(option, kernel_options[i].name)) {
			block_again(x, option, ARRAY_SIZE(own_options) + i);
			return take_kernel_option(x, option, &kernel_options[i]);
		}
	return block_fail(x, option,
		"not an option of an NVMe root (nsid=, uuid=, part=, ctrl_loss_tmo= ...)");
}

/* rd.nvmf.discover= names servers as well. */
static void add_discovery(struct block_spec *x)
{
	FOR_EACH(struct plan_portal, found, &x->p->discover)
		APPEND(x->p, &x->portals, *found, x->w);
}

/* Without NQN each server is asked which subsystem it has. */
static void ask_all(struct block_spec *x)
{
	struct plan_portal *portals = x->portals.items;

	for (size_t i = 0; i < x->portals.n; i++)
		portals[i].discovery = true;
}

/* The transport of servers that an NBFT names is not known here. */
static bool check_digest(struct block_spec *x)
{
	const struct plan_portal *portals = x->portals.items;
	bool tcp = x->out->nbft, rdma = false;

	for (size_t i = 0; i < x->portals.n; i++) {
		rdma |= portals[i].rdma;
		tcp |= !portals[i].rdma;
	}
	if (!x->digest.len || !rdma)
		return true;
	complain(x->p, x->w, x->digest, tcp ? DIAG_WARN : x->severity, "leave it out",
		"an option of NVMe/TCP: the kernel refuses it over RDMA");
	return tcp;
}

/* Servers, then options as soon as there is a '='. */
static bool take_items(struct block_spec *x, struct slice items, bool rdma, bool servers)
{
	struct slice one;

	while (slice_next(&items, ',', &one)) {
		bool option = slice_find(one, "=") < one.len;

		servers &= !option;
		if (servers ? !block_portal(x, one, rdma) : !take_option(x, one))
			return false;
	}
	return true;
}

/* "NQN[,OPTION...]" */
static bool take_nqn(struct block_spec *x, struct slice s)
{
	size_t n = slice_find(s, ",");
	struct slice nqn = {s.s, n};

	if (!value_nqn(nqn.s, nqn.len))
		return block_fail(x, nqn, "not an NQN");
	x->out->name = keep(x->p, nqn);
	comment_nqn(x->p, x->w, nqn);
	return n == s.len || take_items(x, slice_from(s, n + 1), false, false);
}

static bool take_servers(struct block_spec *x, struct slice s)
{
	bool rdma = slice_starts(s, "rdma:");
	size_t nqn;

	if (!rdma && !slice_starts(s, "tcp:"))
		return block_fail(x, s, "neither rdma: nor tcp: in front of the server");
	s = slice_from(s, rdma ? 5 : 4);
	nqn = slice_find(s, ":nqn.");
	if (!take_items(x, (struct slice){s.s, nqn}, rdma, true))
		return false;
	return nqn == s.len || take_nqn(x, slice_from(s, nqn + 1));
}

/*
 * "nbft[,OPTION...]": the table has server and subsystem; without one, rd.nvmf.discover=. A DHCP
 * server cannot ask for it.
 */
static bool take_nbft(struct block_spec *x, struct slice text)
{
	x->out->nbft = true;
	if (x->severity != DIAG_FATAL)
		return block_fail(x, text, "only the command line can ask for the firmware's NBFT");
	if (text.len && !take_items(x, text, false, false))
		return false;
	add_discovery(x);
	return check_digest(x);
}

bool block_nvmf(struct block_spec *x, struct slice text)
{
	bool alone = slice_starts(text, "nqn.");

	x->remedy = "write root=nvmf:rdma:SERVER:NQN or root=nvmf:tcp:SERVER:NQN";
	x->out->name = NULL;
	if (slice_is(text, "nbft") || slice_starts(text, "nbft,"))
		return take_nbft(x, slice_from(text, text.len > 4 ? 5 : 4));
	if (alone ? !take_nqn(x, text) : !take_servers(x, text))
		return false;
	if (!x->out->name)
		ask_all(x);
	add_discovery(x);
	if (!check_digest(x))
		return false;
	return x->portals.n || x->p->oom ||
		block_fail(x, text, "no server, and no rd.nvmf.discover= names one");
}

/* --- rd.nvmf.* ------------------------------------------------------------------------------ */

/* HOST-ADDR and PORT, which may be empty; dracut takes the word none as well. */
static bool discover_rest(
	struct block_spec *x, struct slice source, struct slice port, struct plan_portal *ret)
{
	struct inet_addr addr;

	if (slice_is(source, "none"))
		source.len = 0;
	if (source.len && (value_inet(source.s, source.len, &addr) < 0 || !inet_is_host(&addr)))
		return block_fail(x, source, "not an address of this node; left out");
	if (port.len && value_port(port.s, port.len, &ret->port) < 0)
		return block_fail(x, port, "not a port; left out");
	if (source.len && source.s[0] == '[')
		source = (struct slice){source.s + 1, source.len - 2};
	ret->source = source.len ? keep(x->p, source) : NULL;
	return true;
}

static bool discover_fields(struct block_spec *x, struct slice v, struct plan_portal *ret)
{
	struct slice f[4] = {{"", 0}, {"", 0}, {"", 0}, {"", 0}};
	size_t n = 0;

	while (n < ARRAY_SIZE(f) && slice_next(&v, ',', &f[n]))
		n++;
	if (v.len)
		return block_fail(x, v, "too many fields; left out");
	ret->rdma = slice_is(f[0], "rdma");
	ret->discovery = true;
	if (!ret->rdma && !slice_is(f[0], "tcp"))
		return block_fail(x, f[0], "neither rdma nor tcp; left out");
	ret->server = take_zoned(x->p, f[1], &ret->addr, &ret->zone);
	if (!ret->server)
		return block_fail(x, f[1], "not a server's name or address; left out");
	if (!check_host(x->p, x->w, f[1], x->severity, &ret->addr) ||
		!check_zone(x->p, x->w, f[1], DIAG_WARN, &ret->addr, ret->zone))
		return false;
	return discover_rest(x, f[2], f[3], ret);
}

bool nvmf_is_fc(struct slice discover)
{
	return slice_starts(discover, "fc,");
}

PARSE(nvmf_discover)
{
	struct block_spec x = {.p = p, .w = w, .severity = DIAG_ERROR};
	struct plan_portal portal = {0};

	x.remedy = "write rd.nvmf.discover=rdma,ADDRESS or tcp,ADDRESS";
	if (nvmf_is_fc(word_value(w)))
		return say(p, w, "has no effect: neither rdma nor tcp");
	if (has_control(word_value(w)) || !discover_fields(&x, word_value(w), &portal))
		return false;
	if (!APPEND(p, &p->discover, portal, w))
		return false;
	return say(p, w, "asks the NVMe discovery service at %s over %s", portal.server,
		portal.rdma ? "RDMA" : "TCP");
}

PARSE(nvmf_host)
{
	struct plan_block *block = &p->plan->root.block;
	struct slice v = word_value(w);
	bool nqn = row->id == OPTION_RD_NVMF_HOSTNQN;
	const char *id = nqn ? NULL : uuid_text(p, v);

	if (nqn ? !value_nqn(v.s, v.len) : !id)
		return left_out(p, w, v,
			nqn ? "write nqn.2014-08.org.nvmexpress:uuid:UUID" : "write a UUID",
			nqn ? "not an NQN" : "not a UUID");
	if (nqn)
		comment_nqn(p, w, v);
	*(nqn ? &block->hostnqn : &block->hostid) = nqn ? w->value : id;
	return say(p, w, "calls this node %s", w->value);
}
