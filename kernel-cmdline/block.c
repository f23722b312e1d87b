/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * block: a root on a block device that a server lends. Here NBD as dracut's nbd module writes
 * it; block-nvmf.c and block-srp.c have the others, block-spec.c what they share.
 *
 *	nbd:SERVER[,SERVER...]:PORT|EXPORT[:FSTYPE[:FLAGS[:OPTIONS]]]
 */
#include "parser.h"

/* The protocol takes 4096 bytes; no export in use has so long a name. */
#define EXPORT_MAX 255

/* --- NBD ------------------------------------------------------------------------------------ */

static bool nbd_port(struct block_spec *x, struct slice v)
{
	struct plan_portal *portals = x->portals.items;
	uint16_t port;

	if (value_port(v.s, v.len, &port) < 0)
		return block_fail(x, v, "not a port");
	for (size_t i = 0; i < x->portals.n; i++)
		portals[i].port = port;
	return true;
}

static bool nbd_timeout(struct block_spec *x, struct slice v)
{
	if (value_u32(v.s, v.len, 86400, &x->out->timeout_s) < 0)
		return block_fail(x, v, "not a number of seconds");
	return true;
}

/* What the kernel's nbd takes: a power of two up to a page of 4096 bytes. */
static bool nbd_block_size(struct block_spec *x, struct slice v)
{
	uint32_t n;

	if (value_u32(v.s, v.len, 4096, &n) < 0 || n < 512 || n & (n - 1))
		return block_fail(x, v, "not a block size (512, 1024, 2048, 4096)");
	x->out->block_size = n;
	return true;
}

/* What a root can say once. Two names of one option have one place. */
enum nbd_place { NBD_PORT, NBD_PART, NBD_TIMEOUT, NBD_BLOCK_SIZE, NBD_RW };

/* nbd-client's words that have a meaning here, and ours. */
static const struct {
	const char *name;
	enum nbd_place place;
	bool (*take)(struct block_spec *x, struct slice value);
} nbd_options[] = {
	{"port=", NBD_PORT, nbd_port},
	{"part=", NBD_PART, block_part},
	{"timeout=", NBD_TIMEOUT, nbd_timeout},
	{"bs=", NBD_BLOCK_SIZE, nbd_block_size},
	{"block-size=", NBD_BLOCK_SIZE, nbd_block_size},
};

static bool nbd_option(struct block_spec *x, struct slice option)
{
	struct slice s = option;

	while (s.len && s.s[0] == '-')
		s = slice_from(s, 1);
	for (size_t i = 0; i < ARRAY_SIZE(nbd_options); i++)
		if (slice_starts(s, nbd_options[i].name)) {
			block_again(x, option, nbd_options[i].place);
			return nbd_options[i].take(x, slice_from(s, strlen(nbd_options[i].name)));
		}
	complain(x->p, x->w, option, DIAG_WARN, "port=, part=, timeout= and bs= are known",
		"not an option of an NBD root; left out");
	return true;
}

/* The FLAGS of root=: with them rootflags= does not count, as in dracut. */
static void own_flags(struct block_spec *x, struct slice text)
{
	struct plan_word *rootflags = parser_word(x->p, OPTION_ROOTFLAGS);
	const char *before = x->out->flags;
	int rw = 0;
	const char *flags = mount_flags(x->p, x->w, text, &rw);
	struct slice one;

	while (slice_next(&text, ',', &one))
		if (slice_is(one, "ro") || slice_is(one, "rw"))
			block_again(x, one, NBD_RW);
	if (rw) {
		x->p->nfs_rw = rw > 0;
		x->out->rw = 0;
	}
	if (!*flags)
		return;
	x->out->flags = flags;
	if (!*before || streq(before, flags))
		return;
	if (rootflags)
		say(x->p, rootflags, "has no effect: root= has mount options");
	complain(x->p, rootflags ? rootflags : x->w, WHOLE, DIAG_WARN, "keep one of them",
		"the NBD root has mount options of its own, which count, not rootflags=");
}

static bool nbd_portals(struct block_spec *x, struct slice servers)
{
	struct slice one;

	if (!servers.len)
		return block_fail(x, servers, "no server");
	while (slice_next(&servers, ',', &one))
		if (!block_portal(x, one, false))
			return false;
	return true;
}

/*
 * A number is a port, with the server's default export; anything else the name of an export, as in
 * dracut.
 */
static bool nbd_export(struct block_spec *x, struct slice s)
{
	uint32_t port;
	size_t n;

	x->out->name = "";
	if (value_u32(s.s, s.len, UINT32_MAX, &port) != -EINVAL) {
		block_again(x, s, NBD_PORT);
		return nbd_port(x, s);
	}
	if (s.len > EXPORT_MAX)
		return block_fail(x, s, "the export's name is too long");
	n = slice_find(s, "/");
	if (n < s.len && value_u32(s.s, n, 65535, &port) == 0)
		complain(x->p, x->w, s, DIAG_WARN,
			textf(x->p, "write %.*s:::port=%u for export and port",
				SLICE(slice_from(s, n + 1)), port),
			"an export whose name is all of this, as in dracut");
	x->out->name = keep(x->p, s);
	return true;
}

static bool block_nbd(struct block_spec *x, struct slice text)
{
	struct slice f[5] = {{"", 0}, {"", 0}, {"", 0}, {"", 0}, {"", 0}}, one;
	size_t n = fields_split(text, f, ARRAY_SIZE(f));

	x->remedy = "write root=nbd:SERVER:EXPORT or root=nbd:SERVER:PORT";
	if (!nbd_portals(x, f[0]))
		return false;
	if (n < 2)
		return block_fail(x, text, "neither port nor export");
	if (!nbd_export(x, f[1]))
		return false;
	if (f[2].len && !value_module(f[2].s, f[2].len))
		return block_fail(x, f[2], "not a file system's name");
	if (f[2].len)
		x->out->fstype = slice_is(f[2], "auto") ? NULL : keep(x->p, f[2]);
	if (f[3].len)
		own_flags(x, f[3]);
	while (slice_next(&f[4], ',', &one))
		if (one.len && !nbd_option(x, one))
			return false;
	return true;
}

/* --- all kinds ------------------------------------------------------------------------------ */

static const struct {
	const char *start;
	enum plan_block_kind kind;
	bool (*parse)(struct block_spec *x, struct slice text);
} kinds[] = {
	{"nvmf:", PLAN_BLOCK_NVMF, block_nvmf},
	{"nbd:", PLAN_BLOCK_NBD, block_nbd},
	{"srp:", PLAN_BLOCK_SRP, block_srp},
};

bool block_parse(struct parser *p, const struct plan_word *w, struct slice text,
	enum diag_severity severity, struct plan_block *out)
{
	struct block_spec x = {.p = p, .w = w, .severity = severity, .out = out, .remedy = NULL};
	bool ok = false;

	p->nfs_rw = -1;
	out->options = out->name = "";
	if (slice_is(text, "nvmf"))
		text = slice_of("nvmf:nbft");
	if (!out->flags)
		out->flags = "";
	if (has_control(text))
		return block_fail(&x, text, "control bytes in the value");
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!slice_starts(text, kinds[i].start))
			continue;
		out->kind = kinds[i].kind;
		ok = kinds[i].parse(&x, slice_from(text, strlen(kinds[i].start)));
	}
	if (p->nfs_rw < 0 && out->rw)
		p->nfs_rw = out->rw > 0;
	out->portals = x.portals.items;
	out->n_portals = x.portals.n;
	return ok;
}

static const char *portal_text(struct parser *p, const struct plan_block *block)
{
	const struct plan_portal *first = block->portals;
	const char *more = "";

	if (!block->n_portals)
		return "the fabric";
	if (block->n_portals > 1)
		more = textf(p, " (or %zu more)", block->n_portals - 1);
	return textf(p, "%s%s%s%s over %s", first->server, first->zone ? "%" : "",
		first->zone ? first->zone : "", more, first->rdma ? "RDMA" : "TCP");
}

const char *block_text(struct parser *p, const struct plan_block *block)
{
	static const char *const names[] = {
		[PLAN_BLOCK_NVMF] = "NVMe subsystem",
		[PLAN_BLOCK_NBD] = "NBD export",
		[PLAN_BLOCK_SRP] = "SRP target",
	};
	const char *name = !block->name	  ? " that is the only one"
			   : *block->name ? textf(p, " %s", block->name)
					  : "";
	const char *part = block->part ? textf(p, "partition %u of the ", block->part) : "";

	if (block->nbft)
		return textf(p, "%sNVMe namespace of the firmware's boot table (NBFT)", part);
	return textf(p, "%s%s%s of %s", part, names[block->kind], name, portal_text(p, block));
}

static void say_idle(struct parser *p, enum option_id id, const char *why)
{
	struct plan_word *w = parser_word(p, id);

	if (!w)
		return;
	say(p, w, "has no effect: %s", why);
	note_word(p, w, "leave it out", "%s", why);
}

/* Two answers to one question, of which one counts. */
static void check_twice(
	struct parser *p, const struct plan_block *block, const struct plan_word *root)
{
	const struct plan_word *fstype = parser_word(p, OPTION_ROOTFSTYPE),
			       *none = parser_word(p, OPTION_RD_NONVMF);
	const char *uuid = block->hostnqn ? strstr(block->hostnqn, ":uuid:") : NULL;

	if (fstype && block->fstype && !streq(block->fstype, fstype->value))
		warn_word(p, fstype, "keep one of them",
			"root= names the file system %s, which counts", block->fstype);
	if (block->unit && block->uuid)
		warn_word(p, root, "keep uuid=",
			"nsid= and uuid= both name the namespace: both must fit");
	if (block->kind != PLAN_BLOCK_NVMF)
		return;
	/* an NBFT of EDK2 has the number's first bytes the other way round */
	if (!p->firmware && uuid && block->hostid && strcasecmp(uuid + 6, block->hostid) != 0)
		warn_word(p, parser_word(p, OPTION_RD_NVMF_HOSTID), "leave rd.nvmf.hostid= out",
			"not the UUID in rd.nvmf.hostnqn=: targets may take them for two hosts");
	if (none && p->plan->root.no_nvmf)
		warn_word(p, none, "leave it out",
			"root= is an NVMe namespace, which is connected all the same");
}

/* A file system that is never written, with rw and without a layer that could be. */
static void check_writable(struct parser *p, const struct plan_root *root)
{
	static const char *const read_only[] = {"squashfs", "erofs", "iso9660"};

	for (size_t i = 0; i < ARRAY_SIZE(read_only); i++)
		if (root->rw && !root->image.overlay.asked && root->block.fstype &&
			streq(root->block.fstype, read_only[i]))
			warn_word(p, parser_word(p, OPTION_RW), "add rd.overlay, or leave rw out",
				"%s cannot be written: the root is mounted read-only",
				read_only[i]);
}

static const enum option_id nvmf[] = {
	OPTION_RD_NVMF_DISCOVER, OPTION_RD_NVMF_HOSTNQN, OPTION_RD_NVMF_HOSTID};

/* dracut connects local roots by nvme-cli, which takes each of these words. */
static void left_to_dracut(struct parser *p)
{
	const struct plan_word *discover = parser_word(p, OPTION_RD_NVMF_DISCOVER);

	for (size_t i = 0; i < ARRAY_SIZE(nvmf); i++)
		for (struct plan_word *w = p->words; w < p->words + p->n_words; w++)
			if (w->row && w->row->id == nvmf[i] && parser_word(p, nvmf[i]))
				say(p, w, "left to dracut, as root= is");
	if (discover)
		note_word(p, discover, "write root=nvmf:NQN for a root that this agent brings up",
			"the root is left to dracut, and so is this");
}

/* Fibre Channel is no network of this agent's. */
static void check_fc(struct parser *p, bool ours)
{
	for (struct plan_word *w = p->words; ours && w < p->words + p->n_words; w++)
		if (w->row && w->row->id == OPTION_RD_NVMF_DISCOVER &&
			nvmf_is_fc(word_value(w)))
			complain(p, w, (struct slice){w->value, 2}, DIAG_ERROR,
				"write rd.nvmf.discover=rdma,ADDRESS or tcp,ADDRESS",
				"neither rdma nor tcp; left out");
}

/* Options of a block root where the root is none of ours. dracut's own may need them. */
void check_block(struct parser *p)
{
	const struct plan_root *root = &p->plan->root;

	if (root->kind == PLAN_ROOT_BLOCK)
		left_to_dracut(p);
	check_fc(p, root->kind == PLAN_ROOT_REMOTE);
	if (root->block.nbft && root->no_nbft && !root->block.n_portals)
		complain(p, parser_word(p, OPTION_RD_NVMF_NONBFT), WHOLE, DIAG_FATAL,
			"leave it out, or name server and subsystem in root=",
			"root= is what the NBFT says, which this leaves alone");
	if (root->kind == PLAN_ROOT_REMOTE) {
		check_twice(p, &root->block,
			parser_word(p, p->plan->given[OPTION_ROOT] ? OPTION_ROOT : OPTION_NETROOT));
		check_writable(p, root);
	}
	if (root->kind != PLAN_ROOT_NFS && !plan_is_fetched(root->kind) &&
		(root->kind != PLAN_ROOT_REMOTE || root->block.kind == PLAN_BLOCK_NVMF))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(nvmf); i++)
		say_idle(p, nvmf[i], "the root is not an NVMe namespace");
}
