// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * target_proof: where a proof is asked for, on the command line or by what is in the initramfs, no way to a root without it stays
 * open, whoever names that root.
 */
#include "boot/boot_private.h"

#include <limits.h>
#include <strings.h>

#include "root/image/keys.h"

/* A key that is there and cannot be read asks for a proof as well. */
static bool proof_asked(const struct boot *b)
{
	struct keys keys;

	return plan_wants_proof(b->plan) || keys_load(&b->env, &b->plan->root.image, &keys) < 0 || keys.n;
}

static bool certificates_there(const struct boot *b)
{
	char path[PATH_MAX];

	return b->plan->root.image.ca ||
		(env_path(&b->env, path, sizeof(path), "%s", KEYS_CA) >= 0 && access(path, F_OK) == 0);
}

/* Keys and digests prove an image however it comes. The command line's own http:// is the word of who wrote it. */
static const char *why_not(const struct boot *b, int error)
{
	const struct target *t = &b->target;

	if (error == -ENODATA || (!error && t->image && !t->spec))
		return NULL;
	if (b->plan->root.image.unprovable)
		return "none of the given keys or digests can be read, so no image can be accepted";
	if (proof_asked(b))
		return error || !t->image ? "keys or a digest are there, and only an image over HTTP can be proved by them" : NULL;
	if (!error && t->image && strncasecmp(t->image->url, "https:", 6) != 0 && certificates_there(b))
		return "certificates are there: an image that DHCP names must come by https";
	return NULL;
}

bool target_may_be(struct boot *b, int error, const char *where, uint64_t now)
{
	const char *why = why_not(b, error);

	if (why)
		boot_fail(b, CAUSE_ROOT_UNPROVED, where, now, why);
	return !why;
}
