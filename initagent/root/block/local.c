// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * local: a disk of this machine, for the stand-alone image with rd.neednet=1: nothing is connected,
 * and there is no udev that would have named it.
 */
#include "root/block/job.h"
#include "root/cache/place.h"

#include <limits.h>

static int local_connect(struct block_job *j)
{
	(void)j;
	return 0;
}

static int local_find(struct block_job *j, char device[static BLOCK_DEVICE_MAX])
{
	char path[PATH_MAX], why[PLACE_TEXT_MAX];

	if (place_find(j->env, j->plan->name, 0, path, sizeof(path)) < 0) {
		const char *name = j->plan->name;
		bool node = strncmp(name, "/dev/", 5) == 0 && !strchr(name + 5, '/');

		place_foreign_table(j->env, node ? name + 5 : "", why);
		job_fail(j, CAUSE_BLOCK_NO_DEVICE, 0, "no such disk or partition%s%s",
			*why ? ": " : "", why);
		return 0;
	}
	return strscpy(device, path_last(path), BLOCK_DEVICE_MAX) > 0;
}

static void local_disconnect(struct block_job *j)
{
	(void)j;
}

const struct block_ops local_ops = {
	.name = "local", .connect = local_connect, .find = local_find,
	.disconnect = local_disconnect,
};
