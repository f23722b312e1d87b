// SPDX-License-Identifier: GPL-2.0-or-later
#include "into.h"

#include <dirent.h>
#include <sys/stat.h>

#include "base/sysmount.h"
#include "host.h"

static int is_kernel(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

/* The only one there is. */
static const char *kernel_of(const char *dir)
{
	const char *place = path_text("%s/lib/modules", dir), *kver = NULL;
	int fd = sys_open_beneath(dir, "lib/modules", O_PATH | O_DIRECTORY), n;
	struct dirent **list = NULL;

	if (fd < 0) /* where /lib is no link to it */
		fd = sys_open_beneath(dir, "usr/lib/modules", O_PATH | O_DIRECTORY);
	if (fd < 0)
		die(fd, "%s", place);
	n = scandir(fd_path(fd), &list, is_kernel, alphasort);
	if (n < 0)
		die(-errno, "%s", place);
	close(fd);
	for (int i = 0; i < n; i++) {
		kver = path_text("%s", list[i]->d_name);
		if (n > 1)
			report_fault("there are modules of kernel %s", kver);
		free(list[i]);
	}
	free(list);
	if (n != 1)
		refuse("%s: %d kernels: name one with --kver", place, n);
	return kver;
}

/* It is ours from the second time on: what was there first is kept. */
static void keep_other(const struct options *opt, const char *boot)
{
	const char *kept = path_text("%s/before-initagent-%s.img", boot, opt->kver);

	if (link(opt->out, kept) == 0)
		printf("%s: kept as %s\n", opt->out, kept);
	else if (errno != ENOENT && errno != EEXIST)
		die(-errno, "%s", kept);
}

void into_tree(struct options *opt)
{
	const char *boot = path_text("%s/boot", opt->into);
	struct stat st;

	/* a link would lead out of the tree */
	if (lstat(boot, &st) < 0)
		die(-errno, "%s", boot);
	if (!S_ISDIR(st.st_mode))
		refuse("%s is not a folder", boot);
	opt->root = opt->into;
	if (!opt->kver)
		opt->kver = kernel_of(opt->into);
	opt->out = path_text("%s/initramfs-%s.img", boot, opt->kver);
	keep_other(opt, boot);
}
