// SPDX-License-Identifier: GPL-2.0-or-later

#include "root/cache/private.h"

#include "base/worker.h"
#include "report/report.h"
#include "root/cache/entry.h"
#include "root/cache/place.h"

#define MESSAGES_PER_DISPATCH 16

/* Without a reply; the search for a disk that is not there is within. */
#define SILENCE_MAX (30 * NSEC_PER_SEC)
/* A disk's driver may still be loading when the first address is there. */
#define WAIT_NS	    (10 * NSEC_PER_SEC)

struct cache {
	const struct env *env;
	struct cache_config cfg;
	struct worker *worker;
	uint64_t began;
	enum cache_event event;
	struct cache_message message; /* the last one */
	char place[CACHE_TEXT_MAX];
};

/* --- the process ----------------------------------------------------------------------------- */

static int copy_entry(struct entry *e, struct cache_message *m)
{
	int r;

	/* From now on the file is written to. */
	m->size = entry_size(e);
	worker_reply(m, sizeof(*m));
	while ((r = entry_step(e)) > 0) {
		m->bytes = entry_at(e);
		worker_reply(m, sizeof(*m));
	}
	m->bytes = entry_at(e);
	return r;
}

/* What an error means; words NULL: the system's. Without cause it is as it may be. */
static const struct {
	int error;
	bool keep;
	enum cause cause;
	const char *words;
} outcomes[] = {
	{-ENOENT, false, CAUSE_NONE, "the image is not there yet"},
	{-EFBIG, false, CAUSE_NONE, "the image there is larger than the free memory"},
	{-EBADMSG, false, CAUSE_CACHE_DAMAGED,
		"the image there does not match its digest; it was removed"},
	{-EUCLEAN, false, CAUSE_CACHE,
		"the image there does not match its digest, and cannot be removed"},
	{-EEXIST, true, CAUSE_NONE, "the image is there already"},
	{-ENOSPC, true, CAUSE_CACHE, "no room for the image"},
	{-EBADMSG, true, CAUSE_CACHE, "the image was not stored: it does not match its digest"},
};

static void judge_result(const struct cache_config *cfg, int r, struct cache_message *m)
{
	m->final = 1;
	m->good = r == 0;
	if (r == 0)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(outcomes); i++)
		if (outcomes[i].error == r && outcomes[i].keep == cfg->keep) {
			m->cause = outcomes[i].cause;
			snprintf(m->text, sizeof(m->text), "%.200s: %s", cfg->place,
				outcomes[i].words);
			return;
		}
	m->cause = CAUSE_CACHE;
	snprintf(m->text, sizeof(m->text), "%.200s: %s", cfg->place, strerror(-r));
}

void cache_work_in(const struct cache_config *cfg, int dir)
{
	struct cache_message m = {0};
	struct entry *e = NULL;
	int r = cfg->keep ? entry_keep(&e, dir, cfg->sha256, cfg->file)
			  : entry_load(&e, dir, cfg->sha256, cfg->file, cfg->size, cfg->limit);

	if (r == 0)
		r = copy_entry(e, &m);
	entry_free(e);
	/* The last of the mount: what the disk still has to be told, it is told before we say so */
	close(dir);
	judge_result(cfg, r, &m);
	worker_reply(&m, sizeof(m));
}

static void work_at_place(const struct env *env, const struct cache_config *cfg)
{
	struct cache_message m = {.final = 1, .cause = CAUSE_CACHE};
	char text[PLACE_TEXT_MAX];
	int dir = place_open(env, cfg->place, WAIT_NS, text);

	if (dir >= 0) {
		cache_work_in(cfg, dir);
		return;
	}
	snprintf(m.text, sizeof(m.text), "%.100s: %.200s", cfg->place, text);
	worker_reply(&m, sizeof(m));
}

static int work(const void *arg)
{
	const struct cache *c = arg;
	struct cache_config cfg = c->cfg;

	cfg.file = WORKER_FILE(0);
	work_at_place(c->env, &cfg);
	return 0;
}

/* It ends the text itself. */
static bool message_valid(void *reply, const void *context)
{
	struct cache_message *m = reply;

	(void)context;
	m->text[sizeof(m->text) - 1] = 0;
	return m->cause >= 0 && m->cause < CAUSE_MAX;
}

/* --- the agent's end ------------------------------------------------------------------------- */

int cache_new(struct cache **ret, const struct env *env, const struct cache_config *cfg,
	uint64_t now)
{
	struct cache *c = calloc(1, sizeof(*c));
	const struct worker_spec spec = {
		.run = work,
		.arg = c,
		.files = {cfg->file},
		.n_files = 1,
		.reply_size = sizeof(struct cache_message),
		.valid = message_valid,
		.limit = SILENCE_MAX,
	};
	int r;

	if (!c)
		return -ENOMEM;
	c->env = env;
	c->cfg = *cfg;
	c->began = now;
	strscpy(c->place, cfg->place, sizeof(c->place));
	r = worker_start(&c->worker, &spec, now);
	if (r < 0)
		free(c);
	else
		*ret = c;
	return r;
}

struct cache *cache_free(struct cache *c)
{
	if (!c)
		return NULL;
	worker_free(c->worker);
	free(c);
	return NULL;
}

int cache_fd(const struct cache *c)
{
	return worker_fd(c->worker);
}

uint64_t cache_deadline(const struct cache *c)
{
	return worker_deadline(c->worker);
}

static void finish(struct cache *c, uint64_t now)
{
	const struct cache_message *m = &c->message;

	c->event = m->good ? CACHE_EVENT_DONE : CACHE_EVENT_MISSED;
	worker_end(c->worker);
	report_span(c->env->report, "cache", c->place, c->began, now, m->cause ? -EIO : 0);
}

static void give_up(struct cache *c, const char *why, const char *more, uint64_t now)
{
	c->message.good = 0;
	c->message.cause = CAUSE_CACHE;
	snprintf(c->message.text, sizeof(c->message.text), "%.200s: %s%s", c->place, why, more);
	finish(c, now);
}

void cache_dispatch(struct cache *c, uint64_t now)
{
	for (int budget = MESSAGES_PER_DISPATCH; worker_fd(c->worker) >= 0 && budget > 0;
		budget--) {
		struct cache_message in;
		int r = worker_receive(c->worker, &in, now);

		if (r == 0)
			return;
		if (r == -ETIMEDOUT) {
			give_up(c, "the disk does not respond", "", now);
		} else if (r < 0) {
			worker_end(c->worker);
			give_up(c, "the process that works on it ", worker_end_text(c->worker),
				now);
		} else {
			c->message = in;
			c->event = CACHE_EVENT_PROGRESS;
			if (in.final)
				finish(c, now);
		}
	}
}

enum cache_event cache_pop_event(struct cache *c)
{
	enum cache_event e = c->event;

	c->event = CACHE_EVENT_NONE;
	return e;
}

void cache_progress(const struct cache *c, uint64_t *ret_bytes, uint64_t *ret_size)
{
	*ret_bytes = c->message.bytes;
	*ret_size = c->message.size;
}

enum cause cache_failure(const struct cache *c, const char **ret_text)
{
	*ret_text = c->message.text;
	return (enum cause)c->message.cause;
}
