/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * root: which root is meant, from root=, netroot=, nfsroot= and imgurl= together, and how it is
 * mounted.
 */
#include "parser.h"
#include "root_spec.h"

/* Escape sequences in a root's name would reach the console in every message about it. */
PARSE(root)
{
	if (!has_control(word_value(w)))
		return true; /* understood once all four options are known */
	return left_out(p, w, word_value(w), NULL, "control bytes in the value");
}

/* The kernel's own switches; it knows them without a value only. */
PARSE(rorw)
{
	if (w->value) {
		warn_word(p, w, textf(p, "write %s alone", row->name),
			"the kernel and dracut know %s without a value only; left out", row->name);
		return false;
	}
	p->plan->root.rw = row->id == OPTION_RW;
	return say(p, w,
		p->plan->root.rw ? "mounts the root read-write" : "mounts the root read-only");
}

/* Asked for when the root is known. */
PARSE(rootfstype)
{
	struct slice v = word_value(w);

	if (!value_module(v.s, v.len)) {
		complain(p, w, v, DIAG_ERROR, "write one name, for example rootfstype=ext4",
			"not a file system's name; left out, the content tells");
		return false;
	}
	p->plan->root.block.fstype = slice_is(v, "auto") ? NULL : w->value;
	return say(p, w, "file system of a root on a block device");
}

/* Forms of root=; the first that fits counts. One that ends in ':', '/' or '=' is a beginning. */
struct root_form {
	const char *text;
	enum plan_root_kind kind;
};

static const struct root_form forms[] = {
	{"dhcp", PLAN_ROOT_DHCP}, {"dhcp6", PLAN_ROOT_DHCP},
	{"nfs", PLAN_ROOT_NFS}, {"nfs4", PLAN_ROOT_NFS}, {"nfs:", PLAN_ROOT_NFS},
	{"nfs4:", PLAN_ROOT_NFS}, {"/dev/nfs", PLAN_ROOT_NFS},
	{"wwinit", PLAN_ROOT_WWINIT}, {"wwinit:", PLAN_ROOT_WWINIT},
	{"nvmf", PLAN_ROOT_REMOTE}, {"nvmf:", PLAN_ROOT_REMOTE},
	{"nbd:", PLAN_ROOT_REMOTE}, {"srp:", PLAN_ROOT_REMOTE},
	{"block:", PLAN_ROOT_BLOCK}, {"/dev/", PLAN_ROOT_BLOCK}, {"LABEL=", PLAN_ROOT_BLOCK},
	{"UUID=", PLAN_ROOT_BLOCK}, {"PARTUUID=", PLAN_ROOT_BLOCK}, {"PARTLABEL=", PLAN_ROOT_BLOCK},
	{"ftp:", PLAN_ROOT_OTHER}, {"tftp:", PLAN_ROOT_OTHER}, {"iscsi:", PLAN_ROOT_OTHER},
	{"iscsi", PLAN_ROOT_OTHER}, /* rd.iscsi.firmware=1 */
	{"cifs:", PLAN_ROOT_OTHER}, {"fcoe:", PLAN_ROOT_OTHER}, {"virtiofs:", PLAN_ROOT_OTHER},
	{"zfs:", PLAN_ROOT_OTHER}, {"zfs=", PLAN_ROOT_OTHER}, {"ZFS=", PLAN_ROOT_OTHER},
	{"9p:", PLAN_ROOT_OTHER}, {"overlay:", PLAN_ROOT_OTHER}, {"tmpfs", PLAN_ROOT_OTHER},
	{"gpt-auto", PLAN_ROOT_OTHER}, {"gpt-auto-force", PLAN_ROOT_OTHER},
	{"dissect", PLAN_ROOT_OTHER}, {"dissect-force", PLAN_ROOT_OTHER},
	/* a path alone is NFS with the server from DHCP, as in dracut */
	{"/", PLAN_ROOT_NFS},
};

/* What may follow live: (dracut.cmdline(7), "Booting live images"); the rest is judged as a URL. */
static const struct root_form live_forms[] = {
	{"ftp://", PLAN_ROOT_OTHER}, {"tftp://", PLAN_ROOT_OTHER}, {"torrent://", PLAN_ROOT_OTHER},
	{"nfs:", PLAN_ROOT_OTHER}, {"//", PLAN_ROOT_LIVE}, /* http: is missing */
	{"/", PLAN_ROOT_BLOCK}, {"LABEL=", PLAN_ROOT_BLOCK}, {"CDLABEL=", PLAN_ROOT_BLOCK},
	{"UUID=", PLAN_ROOT_BLOCK}, {"PARTUUID=", PLAN_ROOT_BLOCK}, {"PARTLABEL=", PLAN_ROOT_BLOCK},
};

static const struct root_form *find_form(const struct root_form *f, size_t n, struct slice s)
{
	for (; n; n--, f++)
		if (slice_fits(s, f->text))
			return f;
	return NULL;
}

/* An address, also a mistyped one. */
static bool is_address(struct slice s)
{
	struct inet_addr a;

	if (value_server(s.s, s.len, &a))
		return a.family;
	return (s.s[0] >= '0' && s.s[0] <= '9') || s.s[0] == '[';
}

enum plan_root_kind root_kind_of(struct slice s)
{
	size_t server = slice_find(s, ":/");
	const struct root_form *f;

	if (slice_starts(s, "live:")) {
		f = find_form(live_forms, ARRAY_SIZE(live_forms), slice_from(s, 5));
		return f ? f->kind : PLAN_ROOT_LIVE;
	}
	f = find_form(forms, ARRAY_SIZE(forms), s);
	if (f)
		return f->kind;
	if (slice_starts_scheme(s, "http:") || slice_starts_scheme(s, "https:"))
		return PLAN_ROOT_LIVE;
	/* SERVER:/PATH: a name may be another scheme */
	return server < s.len && is_address((struct slice){s.s, server}) ? PLAN_ROOT_NFS
		: PLAN_ROOT_NONE;
}

/* DHCP's root-path is SERVER:/PATH with a name as well; SCHEME://... is none. */
static enum plan_root_kind kind_of_path(struct slice s)
{
	enum plan_root_kind kind = root_kind_of(s);

	return kind == PLAN_ROOT_NONE && slice_find(s, ":/") != slice_find(s, "://")
		       ? PLAN_ROOT_NFS : kind;
}

/*
 * ro or rw among the options of root=, or in rootflags=; by itself on the line each outweighs them,
 * as in dracut.
 */
static void take_rw(struct parser *p, const struct plan_word *w, struct plan_root *root)
{
	if (p->nfs_rw < 0)
		return;
	if (!p->taken[OPTION_RO] && !p->taken[OPTION_RW])
		root->rw = p->nfs_rw;
	else if (root->rw != p->nfs_rw)
		warn_word(p, w, "keep one of them",
			"%s among the mount options, %s on the line: the latter counts",
			p->nfs_rw ? "rw" : "ro", root->rw ? "rw" : "ro");
}

/* Nothing half-read stays in the plan: either an NFS root or none. */
static void take_nfs(struct parser *p, struct plan_word *w, struct slice text)
{
	struct plan_root *root = &p->plan->root;
	struct plan_word *fallback = parser_word(p, OPTION_RD_NFS_FALLBACK);

	if (!nfs_parse(p, w, text, DIAG_FATAL, &root->nfs)) {
		memset(&root->nfs, 0, sizeof(root->nfs));
		return;
	}
	root->kind = PLAN_ROOT_NFS;
	root->nfs.fallback_tcp = fallback && streq(fallback->value, "tcp");
	take_rw(p, w, root);
}

/* The path of root=/PATH. An address alone is dracut's form as well. */
static void comment_legacy(struct parser *p, const struct plan_word *w, struct slice s)
{
	if (s.s[0] == '/' && !slice_is(s, "/dev/nfs"))
		complain(p, w, s, DIAG_WARN, textf(p, "write root=nfs:%.*s", SLICE(s)),
			"a path alone: read as NFS, the server comes from DHCP");
}

/* root=/dev/nfs: the rest is in nfsroot=, or all of it comes from DHCP. */
static void take_dev_nfs(struct parser *p, struct plan_word *root, struct plan_word *nfsroot)
{
	p->plan->root.legacy_nfs = true;
	if (!nfsroot) {
		note_word(p, root, "write root=nfs:SERVER:/PATH",
			"deprecated; /tftpboot/%%s is asked for (%%s: host name) unless DHCP "
			"names a path");
		take_nfs(p, root, (struct slice){"nfs", 3});
		return;
	}
	note_word(p, nfsroot, nfs_as_root(p, word_value(nfsroot)),
		"the old form; still understood");
	p->plan->root.text = nfsroot->value;
	take_nfs(p, nfsroot, word_value(nfsroot));
	say(p, root, "the root is in nfsroot=");
}

/* [live:]URL of an image or manifest, into image, whose other options are there already. */
static bool parse_image(struct parser *p, const struct plan_word *w, struct slice s,
	enum diag_severity severity, struct plan_image *image)
{
	if (slice_starts(s, "live:"))
		s = slice_from(s, 5);
	if (!file_url(p, w, s, severity))
		return false;
	image->url = s.s;
	image->manifest = plan_is_manifest(s.s, s.len);
	return true;
}

static void take_url(struct parser *p, struct plan_word *w, struct slice s)
{
	struct plan_image *image = &p->plan->root.image;

	if (!parse_image(p, w, s, DIAG_FATAL, image))
		return;
	p->plan->root.kind = PLAN_ROOT_LIVE;
	say(p, w, "fetches the root %s %s", image->manifest ? "that is described in" : "image",
		image->url);
}

static void take_block(struct parser *p, struct plan_word *w, struct slice s)
{
	struct plan_root *root = &p->plan->root;

	if (!block_parse(p, w, s, DIAG_FATAL, &root->block)) {
		memset(&root->block, 0, sizeof(root->block));
		return;
	}
	root->kind = PLAN_ROOT_REMOTE;
	take_rw(p, root->block.rw ? parser_word(p, OPTION_ROOTFLAGS) : w, root);
}

/* Without ip= every interface asks DHCPv6, as with dracut. */
static void take_dhcp6(struct parser *p, struct plan_word *w)
{
	struct plan_ip ip = {.word = (size_t)(w - p->words), .methods = PLAN_IP_DHCP6, .prefix = -1,
		.peer_prefix = -1};

	say(p, w, "takes server and path of the root from DHCPv6's boot file URL");
	if (p->plan->given[OPTION_IP] || !APPEND(p, &p->ips, ip, w))
		return;
	say(p, w,
		"asks DHCPv6 on every interface, takes server and path of the root from its boot "
		"file URL");
}

/* For the stand-alone image, which mounts it after the network is up. */
static void take_local(struct parser *p, struct slice s)
{
	struct plan_block *block = &p->plan->root.block;

	block->kind = PLAN_BLOCK_LOCAL;
	block->name = slice_starts(s, "block:") ? s.s + strlen("block:") : s.s;
	block->options = "";
	block->flags = block->flags ? block->flags : "";
	p->nfs_rw = block->rw ? block->rw > 0 : -1;
	take_rw(p, parser_word(p, OPTION_ROOTFLAGS), &p->plan->root);
}

/* A root that a module of dracut's of the same name brings up. */
static void name_dracut_module(struct parser *p, const struct plan_word *w)
{
	static const char *const names[] = {"iscsi", "fcoe", "cifs", "nbd", "virtiofs"};
	struct slice s = word_value(w);

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (slice_starts(s, names[i]) && slice_find(s, ":") == strlen(names[i])) {
			p->plan->root.dracut_module = names[i];
			note_word(p, w, textf(p, "dracut --add %s, where it is not in the image",
				names[i]), "dracut's module %s brings it up", names[i]);
		}
}

static void take_other_root(struct parser *p, struct plan_word *w, struct slice s)
{
	bool live = slice_starts(s, "live:");

	say(p, w, "left to dracut");
	name_dracut_module(p, w);
	foreign_url(p, w, slice_from(s, live ? 5 : 0));
	if (live || slice_find(s, "ftp:") <= 1)
		complain(p, w, s, DIAG_NOTE, "root=live:http://... or https://",
			"this agent fetches by http and https only");
}

/* What a root of no known form was meant to be. */
static const char *root_remedy(struct parser *p, struct slice s)
{
	const struct slice scheme = {s.s, min_u64(s.len, strcspn(s.s, ":=") + 1)};

	if (slice_find(scheme, "nvm") < scheme.len && slice_find(scheme, "+") < scheme.len)
		return "write root=nvmf:rdma:SERVER:NQN or root=nvmf:tcp:SERVER:NQN";
	if (slice_find(scheme, "rdma") < scheme.len)
		return "write root=nfs:SERVER:/PATH:proto=rdma";
	if (slice_find(s, "://") < s.len)
		return "root=http://... or https://";
	for (size_t i = 0; i < 2 * ARRAY_SIZE(forms); i++) {
		const char *text = forms[i % ARRAY_SIZE(forms)].text;

		if (scheme.len > 2 && *s.s != '\'' &&
			word_is_beginning(text) == (scheme.len < s.len) &&
			option_distance(scheme.s, scheme.len, text) == i / ARRAY_SIZE(forms))
			return textf(p, "did you mean root=%s%s?", text, s.s + scheme.len);
	}
	return strpbrk(s.s, ":=/") || !strpbrk(s.s, "0123456789")
		? "an NFS root is root=nfs:SERVER:/PATH"
		: textf(p, "did you mean root=/dev/%s?", s.s);
}

/* root= or netroot= by what it begins with. */
static void take_kind(struct parser *p, struct plan_word *w)
{
	struct plan_root *root = &p->plan->root;
	struct slice s = word_value(w);
	enum plan_root_kind kind = root_kind_of(s);

	if (pull_take(p, w))
		return;
	switch (kind) {
	case PLAN_ROOT_NFS:
		comment_legacy(p, w, s);
		take_nfs(p, w, s);
		break;
	case PLAN_ROOT_LIVE: take_url(p, w, s); break;
	case PLAN_ROOT_REMOTE: take_block(p, w, s); break;
	case PLAN_ROOT_WWINIT: wwinit_take(p, w); break;
	case PLAN_ROOT_DHCP:
		root->kind = kind;
		if (slice_is(s, "dhcp6"))
			take_dhcp6(p, w);
		else
			say(p, w, "takes server and path of the root from DHCP's root-path");
		break;
	case PLAN_ROOT_BLOCK:
		root->kind = kind;
		take_local(p, s);
		if (s.s[s.len - 1] == '=')
			warn_word(p, w, textf(p, "write root=%sNAME", s.s), "names no device");
		say(p, w, "a local root: left to dracut");
		break;
	case PLAN_ROOT_OTHER:
		root->kind = kind;
		take_other_root(p, w, s);
		break;
	case PLAN_ROOT_NONE:
		root->kind = PLAN_ROOT_OTHER;
		complain(p, w, s, DIAG_WARN, root_remedy(p, s),
			"not a root this agent knows; left to dracut");
		say(p, w, "left to dracut");
		break;
	}
}

/* Values of root= that leave it to netroot=. */
static bool leaves_open(struct slice s)
{
	return slice_is(s, "nfs") || slice_is(s, "nfs4") || slice_is(s, "/dev/nfs") ||
	       slice_is(s, "/dev/root") || root_kind_of(s) == PLAN_ROOT_DHCP;
}

/* netroot= beside a root= that names a root: whose is it? */
static void comment_netroot(struct parser *p, struct plan_word *netroot,
	const struct plan_word *root, enum plan_root_kind kind)
{
	enum plan_root_kind by_root = root_kind_of(word_value(root));
	bool left = by_root == PLAN_ROOT_BLOCK || by_root == PLAN_ROOT_OTHER;
	const char *remedy = textf(p, "leave it out, or write root=%s alone", netroot->value);

	/* iscsi: and the like are dracut's in any case; of the agent's kinds it takes nbd: alone */
	left &= kind == PLAN_ROOT_OTHER || slice_starts(word_value(netroot), "nbd:");
	say(p, netroot, left ? "left to dracut, as root= is"
			     : "has no effect: root= names the root");
	if (left)
		name_dracut_module(p, netroot);
	if (kind == PLAN_ROOT_OTHER)
		return;
	if (left)
		note_word(p, netroot, remedy, "left to dracut, as root=%s is", root->value);
	else
		warn_word(p, netroot, remedy, "not read: root=%s is there as well", root->value);
}

/* Which word names the root? NULL if none does. */
static struct plan_word *choose_word(struct parser *p)
{
	struct plan_word *root = parser_word(p, OPTION_ROOT);
	struct plan_word *netroot = parser_word(p, OPTION_NETROOT);
	struct plan_word *imgurl = parser_word(p, OPTION_IMGURL);
	enum plan_root_kind kind;

	if (imgurl && !root && !netroot)
		return imgurl;
	if (imgurl)
		say(p, imgurl, "has no effect: %s= names the root", root ? "root" : "netroot");
	if (!netroot)
		return root ? root : pull_word(p);
	kind = root_kind_of(word_value(netroot));
	if (root && !leaves_open(word_value(root))) {
		comment_netroot(p, netroot, root, kind);
		return root;
	}
	if (kind == PLAN_ROOT_NFS)
		warn_word(p, netroot, textf(p, "write root=%s", netroot->value),
			"dracut ignores netroot= for NFS");
	if (root)
		say(p, root, "netroot= names the root");
	return netroot;
}

/* nfsroot= alone is plain enough to be taken, though dracut would stop. The word that was taken. */
static struct plan_word *no_root(struct parser *p)
{
	struct plan_word *xcat = parser_word(p, OPTION_XCAT_NFSROOT), *w;

	xcat = parser_word(p, OPTION_XCAT) ? xcat : NULL;
	w = xcat ? xcat : parser_word(p, OPTION_NFSROOT);
	if (!w) {
		/* no fault of a fragment, nor where the image has the root; no boot is without */
		bool unset = !p->plan->given[OPTION_ROOT];

		p->plan->fatal = true;
		complain(p, NULL, WHOLE, unset ? DIAG_NOTE : DIAG_FATAL,
			"add root=nfs:SERVER:/PATH, root=live:http://SERVER/IMAGE or root=dhcp",
			unset ? "no root=" : "no usable root=");
		return NULL;
	}
	if (!xcat)
		warn_word(p, w, nfs_as_root(p, word_value(w)),
			"nfsroot= without root=/dev/nfs; taken as the root, dracut would stop");
	p->plan->root.text = w->value;
	take_nfs(p, w, xcat ? slice_of(textf(p, "%s/rootimg", w->value)) : word_value(w));
	return w;
}

static void say_root(struct parser *p, struct plan_word *w)
{
	const struct plan_root *root = &p->plan->root;
	const char *how = root->image.overlay.asked ? "read-only, under a writable layer in memory"
		: root->rw ? "read-write" : "read-only";

	if (root->kind == PLAN_ROOT_NFS)
		say(p, w, "mounts %s, %s", nfs_text(p, &root->nfs), how);
	else if (root->kind == PLAN_ROOT_REMOTE)
		say(p, w, "mounts the %s, %s", block_text(p, &root->block), how);
}

/* root=/dev/nfs takes its text from nfsroot=, everything else from the word that was chosen. */
void resolve_root(struct parser *p)
{
	struct plan_word *w = choose_word(p), *nfsroot = parser_word(p, OPTION_NFSROOT);
	bool dev_nfs = w && slice_is(word_value(w), "/dev/nfs");

	if (!w) {
		w = no_root(p);
	} else {
		p->plan->root.text = w->value;
		if (dev_nfs)
			take_dev_nfs(p, w, nfsroot);
		else
			take_kind(p, w);
		xcat_image(p, w == parser_word(p, OPTION_IMGURL));
	}
	pull_left(p);
	nfs_server_from_peer(p);
	if (dev_nfs && nfsroot)
		w = nfsroot;
	if (w)
		say_root(p, w);
	if (nfsroot && w != nfsroot) {
		say(p, nfsroot, "has no effect: root= names the root");
		warn_word(p, nfsroot, "leave it out",
			"nfsroot= belongs to root=/dev/nfs; dracut would stop here");
	}
}

/* --- root-path ------------------------------------------------------------------------------ */

/* What the command line says counts; DHCP fills what it leaves open. The plan outlives the spec. */
static void inherit(struct plan_nfs *nfs, const struct plan_nfs *from, struct parser *p)
{
	if (from->n_servers) {
		nfs->servers = from->servers;
		nfs->n_servers = from->n_servers;
	}
	if (from->path) {
		nfs->path = from->path;
		nfs->path_host = from->path_host;
	}
	/* DHCP may narrow what the command line leaves open, never widen it */
	if (from->versions_given || !(nfs->versions & from->versions))
		nfs->versions = from->versions;
	else
		nfs->versions &= from->versions;
	nfs->versions_given |= from->versions_given;
	if (from->proto != PLAN_NFS_PROTO_UNSET)
		nfs->proto = from->proto;
	if (from->port)
		nfs->port = from->port;
	nfs->mount_flags |= from->mount_flags;
	nfs->fallback_tcp = from->fallback_tcp;
	/* later options outweigh earlier ones in the kernel */
	nfs->options = textf(p, "%s%s%s", nfs->options,
		nfs->options[0] && from->options[0] ? "," : "", from->options);
}

struct root_spec *root_spec_free(struct root_spec *s)
{
	if (s)
		arena_free(s->arena);
	return NULL;
}

/* Nothing proves an NFS export or a block device. */
bool plan_wants_proof(const struct boot_plan *plan)
{
	const struct plan_image *image = &plan->root.image;

	return image->unprovable || image->has_digest || image->n_keys;
}

/*
 * What a DHCP server may choose: only NFS where the command line asks for NFS, only what can be
 * proved where it asks for a proof.
 */
static bool may_come(const struct boot_plan *plan, enum plan_root_kind kind)
{
	bool nfs = plan->root.kind == PLAN_ROOT_NFS;

	switch (kind) {
	case PLAN_ROOT_NFS: return !plan_wants_proof(plan);
	case PLAN_ROOT_LIVE: return !nfs && !plan->root.image.unprovable;
	case PLAN_ROOT_REMOTE: return !nfs && !plan_wants_proof(plan);
	default: return false;
	}
}

/* What proves the image is the command line's alone: a DHCP server must not choose that as well. */
static bool parse_kind(struct parser *p, const struct plan_word *w, struct root_spec *spec,
	const struct boot_plan *plan, struct slice text)
{
	const struct plan_block *block = &plan->root.block;

	if (spec->kind == PLAN_ROOT_LIVE) {
		spec->image = plan->root.image;
		return parse_image(p, w, text, DIAG_ERROR, &spec->image);
	}
	if (spec->kind == PLAN_ROOT_NFS) {
		if (!nfs_parse(p, w, text, DIAG_ERROR, &spec->nfs))
			return false;
		if (plan->root.kind == PLAN_ROOT_NFS)
			inherit(&spec->nfs, &plan->root.nfs, p);
	} else {
		spec->block = (struct plan_block){.fstype = block->fstype, .flags = block->flags,
			.rw = block->rw, .hostnqn = block->hostnqn, .hostid = block->hostid};
		if (!block_parse(p, w, text, DIAG_ERROR, &spec->block))
			return false;
	}
	spec->rw = plan->root.rw ||
		(p->nfs_rw > 0 && !plan->given[OPTION_RO] && !plan->given[OPTION_RW]);
	return true;
}

static int parse_spec(struct parser *p, struct root_spec *spec, const struct boot_plan *plan,
	struct slice text)
{
	struct plan_word w = {.name = "root-path", .len = text.len, .value = keep(p, text)};
	bool good;

	if (p->oom)
		return -ENOMEM;
	text = slice_of(w.value);
	spec->kind = has_control(text) ? PLAN_ROOT_NONE : kind_of_path(text);
	good = may_come(plan, spec->kind);
	if (!good)
		complain(p, &w, text, DIAG_ERROR,
			"[nfs:|nfs4:][SERVER:]/PATH[:OPTIONS], or with root=dhcp "
			"[live:]http[s]://..., nbd:...",
			"DHCP's root-path is not a root that may be taken from there");
	good = good && parse_kind(p, &w, spec, plan, text);
	if (p->oom || good)
		return p->oom ? -ENOMEM : 0;
	return spec->kind == PLAN_ROOT_OTHER ? -EPROTONOSUPPORT : -EINVAL;
}

int root_spec_parse(struct root_spec **ret, const struct boot_plan *plan, const char *text,
	size_t len, struct diag_list *diags)
{
	struct boot_plan scratch = {0}; /* nfs_parse() may set its fatal flag */
	struct parser p = {.diags = diags, .plan = &scratch};
	struct root_spec *spec;
	int r = arena_new(&p.arena);

	if (r < 0)
		return r;
	spec = arena_alloc(p.arena, sizeof(*spec));
	r = spec ? parse_spec(&p, spec, plan, (struct slice){text, len ? strnlen(text, len) : 0})
		: -ENOMEM;
	if (r < 0) {
		arena_free(p.arena);
		return r;
	}
	spec->arena = p.arena;
	*ret = spec;
	return 0;
}
