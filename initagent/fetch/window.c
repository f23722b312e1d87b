// SPDX-License-Identifier: GPL-2.0-or-later

#include "fetch/window.h"

#include <sys/mman.h>

int window_make(struct window *w)
{
	*w = (struct window){.part = WINDOW_PART_MIN};
	w->fd = memfd_create("window", MFD_CLOEXEC);
	return w->fd < 0 ? -errno : 0;
}

void window_reset(struct window *w, uint64_t part)
{
	memset(w->parts, 0, sizeof(w->parts));
	w->part = part < WINDOW_PART_MIN ? WINDOW_PART_MIN : min_u64(part, WINDOW_PART_MAX);
	/* What stays behind would only be memory, and is written over. */
	if (ftruncate(w->fd, 0) < 0)
		return;
}

bool window_empty(const struct window *w)
{
	for (size_t i = 0; i < WINDOW_PARTS; i++)
		if (w->parts[i].end || w->parts[i].owner)
			return false;
	return true;
}

/* The place of the part with that byte, if it is that part's now. */
static const struct window_part *find(const struct window *w, uint64_t at)
{
	const struct window_part *p = &w->parts[at / w->part % WINDOW_PARTS];

	return p->number == at / w->part ? p : NULL;
}

/* Up to where the part is there, whose bytes before at were taken. */
static uint64_t reaches(const struct window *w, const struct window_part *p, uint64_t at)
{
	uint64_t to = p->number * w->part;

	to = p->end > to ? p->end : to;
	return at > to ? at : to;
}

bool window_next(struct window *w, uint64_t at, uint64_t size, unsigned owner, uint64_t *ret_from,
	uint64_t *ret_to)
{
	for (uint64_t n = at / w->part; n < at / w->part + WINDOW_PARTS && n * w->part < size;
		n++) {
		struct window_part *p = &w->parts[n % WINDOW_PARTS];

		if (p->number != n)
			*p = (struct window_part){.number = n};
		*ret_from = reaches(w, p, at);
		*ret_to = min_u64((n + 1) * w->part, size);
		if (p->owner || *ret_from >= *ret_to)
			continue;
		p->owner = owner;
		p->sure = false;
		return true;
	}
	return false;
}

uint64_t window_free_to(const struct window *w, uint64_t from)
{
	uint64_t least = 0;

	for (size_t i = 0; i < WINDOW_PARTS; i++) {
		const struct window_part *p = &w->parts[i];
		uint64_t begin = p->number * w->part;

		if ((p->end || p->owner) && begin > from && (!least || begin < least))
			least = begin;
	}
	return least;
}

void window_sure(struct window *w, unsigned owner)
{
	for (size_t i = 0; i < WINDOW_PARTS; i++)
		if (w->parts[i].owner == owner)
			w->parts[i].sure = true;
}

void window_release(struct window *w, unsigned owner)
{
	for (size_t i = 0; i < WINDOW_PARTS; i++)
		if (w->parts[i].owner == owner)
			w->parts[i].owner = 0;
}

void window_claim(struct window *w, uint64_t at, unsigned owner)
{
	struct window_part *p = &w->parts[at / w->part % WINDOW_PARTS];

	window_release(w, owner);
	if (p->number != at / w->part)
		*p = (struct window_part){.number = at / w->part};
	p->owner = owner;
	p->sure = true;
}

unsigned window_owner(const struct window *w, uint64_t at)
{
	const struct window_part *p = find(w, at);

	return p ? p->owner : 0;
}

bool window_others(const struct window *w, uint64_t at, unsigned owner)
{
	const struct window_part *p = find(w, at);

	return p && p->owner && p->owner != owner && p->sure;
}

bool window_full(const struct window *w, uint64_t at, uint64_t size)
{
	return (at / w->part + WINDOW_PARTS) * w->part < size;
}

ssize_t window_put(struct window *w, uint64_t at, const void *data, size_t len)
{
	struct window_part *p = &w->parts[at / w->part % WINDOW_PARTS];
	ssize_t n;

	if (p->number != at / w->part || at != reaches(w, p, 0))
		return 0;
	len = (size_t)min_u64(len, w->part - at % w->part);
	do {
		n = pwrite(w->fd, data, len, (off_t)(at % (w->part * WINDOW_PARTS)));
	} while (n < 0 && errno == EINTR);
	if (n <= 0)
		return n < 0 ? -errno : -ENOSPC;
	p->end = at + (uint64_t)n;
	return n;
}

ssize_t window_get(const struct window *w, uint64_t at, void *buf, size_t size)
{
	const struct window_part *p = find(w, at);
	ssize_t n;

	if (!p || p->end <= at)
		return 0;
	do {
		n = pread(w->fd, buf, (size_t)min_u64(size, p->end - at),
			(off_t)(at % (w->part * WINDOW_PARTS)));
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n ? n : -EIO;
}
