// SPDX-License-Identifier: GPL-2.0-or-later
/* image: see image.h. */
#include "root/image/image.h"

#include <sys/stat.h>

#include "base/worker.h"
#include "report/report.h"
#include "root/image/image_work.h"
#include "root/image/layers.h"
#include "root/image/mark.h"
#include "root/init/init_check.h"

#define MESSAGES_PER_DISPATCH 16

enum state { STATE_IDLE, STATE_WORKING, STATE_MOUNTED, STATE_FAILED, STATE_MAX };

static const char *const state_names[STATE_MAX] = {
	[STATE_IDLE] = "idle",
	[STATE_WORKING] = "working",
	[STATE_MOUNTED] = "mounted",
	[STATE_FAILED] = "failed",
};

struct image {
	const struct env *env;
	struct image_config cfg;
	enum state state;
	enum image_event event;
	struct worker *worker;
	uint64_t began, bytes;
	struct image_message message; /* the final one */
};

static void set_state(struct image *m, enum state to, uint64_t now)
{
	if (m->state != to)
		report_state(m->env->report, "image", m->cfg.target, state_names[m->state], state_names[to], now);
	m->state = to;
}

int image_new(struct image **ret, const struct env *env, const struct image_config *cfg)
{
	struct image *m = calloc(1, sizeof(*m));

	if (!m)
		return -ENOMEM;
	m->env = env;
	m->cfg = *cfg;
	*ret = m;
	return 0;
}

struct image *image_free(struct image *m)
{
	if (!m)
		return NULL;
	worker_free(m->worker);
	if (m->state == STATE_WORKING)
		image_drop(m->env, m->cfg.target);
	free(m);
	return NULL;
}

static int work(const void *arg)
{
	const struct image *m = arg;
	struct image_config cfg = m->cfg;

	cfg.fd = WORKER_FILE(0);
	cfg.proved = cfg.proved ? WORKER_FILE(1) : 0;
	image_work(m->env, &cfg);
	return 0;
}

/* It ends texts itself. */
static bool message_valid(void *reply, const void *context)
{
	struct image_message *m = reply;

	(void)context;
	m->text[sizeof(m->text) - 1] = 0;
	m->result.init[sizeof(m->result.init) - 1] = 0;
	m->result.inside[sizeof(m->result.inside) - 1] = 0;
	return m->cause >= 0 && m->cause < CAUSE_MAX;
}

int image_start(struct image *m, uint64_t now)
{
	const struct worker_spec spec = {
		.run = work,
		.arg = m,
		.files = {m->cfg.fd, m->cfg.proved ? m->cfg.proved : -1},
		.n_files = 2,
		.reply_size = sizeof(struct image_message),
		.valid = message_valid,
	};
	int r;

	if (m->state != STATE_IDLE)
		return -EALREADY;
	r = worker_start(&m->worker, &spec, now);
	if (r < 0)
		return r;
	m->began = now;
	set_state(m, STATE_WORKING, now);
	return 0;
}

int image_fd(const struct image *m)
{
	return worker_fd(m->worker);
}

static void take_final(struct image *m, const struct image_message *in, uint64_t now)
{
	m->message = *in;
	m->bytes = in->result.bytes;
	worker_end(m->worker);
	report_span(m->env->report, "image", image_kind_name(in->result.kind), m->began, now, in->cause ? -EINVAL : 0);
	m->event = in->cause ? IMAGE_EVENT_FAILED : IMAGE_EVENT_MOUNTED;
	set_state(m, in->cause ? STATE_FAILED : STATE_MOUNTED, now);
}

static void died(struct image *m, uint64_t now)
{
	struct image_message in = {.final = 1, .cause = CAUSE_IMAGE_READER_DIED};

	worker_end(m->worker);
	snprintf(in.text, sizeof(in.text), "the process that mounts it %s", worker_end_text(m->worker));
	take_final(m, &in, now);
	image_drop(m->env, m->cfg.target);
}

void image_dispatch(struct image *m, uint64_t now)
{
	struct image_message in;

	for (int budget = MESSAGES_PER_DISPATCH; m->state == STATE_WORKING && budget > 0; budget--) {
		int r = worker_receive(m->worker, &in, now);

		if (r == 0)
			return;
		if (r < 0) {
			died(m, now);
		} else if (in.final) {
			take_final(m, &in, now);
		} else {
			m->bytes = in.result.bytes;
			m->event = IMAGE_EVENT_PROGRESS;
		}
	}
}

enum image_event image_pop_event(struct image *m)
{
	enum image_event e = m->event;

	m->event = IMAGE_EVENT_NONE;
	return e;
}

uint64_t image_progress(const struct image *m)
{
	return m->bytes;
}

enum cause image_failure(const struct image *m, const char **ret_text)
{
	*ret_text = m->message.text;
	return (enum cause)m->message.cause;
}

const struct image_result *image_result(const struct image *m)
{
	return &m->message.result;
}

void image_describe(const struct image *m, char *buf, size_t size)
{
	const struct image_result *r = &m->message.result;
	bool unpacked = image_kind_way(r->root) == IMAGE_WAY_UNPACK;
	int n = snprintf(buf, size, "%s", image_kind_name(r->kind));

	if (n < 0 || (size_t)n >= size)
		return;
	if (unpacked)
		snprintf(buf + n, size - (size_t)n, ", %llu files with %llu MiB unpacked",
			(unsigned long long)r->entries, (unsigned long long)r->bytes >> 20);
	else
		snprintf(buf + n, size - (size_t)n, "%s%s%s%s", *r->inside ? ", " : "", r->inside,
			r->root != r->kind ? ", " : "", r->root != r->kind ? image_kind_name(r->root) : "");
	n = (int)strlen(buf);
	snprintf(buf + n, size - (size_t)n, "%s",
		r->overlay ? " under a writable layer" : unpacked ? "" : ", read-only");
}

void image_drop(const struct env *env, const char *target)
{
	layers_drop(env, target);
	mark_drop(env);
}

/* Is something mounted at path? Its device differs from that of the folder above. */
static bool mounted_at(const char *path)
{
	char above[512];
	struct stat here, there;
	int n = snprintf(above, sizeof(above), "%s/..", path);

	return n > 0 && (size_t)n < sizeof(above) && stat(path, &here) == 0 && stat(above, &there) == 0 &&
		here.st_dev != there.st_dev;
}

int image_adopt(const struct env *env, const char *target, const char *init, struct image_result *ret)
{
	int r = mark_read(env, ret);

	if (r <= 0 || !mounted_at(target))
		return r < 0 ? r : 0;
	return init_check_limited(target, init, ret->init, INIT_CHECK_LIMIT_MS) == 0;
}
