// SPDX-License-Identifier: GPL-2.0-or-later

#include "root/nfs/root.h"

#include "base/worker.h"
#include "root/image/layers.h"
#include "root/nfs/adopt.h"
#include "root/nfs/attempt.h"
#include "root/nfs/verdict.h"

/* A TCP SYN is repeated after 1, 3, 7 and 15 s: an attempt sees four of them. */
#define ATTEMPT_LIMIT (16 * NSEC_PER_SEC)
/* Twice as long after so many rounds, twice at most: what thousands of nodes ask a server for, and
 * then give up, it does in vain. */
#define PATIENT_AFTER 4
/* nfs_answers_on_tcp() takes a second at most. */
#define ASK_LIMIT (3 * NSEC_PER_SEC)
/* What takes less is not shown. */
#define STEP_SHOWN NSEC_PER_SEC
/* xCAT's script asks the master 15 times, with up to 50 s in between. */
#define STATELITE_LIMIT (800 * NSEC_PER_SEC)
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
	STATE_LOOKUP, /* of the server of xCAT's files */
	STATE_MAX,
};

static const char *const state_names[STATE_MAX] = {
	[STATE_IDLE] = "idle",
	[STATE_MOUNTING] = "mounting",
	[STATE_BACKOFF] = "backing off",
	[STATE_MOUNTED] = "mounted",
	[STATE_STOPPED] = "stopped",
	[STATE_LOOKUP] = "looking up",
};

static const struct root_ops real_ops = {
	.mount = nfs_mount,
	.check = init_check_told,
	.answers = nfs_answers_on_tcp,
	.writable = nfs_writable,
	.overlay = layers_overlay,
};

struct root {
	struct source source; /* the first */
	struct source_config cfg;
	const struct plan_nfs *plan;
	const struct root_ops *ops;
	struct root_result result; /* its texts are the attempts' as well */
	enum root_state state;
	enum nfs_version version;
	/* version 3, for a path or port that version 4 does not know: what version 4 said stands */
	bool v3_asked;
	enum nfs_proto asked, proto;
	uint64_t began; /* of the attempt */
	struct inet_addr kept; /* of the server of xCAT's files, where that is another name's */
	enum attempt_step at;
	char step[NFS_TEXT_MAX]; /* of STEP_STATELITE: what it does */
};

static void set_state(struct root *r, enum root_state to, uint64_t now)
{
	if (r->state != to)
		report_state(r->cfg.env->report, "root", r->result.address, state_names[r->state],
			state_names[to], now);
	r->state = to;
}

/* The name of the server of xCAT's files; NULL: it is the root's, or an address, or none. */
static const char *kept_name(const struct root *r)
{
	const struct plan_statelite *s = attempt_statelite(&r->cfg);
	bool other = s && s->server && !s->addr.family && !streq(s->server, r->cfg.server->name);

	return other ? s->server : NULL;
}

/* Ends an attempt in the middle: what it may have mounted in its last moment is not left behind. */
static void abandon(struct root *r)
{
	if (!r->source.worker)
		return;
	r->source.worker = worker_free(r->source.worker);
	attempt_drop(&r->cfg);
}

void root_end(struct source *s)
{
	abandon((struct root *)s);
	worker_free(s->reader);
	free(s);
}

static struct root *make(void)
{
	struct root *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->source.deadline = NSEC_NEVER;
	r->source.record = &r->result;
	r->source.init = r->result.init;
	return r;
}

static uint16_t attempt_port(const struct root *r)
{
	uint16_t port = r->cfg.no_rdma ? 0 : r->plan->port;

	if (r->proto == NFS_PROTO_RDMA)
		return port ? port : RDMA_PORT;
	/* A port given for RDMA means nothing for the TCP fall-back. */
	return r->asked == NFS_PROTO_TCP ? port : 0;
}

static void attempt_fill(const struct root *r, struct attempt *a)
{
	const struct plan_statelite *lite = attempt_statelite(&r->cfg);
	const struct inet_addr *kept = lite && lite->addr.family ? &lite->addr : &r->kept;

	*a = (struct attempt){.cfg = &r->cfg, .ops = r->ops};
	if (kept->family)
		inet_text(kept, a->address);
	else
		strscpy(a->address, r->result.address, sizeof(a->address));
	a->nfs = (struct nfs_attempt){
		.server = r->result.server,
		.address = r->result.address,
		.ipv6 = r->cfg.server->addr.family == AF_INET6,
		.path = r->result.path,
		.options = r->result.options,
		.version = r->version,
		.proto = r->proto,
		.port = attempt_port(r),
		.readonly = r->cfg.readonly || r->cfg.overlay,
		.nolock = r->plan->nolock,
		.mount_flags = r->plan->mount_flags,
	};
	a->refused = r->v3_asked && r->source.cause == CAUSE_ROOT_REFUSED;
}

static bool message_valid(void *reply, const void *context)
{
	struct attempt_message *o = reply;

	(void)context;
	o->text[sizeof(o->text) - 1] = 0;
	o->init[sizeof(o->init) - 1] = 0;
	return o->error <= 0 && o->step >= STEP_MOUNT && o->step < STEP_MAX &&
		o->layer_cause >= CAUSE_NONE && o->layer_cause < CAUSE_MAX;
}

static int start_worker(struct root *r, int (*run)(const void *), uint64_t limit, uint64_t now)
{
	struct attempt attempt;
	const struct worker_spec spec = {
		.run = run,
		.arg = &attempt,
		.reply_size = sizeof(struct attempt_message),
		.valid = message_valid,
		.limit = limit,
	};

	attempt_fill(r, &attempt);
	return worker_start(&r->source.worker, &spec, now);
}

static uint64_t attempt_limit(const struct root *r)
{
	unsigned doublings = r->source.rounds / r->cfg.ways / PATIENT_AFTER;

	return ATTEMPT_LIMIT << (doublings < 2 ? doublings : 2);
}

static int attempt_begin(struct root *r, uint64_t now)
{
	int e = start_worker(r, attempt_run, attempt_limit(r), now);

	if (e < 0)
		return e;
	r->at = STEP_MOUNT;
	r->began = now;
	r->source.deadline = NSEC_NEVER;
	r->source.attempts++;
	set_state(r, STATE_MOUNTING, now);
	return 0;
}

static void round_failed(struct root *r, uint64_t now)
{
	r->source.rounds++;
	source_back_off(&r->source, r->cfg.ways, r->source.rounds % r->cfg.ways, now);
	source_raise(&r->source, SOURCE_FAILED);
	set_state(r, STATE_BACKOFF, now);
}

static void pause_over(struct root *r, uint64_t now)
{
	r->source.deadline = NSEC_NEVER;
	source_raise(&r->source, SOURCE_AGAIN);
	set_state(r, STATE_IDLE, now);
}

static void stop(struct root *r, uint64_t now)
{
	r->source.deadline = NSEC_NEVER;
	source_raise(&r->source, SOURCE_FATAL);
	set_state(r, STATE_STOPPED, now);
}

/* May RDMA become TCP now? Refusals count over the rounds, an impossible RDMA is believed at
 * once. */
static bool may_fall_back(const struct root *r, enum remedy remedy)
{
	if (r->proto != NFS_PROTO_RDMA)
		return false;
	if (!r->plan->fallback_tcp || remedy == REMEDY_NONE || remedy == REMEDY_WAIT)
		return false;
	return remedy == REMEDY_TRANSPORT || r->source.rounds + 1 >= RDMA_ROUNDS;
}

static void fall_back(struct root *r, uint64_t now)
{
	report_log(r->cfg.env->report, REPORT_WARN, "root", now,
		"NFS over RDMA failed (%s), falling back to TCP as allowed", r->source.text);
	report_cause(r->cfg.env->report, r->source.cause, r->cfg.server->name, now, "%s",
		r->source.text);
	r->proto = NFS_PROTO_TCP;
	r->source.unread.family = AF_UNSPEC;
	r->version = nfs_version_allowed(r->plan->versions, 0);
	if (attempt_begin(r, now) < 0)
		round_failed(r, now);
}

/* 0: rpcbind knows it. */
static uint16_t known_port(const struct root *r)
{
	uint16_t port = attempt_port(r);

	return port || r->version == NFS_VERSION_3 ? port : NFS_PORT;
}

/* What is tried: server, transport, port if it is known, version. */
static void describe_attempt(const struct root *r, char *buf, size_t size)
{
	bool named = !streq(r->result.server, r->result.address);
	char source[NFS_SOURCE_MAX] = "", port[NFS_PORT_TEXT];

	nfs_source_text(source, sizeof(source), r->result.server, r->result.path);
	snprintf(buf, size, "%.140s%s%s%s over %s%s, NFS %s", source, named ? " (" : "",
		named ? r->result.address : "", named ? ")" : "", nfs_proto_name(r->proto),
		nfs_port_text(port, known_port(r)), nfs_version_name(r->version));
}

static void describe_failure(struct root *r, const struct verdict *v, int error, const char *text)
{
	char what[NFS_TEXT_MAX];

	describe_attempt(r, what, sizeof(what));
	snprintf(r->source.text, sizeof(r->source.text), "%s: %s%s%s", what,
		*v->words ? v->words : strerror(error), *text ? ": " : "", text);
	r->source.cause = v->cause;
}

/* rpcbind names version 3's port. It may be filtered, and a server that starts refuses as well. */
static bool may_be_elsewhere(const struct root *r, const struct verdict *v)
{
	return v->cause == CAUSE_ROOT_REFUSED && r->proto == NFS_PROTO_TCP && !attempt_port(r) &&
		(r->source.rounds / r->cfg.ways + 1) % PATIENT_AFTER == 0;
}

/* The next step after an attempt that failed with an errno, of which text says more. */
static void attempt_failed(struct root *r, const struct verdict *v, int error, const char *text,
	uint64_t now)
{
	enum nfs_version next = verdict_version(
		v, text, may_be_elsewhere(r, v), r->plan->versions, r->version);

	if (r->v3_asked) {
		if (v->cause == CAUSE_ROOT_NO_EXPORT && r->source.cause == CAUSE_ROOT_REFUSED)
			describe_failure(r, v, error, text);
		round_failed(r, now);
		return;
	}
	describe_failure(r, v, error, text);
	if (next < NFS_VERSION_MAX) {
		r->version = next;
		r->v3_asked = v->remedy == REMEDY_PATH || v->cause == CAUSE_ROOT_REFUSED;
		if (attempt_begin(r, now) < 0)
			round_failed(r, now);
	} else if (may_fall_back(r, v->remedy)) {
		fall_back(r, now);
	} else if (v->remedy == REMEDY_NONE && r->source.rounds + 1 >= r->cfg.ways) {
		/* one of several servers may say so alone, of what its mountd does not know */
		stop(r, now);
	} else {
		round_failed(r, now);
	}
}

static void mounted(struct root *r, const struct attempt_message *out, uint64_t now)
{
	struct root_result *res = &r->result;
	char source[NFS_SOURCE_MAX] = "", port[NFS_PORT_TEXT];

	source_go_on(&r->source, r->cfg.reader);
	res->version = r->version;
	res->proto = r->proto;
	res->port = known_port(r);
	res->fell_back = r->proto != r->asked;
	res->overlay = r->cfg.overlay != NULL;
	res->attempts = r->source.attempts;
	strscpy(res->init, out->init, sizeof(res->init));
	nfs_source_text(source, sizeof(source), res->server, res->path);
	snprintf(r->source.text, sizeof(r->source.text), "%.200s mounted, NFS %s over %s%s%s%s",
		source, nfs_version_name(res->version), nfs_proto_name(res->proto),
		nfs_port_text(port, res->port),
		res->fell_back ? ", fallen back from RDMA" : "",
		res->overlay ? ", under a writable layer" : "");
	if (out->unwritable)
		report_log(r->cfg.env->report, REPORT_WARN, "root", now,
			"%.200s is mounted rw, but cannot be written to: is its export ro, or root "
			"squashed?", source);
	r->source.deadline = NSEC_NEVER;
	source_raise(&r->source, SOURCE_MOUNTED);
	set_state(r, STATE_MOUNTED, now);
}

static void no_init(struct root *r, const struct attempt_message *out, uint64_t now)
{
	char source[NFS_SOURCE_MAX] = "";

	r->source.cause = CAUSE_ROOT_NO_INIT;
	nfs_source_text(source, sizeof(source), r->result.server, r->result.path);
	snprintf(r->source.text, sizeof(r->source.text), "%.200s: %.110s", source, out->init);
	round_failed(r, now);
}

/* No fault of the server: another version or transport would not help, more memory or a module
 * may. */
static void no_layer(struct root *r, const struct attempt_message *out, uint64_t now)
{
	r->source.cause = (enum cause)out->layer_cause;
	strscpy(r->source.text, out->text, sizeof(r->source.text));
	round_failed(r, now);
}

static void end_span(const struct root *r, int error, uint64_t now)
{
	report_span(r->cfg.env->report, "root", nfs_proto_name(r->proto), r->began, now, error);
}

static const struct verdict *judge(const struct root *r, const struct attempt_message *out)
{
	return out->nfsd_on_tcp ? tcp_verdict(r->proto, r->version, -out->error)
		: mount_verdict(r->proto, r->version, -out->error);
}

static void attempt_done(struct root *r, const struct attempt_message *out, uint64_t now)
{
	r->source.unread.family = AF_UNSPEC;
	if (r->at != STEP_ASK)
		end_span(r, out->error, now);
	if (out->error == 0) {
		mounted(r, out, now);
		return;
	}
	r->source.worker = worker_free(r->source.worker);
	if (out->no_init)
		no_init(r, out, now);
	else if (out->layer_cause)
		no_layer(r, out, now);
	else
		attempt_failed(r, judge(r, out), -out->error, out->text, now);
}

/* The export is there: what is done over it did not end, or its process died. */
static void step_failed(struct root *r, const char *why, uint64_t now)
{
	struct attempt_message out = {.layer_cause = CAUSE_ROOT_STATELITE};

	snprintf(out.text, sizeof(out.text), "%.180s: %.50s", r->step, why);
	no_layer(r, &out, now);
}

static void attempt_timed_out(struct root *r, uint64_t now)
{
	enum attempt_step at = r->at;
	bool connected = r->proto == NFS_PROTO_RDMA &&
		nfs_rdma_connected(r->cfg.env, &r->cfg.server->addr);
	/* the kernel mounts over the connection on which the last attempt's reads were lost */
	bool lost = at == STEP_READ || (at == STEP_MOUNT && r->source.unread.family &&
		inet_equal(&r->source.unread, &r->cfg.server->addr));

	abandon(r);
	if (lost)
		r->source.unread = r->cfg.server->addr;
	if (at != STEP_ASK)
		end_span(r, -ETIMEDOUT, now);
	if (at == STEP_STATELITE)
		step_failed(r, "no end of it; killed", now);
	else if (at == STEP_OPEN || lost)
		attempt_failed(r, unread_verdict(r->version, lost), ETIMEDOUT, "", now);
	else if (connected)
		attempt_failed(
			r, tcp_verdict(NFS_PROTO_TCP, r->version, ETIMEDOUT), ETIMEDOUT, "", now);
	else if (at == STEP_MOUNT && start_worker(r, attempt_ask, ASK_LIMIT, now) >= 0)
		r->at = STEP_ASK;
	else
		attempt_failed(
			r, mount_verdict(r->proto, r->version, ETIMEDOUT), ETIMEDOUT, "", now);
}

static void attempt_died(struct root *r, uint64_t now)
{
	struct attempt_message out = {.error = r->at == STEP_ASK ? -ETIMEDOUT : -EIO};

	worker_end(r->source.worker);
	snprintf(out.text, sizeof(out.text), "the mount process %s",
		worker_end_text(r->source.worker));
	abandon(r);
	if (r->at == STEP_STATELITE) {
		end_span(r, out.error, now);
		step_failed(r, out.text, now);
	} else {
		attempt_done(r, &out, now);
	}
}

/* The export is mounted: what version 4 said of its path is no reason any more. Of init is told
 * only what lasts. */
static void step_begun(struct root *r, const struct attempt_message *m, uint64_t now)
{
	bool lite = m->step == STEP_STATELITE;

	r->at = (enum attempt_step)m->step;
	r->v3_asked = false;
	strscpy(r->step, m->text, sizeof(r->step));
	worker_set_limit(r->source.worker, lite ? STATELITE_LIMIT : attempt_limit(r), now);
	if (lite)
		source_raise(&r->source, SOURCE_STEP);
	else
		r->source.deadline = now + STEP_SHOWN;
}

static void step_lasts(struct root *r)
{
	r->source.deadline = NSEC_NEVER;
	source_raise(&r->source, SOURCE_STEP);
}

void root_dispatch(struct source *s, uint64_t now)
{
	struct root *r = (struct root *)s;
	struct attempt_message m;
	int received = worker_receive(s->worker, &m, now);

	if (received == -ETIMEDOUT)
		attempt_timed_out(r, now);
	else if (received < 0)
		attempt_died(r, now);
	else if (received && m.step)
		step_begun(r, &m, now);
	else if (received)
		attempt_done(r, &m, now);
	else if (now >= s->deadline && r->state == STATE_BACKOFF)
		pause_over(r, now);
	else if (now >= s->deadline && r->state == STATE_MOUNTING)
		step_lasts(r);
}

enum cause root_describe(const struct source *s, char *buf, size_t size)
{
	const struct root *r = (const struct root *)s;
	char what[NFS_TEXT_MAX];

	if (r->state == STATE_LOOKUP) {
		snprintf(buf, size, "waiting for the address of %s", kept_name(r));
		return CAUSE_ROOT_RESOLVE;
	}
	if (r->at == STEP_STATELITE) {
		snprintf(buf, size, "waiting for %s", r->step);
		return CAUSE_ROOT_STATELITE;
	}
	describe_attempt(r, what, sizeof(what));
	if (r->at == STEP_MOUNT || r->at == STEP_ASK) {
		snprintf(buf, size, "waiting for the mount of %s", what);
		return CAUSE_ROOT_UNREACHABLE;
	}
	snprintf(buf, size, "%s: mounted, %s", what, r->at == STEP_READ ? "reading its init"
		: "waiting until its init can be opened");
	return CAUSE_ROOT_UNREAD;
}

const char *root_lookup(const struct source *s)
{
	const struct root *r = (const struct root *)s;

	return r->state == STATE_LOOKUP ? kept_name(r) : NULL;
}

void root_resolved(struct source *s, const struct inet_addr *addr, const char *why, uint64_t now)
{
	struct root *r = (struct root *)s;

	if (r->state != STATE_LOOKUP)
		return;
	r->kept = addr ? *addr : r->kept;
	s->cause = CAUSE_ROOT_RESOLVE;
	snprintf(s->text, sizeof(s->text), "%.100s: %.200s", kept_name(r), addr ? "" : why);
	if (!addr || attempt_begin(r, now) < 0)
		round_failed(r, now);
}

/* --- its start ------------------------------------------------------------------------------- */

static int take_texts(struct root *r)
{
	struct root_result *res = &r->result;

	return strscpy(res->server, r->cfg.server->name, sizeof(res->server)) < 0 ||
		strscpy(res->address, r->cfg.address, sizeof(res->address)) < 0 ||
		strscpy(res->path, r->cfg.server->path, sizeof(res->path)) < 0 ||
		strscpy(res->options, r->plan->options, sizeof(res->options)) < 0 ? -EINVAL : 0;
}

const struct plan_nfs *root_plan(const struct root_choice *c)
{
	return c->nfs ? c->nfs : &nfs_any;
}

int root_begin(struct source **ret, const struct source_config *cfg, uint64_t now)
{
	struct root *r = make();
	int e;

	if (!r)
		return -ENOMEM;
	r->cfg = *cfg;
	r->plan = root_plan(cfg->choice);
	r->ops = cfg->nfs ? cfg->nfs : &real_ops;
	r->asked = r->proto = r->plan->proto == PLAN_NFS_PROTO_RDMA && !cfg->no_rdma
				      ? NFS_PROTO_RDMA
				      : NFS_PROTO_TCP;
	r->version = nfs_version_allowed(r->plan->versions, 0);
	r->source.server = cfg->server->addr;
	r->source.rounds = cfg->rounds;
	r->source.attempts = cfg->attempts;
	r->source.unread = cfg->unread;
	e = r->version == NFS_VERSION_MAX ? -EINVAL : take_texts(r);
	if (e >= 0 && kept_name(r)) {
		source_raise(&r->source, SOURCE_LOOKUP);
		set_state(r, STATE_LOOKUP, now);
	} else if (e >= 0) {
		e = attempt_begin(r, now);
	}
	if (e < 0) {
		root_end(&r->source);
		return e;
	}
	source_raise(&r->source, SOURCE_STEP);
	*ret = &r->source;
	return 0;
}

int root_take(struct source **ret, const struct env *env, const char *sysroot, const char *init)
{
	_cleanup_free_ struct root *r = make();
	char source[NFS_SOURCE_MAX];
	int e = r ? root_adopt(env, sysroot, &r->result) : -ENOMEM;
	struct root_result *res;

	if (e <= 0)
		return e;
	res = &r->result;
	if (init_check_limited(sysroot, init, res->init, INIT_CHECK_LIMIT_MS) < 0) {
		report_log(env->report, REPORT_INFO, "root", now_ns(),
			"removing incomplete root at %s", sysroot);
		layers_drop_limited(env, sysroot);
		return 0;
	}
	(void)value_inet(res->address, strlen(res->address), &r->source.server);
	report_log(env->report, REPORT_INFO, "root", now_ns(), "%s is mounted already, adopted",
		nfs_source_text(source, sizeof(source), res->server, res->path) ? source
										: "the root");
	*ret = &r->source;
	r = NULL;
	return 1;
}
