// SPDX-License-Identifier: GPL-2.0-or-later
/* sources: the kinds of root of this build. */
#include "root/source/source.h"

static const struct source_ops *const sources[] = {
#ifdef FEATURE_HTTP
	&image_source,
	&wwinit_source,
#endif
#ifdef FEATURE_BLOCK
	&block_source,
#endif
	&nfs_source,
};

const struct source_ops *source_at(size_t i)
{
	return i < ARRAY_SIZE(sources) ? sources[i] : NULL;
}

const struct source_ops *source_of(enum plan_root_kind kind)
{
	/* A disk of this machine is one without a server. */
	kind = kind == PLAN_ROOT_BLOCK ? PLAN_ROOT_REMOTE : kind;
	for (size_t i = 0; i < ARRAY_SIZE(sources); i++)
		if (sources[i]->kind == kind)
			return sources[i];
	return NULL;
}

bool sources_claim(const struct boot_plan *plan)
{
	return plan->root.kind == PLAN_ROOT_DHCP ||
		(plan->root.kind != PLAN_ROOT_BLOCK && source_of(plan->root.kind));
}

size_t sources_needs(const struct plan_root *root, struct need ret[static NEEDS_MAX])
{
	/* What DHCP names is an NFS root, most often; the modules of another kind follow once it is
	 * named. */
	bool open = root->kind == PLAN_ROOT_DHCP;
	const struct root_choice choice = {
		.kind = root->kind, .nfs = open ? NULL : &root->nfs, .image = &root->image,
			.block = &root->block};
	const struct source_ops *ops = source_of(open ? PLAN_ROOT_NFS : root->kind);

	return ops && ops->needs ? ops->needs(&choice, root->image.overlay.asked, ret) : 0;
}
