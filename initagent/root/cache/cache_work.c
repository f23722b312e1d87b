// SPDX-License-Identifier: GPL-2.0-or-later
/* cache_work: see cache_work.h. */
#include "root/cache/cache_work.h"

#include <sys/socket.h>

#include "root/cache/entry.h"
#include "root/cache/place.h"

static void tell(int out, struct cache_message *m)
{
	/* Only how far it is may get lost. */
	send(out, m, sizeof(*m), MSG_NOSIGNAL | (m->final ? 0 : MSG_DONTWAIT));
}

static int copy(struct entry *e, int out, struct cache_message *m)
{
	int r;

	/* From now on the file is written to. */
	m->size = entry_size(e);
	tell(out, m);
	while ((r = entry_step(e)) > 0) {
		m->bytes = entry_at(e);
		tell(out, m);
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
	{-EFBIG, false, CAUSE_NONE, "the image there is larger than the memory that is free"},
	{-EBADMSG, false, CAUSE_CACHE_DAMAGED, "the image there is not what its name says; it was removed"},
	{-EUCLEAN, false, CAUSE_CACHE, "the image there is not what its name says, and cannot be removed"},
	{-EEXIST, true, CAUSE_NONE, "the image is there already"},
	{-ENOSPC, true, CAUSE_CACHE, "no room for the image"},
	{-EBADMSG, true, CAUSE_CACHE, "the image was not kept: it is not what its digest says"},
};

static void judge(const struct cache_config *cfg, int r, struct cache_message *m)
{
	m->final = 1;
	m->good = r == 0;
	if (r == 0)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(outcomes); i++)
		if (outcomes[i].error == r && outcomes[i].keep == cfg->keep) {
			m->cause = outcomes[i].cause;
			snprintf(m->text, sizeof(m->text), "%.200s: %s", cfg->place, outcomes[i].words);
			return;
		}
	m->cause = CAUSE_CACHE;
	snprintf(m->text, sizeof(m->text), "%.200s: %s", cfg->place, strerror(-r));
}

void cache_work_in(const struct cache_config *cfg, int dir, int out)
{
	struct cache_message m = {0};
	struct entry *e = NULL;
	int r = cfg->keep ? entry_keep(&e, dir, cfg->sha256, cfg->file)
			  : entry_load(&e, dir, cfg->sha256, cfg->file, cfg->size, cfg->limit);

	if (r == 0)
		r = copy(e, out, &m);
	entry_free(e);
	/* The last of the mount: what the disk still has to be told, it is told before we say so. */
	close(dir);
	judge(cfg, r, &m);
	tell(out, &m);
}

void cache_work(const struct env *env, const struct cache_config *cfg, int out)
{
	struct cache_message m = {.final = 1, .cause = CAUSE_CACHE};
	char text[PLACE_TEXT_MAX];
	int dir = place_open(env, cfg->place, CACHE_WAIT_NS, text);

	if (dir >= 0) {
		cache_work_in(cfg, dir, out);
		return;
	}
	snprintf(m.text, sizeof(m.text), "%.100s: %.200s", cfg->place, text);
	tell(out, &m);
}
