// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * streamed: an archive is unpacked while it is still being fetched, where nothing has to read the
 * whole of it first: no signature of its own, no cache. The unpacker gets the bytes as far as they
 * are final: whole chunks that were found right, or, where only the digest of the whole is known,
 * all there are; when the transfer starts again, so does the unpacker. A layer over a mounted root
 * has no proof to wait for and is entered after the last layer only; another version of it ends the
 * boot.
 */
#include "root/web/private.h"

#include <sys/epoll.h>

#include "report/report.h"
#include "root/image/unpack.h"

static bool possible(const struct web *w)
{
	return w->state == WEB_IMAGE && !w->stream && !w->stream_cause && !w->signature_bytes &&
		!w->cfg.plan->cache && !w->cfg.layer.whole && unpack_available();
}

/* What its first bytes are, as soon as enough are there for good; IMAGE_UNKNOWN: nothing to be
 * unpacked on the way. */
static enum image_kind kind_of(const struct web *w, uint64_t bytes)
{
	const struct manifest *m = w->manifest;
	enum image_kind kind;

	if (bytes < IMAGE_HEAD_MAX)
		return IMAGE_UNKNOWN;
	kind = (enum image_kind)image_kind_read(w->file, 0, NULL);
	/* Not what its manifest says: that is told when all of it is there. */
	if (image_kind_way(kind) != IMAGE_WAY_UNPACK || (m && m->format && m->format != kind))
		return IMAGE_UNKNOWN;
	return kind;
}

/*
 * The kernel can free what was unpacked, but not at once: what is unpacked may take what is left
 * beside the whole file.
 */
static uint64_t memory_beside(const struct web *w, const struct fetch_progress *p)
{
	uint64_t room = web_room(w), rest = p->size > p->bytes ? p->size - p->bytes : 0;

	if (w->cfg.layer.on_disk)
		return UINT64_MAX;
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
		.layer = w->cfg.layer,
	};

	if (image.kind == IMAGE_UNKNOWN || !image.memory ||
		stream_new(&w->stream, w->env, &image, w->file, now) < 0)
		return;
	w->stream_restarts = p->restarts;
	/* What is freed behind the unpacker is nothing to build upon. */
	store_drop(w->env);
	report_log(w->env->report, REPORT_INFO, "root", now, "%s: unpacked while it is fetched",
		image_kind_name(image.kind));
}

/*
 * The unpacker refused it. Bytes that were not found right yet may be damaged ones, which the
 * digest will tell; a mirror may have better ones.
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
	if (p.restarts != w->stream_restarts && p.changed && w->stream && w->cfg.layer.over) {
		/* Files of the first version would stay; those of the same are replaced. */
		web_stop(w, CAUSE_FETCH_CHANGED, "a part of the first version is unpacked", now);
		return;
	}
	if (p.restarts != w->stream_restarts) {
		w->stream_restarts = p.restarts;
		w->stream_cause = CAUSE_NONE;
		w->stream = stream_free(w->stream);
	}
	if (possible(w))
		begin(w, &p, now);
	if (!w->stream)
		return;
	stream_watch(w->stream, fetch_fd(w->fetch), EPOLLIN);
	/* What is handed on is freed: the process that verifies does not come back to it. */
	if (stream_step(w->stream, p.free_to, false, now) == STREAM_FAILED)
		failed(w, now);
}

void web_stream_end(struct web *w, uint64_t now)
{
	web_set_state(w, WEB_MOUNTING, now);
	switch (stream_step(w->stream, w->result.bytes, true, now)) {
	case STREAM_BUSY: break;
	case STREAM_FAILED: failed(w, now); break;
	case STREAM_GIVEN:
		w->image = stream_take_image(w->stream);
		w->stream = stream_free(w->stream);
		break;
	}
}
