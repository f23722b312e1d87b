// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * streamed: an archive on its way is unpacked at once, where nothing has to read the whole of it first: no
 * signature of its own, no cache. When its end turns out to be wrong nothing of it was ever to be seen.
 */
#include "root/web/private.h"

#include "report/report.h"
#include "root/image/unpack.h"

static bool possible(const struct web *w)
{
	return w->state == WEB_IMAGE && !w->stream && !w->stream_cause && !w->signature_bytes && !w->cfg.plan->cache &&
		unpack_available();
}

/* What its first bytes are, as soon as enough are there for good; IMAGE_UNKNOWN: nothing to be unpacked on the way. */
static enum image_kind kind_of(const struct web *w, uint64_t bytes)
{
	const struct manifest *m = w->manifest;
	_cleanup_free_ uint8_t *head = NULL;
	enum image_kind kind;
	ssize_t n;

	if (bytes < IMAGE_HEAD_MAX)
		return IMAGE_UNKNOWN;
	head = malloc(IMAGE_HEAD_MAX);
	n = head ? pread(w->file, head, IMAGE_HEAD_MAX, 0) : 0;
	kind = n > 0 ? image_kind_judge(head, (size_t)n, NULL) : IMAGE_UNKNOWN;
	/* Not what its manifest says: that is told when all of it is there. */
	if (image_kind_way(kind) != IMAGE_WAY_UNPACK || (m && m->format && m->format != kind))
		return IMAGE_UNKNOWN;
	return kind;
}

/*
 * The kernel can free what was unpacked, but nobody knows how soon: what is unpacked may take what is left beside the
 * whole file.
 */
static uint64_t memory_beside(const struct web *w, const struct fetch_progress *p)
{
	uint64_t room = web_room(w), rest = p->size > p->bytes ? p->size - p->bytes : 0;

	return p->size && room > rest ? room - rest : 0;
}

static void begin(struct web *w, const struct fetch_progress *p, uint64_t now)
{
	const struct image_config image = {
		.target = w->cfg.target,
		.plan = w->cfg.plan,
		.init = w->cfg.init,
		.kind = kind_of(w, p->free_to),
		.memory = memory_beside(w, p),
	};
	const struct stream_config cfg = {
		.image = &image,
		.file = w->file,
	};

	if (image.kind == IMAGE_UNKNOWN || !image.memory || stream_new(&w->stream, w->env, &cfg, now) < 0)
		return;
	w->stream_restarts = p->restarts;
	/* What is freed behind the unpacker is nothing to build upon. */
	store_drop(w->env);
	report_log(w->env->report, REPORT_INFO, "root", now, "%s: unpacked while it is fetched", image_kind_name(image.kind));
}

/*
 * The unpacker refused it. Bytes that were not found right yet may be damaged ones, which the digest will tell; a
 * mirror may have better ones.
 */
static void failed(struct web *w, uint64_t now)
{
	bool proved = !w->has_key || (w->manifest && w->manifest->chunk_size) || !w->fetch;
	const char *text;

	w->stream_cause = image_failure(stream_image(w->stream), &text);
	if (!w->stream_cause)
		w->stream_cause = CAUSE_IMAGE_READER_DIED;
	strscpy(w->stream_text, text, sizeof(w->stream_text));
	w->stream = stream_free(w->stream);
	if (proved)
		web_stop(w, w->stream_cause, w->stream_text, now);
}

void web_stream_step(struct web *w, uint64_t now)
{
	struct fetch_progress p;

	if (!w->fetch || w->state != WEB_IMAGE)
		return;
	fetch_progress(w->fetch, &p);
	if (p.restarts != w->stream_restarts) {
		w->stream_restarts = p.restarts;
		w->stream_cause = CAUSE_NONE;
		w->stream = stream_free(w->stream);
	}
	if (possible(w))
		begin(w, &p, now);
	if (!w->stream)
		return;
	stream_watch(w->stream, fetch_fd(w->fetch));
	/* What is handed on is freed: the process that verifies does not come back to it. */
	stream_step(w->stream, p.free_to, false, now);
	if (stream_failed(w->stream))
		failed(w, now);
}

void web_stream_end(struct web *w, uint64_t now)
{
	web_set_state(w, WEB_MOUNTING, now);
	stream_step(w->stream, w->result.bytes, true, now);
	if (stream_failed(w->stream)) {
		failed(w, now);
	} else if (stream_empty(w->stream)) {
		w->image = stream_take(w->stream);
		w->stream = stream_free(w->stream);
	}
}
