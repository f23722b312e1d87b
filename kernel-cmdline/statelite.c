// SPDX-License-Identifier: GPL-2.0-or-later
/* statelite: STATEMNT= and NODE=, as xCAT writes them for nodes with a read-only root over NFS. */
#include "parser.h"

/* Counts beside others: resolve_statelite() and report_xcat() say what for. */
PARSE(statemnt)
{
	(void)p;
	return w != NULL;
}

/* Without its files such a node is none: better no boot than that. */
static bool refuse(struct parser *p, struct plan_word *w, struct slice at, const char *remedy,
	const char *text)
{
	complain(p, w, at, DIAG_FATAL, remedy, "%s", text);
	return false;
}

/* SERVER:/PATH, or nothing: then all that the node writes is in memory. */
static bool take_place(struct parser *p, struct plan_word *w, struct plan_statelite *out)
{
	struct slice v = word_value(w), f[2];

	if (!v.len)
		return true;
	if (fields_split(v, f, 2) < 2 || !f[1].len || f[1].s[0] != '/')
		return refuse(p, w, v, "write STATEMNT=SERVER:/PATH", "not SERVER:/PATH");
	if (!f[0].len) {
		warn_word(p, w, "write STATEMNT=SERVER:/PATH",
			"no server: the node keeps nothing");
		return true;
	}
	out->server = take_server(p, f[0], &out->addr);
	out->path = keep(p, f[1]);
	if (!out->server)
		return refuse(p, w, v, "write STATEMNT=SERVER:/PATH", "not SERVER:/PATH");
	return check_host(p, w, f[0], DIAG_FATAL, &out->addr);
}

/* xCAT writes it on every statelite line, empty where the table has none. */
static void take_options(struct parser *p, struct plan_statelite *out)
{
	struct plan_word *w = parser_word(p, OPTION_MNTOPTS);

	if (!w || !word_value(w).len || !out->server)
		return;
	out->nfs = nfs_mount_options(p, w);
	say(p, w, "mount options of STATEMNT=");
}

static bool take_node(struct parser *p, struct plan_word *w, struct plan_statelite *out)
{
	struct plan_word *node = parser_word(p, OPTION_NODE);
	struct slice v = node ? word_value(node) : (struct slice){0};

	if (node && !value_hostname(v.s, v.len))
		return refuse(p, node, v, "write NODE=NAME", "not a host name");
	if (!node && out->server)
		return refuse(p, w, WHOLE, "add NODE=NAME", "no NODE=: whose files?");
	out->node = node ? node->value : NULL;
	return !node || say(p, node, "names this node to the image's scripts%s",
		out->server ? ", and its folder at STATEMNT=" : "");
}

static void lay_over(struct parser *p, struct plan_word *w)
{
	struct plan_root *root = &p->plan->root;
	struct plan_statelite *out = arena_alloc(p->arena, sizeof(*out));
	char source[NFS_SOURCE_MAX];

	p->oom |= !out;
	if (!out || !take_place(p, w, out) || !take_node(p, w, out))
		return;
	take_options(p, out);
	if (root->image.overlay.asked)
		complain(p, NULL, WHOLE, DIAG_WARN, "leave out rd.overlay=",
			"STATEMNT=: the root has no writable layer beside xCAT's");
	root->image.overlay.asked = false;
	root->statelite = out;
	report_xcat(p);
	if (out->server)
		say(p, w, "lays the node's files over the root, those to be kept are at %s",
			nfs_source_text(source, sizeof(source), out->server, out->path) ? source
				: out->path);
	else
		say(p, w, "lays the node's files over the root, in memory");
}

void resolve_statelite(struct parser *p)
{
	struct plan_word *w = parser_word(p, OPTION_STATEMNT);

	if (w && parser_word(p, OPTION_XCAT) && p->plan->root.kind == PLAN_ROOT_NFS)
		lay_over(p, w);
	else if (w && p->plan->root.kind == PLAN_ROOT_LIVE)
		refuse(p, w, WHOLE, "give the image rootfstype nfs",
			"an xCAT statelite node with its root in memory: not supported");
	else if (w)
		say(p, w, "has no effect: it goes with XCAT= and a root over NFS");
}

/* PARTITION_RH, PARTITION_DOMOUNT_RH and SLES's: what localdisk acts on. */
static void warn_partitions(struct parser *p)
{
	for (const struct plan_word *w = p->words; w < p->words + p->n_words; w++)
		if (strncmp(w->name, "PARTITION_", 10) == 0)
			warn_word(p, w, "keep xCAT's own initramfs for nodes with enablepart",
				"the image's /etc/init.d/localdisk is not run: no disk is set up");
}

void xcat_image(struct parser *p, bool imgurl)
{
	const struct plan_word *flags = parser_word(p, OPTION_ROOTFLAGS);
	struct plan_root *root = &p->plan->root;

	root->image.xcat = root->kind == PLAN_ROOT_LIVE && parser_word(p, OPTION_XCAT);
	if (root->image.xcat)
		warn_partitions(p);
	if (!imgurl)
		return;
	report_xcat(p);
	if (flags)
		warn_word(p, flags, "write rootlimit= for a size",
			"has no effect: the root is in memory");
}
