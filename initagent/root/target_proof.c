// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * target_proof: where the command line or the initramfs asks for a proof, no root without one is
 * used, whether the command line or DHCP names it.
 */
#include "root/private.h"

#include <strings.h>

#include "root/image/keys.h"

/* A key that is there and cannot be read asks for a proof as well. */
static bool proof_asked(const struct target *t)
{
	struct keys keys;

	return plan_wants_proof(t->cfg.plan) ||
		keys_load(t->cfg.env, &t->cfg.plan->root.image, &keys) < 0 || keys.n;
}

static bool certificates_there(const struct target *t)
{
	return t->cfg.plan->root.image.ca || env_exists(t->cfg.env, KEYS_CA);
}

/* Keys and digests prove an image however it comes. The command line's own http:// is the word of
 * who wrote it. */
static const char *why_not(const struct target *t, int error)
{
	bool provable = t->ops && t->ops->provable;

	if (error == -ENODATA || (!error && provable && !t->spec))
		return NULL;
	if (t->cfg.plan->root.image.unprovable)
		return "none of the given keys or digests is valid, so no image can be accepted";
	if (proof_asked(t))
		return error || !provable
			? "keys or a digest are configured, which only an image over HTTP can "
				"satisfy" : NULL;
	if (!error && provable && strncasecmp(t->choice.image->url, "https:", 6) != 0 &&
		certificates_there(t))
		return "certificates are configured: an image that DHCP names must come by https";
	return NULL;
}

bool target_may_be(struct target *t, int error, const char *where, uint64_t now)
{
	const char *why = why_not(t, error);

	if (!why)
		return true;
	/* With root=dhcp it is one server's word: another lease may name something better. */
	if (t->cfg.plan->root.image.unprovable || t->cfg.plan->root.kind != PLAN_ROOT_DHCP) {
		target_end(t, CAUSE_ROOT_UNPROVED, where, why);
	} else {
		target_note(t, CAUSE_ROOT_UNPROVED, where, why);
		report_cause(t->report, CAUSE_ROOT_UNPROVED, where, now, "%s", why);
	}
	return false;
}
