// SPDX-License-Identifier: GPL-2.0-or-later
/* unpack_none: unpack.h for a build without archives. */
#include "root/image/unpack.h"

bool unpack_available(void)
{
	return false;
}

int unpack_new(struct worker **ret, const struct unpack_config *cfg)
{
	(void)ret, (void)cfg;
	return -EOPNOTSUPP;
}

void unpack_next(struct worker *w, struct unpack_message *ret)
{
	(void)w;
	*ret = (struct unpack_message){.final = 1, .cause = CAUSE_IMAGE_NO_ARCHIVES};
}
