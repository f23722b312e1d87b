/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mount-options: what of a list of mount options is not the file system's: ro and rw, and the words
 * of an /etc/fstab.
 */
#include "parser.h"

/* What is so anyway, and what is for programs that read /etc/fstab. */
static const char *const idle[] = {"defaults", "suid", "dev", "exec", "atime", "diratime",
	"norelatime", "auto", "noauto", "nofail", "_netdev", "nouser", "comment"};
static const char *const rights[] = {"user", "users", "owner", "group"};

bool mount_word(struct parser *p, const struct plan_word *w, struct slice option)
{
	const struct slice name = {option.s, slice_find(option, "=")};

	if (slice_among(name, rights, ARRAY_SIZE(rights))) {
		complain(p, w, option, DIAG_WARN, NULL,
			"only a mount program understands it; left out");
		return true;
	}
	return slice_starts(option, "x-") || slice_starts(option, "X-") ||
		slice_among(name, idle, ARRAY_SIZE(idle));
}

const char *mount_flags(struct parser *p, const struct plan_word *w, struct slice text, int *rw)
{
	const char *kept = "";
	struct slice one;

	while (slice_next(&text, ',', &one)) {
		if (slice_is(one, "ro") || slice_is(one, "rw"))
			*rw = one.s[1] == 'w' ? 1 : -1;
		else if (one.len && !mount_word(p, w, one))
			kept = textf(p, "%s%s%.*s", kept, *kept ? "," : "", SLICE(one));
	}
	return kept;
}

/* Asked for when the root is known. */
PARSE(rootflags)
{
	struct plan_block *block = &p->plan->root.block;

	if (has_control(word_value(w)))
		return left_out(p, w, word_value(w), NULL, "control bytes in the value");
	block->rw = 0;
	block->flags = mount_flags(p, w, word_value(w), &block->rw);
	return say(p, w, "mount options of a root on a block device");
}
