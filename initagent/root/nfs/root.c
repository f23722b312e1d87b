// SPDX-License-Identifier: GPL-2.0-or-later
/* root: see root.h. */
#include "root/nfs/root.h"

#include <sys/mount.h>
#include <sys/random.h>

#include "base/worker.h"
#include "report/report.h"
#include "root/image/layers.h"
#include "root/init/init_check.h"
#include "root/nfs/verdict.h"

#define BACKOFF_FIRST (NSEC_PER_SEC / 4)
#define BACKOFF_STEPS 4 /* doublings: at most 4 s */
/* A TCP SYN is repeated after 1, 3, 7 and 15 s: an attempt sees four of them. */
#define ATTEMPT_LIMIT (16 * NSEC_PER_SEC)
/* The RDMA listener of nfsd starts a moment after the TCP one: do not give RDMA up at once. */
#define RDMA_ROUNDS   3
#define RDMA_PORT     20049 /* IANA nfsrdma, RFC 8166 section 9 */
#define NFS_PORT      2049  /* IANA nfs; NFSv3 asks rpcbind instead */

enum root_state {
	STATE_IDLE,
	STATE_MOUNTING,
	STATE_BACKOFF,
	STATE_MOUNTED,
	STATE_STOPPED,
	STATE_MAX,
};

static const char *const state_names[STATE_MAX] = {
	[STATE_IDLE] = "idle",
	[STATE_MOUNTING] = "mounting",
	[STATE_BACKOFF] = "backing off",
	[STATE_MOUNTED] = "mounted",
	[STATE_STOPPED] = "stopped",
};

/* What the child sends: one message of exactly this size. */
struct outcome {
	int32_t error; /* 0 or negative errno */
	int32_t no_init; /* mounted, but init_check failed with error */
	int32_t layer_cause; /* the export was mounted, but the layer above it not: an enum cause */
	int32_t nfsd_on_tcp; /* RDMA was refused, but the server's nfsd answers on TCP */
	char text[NFS_TEXT_MAX];
	char init[ROOT_INIT_MAX]; /* with no_init: why */
};

static const struct root_ops real_ops = {
	.mount = nfs_mount,
	.check = init_check,
	.answers = nfs_answers_on_tcp,
	.overlay = layers_overlay,
};

struct root {
	const struct env *env;
	struct root_config cfg; /* strings point into result and below */
	char target[256], wanted_init[ROOT_INIT_MAX];
	struct root_result result;
	enum root_state state;
	enum root_event event;
	size_t version; /* index in cfg.versions */
	/* version 3, for a path that version 4 does not know: what version 4 said stands */
	bool path_asked;
	enum nfs_proto proto;
	unsigned rounds;
	struct worker *worker; /* of an attempt; NULL: none */
	uint64_t began, deadline; /* deadline: of the pause between two attempts */
	enum cause cause;
	char text[NFS_TEXT_MAX + 256];
};

static void set_state(struct root *r, enum root_state to, uint64_t now)
{
	if (r->state != to)
		report_state(r->env->report, "root", r->result.address, state_names[r->state],
			state_names[to], now);
	r->state = to;
}

/* Copies src (may be NULL) and lets *field point at the copy. */
static int keep(const char **field, char *dst, size_t size)
{
	int n = strscpy(dst, *field ? *field : "", size);

	*field = dst;
	return n < 0 ? -EINVAL : 0;
}

static int keep_strings(struct root *r)
{
	struct root_config *c = &r->cfg;
	bool any_init = !c->init || !*c->init;
	int e = keep(&c->target, r->target, sizeof(r->target));

	e = e ? e : keep(&c->server, r->result.server, sizeof(r->result.server));
	e = e ? e : keep(&c->address, r->result.address, sizeof(r->result.address));
	e = e ? e : keep(&c->path, r->result.path, sizeof(r->result.path));
	e = e ? e : keep(&c->options, r->result.options, sizeof(r->result.options));
	e = e ? e : keep(&c->init, r->wanted_init, sizeof(r->wanted_init));
	if (any_init)
		c->init = NULL;
	return e;
}

int root_new(struct root **ret, const struct env *env, const struct root_config *cfg)
{
	_cleanup_(root_freep) struct root *r = calloc(1, sizeof(*r));
	int e;

	if (!r)
		return -ENOMEM;
	r->env = env;
	r->cfg = *cfg;
	if (!r->cfg.ops)
		r->cfg.ops = &real_ops;
	r->deadline = NSEC_NEVER;
	r->rounds = cfg->rounds;
	r->result.attempts = cfg->attempts;
	e = keep_strings(r);
	if (e < 0 || !cfg->n_versions || cfg->n_versions > NFS_VERSION_MAX)
		return -EINVAL;
	*ret = r;
	r = NULL;
	return 0;
}

static void unmount(const struct root *r)
{
	umount2(r->cfg.target, MNT_DETACH);
	if (r->cfg.overlay)
		layers_drop(r->env, NULL);
}

/* Ends an attempt in the middle: what it may have mounted in its last moment is not left behind. */
static void abandon(struct root *r)
{
	if (!r->worker)
		return;
	r->worker = worker_free(r->worker);
	unmount(r);
}

struct root *root_free(struct root *r)
{
	if (!r)
		return NULL;
	abandon(r);
	free(r);
	return NULL;
}

static uint16_t attempt_port(const struct root *r)
{
	if (r->proto == NFS_PROTO_RDMA)
		return r->cfg.port ? r->cfg.port : RDMA_PORT;
	/* A port given for RDMA means nothing for the TCP fall-back. */
	return r->cfg.proto == NFS_PROTO_TCP ? r->cfg.port : 0;
}

static void attempt_fill(const struct root *r, struct nfs_attempt *a)
{
	*a = (struct nfs_attempt){
		.server = r->cfg.server,
		.address = r->cfg.address,
		.ipv6 = r->cfg.ipv6,
		.path = r->cfg.path,
		.options = r->cfg.options,
		.version = r->cfg.versions[r->version],
		.proto = r->proto,
		.port = attempt_port(r),
		.readonly = r->cfg.readonly || r->cfg.overlay,
		.nolock = r->cfg.nolock,
		.mount_flags = r->cfg.mount_flags,
	};
}

/* The export below, the layer above; what an agent that was killed left of either goes first. */
static int mount_layers(const struct root *r, const struct nfs_attempt *attempt,
	struct outcome *out)
{
	struct layers_result layers = {0};
	char base[256];
	int e = env_path(r->env, base, sizeof(base), LAYERS_BASE);

	if (e < 0)
		return e;
	layers_drop(r->env, NULL);
	e = mount_folder(base);
	e = e < 0 ? e : r->cfg.ops->mount(attempt, base, out->text);
	if (e < 0)
		return e;
	e = r->cfg.ops->overlay(r->env, r->cfg.overlay, r->cfg.target, &layers);
	if (e < 0) {
		out->layer_cause = (int32_t)layers.cause;
		strscpy(out->text, layers.text, sizeof(out->text));
		layers_drop(r->env, NULL);
	}
	return e;
}

/* The child: one mount, one look for init, one message, gone. A root without init is not left
 * mounted. */
static int mount_once(const void *arg)
{
	const struct root *r = arg;
	struct outcome out = {0};
	struct nfs_attempt attempt;

	attempt_fill(r, &attempt);
	out.error = r->cfg.overlay ? mount_layers(r, &attempt, &out)
				   : r->cfg.ops->mount(&attempt, r->cfg.target, out.text);
	if (out.error == 0) {
		out.error =
			r->cfg.ops->check(r->cfg.target, r->cfg.init, out.init, sizeof(out.init));
		out.no_init = out.error != 0;
		if (out.no_init)
			unmount(r);
	} else if (out.error == -ECONNREFUSED && attempt.proto == NFS_PROTO_RDMA) {
		out.nfsd_on_tcp = r->cfg.ops->answers(&attempt);
	}
	return worker_reply(&out, sizeof(out)) < 0;
}

static bool outcome_valid(void *reply, const void *context)
{
	struct outcome *o = reply;

	(void)context;
	o->text[sizeof(o->text) - 1] = 0;
	o->init[sizeof(o->init) - 1] = 0;
	return o->error <= 0 && o->layer_cause >= CAUSE_NONE && o->layer_cause < CAUSE_MAX;
}

static int attempt_begin(struct root *r, uint64_t now)
{
	const struct worker_spec spec = {
		.run = mount_once,
		.arg = r,
		.reply_size = sizeof(struct outcome),
		.valid = outcome_valid,
		.limit = ATTEMPT_LIMIT,
	};
	int e = worker_start(&r->worker, &spec, now);

	if (e < 0)
		return e;
	r->began = now;
	r->deadline = NSEC_NEVER;
	r->result.attempts++;
	set_state(r, STATE_MOUNTING, now);
	return 0;
}

int root_start(struct root *r, uint64_t now)
{
	if (r->state == STATE_MOUNTING || r->state == STATE_MOUNTED)
		return 0;
	r->version = 0;
	r->path_asked = false;
	r->proto = r->cfg.proto;
	return attempt_begin(r, now);
}

int root_fd(const struct root *r)
{
	return worker_fd(r->worker);
}

uint64_t root_deadline(const struct root *r)
{
	return min_u64(r->deadline, worker_deadline(r->worker));
}

/* Waits before the next round, with up to a quarter of jitter so that a rack does not knock in
 * step; another way at once. */
static void round_failed(struct root *r, uint64_t now)
{
	unsigned ways = r->cfg.ways ? r->cfg.ways : 1, all = ++r->rounds / ways, doublings = all
		? all - 1 : 0;
	uint64_t pause = BACKOFF_FIRST << (doublings < BACKOFF_STEPS ? doublings : BACKOFF_STEPS);
	uint32_t random = 0;

	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) < 0)
		random = 0;
	r->deadline = r->rounds % ways ? now : now + pause + pause / 4 * random / UINT32_MAX;
	r->event = ROOT_EVENT_FAILED;
	set_state(r, STATE_BACKOFF, now);
}

static void pause_over(struct root *r, uint64_t now)
{
	r->deadline = NSEC_NEVER;
	r->event = ROOT_EVENT_AGAIN;
	set_state(r, STATE_IDLE, now);
}

static void stop(struct root *r, uint64_t now)
{
	r->deadline = NSEC_NEVER;
	r->event = ROOT_EVENT_FATAL;
	set_state(r, STATE_STOPPED, now);
}

/* May RDMA become TCP now? Refusals count over the rounds, an impossible RDMA is believed at
 * once. */
static bool may_fall_back(const struct root *r, enum remedy remedy)
{
	if (r->proto != NFS_PROTO_RDMA)
		return false;
	if (!r->cfg.fallback_tcp || remedy == REMEDY_NONE)
		return false;
	return remedy == REMEDY_TRANSPORT || r->rounds + 1 >= RDMA_ROUNDS;
}

static void fall_back(struct root *r, uint64_t now)
{
	report_log(r->env->report, REPORT_WARN, "root", now,
		"NFS over RDMA failed (%s), falling back to TCP as allowed", r->text);
	r->proto = NFS_PROTO_TCP;
	r->version = 0;
	if (attempt_begin(r, now) < 0)
		round_failed(r, now);
}

static void describe_failure(struct root *r, const struct verdict *v, int error, const char *text)
{
	char what[NFS_TEXT_MAX];

	root_describe(r, what, sizeof(what));
	snprintf(r->text, sizeof(r->text), "%s: %s%s%s", what, *v->words ? v->words
		: strerror(error), *text ? ": " : "", text);
	r->cause = v->cause;
}

/* Which version, as an index, may do what this one could not; 0: none. */
static size_t next_version(const struct root *r, enum remedy remedy)
{
	size_t last = r->cfg.n_versions - 1;

	if (remedy == REMEDY_VERSION && r->version < last)
		return r->version + 1;
	return remedy == REMEDY_PATH && r->version < last &&
		r->cfg.versions[last] == NFS_VERSION_3 ? last : 0;
}

/* The next step after an attempt that failed with an errno, of which text says more. */
static void attempt_failed(struct root *r, const struct verdict *v, int error, const char *text,
	uint64_t now)
{
	size_t next = next_version(r, v->remedy);

	if (r->path_asked) {
		round_failed(r, now);
		return;
	}
	describe_failure(r, v, error, text);
	if (next) {
		r->version = next;
		r->path_asked = v->remedy == REMEDY_PATH;
		if (attempt_begin(r, now) < 0)
			round_failed(r, now);
	} else if (may_fall_back(r, v->remedy)) {
		fall_back(r, now);
	} else if (v->remedy == REMEDY_NONE) {
		stop(r, now);
	} else {
		round_failed(r, now);
	}
}

static void mounted(struct root *r, const struct outcome *out, uint64_t now)
{
	r->result.version = r->cfg.versions[r->version];
	r->result.proto = r->proto;
	r->result.port = attempt_port(r);
	if (!r->result.port && r->result.version != NFS_VERSION_3)
		r->result.port = NFS_PORT;
	r->result.fell_back = r->proto != r->cfg.proto;
	r->result.overlay = r->cfg.overlay != NULL;
	strscpy(r->result.init, out->init, sizeof(r->result.init));
	r->deadline = NSEC_NEVER;
	r->event = ROOT_EVENT_MOUNTED;
	set_state(r, STATE_MOUNTED, now);
}

static void no_init(struct root *r, const struct outcome *out, uint64_t now)
{
	r->cause = CAUSE_ROOT_NO_INIT;
	snprintf(r->text, sizeof(r->text), "%s:%s: %s", r->cfg.server, r->cfg.path, out->init);
	round_failed(r, now);
}

/* No fault of the server: another version or transport would not help, more memory or a module
 * may. */
static void no_layer(struct root *r, const struct outcome *out, uint64_t now)
{
	r->cause = (enum cause)out->layer_cause;
	snprintf(r->text, sizeof(r->text), "%s", out->text);
	round_failed(r, now);
}

static void attempt_done(struct root *r, const struct outcome *out, uint64_t now)
{
	const struct verdict *v;

	r->worker = worker_free(r->worker);
	report_span(r->env->report, "root", nfs_proto_name(r->proto), r->began, now, out->error);
	if (out->error == 0) {
		mounted(r, out, now);
		return;
	}
	if (out->no_init) {
		no_init(r, out, now);
		return;
	}
	if (out->layer_cause) {
		no_layer(r, out, now);
		return;
	}
	v = out->nfsd_on_tcp ? no_rdma_listener() : mount_verdict(r->proto, -out->error);
	attempt_failed(r, v, -out->error, out->text, now);
}

static void attempt_timed_out(struct root *r, uint64_t now)
{
	const struct verdict *v = mount_verdict(r->proto, ETIMEDOUT);

	abandon(r);
	report_span(r->env->report, "root", nfs_proto_name(r->proto), r->began, now, -ETIMEDOUT);
	attempt_failed(r, v, ETIMEDOUT, "", now);
}

int root_dispatch(struct root *r, uint64_t now)
{
	struct outcome out;
	int received = worker_receive(r->worker, &out, now);

	if (received == -EPIPE) {
		out = (struct outcome){.error = -EIO};
		worker_end(r->worker);
		snprintf(out.text, sizeof(out.text), "the mount process %s",
			worker_end_text(r->worker));
	}
	if (received == -ETIMEDOUT)
		attempt_timed_out(r, now);
	else if (received)
		attempt_done(r, &out, now);
	else if (now >= r->deadline && r->state == STATE_BACKOFF)
		pause_over(r, now);
	return 0;
}

enum root_event root_pop_event(struct root *r)
{
	enum root_event e = r->event;

	r->event = ROOT_EVENT_NONE;
	return e;
}

enum cause root_failure(const struct root *r, const char **ret_text)
{
	*ret_text = r->text;
	return r->cause;
}

unsigned root_rounds(const struct root *r)
{
	return r->rounds;
}

const struct root_result *root_result(const struct root *r)
{
	return &r->result;
}

void root_describe(const struct root *r, char *buf, size_t size)
{
	bool named = !streq(r->cfg.server, r->cfg.address);
	char source[NFS_SOURCE_MAX] = "";

	nfs_source_text(source, sizeof(source), r->cfg.server, r->cfg.path);
	snprintf(buf, size, "%.140s%s%s%s over %s, NFS %s", source, named ? " (" : "", named
		? r->cfg.address : "",
		named ? ")" : "", nfs_proto_name(r->proto),
		nfs_version_name(r->cfg.versions[r->version]));
}
