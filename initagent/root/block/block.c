// SPDX-License-Identifier: GPL-2.0-or-later
/* block: see block.h. The room: one attempt after the other, each within its time. */
#include "root/block/block.h"

#include <sys/random.h>

#include "base/worker.h"
#include "report/report.h"
#include "root/block/job.h"
#include "root/block/mark.h"

#define MESSAGES_PER_DISPATCH 16

#define BACKOFF_FIRST (NSEC_PER_SEC / 4)
#define BACKOFF_STEPS 4 /* doublings: at most 4 s */
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
	[STATE_MOUNTING] =
	{"mounting", "waiting for the mount of", CAUSE_BLOCK_LOST, 30 * NSEC_PER_SEC},
	[STATE_CLEANING] =
	{"taking away", "waiting until the kernel gave up", CAUSE_BLOCK_LOST, 10 * NSEC_PER_SEC},
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

struct block {
	const struct env *env;
	struct block_config cfg;
	enum block_state state;
	unsigned events; /* bit: enum block_event, not yet popped */
	struct worker *worker; /* NULL: none */
	uint64_t began, connected, deadline;
	unsigned rounds;
	bool module_asked;
	bool fatal;
	enum cause cause;
	char text[BLOCK_TEXT_MAX];
	struct block_result result;
};

uint16_t block_port(const struct plan_block *plan, const struct plan_portal *portal)
{
	return portal && portal->port ? portal->port : block_ops_of(plan->kind)->port;
}

static void set_state(struct block *b, enum block_state to, uint64_t now)
{
	if (b->state != to) {
		report_state(b->env->report, "block", b->cfg.address, states[b->state].name,
			states[to].name, now);
		b->events |= 1U << BLOCK_EVENT_STEP;
		b->deadline = states[to].limit ? now + states[to].limit : NSEC_NEVER;
	}
	b->state = to;
}

/* What does not change from attempt to attempt. */
static void describe_way(struct block *b)
{
	const struct plan_portal *portal = b->cfg.portal;
	struct block_result *r = &b->result;

	strscpy(r->kind, b->cfg.ops->name, sizeof(r->kind));
	strscpy(r->proto, !portal || portal->rdma ? "rdma" : "tcp", sizeof(r->proto));
	strscpy(r->server, portal ? portal->server : "", sizeof(r->server));
	strscpy(r->address, b->cfg.address, sizeof(r->address));
	r->port = block_port(b->cfg.plan, portal);
	r->attempts = b->rounds;
	r->name[0] = 0;
}

int block_new(struct block **ret, const struct env *env, const struct block_config *cfg)
{
	struct block *b = calloc(1, sizeof(*b));

	if (!b)
		return -ENOMEM;
	b->env = env;
	b->cfg = *cfg;
	if (!b->cfg.ops)
		b->cfg.ops = block_ops_of(cfg->plan->kind);
	b->deadline = NSEC_NEVER;
	b->rounds = cfg->rounds;
	describe_way(b);
	*ret = b;
	return 0;
}

/* --- the process ---------------------------------------------------------------------------- */

static int job_of(const struct block *b, void (*run)(struct block_job *j))
{
	static struct block_job job;

	job = (struct block_job){
		.env = b->env,
		.cfg = &b->cfg,
		.uevents = -1,
		.message = {.result = b->result},
	};
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

static bool end_strings(struct block_message *m)
{
	m->text[sizeof(m->text) - 1] = 0;
	m->result.device[sizeof(m->result.device) - 1] = 0;
	m->result.fstype[sizeof(m->result.fstype) - 1] = 0;
	m->result.name[sizeof(m->result.name) - 1] = 0;
	m->result.address[sizeof(m->result.address) - 1] = 0;
	m->result.init[sizeof(m->result.init) - 1] = 0;
	return true;
}

static bool message_valid(void *reply, const void *context)
{
	struct block_message *m = reply;

	(void)context;
	return end_strings(m) && m->step >= 0 && m->step < BLOCK_STEP_MAX && m->cause >= 0 &&
		m->cause < CAUSE_MAX;
}

static int begin(struct block *b, int (*run)(const void *arg))
{
	const struct worker_spec spec = {
		.run = run,
		.arg = b,
		.request_size = 1, /* the module is loaded */
		.reply_size = sizeof(struct block_message),
		.valid = message_valid,
	};

	return worker_start(&b->worker, &spec, 0);
}

int block_start(struct block *b, uint64_t now)
{
	int r;

	if (b->worker || b->state == STATE_MOUNTED)
		return 0;
	b->rounds++;
	describe_way(b);
	b->module_asked = false;
	r = begin(b, connect_and_mount);
	if (r < 0)
		return r;
	b->began = now;
	set_state(b, STATE_CONNECTING, now);
	return 0;
}

/* What the child connected last may be there or not: another one looks, and takes it away. */
struct block *block_free(struct block *b)
{
	if (!b)
		return NULL;
	if (b->worker) {
		b->worker = worker_free(b->worker);
		worker_try(clean, b, -1, LAST_LIMIT);
	}
	free(b);
	return NULL;
}

/* --- what it says --------------------------------------------------------------------------- */

static size_t portal_of(const struct block *b)
{
	return b->cfg.portal ? (size_t)(b->cfg.portal - b->cfg.plan->portals) : 0;
}

unsigned block_next(const struct block *b)
{
	size_t n = b->cfg.plan->n_portals, here = portal_of(b), i;

	for (i = 1; i < n && source_refused(b->cfg.refusals, (here + i) % n); i++)
		continue;
	return n ? (unsigned)((here + i) % n) : 0;
}

/* Up to a quarter of jitter, so that a rack does not knock in step; another way at once. */
static void back_off(struct block *b, uint64_t now)
{
	unsigned n = b->cfg.ways ? b->cfg.ways : 1, round = b->rounds / n, doublings = round
		? round - 1 : 0;
	uint64_t pause = BACKOFF_FIRST << (doublings < BACKOFF_STEPS ? doublings : BACKOFF_STEPS);
	bool another = b->cfg.plan->n_portals > 1 ? block_next(b) > portal_of(b) : b->rounds % n;
	uint32_t random = 0;

	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) < 0)
		random = 0;
	set_state(b, STATE_BACKOFF, now);
	b->deadline = another ? now : now + pause + pause / 4 * random / UINT32_MAX;
}

/* What makes trying again useless is this server's: with several, the others are asked. False: none
 * is left. */
static bool others_left(struct block *b)
{
	struct source_refusals *all = b->cfg.refusals;
	size_t n = b->cfg.plan->n_portals, here = portal_of(b), len;

	if (!all || n < 2)
		return false;
	if (here < 64 && !source_refused(all, here)) {
		all->servers |= UINT64_C(1) << here;
		len = strlen(all->text);
		snprintf(all->text + len, sizeof(all->text) - len, "%s%.80s: %.*s", len ? "; "
			: "", b->cfg.portal->server, (int)(sizeof(all->text) / n), b->text);
	}
	for (size_t i = 0; i < n; i++)
		if (!source_refused(all, i))
			return true;
	strscpy(b->text, all->text, sizeof(b->text));
	return false;
}

static void attempt_failed(struct block *b, uint64_t now)
{
	report_span(b->env->report, "block", b->result.kind, b->began, now, -EIO);
	if (b->fatal && !others_left(b)) {
		b->events |= 1U << BLOCK_EVENT_FATAL;
		set_state(b, STATE_STOPPED, now);
		return;
	}
	b->events |= 1U << BLOCK_EVENT_FAILED;
	back_off(b, now);
}

static void mounted(struct block *b, uint64_t now)
{
	int r = mark_block_write(b->env, &b->result);

	/* Without the mark an agent that is started again does this anew. */
	if (r < 0)
		report_log(b->env->report, REPORT_WARN, "block", now, "no mark can be left: %s",
			strerror(-r));
	report_span(b->env->report, "block", b->result.kind, b->began, now, 0);
	b->events |= 1U << BLOCK_EVENT_MOUNTED;
	set_state(b, STATE_MOUNTED, now);
}

static void ended(struct block *b, const struct block_message *m, uint64_t now)
{
	bool cleaning = b->state == STATE_CLEANING;

	b->worker = worker_free(b->worker);
	if (!cleaning && m->cause == CAUSE_NONE) {
		mounted(b, now);
		return;
	}
	if (!cleaning) {
		b->cause = (enum cause)m->cause;
		b->fatal = m->fatal;
		strscpy(b->text, m->text, sizeof(b->text));
	}
	attempt_failed(b, now);
}

static void take_result(struct block *b, const struct block_message *m)
{
	struct block_result *r = &b->result;

	strscpy(r->device, m->result.device, sizeof(r->device));
	strscpy(r->fstype, m->result.fstype, sizeof(r->fstype));
	strscpy(r->name, m->result.name, sizeof(r->name));
	strscpy(r->address, m->result.address, sizeof(r->address));
	strscpy(r->init, m->result.init, sizeof(r->init));
	r->adopted = m->result.adopted;
	r->readonly = m->result.readonly;
	r->overlay = m->result.overlay;
	r->bytes = m->result.bytes;
	r->port = m->result.port;
}

static void take_message(struct block *b, const struct block_message *m, uint64_t now)
{
	if (b->state != STATE_CLEANING) {
		take_result(b, m);
		/* What is still missing, for the words of a time that runs out. */
		strscpy(b->text, m->text, sizeof(b->text));
	}
	if (m->final) {
		ended(b, m, now);
		return;
	}
	if (m->step == BLOCK_STEP_MODULE) {
		b->connected = now;
		b->module_asked = true;
		b->events |= 1U << BLOCK_EVENT_MODULE;
	}
	set_state(b, state_of_step[m->step], now);
}

/* Died or killed: what it connected is taken away by another. */
static void clean_up(struct block *b, uint64_t now)
{
	b->worker = worker_free(b->worker);
	if (begin(b, clean) < 0) {
		attempt_failed(b, now);
		return;
	}
	set_state(b, STATE_CLEANING, now);
}

static void died(struct block *b, uint64_t now)
{
	if (b->state == STATE_CLEANING) {
		b->worker = worker_free(b->worker);
		attempt_failed(b, now);
		return;
	}
	worker_end(b->worker);
	b->cause = CAUSE_INTERNAL;
	snprintf(b->text, sizeof(b->text), "the process that connects %s",
		worker_end_text(b->worker));
	clean_up(b, now);
}

static void timed_out(struct block *b, uint64_t now)
{
	char what[BLOCK_TEXT_MAX / 2], more[BLOCK_TEXT_MAX / 3];

	if (b->state == STATE_CLEANING) {
		/* The kernel is not through: a new attempt meets what is left. */
		died(b, now);
		return;
	}
	strscpy(more, b->text, sizeof(more));
	block_describe(b, what, sizeof(what));
	b->cause = states[b->state].cause;
	b->fatal = false;
	snprintf(b->text, sizeof(b->text), "%s: no end within %llu s%s%s", what,
		(unsigned long long)(states[b->state].limit / NSEC_PER_SEC), *more ? ": " : "",
		more);
	clean_up(b, now);
}

void block_dispatch(struct block *b, uint64_t now)
{
	struct block_message m;

	for (int budget = MESSAGES_PER_DISPATCH; budget > 0; budget--) {
		int r = worker_receive(b->worker, &m, now);

		if (r == 0)
			break;
		if (r < 0)
			died(b, now);
		else
			take_message(b, &m, now);
	}
	if (now < b->deadline)
		return;
	if (b->state == STATE_BACKOFF) {
		b->events |= 1U << BLOCK_EVENT_AGAIN;
		set_state(b, STATE_IDLE, now);
	} else {
		timed_out(b, now);
	}
}

/* --- what the owner sees -------------------------------------------------------------------- */

int block_fd(const struct block *b)
{
	return worker_fd(b->worker);
}

uint64_t block_deadline(const struct block *b)
{
	return b->deadline;
}

enum block_event block_pop_event(struct block *b)
{
	for (enum block_event e = BLOCK_EVENT_NONE + 1; e <= BLOCK_EVENT_FATAL; e++)
		if (b->events & 1U << e) {
			b->events &= ~(1U << e);
			return e;
		}
	return BLOCK_EVENT_NONE;
}

const char *block_module(const struct block *b)
{
	return b->module_asked ? b->result.fstype : NULL;
}

void block_module_settled(struct block *b, uint64_t now)
{
	(void)now;
	if (!b->module_asked)
		return;
	b->module_asked = false;
	if (b->worker)
		(void)worker_send(b->worker, "");
}

void block_describe(const struct block *b, char *buf, size_t size)
{
	const struct plan_block *plan = b->cfg.plan;
	const struct block_result *r = &b->result;
	const char *name = plan->name ? plan->name : r->name;
	bool named = *r->server && !streq(r->server, r->address);

	snprintf(buf, size, "%s %s%s%.100s at %.80s%s%s%s over %s", states[b->state].words,
		r->kind, *name ? " " : "", name,
		*r->server ? r->server : "the fabric", named ? " (" : "",
		named ? r->address : "", named ? ")" : "", r->proto);
}

enum cause block_waits_for(const struct block *b)
{
	return b->state == STATE_BACKOFF ? b->cause : states[b->state].cause;
}

enum cause block_failure(const struct block *b, const char **ret_text)
{
	*ret_text = b->text;
	return b->cause;
}

unsigned block_rounds(const struct block *b)
{
	return b->rounds;
}

uint64_t block_connected(const struct block *b)
{
	return b->connected;
}

const struct block_result *block_result(const struct block *b)
{
	return &b->result;
}
