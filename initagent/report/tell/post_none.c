// SPDX-License-Identifier: GPL-2.0-or-later
/* post_none: see post.h. For builds without http. */
#include "report/tell/post.h"

int post_start(const struct post_order *o, int *ret_fd)
{
	(void)o;
	(void)ret_fd;
	return -EOPNOTSUPP;
}

int post_read(int fd, struct post_news *ret)
{
	(void)fd;
	(void)ret;
	return 0;
}
