// SPDX-License-Identifier: GPL-2.0-or-later
/* block: see block.h. An attempt, each of its steps within its time. */
#include "root/block/block.h"

#include <sys/stat.h>

#include "base/worker.h"
#include "root/block/job.h"
#include "root/image/layers.h"
#include "root/source/note.h"

#define MESSAGES_PER_DISPATCH 16

/* For taking away at the end of a boot that failed: the machine may be about to reboot. */
#define LAST_LIMIT    (3 * NSEC_PER_SEC)

enum block_state {
	STATE_IDLE,
	STATE_CONNECTING,
	STATE_DEVICE,
	STATE_LOOKING,
	STATE_MODULE,
	STATE_MOUNTING,
	STATE_CLEANING,
	STATE_BACKOFF,
	STATE_MOUNTED,
	STATE_STOPPED,
	STATE_MAX,
};

/* cause: what the time is spent on, and what an attempt that takes too long here failed of. limit
 * 0: none. */
static const struct state_row {
	const char *name, *words;
	enum cause cause;
	uint64_t limit;
} states[STATE_MAX] = {
	[STATE_IDLE] = {"idle", "", CAUSE_NONE, 0},
	/* NVMe over RDMA gives an address, a route and a connection 3 s each, a queue a core
	 * (drivers/nvme/host/rdma.c) */
	[STATE_CONNECTING] =
		{"connecting", "waiting for a connection to", CAUSE_BLOCK_UNREACHABLE,
			20 * NSEC_PER_SEC},
	[STATE_DEVICE] =
	{"device", "waiting for the block device of", CAUSE_BLOCK_NO_DEVICE, 10 * NSEC_PER_SEC},
	[STATE_LOOKING] =
	{"looking", "waiting for the first blocks of", CAUSE_BLOCK_LOST, 10 * NSEC_PER_SEC},
	[STATE_MODULE] =
	{"module", "waiting for the file system's module for", CAUSE_MODULE_STUCK, 0},
	/* without progress */
	[STATE_MOUNTING] =
	{"mounting", "waiting for the mount of", CAUSE_BLOCK_LOST, 30 * NSEC_PER_SEC},
	[STATE_CLEANING] =
	{"taking away", "waiting for the kernel to give up", CAUSE_BLOCK_LOST, 10 * NSEC_PER_SEC},
	[STATE_BACKOFF] = {"backing off", "trying again:", CAUSE_BLOCK_UNREACHABLE, 0},
	[STATE_MOUNTED] = {"mounted", "", CAUSE_NONE, 0},
	[STATE_STOPPED] = {"stopped", "", CAUSE_NONE, 0},
};

static const enum block_state state_of_step[BLOCK_STEP_MAX] = {
	[BLOCK_STEP_CONNECT] = STATE_CONNECTING,
	[BLOCK_STEP_DEVICE] = STATE_DEVICE,
	[BLOCK_STEP_LOOK] = STATE_LOOKING,
	[BLOCK_STEP_MODULE] = STATE_MODULE,
	[BLOCK_STEP_MOUNT] = STATE_MOUNTING,
	[BLOCK_STEP_CLEAN] = STATE_CLEANING,
};

static const struct block_ops *const protocols[PLAN_BLOCK_KIND_MAX] = {
	[PLAN_BLOCK_NVMF] = &nvmf_ops,
	[PLAN_BLOCK_NBD] = &nbd_ops,
	[PLAN_BLOCK_SRP] = &srp_ops,
	[PLAN_BLOCK_LOCAL] = &local_ops,
};

struct block {
	struct source source; /* the first */
	struct source_config cfg;
	const struct plan_block *plan;
	const struct plan_portal *portal;
	const struct block_ops *ops;
	enum block_state state;
	uint64_t began, device_end; /* of the wait for the device, which looks at it in between */
	uint64_t moved, seen; /* bytes of its driver's disks: when the mount began, last look */
	bool module_asked;
	bool fatal;
	struct block_result result;
};

/*
 * Bytes that the disks of the device's driver have moved: of all, since some kernels count for the
 * paths alone that NVMe's multipath hides. Documentation/block/stat.rst: the third number is
 * sectors read, the seventh sectors written.
 */
static uint64_t bytes_moved(const struct block *b)
{
	_cleanup_closedir_ DIR *dir = env_opendir(b->cfg.env, "/sys/class/block");
	const char *device = b->result.device;
	const struct dirent *e;
	uint64_t sectors = 0;
	char text[256];

	while ((e = dir_next(dir))) {
		char *at = text;

		if (strncmp(e->d_name, device, strcspn(device, "0123456789")) != 0 ||
			env_read(b->cfg.env, text, sizeof(text), "/sys/class/block/%s/stat",
				e->d_name) < 0)
			continue;
		for (int i = 1; i <= 7; i++) {
			uint64_t n = strtoull(at, &at, 10);

			sectors += i == 3 || i == 7 ? n : 0;
		}
	}
	return sectors * 512;
}

static void set_state(struct block *b, enum block_state to, uint64_t now)
{
	if (b->state != to) {
		report_state(b->cfg.env->report, "block",
			*b->cfg.address ? b->cfg.address : b->ops->name, states[b->state].name,
			states[to].name, now);
		source_raise(&b->source, SOURCE_STEP);
		b->source.deadline = states[to].limit ? now + states[to].limit : NSEC_NEVER;
		if (to == STATE_DEVICE && b->device_end)
			b->source.deadline = b->device_end;
		else if (to == STATE_DEVICE)
			b->device_end = b->source.deadline;
		if (to == STATE_MOUNTING)
			b->moved = b->seen = bytes_moved(b);
	}
	b->state = to;
}

/* --- the process ---------------------------------------------------------------------------- */

static int job_of(const struct block *b, void (*run)(struct block_job *j))
{
	static struct block_job job;

	job = (struct block_job){
		.env = b->cfg.env,
		.cfg = &b->cfg,
		.plan = b->plan,
		.portal = b->portal,
		.ops = b->ops,
		.uevents = -1,
		.message = {.result = b->result},
	};
	if (b->plan->name)
		strscpy(job.message.result.name, b->plan->name, sizeof(job.message.result.name));
	run(&job);
	return 0;
}

static int connect_and_mount(const void *arg)
{
	return job_of(arg, job_run);
}

static int clean(const void *arg)
{
	return job_of(arg, job_clean);
}

static bool message_valid(void *reply, const void *context)
{
	struct block_message *m = reply;

	(void)context;
	m->text[sizeof(m->text) - 1] = 0;
	note_end_texts(&block_source, &m->result);
	return m->step >= 0 && m->step < BLOCK_STEP_MAX && m->cause >= 0 &&
		m->cause < CAUSE_MAX;
}

static int start(struct block *b, int (*run)(const void *arg))
{
	const struct worker_spec spec = {
		.run = run,
		.arg = b,
		.request_size = 1, /* the module is loaded */
		.reply_size = sizeof(struct block_message),
		.valid = message_valid,
	};

	return worker_start(&b->source.worker, &spec, 0);
}

/* What the child connected last may be there or not: another one looks, and takes it away. */
void block_end(struct source *s)
{
	if (s->worker) {
		s->worker = worker_free(s->worker);
		worker_try(clean, s, -1, LAST_LIMIT);
	}
	free(s);
}

/* --- what it says --------------------------------------------------------------------------- */

const struct plan_portal *block_portal_of(const struct root_choice *c, unsigned turn)
{
	return c->block->n_portals ? &c->block->portals[turn % c->block->n_portals] : NULL;
}

unsigned block_next(const struct root_choice *c, const struct source_refusals *r, unsigned turn)
{
	size_t n = c->block->n_portals, i = 1;

	while (i < n && source_refused(r, (turn + i) % n))
		i++;
	return n ? (unsigned)((turn + i) % n) : 0;
}

static size_t portal_of(const struct block *b)
{
	return b->portal ? (size_t)(b->portal - b->plan->portals) : 0;
}

/* After the last of the servers, or addresses, there is a pause. */
static void back_off(struct block *b, uint64_t now)
{
	bool another = b->plan->n_portals > 1 ? block_next(b->cfg.choice, b->cfg.refusals,
							b->cfg.turn) > portal_of(b)
					      : b->source.rounds % b->cfg.ways;

	set_state(b, STATE_BACKOFF, now);
	source_back_off(&b->source, b->cfg.ways, another, now);
}

/* What makes trying again useless is this server's, or this address's of its name: with several,
 * the others are asked. False: none is left. */
static bool others_left(struct block *b)
{
	struct source_refusals *all = b->cfg.refusals;
	size_t n = b->plan->n_portals, here = portal_of(b);

	if (!all || n < 2)
		return b->source.rounds < b->cfg.ways;
	if (here < 64 && !source_refused(all, here)) {
		all->servers |= UINT64_C(1) << here;
		str_add(all->text, sizeof(all->text), "%s%.80s: %.*s", *all->text ? "; " : "",
			b->portal->server, (int)(sizeof(all->text) / n), b->source.text);
	}
	for (size_t i = 0; i < n; i++)
		if (!source_refused(all, i))
			return true;
	strscpy(b->source.text, all->text, sizeof(b->source.text));
	return false;
}

static void attempt_failed(struct block *b, uint64_t now)
{
	report_span(b->cfg.env->report, "block", b->result.kind, b->began, now, -EIO);
	if (b->fatal && !others_left(b)) {
		source_raise(&b->source, SOURCE_FATAL);
		set_state(b, STATE_STOPPED, now);
		return;
	}
	source_raise(&b->source, SOURCE_FAILED);
	back_off(b, now);
}

static void mounted_text(const struct block_result *r, char *buf, size_t size)
{
	snprintf(buf, size, "%s on %s (%.0f MiB, %s%s%s) of %s %.80s%s%.80s over %s", r->fstype,
		r->device, (double)r->bytes / (1 << 20), r->readonly ? "read-only" : "read-write",
		r->overlay ? " under a writable layer" : "",
		r->adopted ? ", connected before" : "", r->kind, *r->server ? r->server : "target",
		*r->name ? ", " : "", r->name, r->proto);
}

static void mounted(struct block *b, uint64_t now)
{
	int r = note_write(b->cfg.env, &block_source, &b->result);

	/* Without the note an agent that is started again connects again. */
	if (r < 0)
		report_log(b->cfg.env->report, REPORT_WARN, "block", now,
			"cannot write the record of this mount: %s", strerror(-r));
	report_span(b->cfg.env->report, "block", b->result.kind, b->began, now, 0);
	mounted_text(&b->result, b->source.text, sizeof(b->source.text));
	source_raise(&b->source, SOURCE_MOUNTED);
	set_state(b, STATE_MOUNTED, now);
}

static void ended(struct block *b, const struct block_message *m, uint64_t now)
{
	bool cleaning = b->state == STATE_CLEANING;

	b->source.worker = worker_free(b->source.worker);
	if (!cleaning && m->cause == CAUSE_NONE) {
		mounted(b, now);
		return;
	}
	if (!cleaning) {
		b->source.cause = (enum cause)m->cause;
		b->fatal = m->fatal;
		strscpy(b->source.text, m->text, sizeof(b->source.text));
	}
	attempt_failed(b, now);
}

static void take_server(struct block *b)
{
	const char *address = b->result.address;

	b->source.server.family = 0;
	(void)value_inet(address, strlen(address), &b->source.server);
}

static void take_message(struct block *b, const struct block_message *m, uint64_t now)
{
	if (b->state != STATE_CLEANING) {
		b->result = m->result;
		take_server(b);
		/* What is still missing, for the words of a time that runs out. */
		strscpy(b->source.text, m->text, sizeof(b->source.text));
	}
	if (m->final) {
		ended(b, m, now);
		return;
	}
	if (m->step == BLOCK_STEP_MODULE) {
		b->source.phase_end = now;
		b->module_asked = true;
		source_raise(&b->source, SOURCE_MODULE);
	}
	set_state(b, state_of_step[m->step], now);
}

/* Died or killed: another worker disconnects what it connected. */
static void clean_up(struct block *b, uint64_t now)
{
	b->source.worker = worker_free(b->source.worker);
	if (start(b, clean) < 0) {
		attempt_failed(b, now);
		return;
	}
	set_state(b, STATE_CLEANING, now);
}

static void died(struct block *b, uint64_t now)
{
	if (b->state == STATE_CLEANING) {
		b->source.worker = worker_free(b->source.worker);
		attempt_failed(b, now);
		return;
	}
	worker_end(b->source.worker);
	b->source.cause = CAUSE_INTERNAL;
	snprintf(b->source.text, sizeof(b->source.text), "the process that connects %s",
		worker_end_text(b->source.worker));
	clean_up(b, now);
}

/* A journal is replayed as long as that takes: does the device move bytes? */
static bool mount_goes_on(struct block *b, uint64_t now)
{
	uint64_t moved = b->state == STATE_MOUNTING ? bytes_moved(b) : b->seen;

	if (moved <= b->seen)
		return false;
	b->seen = moved;
	b->source.deadline = now + states[STATE_MOUNTING].limit;
	source_raise(&b->source, SOURCE_STEP);
	return true;
}

static void timed_out(struct block *b, uint64_t now)
{
	char what[170], more[100];

	if (b->state == STATE_CLEANING) {
		/* The kernel has not finished: a new attempt finds what is left. */
		died(b, now);
		return;
	}
	strscpy(more, b->source.text, sizeof(more));
	block_describe(&b->source, what, sizeof(what));
	b->source.cause = states[b->state].cause;
	b->fatal = false;
	snprintf(b->source.text, sizeof(b->source.text), "%s: timed out after %llu s%s%s", what,
		(unsigned long long)(states[b->state].limit / NSEC_PER_SEC), *more ? ": " : "",
		more);
	clean_up(b, now);
}

void block_dispatch(struct source *s, uint64_t now)
{
	struct block *b = (struct block *)s;
	struct block_message m;

	for (int budget = MESSAGES_PER_DISPATCH; budget > 0; budget--) {
		int r = worker_receive(b->source.worker, &m, now);

		if (r == 0)
			break;
		if (r < 0)
			died(b, now);
		else
			take_message(b, &m, now);
	}
	if (now < b->source.deadline)
		return;
	if (b->state == STATE_BACKOFF) {
		source_raise(&b->source, SOURCE_AGAIN);
		set_state(b, STATE_IDLE, now);
	} else if (!mount_goes_on(b, now)) {
		timed_out(b, now);
	}
}

void block_progress(const struct source *s, struct source_progress *ret)
{
	const struct block *b = (const struct block *)s;
	uint64_t moved = b->state == STATE_MOUNTING ? bytes_moved(b) : 0;

	*ret = (struct source_progress){.step = states[b->state].name, .left = UINT64_MAX,
		.bytes = moved > b->moved ? moved - b->moved : 0};
}

/* --- what the target sees ------------------------------------------------------------------- */

const char *block_module(const struct source *s)
{
	const struct block *b = (const struct block *)s;

	return b->module_asked ? b->result.fstype : NULL;
}

void block_module_settled(struct source *s, uint64_t now)
{
	struct block *b = (struct block *)s;

	(void)now;
	if (!b->module_asked)
		return;
	b->module_asked = false;
	if (s->worker)
		(void)worker_send(s->worker, "");
}

enum cause block_describe(const struct source *s, char *buf, size_t size)
{
	const struct block *b = (const struct block *)s;
	const struct block_result *r = &b->result;
	const char *name = b->plan->name ? b->plan->name : r->name;
	bool named = *r->server && !streq(r->server, r->address);
	bool goes_on = b->state == STATE_MOUNTING && b->seen != b->moved;
	const char *words = goes_on ? "mounting" : states[b->state].words;

	if (b->plan->kind == PLAN_BLOCK_LOCAL)
		snprintf(buf, size, "%s %.100s", words, name);
	else
		snprintf(buf, size, "%s %s%s%.100s at %.80s%s%s%s over %s", words,
			r->kind, *name ? " " : "", name,
			*r->server ? r->server : "the fabric", named ? " (" : "",
			named ? r->address : "", named ? ")" : "", r->proto);
	if (goes_on) {
		str_add(buf, size, ": the device is read or written, as to replay a journal "
			"(%.0f MiB so far)", (double)(b->seen - b->moved) / (1 << 20));
		return CAUSE_NONE;
	}
	return b->state == STATE_BACKOFF ? s->cause : states[b->state].cause;
}

/* --- its start ------------------------------------------------------------------------------ */

static struct block *make(void)
{
	struct block *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->source.deadline = NSEC_NEVER;
	b->source.record = &b->result;
	b->source.init = b->result.init;
	return b;
}

/* What is known before the first connection. */
static void describe_way(struct block *b)
{
	struct block_result *r = &b->result;

	strscpy(r->kind, b->ops->name, sizeof(r->kind));
	strscpy(r->proto, b->plan->kind == PLAN_BLOCK_LOCAL ? "disk"
		: !b->portal || b->portal->rdma ? "rdma" : "tcp", sizeof(r->proto));
	strscpy(r->server, b->portal ? b->portal->server : "", sizeof(r->server));
	strscpy(r->address, b->cfg.address, sizeof(r->address));
	take_server(b);
	r->port = b->portal && b->portal->port ? b->portal->port : b->ops->port;
	r->attempts = b->source.rounds;
}

int block_begin(struct source **ret, const struct source_config *cfg, uint64_t now)
{
	struct block *b = make();
	int r;

	if (!b)
		return -ENOMEM;
	b->cfg = *cfg;
	b->plan = cfg->choice->block;
	b->portal = block_portal_of(cfg->choice, cfg->turn);
	b->ops = cfg->block ? cfg->block : protocols[b->plan->kind];
	b->source.rounds = cfg->rounds + 1;
	b->began = now;
	describe_way(b);
	r = start(b, connect_and_mount);
	if (r < 0) {
		block_end(&b->source);
		return r;
	}
	set_state(b, STATE_CONNECTING, now);
	*ret = &b->source;
	return 0;
}

/* Is what is mounted at target, or below its layer, the device of the record? */
static bool mounted_from(const struct env *env, const char *target, const struct block_result *r)
{
	char node[128], base[512];
	struct stat here, there;

	if (env_path(env, node, sizeof(node), "/dev/%s", r->device) < 0 ||
		env_path(env, base, sizeof(base), LAYERS_BASE) < 0)
		return false;
	return stat(r->overlay ? base : target, &here) == 0 && stat(node, &there) == 0 &&
		S_ISBLK(there.st_mode) && here.st_dev == there.st_rdev;
}

int block_take(struct source **ret, const struct env *env, const char *sysroot, const char *init)
{
	struct block *b = make();
	struct block_result *r;

	if (!b)
		return -ENOMEM;
	r = &b->result;
	if (!note_read(env, &block_source, r) || !mounted_from(env, sysroot, r) ||
		init_check_limited(sysroot, init, r->init, INIT_CHECK_LIMIT_MS) < 0) {
		free(b);
		return 0;
	}
	r->adopted = true;
	take_server(b);
	report_log(env->report, REPORT_INFO, "root", now_ns(),
		"the root on %s is mounted already, adopted", r->device);
	*ret = &b->source;
	return 1;
}
