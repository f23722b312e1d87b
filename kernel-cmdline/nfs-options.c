/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nfs-options: the mount options of an NFS root. mount.nfs is not there to sort them, so it is
 * done here: what decides version and transport, what mount(2) takes as flags, what only a mount
 * program understands, and the rest, which goes to the kernel's nfs as it is.
 */
#include <sys/mount.h>

#include "parser.h"

enum nfs_act {
	ACT_PASS,    /* the kernel's nfs knows it */
	ACT_MOUNTD,  /* the same, but version 3 only */
	ACT_FLAG,    /* a flag of mount(2) */
	ACT_UNFLAG,
	ACT_DROP,    /* means nothing to the kernel */
	ACT_RW,
	ACT_RO,
	ACT_LOCK,
	ACT_NOLOCK,
	ACT_VERS,    /* vers=, nfsvers=, v3, v4.1 */
	ACT_MINOR,
	ACT_PROTO,   /* proto=, tcp, rdma, udp */
	ACT_PORT,
};

struct nfs_option {
	const char *name;
	enum nfs_act act;
	unsigned long flag;
	const char *remark;  /* said as a warning when it is used */
	uint32_t min, max;   /* a number the kernel takes (fs/nfs/fs_context.c); max 0: none */
};

#define ACT(name, act)		 {name, ACT_##act, 0, NULL, 0, 0}
#define SAID(name, act, remark)	 {name, ACT_##act, 0, remark, 0, 0}
#define FLAG(name, flag)	 {name, ACT_FLAG, flag, NULL, 0, 0}
#define UNFLAG(name, flag)	 {name, ACT_UNFLAG, flag, NULL, 0, 0}
#define PASS(name)		 {name, ACT_PASS, 0, NULL, 0, 0}
#define NUMBER(name, min, max)	 {name, ACT_PASS, 0, NULL, min, max}
#define NUMBER_MOUNTD(name, min, max) {name, ACT_MOUNTD, 0, NULL, min, max}
#define SOFT "a root mounted soft returns I/O errors when the server pauses"

static const struct nfs_option options[] = {
	ACT("rw", RW), ACT("ro", RO), ACT("lock", LOCK), ACT("nolock", NOLOCK),
	ACT("vers", VERS), ACT("nfsvers", VERS), ACT("v2", VERS), ACT("v3", VERS), ACT("v4", VERS),
	ACT("v4.0", VERS), ACT("v4.1", VERS), ACT("v4.2", VERS), ACT("minorversion", MINOR),
	ACT("proto", PROTO), ACT("tcp", PROTO), ACT("rdma", PROTO), ACT("udp", PROTO),
	ACT("port", PORT),
	FLAG("noatime", MS_NOATIME), FLAG("nodiratime", MS_NODIRATIME),
	FLAG("relatime", MS_RELATIME), FLAG("strictatime", MS_STRICTATIME),
	FLAG("nodev", MS_NODEV), FLAG("sync", MS_SYNCHRONOUS), FLAG("dirsync", MS_DIRSYNC),
	{"nosuid", ACT_FLAG, MS_NOSUID,
		"set-user-ID programs such as su will not work in this root", 0, 0},
	{"noexec", ACT_FLAG, MS_NOEXEC, "no program of this root can run, init included", 0, 0},
	UNFLAG("atime", MS_NOATIME), UNFLAG("diratime", MS_NODIRATIME),
	UNFLAG("norelatime", MS_RELATIME), UNFLAG("suid", MS_NOSUID), UNFLAG("dev", MS_NODEV),
	UNFLAG("exec", MS_NOEXEC), UNFLAG("async", MS_SYNCHRONOUS),
	ACT("fg", DROP),
	SAID("bg", DROP, "a root cannot be mounted in the background; left out"),
	SAID("retry", DROP, "mount.nfs's own wait; rd.retry= limits the wait here; left out"),
	SAID("addr", DROP, "the agent sets the address itself; left out"),
	ACT("mounthost", MOUNTD), ACT("mountaddr", MOUNTD), ACT("mountproto", MOUNTD),
	NUMBER_MOUNTD("mountvers", 1, 3), NUMBER_MOUNTD("mountport", 0, UINT16_MAX),
	SAID("soft", PASS, SOFT), SAID("softerr", PASS, SOFT),
	NUMBER("rsize", 0, UINT32_MAX), NUMBER("wsize", 0, UINT32_MAX),
	NUMBER("bsize", 0, UINT32_MAX), NUMBER("timeo", 1, INT32_MAX / 10),
	NUMBER("retrans", 0, INT32_MAX), NUMBER("namlen", 0, UINT32_MAX),
	NUMBER("acregmin", 0, UINT32_MAX), NUMBER("acregmax", 0, UINT32_MAX),
	NUMBER("acdirmin", 0, UINT32_MAX), NUMBER("acdirmax", 0, UINT32_MAX),
	NUMBER("actimeo", 0, UINT32_MAX), NUMBER("nconnect", 1, 16), NUMBER("max_connect", 1, 16),
	PASS("hard"), PASS("ac"), PASS("noac"), PASS("acl"), PASS("noacl"), PASS("clientaddr"),
	PASS("cto"), PASS("nocto"), PASS("fsc"), PASS("nofsc"), PASS("intr"), PASS("nointr"),
	PASS("local_lock"), PASS("lookupcache"), PASS("migration"), PASS("nomigration"),
	PASS("posix"), PASS("rdirplus"), PASS("nordirplus"), PASS("resvport"),
	SAID("noresvport", PASS,
		"the server refuses ports above 1023 unless its export says insecure"),
	PASS("sec"), PASS("sharecache"), PASS("nosharecache"), PASS("softreval"),
	PASS("nosoftreval"), PASS("trunkdiscovery"), PASS("notrunkdiscovery"), PASS("write"),
	PASS("xprtsec"),
};

/*
 * The words that the kernel takes as a value, and no other (fs/nfs/fs_context.c); of sec= those it
 * has a mechanism for.
 */
static const struct {
	const char *name, *words;
} values[] = {
	{"local_lock", "none|flock|posix|all"},
	{"lookupcache", "all|pos|positive|none"},
	{"mountproto", "tcp|tcp6|udp|udp6"},
	{"sec", "sys|none|null|krb5|krb5i|krb5p"},
	{"write", "lazy|eager|wait"},
	{"xprtsec", "none|tls|mtls"},
};

/* One option being looked at. */
struct nfs_item {
	struct parser *p;
	const struct plan_word *w;
	struct plan_nfs *out;
	struct nfs_version *v;
	struct slice text, name, value;
	const struct nfs_option *option; /* NULL: unknown */
	char *rest; /* options for the kernel, comma-separated; room for all of text */
};

static const struct nfs_option *find_option(struct slice name)
{
	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		if (slice_is(name, options[i].name))
			return &options[i];
	return NULL;
}

bool nfs_is_option(struct slice name)
{
	return find_option(name) != NULL;
}

/* sec= is a list itself. */
static void remark(struct nfs_item *x, enum diag_severity severity, const char *remedy,
	const char *text)
{
	if ((severity == DIAG_ERROR || !x->option) && !slice_is(x->name, "sec") &&
		(slice_find(x->text, ":") < x->text.len || slice_find(x->text, ";") < x->text.len))
		remedy = "join options by ','";
	complain(x->p, x->w, x->text, severity, remedy, "%s", text);
}

/* Appends the option as written; rest was made large enough for all of them. */
static void pass_on(struct nfs_item *x)
{
	size_t n = strlen(x->rest);

	if (n)
		x->rest[n++] = ',';
	memcpy(x->rest + n, x->text.s, x->text.len);
}

/*
 * "v4.1" and "vers=4.1" are one option under two names. mount.nfs refuses two, here the last
 * counts.
 */
static void take_version(struct nfs_item *x)
{
	struct slice v =
		x->name.s[0] == 'v' && x->name.s[1] != 'e' ? slice_from(x->name, 1) : x->value;
	bool again = x->v->major >= 0;

	if (slice_is(v, "3")) {
		x->v->major = 3;
		x->v->minor = -1;
	} else if (slice_is(v, "4")) {
		x->v->major = 4;
	} else if (v.len == 3 && slice_starts(v, "4.") && v.s[2] >= '0' && v.s[2] <= '2') {
		x->v->major = 4;
		x->v->minor = v.s[2] - '0';
	} else {
		remark(x, DIAG_ERROR, "vers=4.2, 4.1, 4.0, 4 or 3",
			"not an NFS version the kernel mounts; left out");
		return;
	}
	if (again)
		remark(x, DIAG_WARN, "keep one of them",
			"the version is given again; the last counts");
}

/* minorversion=1, the older way of saying vers=4.1. */
static void take_minor(struct nfs_item *x)
{
	if (x->value.len == 1 && x->value.s[0] >= '0' && x->value.s[0] <= '2')
		x->v->minor = x->value.s[0] - '0';
	else
		remark(x, DIAG_ERROR, "vers=4.2, 4.1 or 4.0", "not a minor version; left out");
}

/* A 6 at the end asks for IPv6, which follows from the server's address anyway. */
static void take_proto(struct nfs_item *x)
{
	struct slice v = slice_is(x->name, "proto") ? x->value : x->name;

	if (slice_is(v, "rdma") || slice_is(v, "rdma6"))
		x->out->proto = PLAN_NFS_PROTO_RDMA;
	else if (slice_is(v, "tcp") || slice_is(v, "tcp6"))
		x->out->proto = PLAN_NFS_PROTO_TCP;
	else
		remark(x, DIAG_ERROR, "proto=rdma or proto=tcp",
			"not a transport for a root; left out, TCP unless another is given");
}

static void take_port(struct nfs_item *x)
{
	if (value_port(x->value.s, x->value.len, &x->out->port) < 0)
		remark(x, DIAG_ERROR, "1 to 65535; usual are 2049 (TCP) and 20049 (RDMA)",
			"not a port; left out");
}

static bool has_word(const char *words, struct slice word)
{
	struct slice rest = slice_of(words), known;

	while (slice_next(&rest, '|', &known))
		if (known.len == word.len && memcmp(known.s, word.s, word.len) == 0)
			return true;
	return false;
}

/* Is a value of words one that the kernel takes? Of sec=, a list of them. */
static bool is_known_value(struct nfs_item *x)
{
	struct slice rest = x->value, word;
	size_t i = 0;

	while (i < ARRAY_SIZE(values) && !slice_is(x->name, values[i].name))
		i++;
	if (i == ARRAY_SIZE(values))
		return true;
	do {
		word = (struct slice){0};
		slice_next(&rest, slice_is(x->name, "sec") ? ':' : ',', &word);
		if (!has_word(values[i].words, word)) {
			remark(x, DIAG_ERROR,
				textf(x->p, "write %s=%s", values[i].name, values[i].words),
				"the kernel refuses this value; left out");
			return false;
		}
	} while (rest.len);
	return true;
}

/* What only the kernel's nfs can judge; a wrong value would fail the whole mount. */
static void take_pass(struct nfs_item *x)
{
	const struct nfs_option *o = x->option;
	uint32_t n;

	if (!is_known_value(x))
		return;
	if (o->max && (value_u32(x->value.s, x->value.len, o->max, &n) < 0 || n < o->min)) {
		remark(x, DIAG_ERROR,
			textf(x->p, "write %s=N, a number from %u to %u", o->name, o->min, o->max),
			"the kernel refuses this value; left out");
		return;
	}
	if (slice_is(x->name, "sec") && slice_starts(x->value, "krb5"))
		remark(x, DIAG_WARN, "sec=sys", "Kerberos needs rpc.gssd, which no initramfs runs");
	if (slice_is(x->name, "xprtsec") && !slice_is(x->value, "none"))
		remark(x, DIAG_WARN, "leave it out", "TLS needs tlshd, which no initramfs runs");
	pass_on(x);
}

/* The option a misspelt name comes nearest to, or NULL. */
static const char *near_option(struct slice name)
{
	const char *near = NULL;
	size_t d, best = 3;

	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		d = option_distance(name.s, name.len, options[i].name);
		if (d < best && 2 * d < strlen(options[i].name)) {
			near = options[i].name;
			best = d;
		}
	}
	return near;
}

/*
 * A newer kernel may know it, so it is passed on; if it does not, the mount fails with the
 * kernel's own words, and this remark has said why.
 */
static void take_unknown(struct nfs_item *x)
{
	const char *near = near_option(x->name);

	if (mount_word(x->p, x->w, x->text))
		return;
	remark(x, DIAG_WARN, near ? textf(x->p, "did you mean %s?", near) : NULL,
		"not an NFS option known here; handed to the kernel, which may refuse it");
	pass_on(x);
}

/* One answer to one question: "ac" and "noac", ro and rw, the words for a transport. */
static size_t question_of(const struct nfs_option *o)
{
	static const char *const same[][2] = {{"ro", "rw"}, {"tcp", "proto"}, {"rdma", "proto"},
		{"udp", "proto"}, {"soft", "hard"}, {"softerr", "hard"}, {"async", "sync"}};
	const char *name = o->name;

	for (size_t i = 0; i < ARRAY_SIZE(same); i++)
		if (streq(o->name, same[i][0]))
			name = same[i][1];
	if (strncmp(name, "no", 2) == 0 && find_option(slice_of(name + 2)))
		name += 2;
	return (size_t)(find_option(slice_of(name)) - options);
}

/* Of two, the last counts, here and in the kernel. Versions and lock have remarks of their own. */
static void remark_again(struct nfs_item *x, const struct nfs_option *o)
{
	size_t q = question_of(o);

	if (o->act == ACT_VERS || o->act == ACT_MINOR || o->act == ACT_DROP || o->act == ACT_LOCK)
		return;
	if (x->v->asked[q / 64] >> q % 64 & 1)
		remark(x, DIAG_WARN, "keep one of them", "given again; the last one counts");
	x->v->asked[q / 64] |= UINT64_C(1) << q % 64;
}

/* Acts without a handler of their own are done in place. */
static void take_option(struct nfs_item *x, const struct nfs_option *o)
{
	static void (*const handlers[])(struct nfs_item *) = {
		[ACT_PASS] = take_pass,	  [ACT_MOUNTD] = take_pass, [ACT_VERS] = take_version,
		[ACT_MINOR] = take_minor, [ACT_PROTO] = take_proto, [ACT_PORT] = take_port,
	};

	_Static_assert(ARRAY_SIZE(options) <= 128, "asked[] has room for 128");
	remark_again(x, o);
	if (o->remark)
		remark(x, DIAG_WARN, NULL, o->remark);
	if (o->act == ACT_FLAG)
		x->out->mount_flags |= o->flag;
	if (o->act == ACT_UNFLAG)
		x->out->mount_flags &= ~o->flag;
	if (o->act == ACT_RW || o->act == ACT_RO)
		x->p->nfs_rw = o->act == ACT_RW;
	x->v->lock |= o->act == ACT_LOCK;
	if (o->act == ACT_MOUNTD)
		x->v->mountd = true;
	if (o->act < ARRAY_SIZE(handlers) && handlers[o->act])
		handlers[o->act](x);
}

/* No white space or control byte may reach the kernel's option string. */
static void take_one(struct nfs_item *x)
{
	size_t eq = slice_find(x->text, "=");

	x->name = (struct slice){x->text.s, eq};
	x->value = slice_from(x->text, eq + (eq < x->text.len));
	if (x->name.len == 0 || has_control(x->text) || slice_find(x->text, " ") < x->text.len) {
		remark(x, DIAG_ERROR, NULL, "not a mount option; left out");
		return;
	}
	x->option = find_option(x->name);
	if (x->option)
		take_option(x, x->option);
	else
		take_unknown(x);
}

void nfs_options(struct parser *p, const struct plan_word *w, struct slice text,
	struct plan_nfs *out, struct nfs_version *v)
{
	struct nfs_item x = {.p = p, .w = w, .out = out, .v = v};
	size_t before = strlen(out->options);

	/* what was there, a comma, all of text */
	x.rest = arena_alloc(p->arena, before + text.len + 2);
	if (!x.rest) {
		p->oom = true;
		return;
	}
	memcpy(x.rest, out->options, before);
	while (slice_next(&text, ',', &x.text))
		if (x.text.len)
			take_one(&x);
	out->options = x.rest;
}
