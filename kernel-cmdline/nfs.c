/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nfs: the many spellings of an NFS root (dracut's nfs-lib.sh reads the same ones):
 *
 *	[nfs[4]:][SERVER:]/PATH[:OPTIONS]	dracut; "," may stand for the last ":"
 *	nfs[4]://SERVER[:PORT]/PATH		RFC 2224
 *	nfs[4]:OPTIONS:SERVER:/PATH		the Red Hat installer's
 *
 * SERVER is a name, an IPv4 address, or an IPv6 address in brackets; or several of them with ","
 * between, which are tried in that order (as in Solaris; dracut reads one), each in brackets or
 * all in one pair of them. A link-local address may name its interface: "[fe80::1%ib0]".
 */
#include "parser.h"

struct nfs_spec {
	struct parser *p;
	const struct plan_word *w;
	enum diag_severity severity; /* of what makes the whole thing useless */
	struct plan_nfs *out;
	struct arena_list servers;
	struct nfs_version v;
	bool four;     /* "nfs4:" */
	bool prefixed; /* "nfs:" or "nfs4:" */
};

static const char root_remedy[] = "write root=nfs:SERVER:/PATH or root=nfs4:SERVER:/PATH:OPTIONS";

static bool nfs_fail(struct nfs_spec *x, struct slice at, const char *text)
{
	complain(x->p, x->w, at, x->severity, root_remedy, "%s", text);
	return false;
}

static bool add_server(struct nfs_spec *x, struct slice s, bool bracket)
{
	struct plan_server server = {0};

	server.name = take_zoned(x->p, s, &server.addr, &server.zone);
	if (!server.name) {
		complain(x->p, x->w, s, x->severity, server_remedy(s, root_remedy),
			"not a server's name or address");
		return false;
	}
	if (!check_host(x->p, x->w, s, x->severity, &server.addr) ||
		!check_zone(x->p, x->w, s, DIAG_WARN, &server.addr, server.zone))
		return false;
	if (server.addr.family == AF_INET6 && s.s[0] != '[' && !bracket)
		complain(x->p, x->w, s, DIAG_WARN, textf(x->p, "write [%.*s]", SLICE(s)),
			"an IPv6 address belongs in brackets");
	APPEND(x->p, &x->servers, server, x->w);
	return true;
}

/* One pair of brackets around several servers. */
static bool bracketed_list(struct slice s)
{
	return s.len && s.s[0] == '[' && slice_find(s, ",") < s.len &&
		slice_find(s, "]") == s.len - 1;
}

/* Empty: from ip= or DHCP. */
static bool set_servers(struct nfs_spec *x, struct slice s)
{
	bool bracket = bracketed_list(s);
	struct slice one, rest = bracket ? (struct slice){s.s + 1, s.len - 2} : s;

	if (s.len == 0)
		return true;
	while (slice_next(&rest, ',', &one))
		if (!add_server(x, one, bracket))
			return false;
	x->out->servers = x->servers.items;
	x->out->n_servers = x->servers.n;
	if (x->servers.n > 1)
		differ(x->p, x->w, s, DIAG_WARN, "name one server for dracut's own NFS root",
			"several servers: dracut reads one");
	return true;
}

/*
 * "%s", once, is the host name; no other letter of printf has a meaning, and no server goes up from
 * a path.
 */
static void judge_path(struct nfs_spec *x, struct slice s)
{
	size_t n = 0, up = slice_find(s, "/..");
	const char *odd = strpbrk(x->out->path, ";?");

	if (odd)
		complain(x->p, x->w, slice_from(s, (size_t)(odd - x->out->path)), DIAG_WARN,
			"write :vers=3,nolock after the path", "a part of the path: options "
			"follow ':' or ','");
	for (size_t i = 0; i + 1 < s.len; i++) {
		bool letter = (s.s[i + 1] | 0x20) >= 'a' && (s.s[i + 1] | 0x20) <= 'z';

		if (s.s[i] != '%' || !letter || (s.s[i + 1] == 's' && n++ == 0))
			continue;
		complain(x->p, x->w, (struct slice){s.s + i, 2}, DIAG_WARN,
			"%s, once, is the host name",
			"stays as it is: only the first %%s of a path is replaced");
	}
	if (up < s.len && (up + 3 == s.len || s.s[up + 3] == '/'))
		complain(x->p, x->w, (struct slice){s.s + up, 3}, DIAG_WARN,
			"write the path as the server exports it",
			"'..' in an exported path: servers refuse it");
}

/* Any byte but control ones: paths with spaces or letters of any language do exist. */
static bool set_path(struct nfs_spec *x, struct slice s)
{
	if (s.len > 1024) /* MNTPATHLEN, RFC 1813 */
		return nfs_fail(x, s, "the path is longer than NFS allows");
	if (has_control(s))
		return nfs_fail(x, s, "control bytes in the path");
	x->out->path = keep(x->p, s);
	x->out->path_host = strstr(x->out->path, "%s") != NULL;
	judge_path(x, s);
	return true;
}

/* "OPTIONS:SERVER" (only after "nfs:") or SERVER alone, in front of ":/PATH". */
static bool set_head(struct nfs_spec *x, struct slice head)
{
	struct inet_addr a;
	size_t i = head.len;
	bool bracket = false;
	uint16_t port;

	if (!x->prefixed || value_inet(head.s, head.len, &a) == 0)
		return set_servers(x, head);
	/* the server is what follows the last ':' outside of brackets */
	while (i > 0 && (head.s[i - 1] != ':' || bracket)) {
		i--;
		bracket = head.s[i] == ']' || (bracket && head.s[i] != '[');
	}
	if (i > 0 && value_port(head.s + i, head.len - i, &port) == 0 &&
		value_server(head.s, i - 1, &a)) {
		complain(x->p, x->w, slice_from(head, i), x->severity,
			textf(x->p, "write root=nfs%s:%.*s:/PATH:port=%u", x->four ? "4" : "",
				(int)i - 1, head.s, port), "a port belongs among the options");
		return false;
	}
	if (i > 0) {
		nfs_options(x->p, x->w, (struct slice){head.s, i - 1}, x->out, &x->v);
		differ(x->p, x->w, head, DIAG_WARN, root_remedy,
			"the installer's form (options in front of the server): dracut does not "
			"read it");
	}
	return set_servers(x, slice_from(head, i));
}

/* "/PATH[:OPTIONS]" or "/PATH,OPTIONS". */
static bool set_tail(struct nfs_spec *x, struct slice tail)
{
	size_t n = 0;

	while (n < tail.len && tail.s[n] != ':' && tail.s[n] != ',')
		n++;
	if (n < tail.len)
		nfs_options(x->p, x->w, slice_from(tail, n + 1), x->out, &x->v);
	return set_path(x, (struct slice){tail.s, n});
}

/* After "nfs://". */
static bool set_url(struct nfs_spec *x, struct slice s)
{
	size_t slash = slice_find(s, "/");
	struct slice host = {s.s, slash}, f[2];

	if (slash == s.len)
		return nfs_fail(x, s, "the URL names no path");
	if (fields_split(host, f, 2) == 2 && f[1].len &&
		value_port(f[1].s, f[1].len, &x->out->port) < 0)
		return nfs_fail(x, f[1], "not a port");
	differ(x->p, x->w, s, DIAG_WARN,
		textf(x->p, "write root=nfs%s:%.*s:%.*s%s", x->four ? "4" : "", SLICE(f[0]),
			SLICE(slice_from(s, slash)),
			x->out->port ? textf(x->p, ":port=%u", x->out->port) : ""),
		"a URL: dracut does not read it");
	return set_servers(x, f[0]) && set_path(x, slice_from(s, slash));
}

/*
 * What follows "nfs:". The first ":/" ends the server; dracut takes the last one, which breaks
 * as soon as an option holds one.
 */
static bool set_text(struct nfs_spec *x, struct slice s)
{
	size_t colon;

	if (slice_starts(s, "//"))
		return set_url(x, slice_from(s, 2));
	if (s.len == 0)
		return true; /* everything from DHCP */
	if (s.s[0] == '/')
		return set_tail(x, s);
	colon = slice_find(s, ":/");
	if (colon < s.len)
		return set_head(x, (struct slice){s.s, colon}) &&
			set_tail(x, slice_from(s, colon + 1));
	if (s.s[0] == ':' || s.s[0] == ',') { /* options only */
		nfs_options(x->p, x->w, slice_from(s, 1), x->out, &x->v);
		return true;
	}
	return nfs_fail(x, s, "names no path: it must begin with '/', after SERVER and ':'");
}

/*
 * The meaning of a missing version is mount.nfs's (utils/mount/stropts.c, nfs_autonegotiate()),
 * since that is what dracut calls: from 4.2 down, to 3 unless "nfs4" was the type.
 */
static unsigned int chosen_versions(struct nfs_spec *x)
{
	static const unsigned int minors[] = {PLAN_NFS_V40, PLAN_NFS_V41, PLAN_NFS_V42};

	x->out->versions_given = x->v.major >= 0 || x->v.minor >= 0;
	if (x->v.major == 3) {
		if (x->four)
			warn_word(x->p, x->w, "write nfs: with vers=3",
				"nfs4: and vers=3 contradict each other; version 3 is taken");
		if (x->v.minor >= 0)
			warn_word(x->p, x->w, "leave minorversion= out, or write vers=4",
				"minorversion= belongs to version 4; version 3 is taken");
		return PLAN_NFS_V3;
	}
	if (x->v.minor >= 0)
		return minors[x->v.minor];
	if (x->v.major == 4 || x->four)
		return PLAN_NFS_V4ANY;
	if (!x->v.mountd)
		return PLAN_NFS_V4ANY | PLAN_NFS_V3;
	note_word(x->p, x->w, "write vers=3",
		"mountd options belong to version 3: only that is tried");
	return PLAN_NFS_V3;
}

/* Ports and transports that hardly belong together. */
static void comment_choice(struct nfs_spec *x)
{
	if (x->v.lock && x->out->versions & PLAN_NFS_V3)
		warn_word(x->p, x->w, "leave it out", "lock: NFS 3 locks need helpers that no "
			"initramfs runs; nolock is used for it");
	if (x->out->proto != PLAN_NFS_PROTO_RDMA && x->out->port == 20049)
		warn_word(x->p, x->w, "add proto=rdma",
			"20049 is the port of NFS over RDMA, but the transport is TCP");
	if (x->out->proto == PLAN_NFS_PROTO_RDMA && x->out->port == 2049)
		warn_word(x->p, x->w, "leave port= out, or write port=20049",
			"2049 is the port of NFS over TCP, but the transport is RDMA");
}

/* nolock is always right for version 3 here: no initramfs runs rpc.statd (and dracut adds it). */
bool nfs_parse(struct parser *p, const struct plan_word *w, struct slice text,
	enum diag_severity severity, struct plan_nfs *out)
{
	struct nfs_spec x = {
		.p = p, .w = w, .severity = severity, .out = out, .v = {.major = -1, .minor = -1}};

	*out = (struct plan_nfs){.options = "", .nolock = true};
	p->nfs_rw = -1;
	x.four = slice_is(text, "nfs4") || slice_starts(text, "nfs4:");
	x.prefixed = x.four || slice_is(text, "nfs") || slice_starts(text, "nfs:");
	if (x.prefixed)
		text = slice_from(text, slice_find(text, ":"));
	if (slice_starts(text, ":"))
		text = slice_from(text, 1);
	if (!set_text(&x, text))
		return false;
	out->versions = chosen_versions(&x);
	comment_choice(&x);
	return true;
}

const struct plan_nfs *nfs_mount_options(struct parser *p, const struct plan_word *w)
{
	struct plan_nfs *out = arena_alloc(p->arena, sizeof(*out));
	struct nfs_spec x = {.p = p, .w = w, .out = out, .v = {.major = -1, .minor = -1}};
	int rw = p->nfs_rw;

	p->oom |= !out;
	if (!out)
		return NULL;
	*out = (struct plan_nfs){.options = "", .nolock = true};
	p->nfs_rw = -1;
	nfs_options(p, w, word_value(w), out, &x.v);
	if (p->nfs_rw == 0)
		warn_word(p, w, "leave it out", "ro has no effect: the node writes there");
	p->nfs_rw = rw;
	out->versions = chosen_versions(&x);
	comment_choice(&x);
	return out;
}

const struct choice nfs_versions[] = {
	{"4.2", PLAN_NFS_V42, NULL},
	{"4.1", PLAN_NFS_V41, NULL},
	{"4.0", PLAN_NFS_V40, NULL},
	{"3", PLAN_NFS_V3, NULL},
	{0},
};

/* "nfs:SERVER" and "/PATH[:OPTIONS]" of the simple form; false for any other. */
static bool split_simple(struct slice s, struct slice *prefix, struct slice *server,
	struct slice *tail)
{
	size_t at = slice_find(s, ":/"), start = slice_starts(s, "nfs4:") ? 5 : 4;
	struct slice f[2];

	if (at == s.len || at < start || !(start == 5 || slice_starts(s, "nfs:")))
		return false;
	*prefix = (struct slice){s.s, start};
	*server = (struct slice){s.s + start, at - start};
	*tail = slice_from(s, at);
	return fields_split(*server, f, 2) == 1 && server->len && !bracketed_list(*server);
}

const char *nfs_joined(struct parser *p, const struct plan_word *a, const struct plan_word *b)
{
	struct slice prefix[2], server[2], tail[2];

	if (!split_simple(word_value(a), &prefix[0], &server[0], &tail[0]) ||
		!split_simple(word_value(b), &prefix[1], &server[1], &tail[1]) ||
		!slice_is(prefix[0], keep(p, prefix[1])) || !slice_is(tail[0], keep(p, tail[1])))
		return NULL;
	return textf(p, "keep one, or write root=%.*s%.*s,%.*s%.*s, which tries them in turn",
		SLICE(prefix[0]), SLICE(server[0]), SLICE(server[1]), SLICE(tail[0]));
}

static const char *servers_text(struct parser *p, const struct plan_nfs *nfs)
{
	const char *text = "(server from DHCP)";

	for (size_t i = 0; i < nfs->n_servers; i++) {
		const struct plan_server *s = &nfs->servers[i];
		bool v6 = s->addr.family == AF_INET6;

		text = textf(p, "%s%s%s%s%s%s%s", i ? text : "", i ? "," : "", v6 ? "[" : "",
			s->name, s->zone ? "%" : "", s->zone ? s->zone : "", v6 ? "]" : "");
	}
	return text;
}

const char *nfs_text(struct parser *p, const struct plan_nfs *nfs)
{
	bool rdma = nfs->proto == PLAN_NFS_PROTO_RDMA;
	unsigned int port = nfs->port ? nfs->port : rdma ? 20049 : 2049;
	const char *text, *sep = ", NFS ";

	text = textf(p, "%s:%s over %s (port %u)", servers_text(p, nfs),
		nfs->path ? nfs->path : "(path from DHCP)", rdma ? "RDMA" : "TCP", port);
	for (const struct choice *c = nfs_versions; c->word; c++)
		if (nfs->versions & c->value) {
			text = textf(p, "%s%s%s", text, sep, c->word);
			sep = ", then ";
		}
	if (nfs->options[0])
		text = textf(p, "%s, options %s", text, nfs->options);
	return nfs->path_host ? textf(p, "%s, %%s: the host name", text) : text;
}

const char *nfs_as_root(struct parser *p, struct slice v)
{
	bool typed = slice_starts(v, "nfs:") || slice_starts(v, "nfs4:");

	return textf(p, "write root=%s%.*s", typed ? "" : "nfs:", SLICE(v));
}

void nfs_server_from_peer(struct parser *p)
{
	struct plan_nfs *nfs = &p->plan->root.nfs;
	struct arena_list servers = {0};
	char text[INET_ADDR_TEXT];

	if (p->plan->root.kind != PLAN_ROOT_NFS || nfs->n_servers)
		return;
	FOR_EACH(struct plan_ip, ip, &p->ips)
		if (ip->peer.family && !servers.n) {
			const char *name = textf(p, "%s", inet_text(&ip->peer, text));
			struct plan_server server = {.name = name, .addr = ip->peer};

			APPEND(p, &servers, server, NULL);
		}
	nfs->servers = servers.items;
	nfs->n_servers = servers.n;
}

/*
 * Ours: an administrator who asks for RDMA may prefer a node that boots slowly to one that does
 * not, but must say so. Anything unclear means no.
 */
PARSE(nfs_fallback)
{
	struct slice v = word_value(w);

	if (slice_is(v, "tcp"))
		return say(p, w,
			"lets a root asked for over RDMA come over TCP if RDMA does not work");
	if (slice_is(v, "none") || value_switch(v.s, v.len) == SWITCH_OFF)
		return say(p, w, "never falls back from RDMA to TCP");
	complain(p, w, v, DIAG_ERROR, "rd.nfs.fallback=tcp or none",
		"not a transport to fall back to; left out, there is no fall-back");
	return false;
}
