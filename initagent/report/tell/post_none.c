// SPDX-License-Identifier: GPL-2.0-or-later
/* post_none: see post.h. For builds without http. */
#include "report/tell/post.h"

int post_start(struct worker **ret, const struct post_request *o)
{
	(void)ret;
	(void)o;
	return -EOPNOTSUPP;
}
