/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * overlay: rd.overlay= with the meaning of dracut-ng 110 and later, its older names, and what of
 * rd.live.* has none here. The writable layer is always in memory.
 */
#include "parser.h"

/* One "key=value" behind tmpfs:. False: it is left out. */
static bool take_item(struct slice item, struct plan_overlay *o)
{
	bool percent = item.len && item.s[item.len - 1] == '%';
	uint64_t n;

	if (slice_starts(item, "size=") && percent)
		return value_u32(item.s + 5, item.len - 6, 100, &o->percent) == 0;
	if (slice_starts(item, "size="))
		return value_size(item.s + 5, item.len - 5, &o->size) == 0;
	if (slice_starts(item, "nr_blocks=") && value_size(item.s + 10, item.len - 10, &n) == 0)
		return o->nr_blocks = n, true;
	if (slice_starts(item, "nr_inodes=") && value_size(item.s + 10, item.len - 10, &n) == 0)
		return o->nr_inodes = n, true;
	return false;
}

/* Unknown items are left out, as in dracut; a wrong size must not become "unlimited". */
static bool take_tmpfs(struct parser *p, struct plan_word *w, struct slice rest)
{
	struct plan_overlay o = {.asked = true};
	struct slice item;

	while (slice_next(&rest, ',', &item))
		if (item.len && !take_item(item, &o))
			complain(p, w, item, DIAG_ERROR,
				"size=4G, size=25%, nr_blocks=N or nr_inodes=N",
				"not a size or limit; left out");
	p->plan->root.image.overlay = o;
	return say(p, w, "puts a writable layer in memory over the root");
}

static bool is_none(struct slice v)
{
	return slice_is(v, "none") || slice_is(v, "None") || slice_is(v, "NONE");
}

/* dracut takes a tmpfs as well when it cannot use the device. */
static bool is_device(struct slice v)
{
	return value_switch(v.s, v.len) == SWITCH_ODD && !is_none(v) && !slice_is(v, "tmpfs") &&
	       !slice_starts(v, "tmpfs:");
}

/*
 * rd.overlay=0 does not mean "none" in dracut, either: a squashfs without any writable layer is
 * asked for by none alone.
 */
PARSE(overlay)
{
	struct slice v = word_value(w);
	enum switch_word sw = value_switch(v.s, v.len);

	if (is_none(v)) {
		p->plan->root.image.overlay = (struct plan_overlay){.off = true};
		return say(p, w, "leaves the root as it is, an image read-only");
	}
	if (slice_starts(v, "tmpfs:"))
		return take_tmpfs(p, w, slice_from(v, 6));
	if (sw == SWITCH_ODD) /* "tmpfs", or a device */
		sw = SWITCH_ON;
	p->plan->root.image.overlay.off = false;
	p->plan->root.image.overlay.asked = sw == SWITCH_ON;
	say(p, w, "puts a writable layer in memory over the root");
	if (sw != SWITCH_ON)
		complain(p, w, v, DIAG_NOTE, "write rd.overlay=none for a read-only root",
			"an image has a writable layer all the same, as in dracut");
	return true;
}

PARSE(overlay_size)
{
	struct plan_overlay *o = &p->plan->root.image.overlay;
	struct slice v = word_value(w);
	uint32_t mib;

	if (value_u32(v.s, v.len, 1 << 30, &mib) < 0 || mib == 0)
		return left_out(p, w, v, "write a number of MiB", "not a size");
	if (!o->size && !o->percent)
		o->size = (uint64_t)mib << 20;
	return say(p, w, "limits the writable layer to %u MiB", mib);
}

/*
 * Before dracut-ng 110 these were two options, given together: where the layer is, and that it is
 * an overlay and no snapshot.
 */
bool overlay_joined(const struct plan_word *a, const struct plan_word *b)
{
	const bool first = streq(a->name, "rd.live.overlay.overlayfs");
	const struct plan_word *layer = first ? a : b, *place = first ? b : a;
	struct slice v = word_value(layer);

	return streq(layer->name, "rd.live.overlay.overlayfs") &&
	       streq(place->name, "rd.live.overlay") && is_device(word_value(place)) &&
	       value_switch(v.s, v.len) == SWITCH_ON;
}

/* What is different from dracut's layer, for a root that has this agent's. */
void check_overlay(struct parser *p)
{
	struct plan_word *size = parser_word(p, OPTION_RD_LIVE_OVERLAY_SIZE);

	for (const struct plan_word *w = p->words; w < p->words + p->n_words; w++) {
		if (!w->row || w->row->id != OPTION_RD_OVERLAY || !is_device(word_value(w)))
			continue;
		complain(p, w, word_value(w), DIAG_WARN, "write rd.overlay=tmpfs:size=SIZE",
			"a layer on a disk is not supported: what is written is lost at the end");
	}
	if (size)
		note_word(p, size, textf(p, "write rd.overlay=tmpfs:size=%sM", size->value),
			"dracut's for device-mapper snapshots");
}

/* The root comes up without these: a warning, not an error. */
PARSE(live_refused)
{
	say(p, w, "has no effect, though dracut acts on it");
	warn_word(p, w, NULL, "understood but not acted on by this build");
	return true;
}
