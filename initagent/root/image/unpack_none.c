// SPDX-License-Identifier: GPL-2.0-or-later
/* unpack_none: unpack.h for a build without archives. */
#include "root/image/unpack.h"

bool unpack_available(void)
{
	return false;
}

int unpack_new(struct unpack **ret, const struct unpack_config *cfg)
{
	(void)ret, (void)cfg;
	return -EOPNOTSUPP;
}

struct unpack *unpack_free(struct unpack *u)
{
	(void)u;
	return NULL;
}

void unpack_next(struct unpack *u, struct unpack_message *ret)
{
	(void)u;
	*ret = (struct unpack_message){.final = 1, .cause = CAUSE_IMAGE_NO_ARCHIVES};
}
